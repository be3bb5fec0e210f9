#include "tensorlane/trail/constant_bits.h"

#include <bit>
#include <cmath>

#include "tensorlane/base/language.h"

namespace tensorlane::trail {

std::string other_meaning(std::uint32_t bits, Dtype dtype) {
  const auto as_float = std::bit_cast<float>(bits);
  if (dtype_bits(dtype) == 16 && (bits & 0xffff) == 0 && std::isnormal(as_float)) {
    // What was left in the upper half of a union is hardly a float of usual size.
    const float size = std::fabs(as_float);
    if (size >= 1e-6f && size <= 1e6f) return tr("0, its bits are {} as DT_FP32", as_float);
  }
  if (dtype == Dtype::kFp32 && bits > 0 && bits <= 0xffff)
    return tr("{:g}, its bits are the integer {}", as_float, bits);
  return {};
}

}  // namespace tensorlane::trail
