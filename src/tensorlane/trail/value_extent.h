// The least and the largest value of an operand's elements.
//
// Limits on values are judged by it: one pass over the elements with vector instructions, over the
// operand's bytes as they are folded for all checks. Only where it shows that something is wrong
// are elements looked at one by one.
#ifndef TENSORLANE_TRAIL_VALUE_EXTENT_H_
#define TENSORLANE_TRAIL_VALUE_EXTENT_H_

#include <cstddef>
#include <functional>

#include "tensorlane/tensor/dtype.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

// Without elements, or with NaN alone, `least` is above `most`.
struct ValueExtent {
  double least, most;
};

// Of the elements whose bytes are `bytes` of the memory that starts at `memory`, NaN left out. The
// type is fp32 or an integer of at most 32 bits; of others nothing is said (no elements).
ValueExtent value_extent(const std::byte* memory, const Footprint& bytes, Dtype dtype);

// Calls f(bytes, value) for the elements below `low` or above `high`.
void for_each_outside(const std::byte* memory, const Footprint& bytes, Dtype dtype, double low,
                      double high, const std::function<void(Range bytes, double value)>& f);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_VALUE_EXTENT_H_
