// Constants whose bits were written as another type than the call takes them for.
#ifndef TENSORLANE_TRAIL_CONSTANT_BITS_H_
#define TENSORLANE_TRAIL_CONSTANT_BITS_H_

#include <cstdint>
#include <string>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane::trail {

// What the bits look more like than what they are as `dtype`: "0, its bits are 1 as DT_FP32"; empty
// where nothing is suspicious.
std::string other_meaning(std::uint32_t bits, Dtype dtype);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_CONSTANT_BITS_H_
