#include "tensorlane/compute/rows/simd_rows.h"

#include <limits>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/special/fp32_exponential.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/simd_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/compute/whole_numbers_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;

// Vectors in flight hide the latency of long chains of operations.
constexpr int kBlock = 4;

// ---- arithmetic, with the NaN of compute/fp32_arithmetic.h ----

HWY_INLINE V bits(std::uint32_t value) {
  return hn::BitCast(Floats(), hn::Set(Ints(), static_cast<std::int32_t>(value)));
}
HWY_INLINE V quiet(V nan) {
  return hn::Or(nan, bits(0x00400000u));
}

// x86 gives the first operand's NaN, else the second's, else 0xffc00000. Others need help.
HWY_INLINE V one_nan(V a, V b, V result) {
#if HWY_ARCH_X86
  static_cast<void>(a);
  static_cast<void>(b);
  return result;
#else
  result = hn::IfThenElse(hn::IsNaN(result), bits(0xffc00000u), result);
  result = hn::IfThenElse(hn::IsNaN(b), quiet(b), result);
  return hn::IfThenElse(hn::IsNaN(a), quiet(a), result);
#endif
}
// For operands that may both be NaN: compilers swap the operands of sums and products.
HWY_INLINE V first_nan(V a, V b, V result) {
#if HWY_ARCH_X86
  static_cast<void>(b);
  return hn::IfThenElse(hn::IsNaN(a), quiet(a), result);
#else
  return one_nan(a, b, result);
#endif
}

HWY_INLINE V plus(V a, V b) {
  return one_nan(a, b, hn::Add(a, b));
}
HWY_INLINE V minus(V a, V b) {
  return one_nan(a, b, hn::Sub(a, b));
}
HWY_INLINE V times(V a, V b) {
  return one_nan(a, b, hn::Mul(a, b));
}

// At most one operand is NaN, or both hold the same one, in all of these.
HWY_INLINE V newton_rsqrt(V x) {
  const Ints i;
  V y =
      hn::BitCast(Floats(), hn::Sub(hn::Set(i, 0x5f3759df), hn::ShiftRight<1>(hn::BitCast(i, x))));
  const V half = times(hn::Set(Floats(), 0.5f), x);
  for (int step = 0; step < 3; ++step) {
    V t = times(half, y);
    t = times(t, y);
    t = minus(hn::Set(Floats(), 1.5f), t);
    y = times(y, t);
  }
  return y;
}
HWY_INLINE V divide(V a, V b) {
  const V y = newton_rsqrt(hn::Abs(b));
  const V q = times(y, y);
  const V signed_a = hn::Xor(a, hn::And(b, bits(0x80000000u)));
  return first_nan(q, signed_a, hn::Mul(q, signed_a));
}
HWY_INLINE V invert(V x) {
  return divide(hn::Set(Floats(), 1.0f), x);
}

HWY_INLINE V table_of(hn::Vec<Ints> k) {
  const Ints i;
  return hn::BitCast(Floats(),
                     hn::GatherIndex(i, fp32::kExpByLowByte.data(), hn::And(k, hn::Set(i, 255))));
}
// x cut toward zero; only the low byte of what overflows matters, see fp32::to_int32.
HWY_INLINE hn::Vec<Ints> cut(V x) {
  const Ints i;
  const V top = hn::Set(Floats(), 2147483648.0f);
  const auto inside = hn::Lt(hn::Abs(x), top);
  const auto negative = hn::Lt(hn::BitCast(i, x), hn::Zero(i));
  const auto outside =
      hn::IfThenElse(negative, hn::Set(i, std::numeric_limits<std::int32_t>::min()),
                     hn::Set(i, std::numeric_limits<std::int32_t>::max()));
  return hn::IfThenElse(hn::RebindMask(i, inside), hn::ConvertTo(i, hn::IfThenElseZero(inside, x)),
                        outside);
}
HWY_INLINE V low_byte_as_float(hn::Vec<Ints> k) {
  return hn::ConvertTo(Floats(), hn::ShiftRight<24>(hn::ShiftLeft<24>(k)));
}

// Polynomials of kVectors vectors at once.
template <int kVectors>
HWY_INLINE void tails(const V* x, int series, V* result) {
  V sum[kVectors];
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v) sum[v] = hn::Set(Floats(), fp32::kTaylor[series]);
  for (int k = series - 1; k >= 1; --k) {
    const V c = hn::Set(Floats(), fp32::kTaylor[k]);
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) sum[v] = plus(times(sum[v], x[v]), c);
  }
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v) result[v] = times(sum[v], x[v]);
}
template <int kVectors>
HWY_INLINE void exp_tails(const V* x, int series, V* tail) {
  V rest[kVectors];
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v) rest[v] = minus(x[v], low_byte_as_float(cut(x[v])));
  tails<kVectors>(rest, series, tail);
}
HWY_INLINE V exp_of(V x, V tail) {
  const V table = table_of(cut(x));
  return plus(table, times(table, tail));
}

// ---- rows ----

// dst = f(a, b, ...)
template <class F>
HWY_INLINE void map1(const Row& row, const F& f) {
  map_vectors<Floats, 1, kBlock>(row, f);
}
template <class F>
HWY_INLINE void map2(const Row& row, const F& f) {
  map_vectors<Floats, 2, kBlock>(row, f);
}
template <class F>
HWY_INLINE void map3(const Row& row, const F& f) {
  map_vectors<Floats, 3, kBlock>(row, f);
}
template <class F>
HWY_INLINE void map4(const Row& row, const F& f) {
  map_vectors<Floats, 4, kBlock>(row, f);
}
// dst = f(a), many vectors at once: f(number of vectors, a, dst).
template <class F>
HWY_INLINE void map_blocks(const Row& row, const F& f) {
  for_each_block<Floats, 1, kBlock>(
      row, [&](auto vectors, const auto& src, V* result) HWY_ATTR { f(vectors, src[0], result); });
}

void add(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return first_nan(a, b, hn::Add(a, b)); });
}
void sub(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return minus(a, b); });  // nothing swaps a difference
}
void sub_from(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return minus(b, a); });
}
void mul(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return first_nan(a, b, hn::Mul(a, b)); });
}
void negate(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return minus(hn::Zero(Floats()), a); });
}
void difference(const Row& row) {
  map2(row,
       [](V a, V b) HWY_ATTR { return hn::IfThenElse(hn::Gt(a, b), minus(a, b), minus(b, a)); });
}
void squared_sum(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR {
    const V sum = first_nan(a, b, hn::Add(a, b));
    return times(sum, sum);
  });
}
void squared_difference(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR {
    const V difference = minus(a, b);
    return times(difference, difference);
  });
}
void prelu(const Row& row) {
  map2(row, [](V a, V s) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(a, hn::Zero(Floats())), a, first_nan(s, a, hn::Mul(s, a)));
  });
}
void sign(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return sign_of(a); });
}
void half_to_even(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return whole<RoundingMode::kHalfToEven>(a); });
}
void half_away_from_zero(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return whole<RoundingMode::kHalfAwayFromZero>(a); });
}
void towards_zero(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return whole<RoundingMode::kTowardsZero>(a); });
}
void down(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return whole<RoundingMode::kDown>(a); });
}
void up(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return whole<RoundingMode::kUp>(a); });
}
HWY_INLINE V multiply_add(V a, V b, V c) {
  const V product = first_nan(a, b, hn::Mul(a, b));
  return first_nan(product, c, hn::Add(product, c));
}
void mac(const Row& row) {
  map3(row, [](V d, V a, V b) HWY_ATTR { return multiply_add(a, b, d); });
}
void scale(const Row& row) {
  map2(row,
       [](V a, V s) HWY_ATTR { return plus(hn::Zero(Floats()), first_nan(a, s, hn::Mul(a, s))); });
}
void scale_bias(const Row& row) {
  map3(row, [](V a, V s, V b) HWY_ATTR { return multiply_add(a, s, b); });
}

HWY_INLINE V flush(V x) {
  const auto tiny = hn::Lt(hn::Abs(x), hn::Set(Floats(), std::numeric_limits<float>::min()));
  return hn::IfThenElse(tiny, hn::And(x, bits(0x80000000u)), x);
}
void maximum(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return flush(hn::IfThenElse(hn::Gt(a, b), a, b)); });
}
void lesser(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return flush(hn::IfThenElse(hn::Ge(a, b), b, a)); });
}
void minimum(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return hn::IfThenElse(hn::Le(a, b), a, b); });
}
void relu(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(a, hn::Zero(Floats())), a); });
}

void div(const Row& row) {
  map2(row, [](V a, V b) HWY_ATTR { return divide(a, b); });
}
void reciprocal(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return invert(a); });
}
void rsqrt(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return newton_rsqrt(a); });
}
void sqrt(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return invert(newton_rsqrt(a)); });
}

void greater_value(const Row& row) {
  map3(row, [](V a, V b, V s) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(a, b), s); });
}
void equal_value(const Row& row) {
  map3(row, [](V a, V b, V s) HWY_ATTR {
    const Ints i;
    const auto same = hn::Eq(hn::BitCast(i, a), hn::BitCast(i, b));
    return hn::IfThenElseZero(hn::RebindMask(Floats(), same), s);
  });
}
void greater_select(const Row& row) {
  map4(row, [](V a, V b, V s, V t) HWY_ATTR { return hn::IfThenElse(hn::Gt(a, b), s, t); });
}
void equal_select(const Row& row) {
  map4(row, [](V a, V b, V s, V t)
                HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::Gt(b, a)), t, s); });
}

void to_int32(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return hn::BitCast(Floats(), cut(a)); });
}
void lookup_float(const Row& row) {
  map1(row, [](V a) HWY_ATTR { return low_byte_as_float(hn::BitCast(Ints(), a)); });
}

// The number of Taylor terms travels as a constant source.
HWY_INLINE int series_of(const Row& row) {
  return load_element<std::int32_t>(row.src[1]);
}
void taylor(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* x, V* result) HWY_ATTR {
    tails<vectors()>(x, series, result);
    for (int v = 0; v < vectors; ++v) result[v] = plus(result[v], hn::Set(Floats(), 1.0f));
  });
}
void exp_tail(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* x, V* result)
                      HWY_ATTR { exp_tails<vectors()>(x, series, result); });
}
void exp_from_tail(const Row& row) {
  map2(row, [](V x, V tail) HWY_ATTR { return exp_of(x, tail); });
}
void sigmoid_denominator(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* src, V* result) HWY_ATTR {
    V x[vectors];
    for (int v = 0; v < vectors; ++v) x[v] = minus(hn::Zero(Floats()), src[v]);
    exp_tails<vectors()>(x, series, result);
    for (int v = 0; v < vectors; ++v)
      result[v] = plus(hn::Set(Floats(), 1.0f), exp_of(x[v], result[v]));
  });
}
void tanh_ratio(const Row& row) {
  const int series = series_of(row);
  map_blocks(row, [series](auto vectors, const V* x, V* result) HWY_ATTR {
    exp_tails<vectors()>(x, series, result);
    for (int v = 0; v < vectors; ++v) {
      const V e = exp_of(x[v], result[v]);
      const V r = invert(e);
      result[v] = divide(r, first_nan(e, r, hn::Add(e, r)));
    }
  });
}
void tanh_from_ratio(const Row& row) {
  map1(row, [](V w) HWY_ATTR {
    return minus(hn::Set(Floats(), 1.0f), times(hn::Set(Floats(), 2.0f), w));
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
TL_FP32_SIMD_ROWS(TL_DEFINE_ROW)
#undef TL_DEFINE_ROW

}  // namespace tensorlane::simd
#endif  // HWY_ONCE
