// The ends of rows: some lanes of a vector are read or written, nothing beside them. Included once
// per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
#undef TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
#else
#define TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

// The first `count` lanes of vectors of type D.
template <class D>
class FirstLanes {
 public:
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  explicit HWY_INLINE FirstLanes(std::size_t count)
      : mask_(hwy::HWY_NAMESPACE::FirstN(D(), count)) {}
  // Zeros behind them.
  HWY_INLINE V load(const T* from) const {
    return hwy::HWY_NAMESPACE::MaskedLoad(mask_, D(), from);
  }
  HWY_INLINE void store(V value, T* to) const {
    hwy::HWY_NAMESPACE::BlendedStore(value, mask_, D(), to);
  }

 private:
  hwy::HWY_NAMESPACE::Mask<D> mask_;
#else
  explicit HWY_INLINE FirstLanes(std::size_t count) : count_(count) {}
  HWY_INLINE V load(const T* from) const {
#if HWY_TARGET == HWY_AVX2  // of words there are masks
    if constexpr (sizeof(T) == 4)
      return hwy::HWY_NAMESPACE::MaskedLoad(hwy::HWY_NAMESPACE::FirstN(D(), count_), D(), from);
#endif
    T lanes[hwy::HWY_NAMESPACE::MaxLanes(D())] = {};
    for (std::size_t i = 0; i < count_; ++i) lanes[i] = from[i];
    return hwy::HWY_NAMESPACE::LoadU(D(), lanes);
  }
  HWY_INLINE void store(V value, T* to) const {
    T lanes[hwy::HWY_NAMESPACE::MaxLanes(D())];
    hwy::HWY_NAMESPACE::StoreU(value, D(), lanes);
    for (std::size_t i = 0; i < count_; ++i) to[i] = lanes[i];
  }

 private:
  std::size_t count_;
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
