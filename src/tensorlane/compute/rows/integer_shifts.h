// Numbers of 32 bits shifted by other numbers, and those of 16 and 32 bits all by one, with
// rounding, in lanes as wide as they are: what is shifted out and what rounding adds to it have
// room in a lane of their own. For frames of such elements side by side, or one for a row.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_SHIFTS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_SHIFTS_H_

#include <optional>
#include <span>

#include "tensorlane/compute/rows/integer_steps.h"

namespace tensorlane {

struct IntegerShifts {
  RoundingMode mode;
  bool is_signed;                      // what is shifted
  bool to_the_left;                    // all of it: numbers without sign say how far
  std::int64_t bytes;                  // of an element
  std::optional<IntegerShift> by_one;  // instead: all by the same
};

// Nothing for other rules and types.
std::optional<IntegerShifts> integer_shifts(const IntegerRule& rule, std::span<const Dtype> sources,
                                            Dtype dst);

// False where the elements of a frame stand otherwise; then nothing is written.
bool run_shifts(const IntegerShifts& shifts, const Row& frame);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_SHIFTS_H_
