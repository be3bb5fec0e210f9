// Elements of recorded results: when two are equal enough, and how people read them.
#ifndef TENSORLANE_CONFORMANCE_ELEMENT_H_
#define TENSORLANE_CONFORMANCE_ELEMENT_H_

#include <cstddef>
#include <span>
#include <string>

#include "tensorlane/conformance/cases.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane::conformance {

// Whether `actual` does for the recorded element `expected` under the case's rules about NaN and
// tolerance. Both hold one element of recorded.dtype.
bool acceptable(const RecordedCase& recorded, std::span<const std::byte> actual,
                std::span<const std::byte> expected);

// Whether both hold a NaN.
bool both_nan(Dtype dtype, std::span<const std::byte> a, std::span<const std::byte> b);

// "0x3f800000 = 1", "0xfe = -2", "0x3f800000 = 1065353216 = 1.0f" for raw 32-bit words.
std::string element_text(Dtype dtype, std::span<const std::byte> bytes);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_ELEMENT_H_
