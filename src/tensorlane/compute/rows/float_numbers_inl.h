// The arithmetic of floats for the formulas of row_formulas.h: what a number, a sum or a comparison
// is in each element type. Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_FLOAT_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_FLOAT_NUMBERS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_FLOAT_NUMBERS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_FLOAT_NUMBERS_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "tensorlane/compute/half_floats_inl.h"
#include "tensorlane/compute/special/fp32_exponential.h"
#include "tensorlane/compute/whole_numbers_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- fp32, with the NaN of compute/fp32_arithmetic.h ----

HWY_INLINE V quiet(V nan) {
  return hn::Or(nan, float_of(number(0x00400000)));
}
HWY_INLINE V sign_bit_of(V x) {
  return hn::And(x, float_of(number(std::numeric_limits<std::int32_t>::min())));
}

// x86 gives the first operand's NaN, else the second's, else 0xffc00000. Others need help.
HWY_INLINE V one_nan(V a, V b, V result) {
#if HWY_ARCH_X86
  static_cast<void>(a);
  static_cast<void>(b);
  return result;
#else
  result = hn::IfThenElse(hn::IsNaN(result), float_of(number(-0x400000)), result);
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

// At most one operand is NaN, or both hold the same one, where these are used.
HWY_INLINE V plus(V a, V b) {
  return one_nan(a, b, hn::Add(a, b));
}
HWY_INLINE V minus(V a, V b) {
  return one_nan(a, b, hn::Sub(a, b));
}
HWY_INLINE V times(V a, V b) {
  return one_nan(a, b, hn::Mul(a, b));
}

struct Fp32Numbers {
  using Tag = Floats;
  static constexpr int kBlock = 4;  // vectors in flight hide the latency of long chains

  static HWY_INLINE V read(V x) { return x; }
  static HWY_INLINE V write(V x) { return x; }
  static HWY_INLINE V set(float value) { return hn::Set(Floats(), value); }

  static HWY_INLINE V add(V a, V b) { return first_nan(a, b, hn::Add(a, b)); }
  static HWY_INLINE V sub(V a, V b) { return minus(a, b); }  // nothing swaps a difference
  static HWY_INLINE V mul(V a, V b) { return first_nan(a, b, hn::Mul(a, b)); }
  static HWY_INLINE V square(V a) { return times(a, a); }
  // Newton's, of y near 1 / sqrt(2 * half).
  static HWY_INLINE V root_step(V half, V y) {
    const V t = times(times(half, y), y);
    return times(y, minus(set(1.5F), t));
  }
  static HWY_INLINE V rsqrt(V x) {
    const V y = float_of(hn::Sub(number(0x5f3759df), hn::ShiftRight<1>(bits_of(x))));
    const V half = times(set(0.5F), x);
    // Compilers keep a loop of three turns.
    return root_step(half, root_step(half, root_step(half, y)));
  }
  static HWY_INLINE V div(V a, V b) { return div_by(reciprocal_of_size(b), b, a); }
  // A quotient in two parts, of which the first one is the divisor's alone.
  static HWY_INLINE V reciprocal_of_size(V divisor) {
    const V y = rsqrt(hn::Abs(divisor));
    return times(y, y);
  }
  static HWY_INLINE V div_by(V reciprocal, V divisor, V a) {
    const V x = hn::Xor(a, sign_bit_of(divisor));
#if HWY_ARCH_X86  // a NaN of a product is quiet
    return hn::IfThenElse(hn::IsNaN(reciprocal), reciprocal, hn::Mul(reciprocal, x));
#else
    return mul(reciprocal, x);
#endif
  }
  // Of a dividend that is a number.
  static HWY_INLINE V number_by(V a, V divisor) {
    return times(reciprocal_of_size(divisor), hn::Xor(a, sign_bit_of(divisor)));
  }

  static HWY_INLINE auto greater(V a, V b) {
    return hn::Gt(a, b);
  }
  static HWY_INLINE auto at_most(V a, V b) {
    return hn::Le(a, b);
  }
  static HWY_INLINE auto equal_bits(V a, V b) {
    return hn::RebindMask(Floats(), hn::Eq(bits_of(a), bits_of(b)));
  }
  template <class M>
  static HWY_INLINE M either(M a, M b) {
    return hn::Or(a, b);
  }
  template <class M>
  static HWY_INLINE V select(M mask, V yes, V no) {
    return hn::IfThenElse(mask, yes, no);
  }

  static HWY_INLINE V sign(V x) {
    return sign_of(x);
  }
  template <RoundingMode kMode>
  static HWY_INLINE V whole(V x) {
    return whole_and_quiet<kMode>(x);
  }
  static HWY_INLINE VInt exponent_number(V x) {
    return hn::Sub(hn::And(hn::ShiftRight<23>(bits_of(x)), number(0xff)), number(127));
  }
  static HWY_INLINE V exponent(V x) {
    return hn::ConvertTo(Floats(), exponent_number(x));
  }

  static HWY_INLINE V bits_of_int(VInt x) {
    return float_of(x);
  }
  static HWY_INLINE VInt int_of_bits(V x) {
    return bits_of(x);
  }
  // x cut toward zero; only the low byte of what overflows matters, see fp32::to_int32.
  static HWY_INLINE VInt cut(V x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
    return hn::ConvertTo(Ints(), x);  // saturates, a NaN by its sign
#else
    const auto inside = hn::Lt(hn::Abs(x), set(2147483648.0F));
    const auto outside = hn::IfThenElse(hn::Lt(bits_of(x), number(0)),
                                        number(std::numeric_limits<std::int32_t>::min()),
                                        number(std::numeric_limits<std::int32_t>::max()));
    return hn::IfThenElse(hn::RebindMask(Ints(), inside),
                          hn::ConvertTo(Ints(), hn::IfThenElseZero(inside, x)), outside);
#endif
  }
  static HWY_INLINE V low_byte(VInt k) {
    return hn::ConvertTo(Floats(), hn::ShiftRight<24>(hn::ShiftLeft<24>(k)));
  }
  static HWY_INLINE V exp_by_table(VInt k) {
    return float_of(hn::GatherIndex(Ints(), fp32::kExpByLowByte.data(), hn::And(k, number(255))));
  }
  static HWY_INLINE V exp_of(V x, V tail) {
    const V table = exp_by_table(cut(x));
    return plus(table, times(table, tail));
  }
};

// The environment reads denormals as zeros.
struct Fp32Order {
  using Tag = Floats;
  static HWY_INLINE V read(V x) { return x; }
  static HWY_INLINE V write(V x) { return x; }
  static HWY_INLINE V zero() { return hn::Zero(Floats()); }
  static HWY_INLINE auto greater(V a, V b) { return hn::Gt(a, b); }
  static HWY_INLINE auto at_least(V a, V b) { return hn::Ge(a, b); }
  static HWY_INLINE auto equal(V a, V b) {
    return hn::Or(hn::Eq(a, b), Fp32Numbers::equal_bits(a, b));
  }
  static HWY_INLINE auto greater_or_equal(V a, V b) {
    return hn::Or(hn::Ge(a, b), Fp32Numbers::equal_bits(a, b));
  }
  template <class M>
  static HWY_INLINE M either(M a, M b) {
    return hn::Or(a, b);
  }
  template <class M>
  static HWY_INLINE V select(M mask, V yes, V no) {
    return hn::IfThenElse(mask, yes, no);
  }
  static HWY_INLINE V flushed(V x) {
    const auto tiny = hn::Lt(hn::Abs(x), hn::Set(Floats(), std::numeric_limits<float>::min()));
    return hn::IfThenElse(tiny, sign_bit_of(x), x);
  }
};

// ---- 16-bit floats ----

// A number of the type, or any NaN.
template <class Half>
HWY_INLINE VHalf write_exact(V x) {
  if constexpr (Half::kLeastNormal == 0) return Half::write(x);
  const auto nan = hn::RebindMask(Ints(), hn::IsNaN(x));
  const VInt half = hn::IfThenElse(nan, number(kNan), hn::ShiftRight<16>(bits_of(x)));
  return hn::TruncateTo(Halves(), hn::BitCast(hn::RebindToUnsigned<Ints>(), half));
}

template <class Half>
struct HalfNumbers {
  using Tag = Halves;

  // Rounded where the next operation takes it, or when it is written.
  struct Result {
    V value;
    HWY_INLINE Result(V exact) : value(exact) {}  // NOLINT(google-explicit-constructor)
    HWY_INLINE operator V() const {               // NOLINT(google-explicit-constructor)
      return Half::nearest(value);
    }
  };

  static HWY_INLINE V read(VHalf x) { return Half::read(x); }
  static HWY_INLINE VHalf write(Result x) { return Half::write(x.value); }
  // What the type holds.
  struct Exact {
    V value;
  };
  static HWY_INLINE VHalf write(Exact x) { return write_exact<Half>(x.value); }
  static HWY_INLINE V set(float value) { return hn::Set(Floats(), value); }
  static HWY_INLINE Result add(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE Result sub(V a, V b) { return hn::Sub(a, b); }
  static HWY_INLINE Result mul(V a, V b) { return hn::Mul(a, b); }
  static HWY_INLINE Result square(V a) { return hn::Mul(a, a); }
  static HWY_INLINE auto greater(V a, V b) { return hn::Gt(a, b); }
  template <class M>
  static HWY_INLINE Result select(M mask, Result yes, Result no) {
    return hn::IfThenElse(mask, yes.value, no.value);
  }
  static HWY_INLINE Result sign(V x) { return sign_of(x); }
  template <RoundingMode kMode>
  static HWY_INLINE Exact whole(V x) {
    // No number of fp16 is denormal in fp32.
    return {Half::kLeastNormal == 0 ? whole_of_normal<kMode>(x) : whole_of_any<kMode>(x)};
  }
  static HWY_INLINE Result exponent(V x) { return Fp32Numbers::exponent(x); }
};

#if HWY_TARGET != HWY_SCALAR
// bf16 two to a word of 32 bits, as they are stored: the odd ones are the upper bits of an fp32
// already, the even ones are once shifted, and results are laid together by one blend.
struct Bf16Pairs {
  using Tag = hn::ScalableTag<std::uint16_t>;
  using VPair = hn::Vec<Tag>;
  using One = HalfNumbers<Bf16>;
  using Bits = Bf16::Bits;

  template <class T>
  struct Both {
    T even, odd;
  };
  struct Numbers : Both<V> {};

  // As One::Result.
  struct Result {
    Numbers value;
    HWY_INLINE Result(Numbers exact) : value(exact) {}  // NOLINT(google-explicit-constructor)
    HWY_INLINE operator Numbers() const {               // NOLINT(google-explicit-constructor)
      return {{Bf16::nearest(value.even), Bf16::nearest(value.odd)}};
    }
  };
  struct Exact {
    Numbers value;
  };

  static HWY_INLINE Numbers read(VPair x) {
    const auto words = hn::BitCast(Bits(), x);
    return {{hn::BitCast(Floats(), hn::ShiftLeft<16>(words)),
             hn::BitCast(Floats(), hn::And(words, hn::Set(Bits(), 0xffff0000U)))}};
  }
  // Of numbers whose upper bits are the results; one NaN for all.
  static HWY_INLINE VPair lay_together(hn::Vec<Bits> even, hn::Vec<Bits> odd, Numbers value) {
    const Bits d;
    const auto nan = hn::Set(d, std::uint32_t{kNan} << 16U | std::uint32_t{kNan});
    const auto low =
        hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(value.even)), nan, hn::ShiftRight<16>(even));
    const auto high = hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(value.odd)), nan, odd);
    return hn::OddEven(hn::BitCast(Tag(), high), hn::BitCast(Tag(), low));
  }
  static HWY_INLINE VPair write(Result x) {
    return lay_together(Bf16::rounded_up(x.value.even), Bf16::rounded_up(x.value.odd), x.value);
  }
  static HWY_INLINE VPair write(Exact x) {
    return lay_together(hn::BitCast(Bits(), x.value.even), hn::BitCast(Bits(), x.value.odd),
                        x.value);
  }
  static HWY_INLINE Numbers set(float value) { return {{One::set(value), One::set(value)}}; }
  static HWY_INLINE Result add(Numbers a, Numbers b) {
    return Numbers{{hn::Add(a.even, b.even), hn::Add(a.odd, b.odd)}};
  }
  static HWY_INLINE Result sub(Numbers a, Numbers b) {
    return Numbers{{hn::Sub(a.even, b.even), hn::Sub(a.odd, b.odd)}};
  }
  static HWY_INLINE Result mul(Numbers a, Numbers b) {
    return Numbers{{hn::Mul(a.even, b.even), hn::Mul(a.odd, b.odd)}};
  }
  static HWY_INLINE Result square(Numbers a) { return mul(a, a); }
  static HWY_INLINE auto greater(Numbers a, Numbers b) {
    return Both<decltype(hn::Gt(a.even, b.even))>{hn::Gt(a.even, b.even), hn::Gt(a.odd, b.odd)};
  }
  template <class M>
  static HWY_INLINE Result select(M mask, Result yes, Result no) {
    return Numbers{{hn::IfThenElse(mask.even, yes.value.even, no.value.even),
                    hn::IfThenElse(mask.odd, yes.value.odd, no.value.odd)}};
  }
  static HWY_INLINE Result sign(Numbers x) { return Numbers{{sign_of(x.even), sign_of(x.odd)}}; }
  template <RoundingMode kMode>
  static HWY_INLINE Exact whole(Numbers x) {
    return {Numbers{{One::whole<kMode>(x.even).value, One::whole<kMode>(x.odd).value}}};
  }
  static HWY_INLINE Result exponent(Numbers x) {
    return Numbers{{Fp32Numbers::exponent(x.even), Fp32Numbers::exponent(x.odd)}};
  }
};
#endif

using Words = hn::ScalableTag<std::int16_t>;
using VWord = hn::Vec<Words>;

// Comparisons look at the bits, whose order is that of the numbers once the sign is seen to. A NaN
// is equal to itself. [observed]
template <class Half>
struct HalfOrder {
  using Tag = Words;

  static HWY_INLINE VWord read(VWord x) { return x; }
  static HWY_INLINE VWord write(VWord x) { return x; }
  static HWY_INLINE VWord set(std::int16_t value) { return hn::Set(Words(), value); }
  static HWY_INLINE VWord zero() { return hn::Zero(Words()); }
  static HWY_INLINE VWord size_of(VWord bits) { return hn::And(bits, set(0x7fff)); }
  static HWY_INLINE VWord flushed(VWord bits) {
    if constexpr (Half::kLeastNormal == 0) return bits;
    const VWord size = size_of(bits);
    return hn::IfThenElse(hn::Lt(size, set(Half::kLeastNormal)), hn::Xor(bits, size), bits);
  }
  // Numbers that compare as the values do, both zeros alike.
  static HWY_INLINE VWord order_of(VWord bits) {
    const VWord value = flushed(bits), size = size_of(value);
    return hn::IfThenElse(hn::Lt(value, zero()), hn::Neg(size), size);
  }
  static HWY_INLINE auto is_nan(VWord bits) { return hn::Gt(size_of(bits), set(Half::kInfinity)); }
  static HWY_INLINE auto unordered(VWord a, VWord b) { return hn::Or(is_nan(a), is_nan(b)); }
  static HWY_INLINE VWord quieted(VWord bits) {
    return hn::IfThenElse(is_nan(bits), hn::Or(bits, set(Half::kQuiet)), bits);
  }

  static HWY_INLINE auto greater(VWord a, VWord b) {
    return hn::AndNot(unordered(a, b), hn::Gt(order_of(a), order_of(b)));
  }
  static HWY_INLINE auto at_least(VWord a, VWord b) {
    return hn::Not(hn::Or(unordered(a, b), hn::Lt(order_of(a), order_of(b))));
  }
  static HWY_INLINE auto equal(VWord a, VWord b) {
    const auto same_value = hn::Eq(order_of(a), order_of(b));
    return hn::Or(hn::AndNot(unordered(a, b), same_value), hn::Eq(quieted(a), quieted(b)));
  }
  static HWY_INLINE auto greater_or_equal(VWord a, VWord b) {
    return hn::Or(at_least(a, b), hn::Eq(quieted(a), quieted(b)));
  }
  template <class M>
  static HWY_INLINE M either(M a, M b) {
    return hn::Or(a, b);
  }
  template <class M>
  static HWY_INLINE VWord select(M mask, VWord yes, VWord no) {
    return hn::IfThenElse(mask, yes, no);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_FLOAT_NUMBERS_INL_H_
