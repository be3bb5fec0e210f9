#include "tensorlane/execution/simd_rows.h"

#include <cstring>
#include <limits>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/fp32/exponential.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/execution/simd_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));
// Vectors in flight hide the latency of long chains of operations.
constexpr int kBlock = 4;

// ---- arithmetic, with the NaN of fp32/arithmetic.h ----

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

// Polynomials of a block of vectors at once.
HWY_INLINE void tails(const V* x, int series, V* sum) {
  for (int v = 0; v < kBlock; ++v) sum[v] = hn::Set(Floats(), fp32::kTaylor[series]);
  for (int k = series - 1; k >= 1; --k) {
    const V c = hn::Set(Floats(), fp32::kTaylor[k]);
    for (int v = 0; v < kBlock; ++v) sum[v] = plus(times(sum[v], x[v]), c);
  }
  for (int v = 0; v < kBlock; ++v) sum[v] = times(sum[v], x[v]);
}
HWY_INLINE void exp_tails(const V* x, int series, V* tail) {
  V rest[kBlock];
  for (int v = 0; v < kBlock; ++v) rest[v] = minus(x[v], low_byte_as_float(cut(x[v])));
  tails(rest, series, tail);
}
HWY_INLINE V exp_of(V x, V tail) {
  const V table = table_of(cut(x));
  return plus(table, times(table, tail));
}

// ---- rows ----

// Loads and stores of the first lanes of a vector that touch no memory beyond them.
#if HWY_TARGET <= HWY_AVX2
constexpr bool kHasMasks = true;
#else
constexpr bool kHasMasks = false;
#endif

constexpr int kChunk = kBlock * kLanes;

// Where a source is read from: a dense row, or a vector of copies of a constant.
struct Reader {
  const float* at = nullptr;
  std::int64_t step = 0;  // floats per float of the row: 1 or 0
};

// The last elements of a row, fewer than kChunk, from `i` on: under masks or through buffers, so
// that nothing outside the row is read or written.
template <int kSources, class Block>
HWY_INLINE void end_row(Reader (&readers)[kSources], std::int64_t i, std::size_t rest, float* dst,
                        const Block& block) {
  const Floats d;
  V src[kSources][kBlock];
  V result[kBlock];
  if constexpr (kHasMasks) {
    const auto mask_of = [&](int v) HWY_ATTR {
      const std::size_t before = static_cast<std::size_t>(v) * static_cast<std::size_t>(kLanes);
      return hn::FirstN(d, rest > before ? rest - before : 0);
    };
    for (int v = 0; v < kBlock; ++v) {
      const auto mask = mask_of(v);
      for (int k = 0; k < kSources; ++k) {
        src[k][v] = hn::MaskedLoad(mask, d, readers[k].at + i * readers[k].step + v * kLanes);
      }
    }
    block(src, result);
    for (int v = 0; v < kBlock; ++v) hn::BlendedStore(result[v], mask_of(v), d, dst + v * kLanes);
  } else {
    HWY_ALIGN float buffer[kChunk] = {};
    for (int k = 0; k < kSources; ++k) {
      const float* from = readers[k].at;
      if (readers[k].step != 0) {
        std::memcpy(buffer, from + i, rest * sizeof(float));
        from = buffer;
      }
      for (int v = 0; v < kBlock; ++v) src[k][v] = hn::LoadU(d, from + v * kLanes);
    }
    block(src, result);
    for (int v = 0; v < kBlock; ++v) hn::Store(result[v], d, buffer + v * kLanes);
    std::memcpy(dst, buffer, rest * sizeof(float));
  }
}

// Calls block(sources as kSources arrays of kBlock vectors, result) along all rows.
template <int kSources, class Block>
HWY_INLINE void for_each_block(const Row& rows, const Block& block) {
  const Floats d;
  HWY_ALIGN float constants[kSources][kChunk];
  Reader readers[kSources];
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    for (int k = 0; k < kSources; ++k) {
      const std::byte* from = rows.src[k] + r * rows.src_next[k];
      if (rows.src_step[k] != 0) {
        readers[k] = {reinterpret_cast<const float*>(from), 1};
      } else if (r == 0 || rows.src_next[k] != 0) {
        const V value = hn::Set(d, load_element<float>(from));
        for (int v = 0; v < kBlock; ++v) hn::Store(value, d, constants[k] + v * kLanes);
        readers[k] = {constants[k], 0};
      }
    }
    auto* const dst = reinterpret_cast<float*>(rows.dst + r * rows.dst_next);
    std::int64_t i = 0;
    for (; i + kChunk <= rows.count; i += kChunk) {
      V src[kSources][kBlock];
      V result[kBlock];
      for (int k = 0; k < kSources; ++k) {
        for (int v = 0; v < kBlock; ++v)
          src[k][v] = hn::LoadU(d, readers[k].at + i * readers[k].step + v * kLanes);
      }
      block(src, result);
      for (int v = 0; v < kBlock; ++v) hn::StoreU(result[v], d, dst + i + v * kLanes);
    }
    if (i < rows.count) {
      end_row(readers, i, static_cast<std::size_t>(rows.count - i), dst + i, block);
    }
  }
}

// dst = f(a, b, ...)
template <class F>
HWY_INLINE void map1(const Row& row, const F& f) {
  for_each_block<1>(row, [&](V(*src)[kBlock], V* result) HWY_ATTR {
    for (int v = 0; v < kBlock; ++v) result[v] = f(src[0][v]);
  });
}
template <class F>
HWY_INLINE void map2(const Row& row, const F& f) {
  for_each_block<2>(row, [&](V(*src)[kBlock], V* result) HWY_ATTR {
    for (int v = 0; v < kBlock; ++v) result[v] = f(src[0][v], src[1][v]);
  });
}
template <class F>
HWY_INLINE void map3(const Row& row, const F& f) {
  for_each_block<3>(row, [&](V(*src)[kBlock], V* result) HWY_ATTR {
    for (int v = 0; v < kBlock; ++v) result[v] = f(src[0][v], src[1][v], src[2][v]);
  });
}
template <class F>
HWY_INLINE void map4(const Row& row, const F& f) {
  for_each_block<4>(row, [&](V(*src)[kBlock], V* result) HWY_ATTR {
    for (int v = 0; v < kBlock; ++v) result[v] = f(src[0][v], src[1][v], src[2][v], src[3][v]);
  });
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

// The number of Taylor terms travels as a constant source.
HWY_INLINE int series_of(const Row& row) {
  return load_element<std::int32_t>(row.src[1]);
}
void taylor(const Row& row) {
  const int series = series_of(row);
  for_each_block<1>(row, [series](V(*src)[kBlock], V* result) HWY_ATTR {
    tails(src[0], series, result);
    for (int v = 0; v < kBlock; ++v) result[v] = plus(result[v], hn::Set(Floats(), 1.0f));
  });
}
void exp_tail(const Row& row) {
  const int series = series_of(row);
  for_each_block<1>(
      row, [series](V(*src)[kBlock], V* result) HWY_ATTR { exp_tails(src[0], series, result); });
}
void exp_from_tail(const Row& row) {
  map2(row, [](V x, V tail) HWY_ATTR { return exp_of(x, tail); });
}
void sigmoid_denominator(const Row& row) {
  const int series = series_of(row);
  for_each_block<1>(row, [series](V(*src)[kBlock], V* result) HWY_ATTR {
    V x[kBlock];
    for (int v = 0; v < kBlock; ++v) x[v] = minus(hn::Zero(Floats()), src[0][v]);
    exp_tails(x, series, result);
    for (int v = 0; v < kBlock; ++v)
      result[v] = plus(hn::Set(Floats(), 1.0f), exp_of(x[v], result[v]));
  });
}
void tanh_ratio(const Row& row) {
  const int series = series_of(row);
  for_each_block<1>(row, [series](V(*src)[kBlock], V* result) HWY_ATTR {
    exp_tails(src[0], series, result);
    for (int v = 0; v < kBlock; ++v) {
      const V e = exp_of(src[0][v], result[v]);
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
