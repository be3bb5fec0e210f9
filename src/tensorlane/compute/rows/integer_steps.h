// A rule of integer_rows.h with its numbers worked out, and which lanes hold every step of it.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_STEPS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_STEPS_H_

#include <array>
#include <cstdint>
#include <span>

#include "tensorlane/compute/rows/integer_rows.h"
#include "tensorlane/compute/shift_rounding.h"

namespace tensorlane {

// A shift left, then one right, which rounds by what is added before: base, `even` where the last
// bit that stays is set, `negative` where the value is negative.
struct IntegerShift {
  int left = 0, right = 0;
  std::int64_t base = 0, even = 0, negative = 0;
  bool clamps_first = false;  // to what the destination holds, before the shift left as well
};
IntegerShift integer_shift(const IntegerRule& rule);

// Lanes to compute in; the first that hold a rule are the fastest. Those of kSums16, kProducts16
// and kUnsignedProducts16 have 16 bits, but not every step, see ShortSteps.
enum class IntegerLanes : std::uint8_t {
  kInt16,
  kUint16,
  kSums16,
  kProducts16,
  kUnsignedProducts16,
  kInt32,
  kUint32,
  kInt64,
  kUint64
};
// The lanes that hold every step of a rule on these types, as bits 1 << lanes.
unsigned lanes_that_hold(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst);

// What elements of 16 bits become on the way, where that is more than their lanes hold.
enum class ShortSteps : std::uint8_t {
  kNone,
  kSums,              // dst + a * b: half of a sum has room (sum_lanes_inl.h)
  kProducts,          // of 32 bits, from the first of a vector to the last and back
  kUnsignedProducts,  // of which the highest bit is none of a sign
};

struct IntegerSteps {
  IntegerOperation operation = IntegerOperation::kAdd;
  IntegerShift shift;
  // Instead of `shift`, that of each row by the byte that source `source_count` holds.
  const IntegerShift* by_byte = nullptr;
  ShiftRounding rounding;  // of kShift
  ShortSteps short_steps = ShortSteps::kNone;
  // Of the result; the whole range of the lanes where it keeps the low bits.
  std::int64_t least = 0, most = 0;
  bool clamps = true;  // whether results may lie outside
  std::array<Dtype, 3> sources{};
  int source_count = 0;
  Dtype dst = Dtype::kInt32;
};
IntegerSteps integer_steps(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst,
                           IntegerLanes lanes);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_STEPS_H_
