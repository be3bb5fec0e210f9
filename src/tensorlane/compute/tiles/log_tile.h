// The inner loop of block_tile.h for operands that many products share: the largest exponent of a
// block comes from logarithms of the operands, so that products need not be kept until it is known.
//
// A logarithm is log2 of a magnitude in parts of 2^-11, rounded down, in 16 bits: twice as many to
// a vector as products. The largest sum of two is too low by less than three parts; where it lies
// that close below a whole number, or nothing but small numbers met, the block is summed up in two
// passes as in block_tile.h. Logarithms are made once for each operand and cost some twenty
// products of an element each.
#ifndef TENSORLANE_COMPUTE_TILES_LOG_TILE_H_
#define TENSORLANE_COMPUTE_TILES_LOG_TILE_H_

#include <cstdint>

namespace tensorlane {

// Powers of two by which 16 bits tell logarithms apart. Those of an operand are from a quarter of
// them below its base to half of them above.
inline constexpr int kLogPowers = 16;
inline constexpr int kLogPartBits = 11;

// Whether this processor gains by it (vectors of AVX2 or AVX-512): elsewhere it is not there.
bool has_log_tile();

// Rows that must share a logarithm of an input to be worth it.
inline constexpr int kLeastLogRows = 32;

// Logarithms of inputs of a tile, [step][width]; of `positions` of them, the rest is filled up.
// Numbers are finite, of at most 11 bits of mantissa. Returns their base: the exponent that they
// are told from.
int make_input_logs(const float* inputs, const std::int32_t* offsets, int steps, int positions,
                    std::int16_t* to);
// The same of weights as they lie, each twice.
int make_weight_logs(const float* weights, std::int64_t count, std::uint32_t* to);
// Whether blocks of products have exponents that the tile can scale by. `base`: of inputs and of
// weights, added up.
bool log_tile_serves(int base);

struct LogTile {
  int rows = 0;                                // 1 .. block_tile_shape().rows
  const float* inputs = nullptr;               // block_tile_shape().width of them follow each other
  const float* weights = nullptr;              // [step][rows]
  const std::int32_t* offsets = nullptr;       // [step], in floats from `inputs`
  const std::int16_t* input_logs = nullptr;    // [step][width]
  const std::uint32_t* weight_logs = nullptr;  // [step][rows], each twice
  int base = 0;                                // for which the tile serves
  const std::int32_t* block_ends = nullptr;    // of each block: the step behind its last
  int blocks = 0;
  const float* start = nullptr;  // what the sums start with, [rows][width]; null: +0
  float* sums = nullptr;         // [rows][width], aligned to vectors as input_logs are
};

// In the calling thread's float environment, which must be the chips'.
void run_log_tile(const LogTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_LOG_TILE_H_
