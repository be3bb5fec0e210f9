// Constants whose bits were written as another type than the call takes them for.
#ifndef TENSORLANE_OBSERVE_CHECK_CONSTANT_BITS_H_
#define TENSORLANE_OBSERVE_CHECK_CONSTANT_BITS_H_

#include <cstdint>
#include <string>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane::check {

// What the bits look more like than what they are as `dtype`: "0, its bits are 1 as DT_FP32"; empty
// where nothing is suspicious.
std::string other_meaning(std::uint32_t bits, Dtype dtype);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_CONSTANT_BITS_H_
