// Vectors in arrays whose size is known, which the compiler keeps in registers. Included once per
// vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_VECTOR_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_VECTOR_BLOCKS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_VECTOR_BLOCKS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_VECTOR_BLOCKS_INL_H_
#endif

#include <type_traits>
#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

// Of lambdas: a call of one would pass its vectors through memory.
#undef TL_INLINE_ATTR
#define TL_INLINE_ATTR HWY_ATTR __attribute__((always_inline))

// f(0), f(1), ...: constants, so that vectors in arrays stay in registers, which a loop over them
// keeps in memory.
template <class F, int... kVector>
HWY_INLINE void for_each_vector_of(const F& f, std::integer_sequence<int, kVector...> /*vectors*/) {
  (f(std::integral_constant<int, kVector>()), ...);
}
template <int kVectors, class F>
HWY_INLINE void for_each_vector(const F& f) {
  for_each_vector_of(f, std::make_integer_sequence<int, kVectors>());
}

template <class Tag, int kBlock>
HWY_INLINE void load_block(const hwy::HWY_NAMESPACE::TFromD<Tag>* from,
                           hwy::HWY_NAMESPACE::Vec<Tag>* vectors) {
  namespace hn = hwy::HWY_NAMESPACE;
  for_each_vector<kBlock>([&](auto v) TL_INLINE_ATTR {
    vectors[v] = hn::LoadU(Tag(), from + v * static_cast<int>(hn::MaxLanes(Tag())));
  });
}
template <class Tag, int kBlock>
HWY_INLINE void store_block(const hwy::HWY_NAMESPACE::Vec<Tag>* vectors,
                            hwy::HWY_NAMESPACE::TFromD<Tag>* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  for_each_vector<kBlock>([&](auto v) TL_INLINE_ATTR {
    hn::StoreU(vectors[v], Tag(), to + v * static_cast<int>(hn::MaxLanes(Tag())));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_VECTOR_BLOCKS_INL_H_
