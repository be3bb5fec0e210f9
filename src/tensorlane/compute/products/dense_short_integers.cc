// The loops over integers of 8 and 16 bits of dense_words.h, in vectors.
#include <type_traits>

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

template <class T>
void zip_to_words(const std::byte* low, const std::byte* high, std::int64_t count,
                  std::int32_t* to) {
  using Half = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
  const hn::ScalableTag<Half> d;
  const hn::Rebind<T, hn::ScalableTag<Half>> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const lows = reinterpret_cast<const T*>(low);
  const auto* const highs = reinterpret_cast<const T*>(high);
  auto* const halves = reinterpret_cast<Half*>(to);
  const auto load = [&](const T* from) HWY_ATTR {
    if constexpr (sizeof(T) == sizeof(Half)) return hn::LoadU(d, from);
    if constexpr (sizeof(T) < sizeof(Half)) return hn::PromoteTo(d, hn::LoadU(narrow, from));
  };
  const auto zip_at = [&](std::int64_t i) HWY_ATTR {
    const auto upper = highs == nullptr ? hn::Zero(d) : load(highs + i);
    hn::StoreInterleaved2(load(lows + i), upper, d, halves + 2 * i);
  };
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) zip_at(i);
  if (i == count) return;
  if (count >= lanes) return zip_at(count - lanes);  // some of them again
  for (; i < count; ++i) {
    halves[2 * i] = lows[i];
    halves[2 * i + 1] = highs == nullptr ? Half{0} : Half{highs[i]};
  }
}

void zip_to_words_of(const std::byte* low, const std::byte* high, Dtype dtype, std::int64_t count,
                     std::int32_t* to) {
  switch (dtype) {
    case Dtype::kInt8:
      return zip_to_words<std::int8_t>(low, high, count, to);
    case Dtype::kUint8:
      return zip_to_words<std::uint8_t>(low, high, count, to);
    case Dtype::kInt16:
      return zip_to_words<std::int16_t>(low, high, count, to);
    default:
      return zip_to_words<std::uint16_t>(low, high, count, to);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(widen_to_words_of);
HWY_EXPORT(zip_to_words_of);

void widen_short_integers(const std::byte* from, Dtype dtype, std::int64_t count,
                          std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(widen_to_words_of)(from, dtype, count, to);
}

void zip_short_integers(const std::byte* low, const std::byte* high, Dtype dtype,
                        std::int64_t count, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(zip_to_words_of)(low, high, dtype, count, to);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
