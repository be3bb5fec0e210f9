// NaN and infinity in the elements of an operand.
//
// Used to find where the first one of a computation comes from: the command whose sources are all
// finite and whose result is not.
#ifndef TENSORLANE_TRAIL_NON_FINITE_H_
#define TENSORLANE_TRAIL_NON_FINITE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensorlane/tensor/dtype.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

struct NonFinite {
  std::int64_t elements = 0;
  std::vector<Range> bytes;  // of the first ones, at most `limit` ranges
};

// Looks at the elements whose bytes are `bytes` of the memory that starts at `memory`. Types other
// than fp32, fp16 and bf16 hold neither NaN nor infinity.
NonFinite find_non_finite(const std::byte* memory, const Footprint& bytes, Dtype dtype,
                          std::size_t limit = 64);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_NON_FINITE_H_
