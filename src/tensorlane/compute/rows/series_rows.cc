#include "tensorlane/compute/rows/series_rows.h"

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/special/fp32_exponential.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/series_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/float_numbers_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using N = Fp32Numbers;

// Polynomials of kVectors vectors at once.
template <int kVectors>
HWY_INLINE void tails(const V* x, int series, V* result) {
  V sum[kVectors];
  for_each_vector<kVectors>(
      [&](auto v) TL_INLINE_ATTR { sum[v] = hn::Set(Floats(), fp32::kTaylor[series]); });
  for (int k = series - 1; k >= 1; --k) {
    const V c = hn::Set(Floats(), fp32::kTaylor[k]);
    for_each_vector<kVectors>([&](auto v)
                                  TL_INLINE_ATTR { sum[v] = plus(times(sum[v], x[v]), c); });
  }
  for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR { result[v] = times(sum[v], x[v]); });
}
template <int kVectors>
HWY_INLINE void exp_tails(const V* x, int series, V* tail) {
  V rest[kVectors];
  for_each_vector<kVectors>(
      [&](auto v) TL_INLINE_ATTR { rest[v] = minus(x[v], N::low_byte(N::cut(x[v]))); });
  tails<kVectors>(rest, series, tail);
}

// dst = f(a), many vectors at once: f(number of vectors, a, dst).
template <class F>
HWY_INLINE void map_blocks(const Row& row, const F& f) {
  for_each_block<Floats, 1, N::kBlock>(row, [&](auto vectors, const auto& src, V* result)
                                                TL_INLINE_ATTR { f(vectors, src[0], result); });
}

// The number of Taylor terms travels as a constant source.
HWY_INLINE int series_of(const Row& row) {
  return load_element<std::int32_t>(row.src[1]);
}
void taylor(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* x, V* result) TL_INLINE_ATTR {
    tails<vectors()>(x, series, result);
    for_each_vector<vectors()>([&](auto v)
                                   TL_INLINE_ATTR { result[v] = plus(result[v], N::set(1)); });
  });
}
void exp_tail(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* x, V* result)
                      TL_INLINE_ATTR { exp_tails<vectors()>(x, series, result); });
}
void sigmoid_denominator(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* src, V* result) TL_INLINE_ATTR {
    V x[vectors];
    for_each_vector<vectors()>([&](auto v)
                                   TL_INLINE_ATTR { x[v] = minus(hn::Zero(Floats()), src[v]); });
    exp_tails<vectors()>(x, series, result);
    for_each_vector<vectors()>(
        [&](auto v) TL_INLINE_ATTR { result[v] = plus(N::set(1), N::exp_of(x[v], result[v])); });
  });
}
void tanh_ratio(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* x, V* result) TL_INLINE_ATTR {
    exp_tails<vectors()>(x, series, result);
    for (int v = 0; v < vectors; ++v) {
      const V e = N::exp_of(x[v], result[v]);
      const V r = N::div(N::set(1), e);
      result[v] = N::div(r, N::add(e, r));
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::simd {

#define TL_DEFINE_ROW(name)          \
  HWY_EXPORT(name);                  \
  void name(const Row& row) {        \
    HWY_DYNAMIC_DISPATCH(name)(row); \
  }
TL_SERIES_ROWS(TL_DEFINE_ROW)
#undef TL_DEFINE_ROW

}  // namespace tensorlane::simd
#endif  // HWY_ONCE
