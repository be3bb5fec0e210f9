// Elements of a channel in lanes of 16 or 32 bits and back, for quantize_words.cc. Included once
// per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_LANES_INL_H_
#undef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_LANES_INL_H_
#else
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_LANES_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "tensorlane/compute/partial_vectors_inl.h"
#include "tensorlane/compute/products/quantize_words.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
using QuantTag = hn::ScalableTag<Lane>;
using QuantInts = QuantTag<std::int32_t>;
using QuantWide = QuantTag<std::int64_t>;
using QuantFloats = QuantTag<float>;
using QuantInt = hn::Vec<QuantInts>;
using QuantWideInt = hn::Vec<QuantWide>;
template <class Lane>
constexpr int kQuantLanes = static_cast<int>(hn::MaxLanes(QuantTag<Lane>()));
inline constexpr bool kRepeatsQuantEnds = HWY_TARGET > HWY_AVX3;
// Of lambdas: a call of one would pass its vectors through memory.
#undef TL_QUANT_INLINE
#define TL_QUANT_INLINE HWY_ATTR __attribute__((always_inline))

// Elements in lanes: some first ones, or `left` of them where they are fewer than the lanes.
template <class T, class Lane>
HWY_INLINE hn::Vec<QuantTag<Lane>> widened(hn::Vec<hn::Rebind<T, QuantTag<Lane>>> elements) {
  if constexpr (sizeof(T) == sizeof(Lane)) return hn::BitCast(QuantTag<Lane>(), elements);
  if constexpr (sizeof(T) < sizeof(Lane)) return hn::PromoteTo(QuantTag<Lane>(), elements);
}
template <class T, class Lane>
HWY_INLINE hn::Vec<QuantTag<Lane>> load_first_as_lanes(const std::byte* from, std::int64_t count) {
  using Narrow = hn::Rebind<T, QuantTag<Lane>>;
  const FirstLanes<Narrow> first(static_cast<std::size_t>(count));
  return widened<T, Lane>(first.load(reinterpret_cast<const T*>(from)));
}
template <class T, class Lane>
HWY_INLINE hn::Vec<QuantTag<Lane>> load_as_lanes(const std::byte* from, std::int64_t left) {
  if (left < kQuantLanes<Lane>) return load_first_as_lanes<T, Lane>(from, left);
  constexpr hn::Rebind<T, QuantTag<Lane>> narrow;
  return widened<T, Lane>(hn::LoadU(narrow, reinterpret_cast<const T*>(from)));
}

// Vectors side by side: what the types and numbers of a call decide is decided once for them.
template <class Lane, int kVectors>
struct QuantBlock {
  static constexpr int kCount = kVectors;
  hn::Vec<QuantTag<Lane>> lanes[kVectors];

  template <class F>
  HWY_INLINE void each(const F& f) {
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) lanes[v] = f(lanes[v]);
  }
};

// Calls load(T()) with the type of a source's elements: S, where that is known as this is compiled.
template <class S>
struct QuantSource {
  explicit HWY_INLINE QuantSource(Dtype) {}
  template <class Lane, class Load>
  HWY_INLINE void with(const Load& load) const {
    load(S());
  }
};
template <>
struct QuantSource<void> {
  Dtype dtype;

  explicit HWY_INLINE QuantSource(Dtype type) : dtype(type) {}
  template <class Lane, class Load>
  HWY_INLINE void with(const Load& load) const {
    if constexpr (sizeof(Lane) == 4) {
      if (dtype == Dtype::kInt32) return load(std::int32_t());
    }
    if (dtype == Dtype::kInt16) return load(std::int16_t());
    if (dtype == Dtype::kUint16) return load(std::uint16_t());
    if (dtype == Dtype::kInt8) return load(std::int8_t());
    load(std::uint8_t());
  }
};

// A vector of lanes to what is stored of them: as they are, or shorter elements.
template <class T, class Lane>
HWY_INLINE hn::Vec<hn::Rebind<T, QuantTag<Lane>>> narrowed(hn::Vec<QuantTag<Lane>> value) {
  constexpr hn::Rebind<T, QuantTag<Lane>> narrow;
  if constexpr (sizeof(T) == sizeof(Lane)) return hn::BitCast(narrow, value);
  if constexpr (sizeof(T) < sizeof(Lane)) return hn::DemoteTo(narrow, value);
}
template <class T, class Lane>
HWY_INLINE void store_first_quantized(hn::Vec<QuantTag<Lane>> value, std::int64_t count,
                                      std::byte* to) {
  using Narrow = hn::Rebind<T, QuantTag<Lane>>;
  const FirstLanes<Narrow> first(static_cast<std::size_t>(count));
  first.store(narrowed<T, Lane>(value), reinterpret_cast<T*>(to));
}
template <class T, class Lane>
HWY_INLINE void store_quantized(hn::Vec<QuantTag<Lane>> value, std::int64_t left, std::byte* to) {
  if (left < kQuantLanes<Lane>) return store_first_quantized<T, Lane>(value, left, to);
  constexpr hn::Rebind<T, QuantTag<Lane>> narrow;
  hn::StoreU(narrowed<T, Lane>(value), narrow, reinterpret_cast<T*>(to));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_LANES_INL_H_
