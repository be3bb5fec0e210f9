// The inner loop of integer products whose sums need up to 64 bits: factors of 16 and 32 bits.
//
// Factors of up to 16 bits are fp64 numbers, whose sums of up to 2^21 products are exact and take
// one instruction for eight products where there are vectors of 64 bytes; factors of 32 bits are
// integers, multiplied to 64 bits that wrap. The left operand is words of 64 bits, which have the
// integer in their low half; the right one words of 64 bits, or of 32 for integers.
#ifndef TENSORLANE_COMPUTE_TILES_WIDE_TILE_H_
#define TENSORLANE_COMPUTE_TILES_WIDE_TILE_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

enum class WideFactors : std::uint8_t { kFp64, kSigned, kUnsigned };

// Rows of the left operand that a tile takes at most, and what its columns are a multiple of.
inline constexpr int kWideRows = 8;
inline constexpr int kWideColumns = 16;

// `count` integers as words, from the low 32 bits of each: of kUnsigned without sign.
void make_wide_words(const std::int32_t* from, std::int64_t count, WideFactors factors,
                     std::uint64_t* to);

struct WideTile {
  WideFactors factors = WideFactors::kFp64;
  int rows = 0;                                  // 1 .. kWideRows
  int inner = 0;                                 // products of a sum
  int columns = 0;                               // a multiple of kWideColumns
  const std::uint64_t* left = nullptr;           // [rows][inner]
  const std::uint64_t* right = nullptr;          // [inner][columns], of kFp64
  const std::int32_t* right_integers = nullptr;  // [inner][columns], of others
  std::int64_t* sums = nullptr;                  // [rows][columns], in the order of wide_group
};
void run_wide_tile(const WideTile& tile);

// How many columns a group of sums has: first its even columns, then the odd ones, as products of
// integers leave them. 1: sums are in the order of columns. kWideColumns is a multiple of it.
int wide_group(WideFactors factors);
// Where in a row the sum of a column is.
constexpr int place_in_groups(int column, int group) {
  if (group == 1) return column;
  const int inside = column % group;
  return column - inside + inside / 2 + inside % 2 * (group / 2);
}

// What is kept of a shifted sum: its low bits, or the nearest number with sign, or without where
// the sum has none.
enum class WideEnd : std::uint8_t { kLowBits, kInt32, kUint32 };

// Some rows of sums, of which 32 bits are kept.
struct WideShifts {
  const std::int64_t* sums = nullptr;  // [rows][columns]
  bool splits = false;                 // into the groups of integers, the shifts too
  int rows = 0;
  int columns = 0;                       // a multiple of kWideColumns
  const std::int64_t* shifts = nullptr;  // [columns], -63 .. 63: left, or right with rounding
  bool shifts_are_one = false;           // all are as the first
  bool left = true;                      // some may be to the left
  RoundingMode mode = RoundingMode::kHalfUp;
  WideEnd end = WideEnd::kLowBits;
  std::int32_t* to = nullptr;  // [rows][columns]
};
void shift_wide_sums(const WideShifts& shifts);

// to[i] = term + terms[i] + the sum over d < count of sums[d][i] * 256^d, in 64 bits that wrap.
// `columns` is a multiple of kWideColumns.
void add_digit_sums(const std::int32_t* const* sums, int count, std::int64_t term,
                    const std::int64_t* terms, int columns, std::int64_t* to);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_WIDE_TILE_H_
