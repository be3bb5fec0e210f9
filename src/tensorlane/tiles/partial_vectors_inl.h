// The ends of rows: some lanes of a vector are read or written, nothing beside them. Included once
// per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_TILES_PARTIAL_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_TILES_PARTIAL_VECTORS_INL_H_
#undef TENSORLANE_TILES_PARTIAL_VECTORS_INL_H_
#else
#define TENSORLANE_TILES_PARTIAL_VECTORS_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

// The first `count` lanes from memory, zeros behind them.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> load_first(D d, const hwy::HWY_NAMESPACE::TFromD<D>* from,
                                                 std::size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  hn::TFromD<D> lanes[hn::MaxLanes(D())] = {};
  for (std::size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::LoadU(d, lanes);
#endif
}

template <class D>
HWY_INLINE void store_first(hwy::HWY_NAMESPACE::Vec<D> value, D d, std::size_t count,
                            hwy::HWY_NAMESPACE::TFromD<D>* to) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  hn::BlendedStore(value, hn::FirstN(d, count), d, to);
#else
  hn::TFromD<D> lanes[hn::MaxLanes(D())];
  hn::StoreU(value, d, lanes);
  for (std::size_t i = 0; i < count; ++i) to[i] = lanes[i];
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_TILES_PARTIAL_VECTORS_INL_H_
