// Some vectors side by side as one value, for formulas_inl.h: each operation is taken for all of
// them before the next one. Of a chain of operations that wait for each other processors hold few
// in flight, compilers leave several chains one behind the other, and registers hold this many.
// Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_SPECIAL_SIDE_BY_SIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_SPECIAL_SIDE_BY_SIDE_INL_H_
#undef TENSORLANE_COMPUTE_SPECIAL_SIDE_BY_SIDE_INL_H_
#else
#define TENSORLANE_COMPUTE_SPECIAL_SIDE_BY_SIDE_INL_H_
#endif

#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::special::simd {
namespace HWY_NAMESPACE {

// The operations of A that roots and quotients are made of.
template <class A, int kCount>
struct SideBySide {
  using Format = typename A::Format;
  template <class T>
  struct Many {
    T of[kCount];
  };
  using V = Many<typename A::V>;
  using M = Many<decltype(A::equal(std::declval<typename A::V>(), std::declval<typename A::V>()))>;

#define TL_EACH(Result, name, parameters, ...)                                          \
  static HWY_INLINE Result name parameters {                                            \
    Result result;                                                                      \
    HWY_UNROLL(8) for (int k = 0; k < kCount; ++k) result.of[k] = A::name(__VA_ARGS__); \
    return result;                                                                      \
  }
  TL_EACH(V, set, (float value), value)
  TL_EACH(V, add, (const V& a, const V& b), a.of[k], b.of[k])
  TL_EACH(V, sub, (const V& a, const V& b), a.of[k], b.of[k])
  TL_EACH(V, mul, (const V& a, const V& b), a.of[k], b.of[k])
  TL_EACH(V, absolute, (const V& x), x.of[k])
  TL_EACH(V, flip_sign, (const V& x, const V& sign), x.of[k], sign.of[k])
  TL_EACH(V, or_sign, (const V& x, const V& sign), x.of[k], sign.of[k])
  TL_EACH(V, rsqrt_guess, (const V& x), x.of[k])
  TL_EACH(V, select, (const M& mask, const V& yes, const V& no), mask.of[k], yes.of[k], no.of[k])
  TL_EACH(M, greater, (const V& a, const V& b), a.of[k], b.of[k])
  TL_EACH(M, equal, (const V& a, const V& b), a.of[k], b.of[k])
  TL_EACH(M, same_bits, (const V& a, const V& b), a.of[k], b.of[k])
  TL_EACH(M, larger_size, (const V& a, const V& b), a.of[k], b.of[k])
#undef TL_EACH
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::special::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_SPECIAL_SIDE_BY_SIDE_INL_H_
