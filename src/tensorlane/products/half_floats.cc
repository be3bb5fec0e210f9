// The loops over numbers of 16 bits of dense_words.h, in vectors.
#include <cstring>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/tensor/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/products/half_floats.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using WideFloats = hn::ScalableTag<float>;

// Returns how many it has done: whole vectors.
template <class Half>
std::int64_t widen_vectors(const std::byte* from, std::int64_t count, float* to) {
  const WideFloats d;
  const hn::Rebind<Half, WideFloats> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* halves = reinterpret_cast<const Half*>(from);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, halves + i)), d, to + i);
  }
  return i;
}

// Where a processor has no instruction for it, Highway's conversion of fp16 knows no infinity.
#if (HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86) || HWY_ARCH_ARM_A64
constexpr bool kWidensFp16 = true;
#else
constexpr bool kWidensFp16 = false;
#endif

void widen_all(const std::byte* from, Dtype dtype, std::int64_t count, float* to) {
  std::int64_t done = 0;
  if (dtype == Dtype::kBf16) {
    done = widen_vectors<hwy::bfloat16_t>(from, count, to);
  } else if constexpr (kWidensFp16) {
    done = widen_vectors<hwy::float16_t>(from, count, to);
  }
  convert_elements(to + done, Dtype::kFp32, from + 2 * done, dtype,
                   static_cast<std::size_t>(count - done));
}

bool has_special(std::span<const float> numbers) {
  const WideFloats d;
  const hn::RebindToUnsigned<WideFloats> du;
  const auto exponent = hn::Set(du, 0x7F800000U);
  const std::size_t lanes = hn::Lanes(d);
  auto largest = hn::Zero(du);
  std::size_t i = 0;
  for (; i + lanes <= numbers.size(); i += lanes) {
    const auto bits = hn::BitCast(du, hn::LoadU(d, numbers.data() + i));
    largest = hn::Max(largest, hn::And(bits, exponent));
  }
  bool found = !hn::AllFalse(du, hn::Eq(largest, exponent));
  for (; i < numbers.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &numbers[i], sizeof bits);
    found |= (bits & 0x7F800000U) == 0x7F800000U;
  }
  return found;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(widen_all);
HWY_EXPORT(has_special);

void widen_halves(const std::byte* from, Dtype dtype, std::int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_all)(from, dtype, count, to);
}

bool any_special(std::span<const float> numbers) {
  return HWY_DYNAMIC_DISPATCH(has_special)(numbers);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
