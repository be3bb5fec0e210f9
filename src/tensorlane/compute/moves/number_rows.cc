#include "tensorlane/compute/moves/number_rows.h"

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/moves/number_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::numbers {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void row_of(std::byte* to, std::int64_t count, T start, T step) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto numbers = hn::Add(hn::Set(d, start), hn::Mul(hn::Iota(d, T{0}), hn::Set(d, step)));
  const auto next = hn::Set(d, static_cast<T>(step * static_cast<T>(lanes)));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(numbers, d, reinterpret_cast<T*>(to) + i);
    numbers = hn::Add(numbers, next);
  }
  if (i == count) return;
  HWY_ALIGN T rest[hn::MaxLanes(d)];
  hn::Store(numbers, d, rest);
  std::memcpy(to + i * static_cast<std::int64_t>(sizeof(T)), rest,
              static_cast<std::size_t>(count - i) * sizeof(T));
}

void words(std::byte* to, std::int64_t count, std::uint32_t start, std::uint32_t step) {
  row_of(to, count, start, step);
}
void halves(std::byte* to, std::int64_t count, std::uint16_t start, std::uint16_t step) {
  row_of(to, count, start, step);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::numbers
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::numbers {

HWY_EXPORT(words);
void words(std::byte* to, std::int64_t count, std::uint32_t start, std::uint32_t step) {
  HWY_DYNAMIC_DISPATCH(words)(to, count, start, step);
}
HWY_EXPORT(halves);
void halves(std::byte* to, std::int64_t count, std::uint16_t start, std::uint16_t step) {
  HWY_DYNAMIC_DISPATCH(halves)(to, count, start, step);
}

}  // namespace tensorlane::numbers
#endif  // HWY_ONCE
