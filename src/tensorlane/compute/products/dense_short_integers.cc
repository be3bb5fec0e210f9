// The loops over integers of 8 and 16 bits of dense_words.h, in vectors.
#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/products/dense_words.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/dense_short_integers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void widen_to_words(const std::byte* from, std::int64_t count, std::int32_t* to) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<T, hn::ScalableTag<std::int32_t>> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* elements = reinterpret_cast<const T*>(from);
  const auto widen_at = [&](std::int64_t i) HWY_ATTR {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, elements + i)), d, to + i);
  };
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) widen_at(i);
  if (i == count) return;
  if (count >= lanes) return widen_at(count - lanes);  // some of them again
  for (; i < count; ++i) to[i] = elements[i];
}

void widen_to_words_of(const std::byte* from, Dtype dtype, std::int64_t count, std::int32_t* to) {
  switch (dtype) {
    case Dtype::kInt8:
      return widen_to_words<std::int8_t>(from, count, to);
    case Dtype::kUint8:
      return widen_to_words<std::uint8_t>(from, count, to);
    case Dtype::kInt16:
      return widen_to_words<std::int16_t>(from, count, to);
    default:
      return widen_to_words<std::uint16_t>(from, count, to);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(widen_to_words_of);

void widen_short_integers(const std::byte* from, Dtype dtype, std::int64_t count,
                          std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(widen_to_words_of)(from, dtype, count, to);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
