// convert_elements() by vector instructions: the same bits as convert_element(), see convert.h.
//
// A block of elements goes through one intermediate of 32-bit lanes, so that 13 readers and 13
// writers make all pairs:
//
//   float result   source -> fp32 -> result. Every source widens to fp32 without loss, except
//                  32-bit integers, which are rounded to odd: the last bit of an inexact fp32 is
//                  set, after which rounding to a shorter format gives what one rounding gives.
//   integer result of a float source:   source -> fp32 -> int32 or uint32 within range -> result
//   integer result of an integer source: source -> int32 -> result (uint32 cut at 2^31-1)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/tensor/convert_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
//
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/int4.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = std::uint8_t;

constexpr std::size_t kBlock = 1024;  // elements; a multiple of every vector length used here
using D32 = hn::CappedTag<std::uint32_t, 64>;
using DInt = hn::RebindToSigned<D32>;
using DFloat = hn::RebindToFloat<D32>;
using V32 = hn::Vec<D32>;
using VInt = hn::Vec<DInt>;
using VFloat = hn::Vec<DFloat>;

template <class T>
using DNarrow = hn::Rebind<T, D32>;

V32 constant(std::uint32_t value) {
  return hn::Set(D32(), value);
}
VFloat as_float(V32 v) {
  return hn::BitCast(DFloat(), v);
}
V32 as_bits(VFloat v) {
  return hn::BitCast(D32(), v);
}
V32 as_bits(VInt v) {
  return hn::BitCast(D32(), v);
}
VInt as_int(V32 v) {
  return hn::BitCast(DInt(), v);
}

// Comparisons of lanes below 2^31, which is cheaper signed than unsigned on x86.
auto less(V32 a, V32 b) {
  return hn::RebindMask(D32(), hn::Lt(as_int(a), as_int(b)));
}
auto less_equal(V32 a, V32 b) {
  return hn::Not(less(b, a));
}
auto is_negative(V32 sign_bits) {
  return hn::RebindMask(D32(), hn::MaskFromVec(hn::BroadcastSignBit(as_int(sign_bits))));
}

// Runs `step` on every vector of `count` 32-bit lanes at `data`, in place.
template <class Step>
void for_each_vector(std::uint32_t* data, std::size_t count, const Step& step) {
  const D32 d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(step(hn::LoadU(d, data + i)), d, data + i);
  }
}

// ---------------------------------------------------------------- reading into 32-bit lanes

// Elements of the integer type T to 32-bit lanes, extended by their sign.
template <class T, class Step>
void widen(const Bytes* src, std::size_t count, std::uint32_t* out, const Step& step) {
  const D32 d;
  const DNarrow<T> dn;
  const hn::Rebind<std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>, D32> dw;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto* from = reinterpret_cast<const T*>(src + i * sizeof(T));
    if constexpr (sizeof(T) == 4) {
      hn::StoreU(step(hn::BitCast(d, hn::LoadU(dn, from))), d, out + i);
    } else {
      hn::StoreU(step(hn::BitCast(d, hn::PromoteTo(dw, hn::LoadU(dn, from)))), d, out + i);
    }
  }
}

V32 unchanged(V32 v) {
  return v;
}

// fp16 or fp8 bits to fp32, NaN made quiet.
template <int kExponentBits, int kMantissaBits, bool kHasInfinity>
V32 small_float_to_fp32(V32 bits) {
  constexpr FloatFormat kFormat{kExponentBits, kMantissaBits, kHasInfinity};
  constexpr int kShift = 23 - kMantissaBits;
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - kFormat.bias()) << 23;
  const V32 magnitude = hn::And(bits, constant(kFormat.sign_bit() - 1));
  const V32 sign = hn::ShiftLeft<31 - kExponentBits - kMantissaBits>(hn::Xor(bits, magnitude));
  const V32 aligned = hn::ShiftLeft<kShift>(magnitude);
  const V32 normal = hn::Add(aligned, constant(kRebias));
  // A denormal is m * 2^k: put m below the leading one of 2^(k+mantissa bits) and subtract that.
  const V32 base = constant(kRebias + (1U << 23));
  const V32 denormal = as_bits(hn::Sub(as_float(hn::Add(aligned, base)), as_float(base)));
  V32 result =
      hn::IfThenElse(less(magnitude, constant(kFormat.mantissa_mask() + 1)), denormal, normal);
  if constexpr (kHasInfinity) {
    const V32 infinite = hn::Or(aligned, constant(0x7f800000U));
    result = hn::IfThenElse(less_equal(constant(kFormat.infinity()), magnitude), infinite, result);
  }
  const V32 nan = hn::Or(aligned, constant(0x7fc00000U));
  const V32 last_number = constant(kHasInfinity ? kFormat.infinity() : kFormat.max_finite());
  result = hn::IfThenElse(less(last_number, magnitude), nan, result);
  return hn::Or(result, sign);
}

// Denormal fp32 to zero of its sign.
V32 flush_denormal(V32 bits) {
  const V32 sign = hn::And(bits, constant(0x80000000U));
  const V32 magnitude = hn::Xor(bits, sign);
  return hn::IfThenElse(less(magnitude, constant(0x00800000U)), sign, bits);
}

V32 int_to_fp32(V32 value) {
  return as_bits(hn::ConvertTo(DFloat(), as_int(value)));
}

// A 32-bit integer, given as magnitude below 2^32 and sign bit, to fp32: towards zero plus one unit
// where `away` says so, given the bits below the last place, their unit-1 and the last place
// itself.
template <class Away>
V32 magnitude_to_fp32(V32 magnitude, V32 sign, const Away& away) {
  // Of a magnitude of 24 + k bits, fp32 drops the last k <= 8: their mask is the smeared top byte.
  V32 mask = hn::ShiftRight<24>(magnitude);
  mask = hn::Or(mask, hn::ShiftRight<1>(mask));
  mask = hn::Or(mask, hn::ShiftRight<2>(mask));
  mask = hn::Or(mask, hn::ShiftRight<4>(mask));
  const V32 rest = hn::And(magnitude, mask);
  const V32 kept = hn::Xor(magnitude, rest);
  // Signed conversion reaches to 2^31 only; above 2^31 the lowest bit of `kept` is zero.
  const auto top = is_negative(kept);
  const V32 halved = hn::IfThenElse(top, hn::ShiftRight<1>(kept), kept);
  const V32 scale = hn::IfThenElseZero(top, constant(1U << 23));
  const V32 truncated = hn::Add(int_to_fp32(halved), scale);
  return hn::Or(away(truncated, rest, mask, sign), sign);
}

// Adds 0 or 1 to a truncated magnitude, as the mode asks. `mask` + 1 is the weight of the last
// place in `rest`'s unit.
template <RoundingMode kMode>
V32 round_up(V32 truncated, V32 rest, V32 mask, V32 sign) {
  const V32 zero = constant(0);
  const V32 one = constant(1);
  const V32 half = hn::ShiftRight<1>(hn::Add(mask, one));
  const V32 odd = hn::And(truncated, one);
  auto inexact = hn::Ne(rest, zero);
  if constexpr (kMode == RoundingMode::kTowardsZero) {
    return truncated;
  } else if constexpr (kMode == RoundingMode::kHalfToEven) {
    inexact = less(half, hn::Add(rest, odd));  // above half, or half and odd
    inexact = hn::And(inexact, hn::Ne(rest, zero));
  } else if constexpr (kMode == RoundingMode::kHalfAwayFromZero) {
    inexact = hn::And(inexact, less_equal(half, rest));
  } else if constexpr (kMode == RoundingMode::kDown) {
    inexact = hn::And(inexact, is_negative(sign));
  } else {
    inexact = hn::AndNot(is_negative(sign), inexact);
  }
  return hn::Add(truncated, hn::IfThenElseZero(inexact, one));
}

V32 round_to_odd(V32 truncated, V32 rest, V32 /*mask*/, V32 /*sign*/) {
  return hn::Or(truncated, hn::IfThenElseZero(hn::Ne(rest, constant(0)), constant(1)));
}

// int32 (kSigned) or uint32 to fp32.
template <bool kSigned, class Away>
V32 wide_integer_to_fp32(V32 value, const Away& away) {
  V32 sign = constant(0);
  V32 magnitude = value;
  if constexpr (kSigned) {
    sign = hn::And(value, constant(0x80000000U));
    const V32 negated = hn::Sub(constant(0), value);
    magnitude = hn::IfThenElse(is_negative(sign), negated, value);
  }
  return magnitude_to_fp32(magnitude, sign, away);
}

template <bool kSigned>
void wide_integers_to_fp32(const Bytes* src, std::size_t count, std::uint32_t* out, bool final,
                           RoundingMode mode) {
  const auto run = [&](const auto& away) {
    widen<std::uint32_t>(src, count, out,
                         [&](V32 v) { return wide_integer_to_fp32<kSigned>(v, away); });
  };
  if (!final) return run(round_to_odd);
  switch (mode) {
    case RoundingMode::kHalfToEven:
      return run(round_up<RoundingMode::kHalfToEven>);
    case RoundingMode::kHalfAwayFromZero:
      return run(round_up<RoundingMode::kHalfAwayFromZero>);
    case RoundingMode::kTowardsZero:
      return run(round_up<RoundingMode::kTowardsZero>);
    case RoundingMode::kDown:
      return run(round_up<RoundingMode::kDown>);
    default:
      return run(round_up<RoundingMode::kUp>);
  }
}

// Packed 4-bit integers, one per byte.
template <bool kSigned>
void unpack_nibbles(const Bytes* src, std::size_t count, Bytes* out) {
  for (std::size_t i = 0; i < count / 2; ++i) {
    const Bytes low = src[i] & 0xf;
    const Bytes high = src[i] >> 4;
    out[2 * i] = kSigned ? static_cast<Bytes>(sign_extend_nibble(low)) : low;
    out[2 * i + 1] = kSigned ? static_cast<Bytes>(sign_extend_nibble(high)) : high;
  }
}

void read_integers(const Bytes* src, Dtype dtype, std::size_t count, std::uint32_t* out) {
  alignas(64) Bytes bytes[kBlock] = {};  // of the packed types
  switch (dtype) {
    case Dtype::kInt4:
      unpack_nibbles<true>(src, count, bytes);
      return widen<std::int8_t>(bytes, count, out, unchanged);
    case Dtype::kUint4:
      unpack_nibbles<false>(src, count, bytes);
      return widen<std::uint8_t>(bytes, count, out, unchanged);
    case Dtype::kInt8:
      return widen<std::int8_t>(src, count, out, unchanged);
    case Dtype::kUint8:
      return widen<std::uint8_t>(src, count, out, unchanged);
    case Dtype::kInt16:
      return widen<std::int16_t>(src, count, out, unchanged);
    case Dtype::kUint16:
      return widen<std::uint16_t>(src, count, out, unchanged);
    default:
      return widen<std::uint32_t>(src, count, out, unchanged);
  }
}

// `final`: the fp32 numbers are the result, else an intermediate.
void read_as_fp32(const Bytes* src, Dtype dtype, std::size_t count, bool final,
                  const ConvertOptions& options, std::uint32_t* out) {
  switch (dtype) {
    case Dtype::kFp32:
      if (options.flush_operands) return widen<std::uint32_t>(src, count, out, flush_denormal);
      return widen<std::uint32_t>(src, count, out, unchanged);
    case Dtype::kBf16:
      return widen<std::uint16_t>(src, count, out, [&](V32 bits) {
        const V32 wide = hn::ShiftLeft<16>(bits);
        return options.flush_operands ? flush_denormal(wide) : wide;
      });
    case Dtype::kFp16:
      return widen<std::uint16_t>(src, count, out, small_float_to_fp32<5, 10, true>);
    case Dtype::kFp8E5M2:
      return widen<std::uint8_t>(src, count, out, small_float_to_fp32<5, 2, true>);
    case Dtype::kFp8E4M3:
      return widen<std::uint8_t>(src, count, out, small_float_to_fp32<4, 3, false>);
    case Dtype::kInt32:
      return wide_integers_to_fp32<true>(src, count, out, final, options.rounding);
    case Dtype::kUint32:
      return wide_integers_to_fp32<false>(src, count, out, final, options.rounding);
    default:
      read_integers(src, dtype, count, out);
      return for_each_vector(out, count, int_to_fp32);
  }
}

// ---------------------------------------------------------------- fp32 to shorter floats

// The number to add before a shift right so that the shift rounds: mask is 2^shift - 1 and floor
// the magnitude already shifted.
template <RoundingMode kMode>
V32 rounding_addend(V32 mask, V32 floor, V32 sign) {
  if constexpr (kMode == RoundingMode::kHalfToEven) {
    return hn::Add(hn::ShiftRight<1>(mask), hn::And(floor, constant(1)));
  } else if constexpr (kMode == RoundingMode::kHalfAwayFromZero) {
    return hn::ShiftRight<1>(hn::Add(mask, constant(1)));
  } else if constexpr (kMode == RoundingMode::kDown) {
    return hn::IfThenElseZero(is_negative(sign), mask);
  } else if constexpr (kMode == RoundingMode::kUp) {
    return hn::IfThenZeroElse(is_negative(sign), mask);
  } else {
    return constant(0);
  }
}

// Constants of one conversion, fetched once per block.
struct FloatResult {
  FloatFormat format;
  V32 overflow_positive;
  V32 overflow_negative;
  V32 infinity;
  bool canonical_nan;
  bool flush;

  FloatResult(const FloatFormat& result_format, const ConvertOptions& options)
      : format(result_format),
        overflow_positive(
            constant(overflow_bits(format, false, options.rounding, options.overflow))),
        overflow_negative(
            constant(overflow_bits(format, true, options.rounding, options.overflow))),
        infinity(constant(options.overflow == OverflowRule::kSaturate ? format.max_finite()
                                                                      : format.infinity())),
        canonical_nan(options.nan == NanRule::kCanonical),
        flush(options.flush_results) {}
};

// One vector of fp32 bits to the bits of a shorter format.
template <int kExponentBits, int kMantissaBits, bool kHasInfinity, RoundingMode kMode>
V32 narrow_float(V32 bits, const FloatResult& result) {
  constexpr FloatFormat kFormat{kExponentBits, kMantissaBits, kHasInfinity};
  constexpr int kShift = 23 - kMantissaBits;
  const V32 zero = constant(0);
  const V32 sign = hn::And(bits, constant(0x80000000U));
  const V32 magnitude = hn::Xor(bits, sign);
  V32 rounded;
  if constexpr (kExponentBits == 8) {
    // Same exponents: drop mantissa bits, let a carry run into the exponent.
    const V32 mask = constant((1U << kShift) - 1);
    const V32 floor = hn::ShiftRight<kShift>(magnitude);
    rounded = hn::ShiftRight<kShift>(hn::Add(magnitude, rounding_addend<kMode>(mask, floor, sign)));
    if (result.flush) {
      rounded = hn::IfThenZeroElse(less(rounded, constant(1U << kMantissaBits)), rounded);
    }
  } else {
    // Below the smallest normal number one more bit is dropped per power of two. A denormal fp32
    // counts as one with a leading one: either is far below half a unit.
    const V32 least = constant(static_cast<std::uint32_t>(127 + kFormat.min_exponent()));
    const V32 exponent = hn::ShiftRight<23>(magnitude);
    const V32 field = hn::Max(exponent, least);
    const V32 shift = hn::Min(hn::Add(hn::Sub(field, exponent), constant(kShift)), constant(31));
    const V32 leading = hn::IfThenElseZero(hn::Ne(magnitude, zero), constant(1U << 23));
    const V32 significand = hn::Or(hn::And(magnitude, constant(0x7fffffU)), leading);
    const V32 mask = hn::Sub(hn::Shl(constant(1), shift), constant(1));
    const V32 floor = hn::Shr(significand, shift);
    const V32 kept =
        hn::Shr(hn::Add(significand, rounding_addend<kMode>(mask, floor, sign)), shift);
    rounded = hn::Add(kept, hn::ShiftLeft<kMantissaBits>(hn::Sub(field, least)));
  }
  const V32 overflow =
      hn::IfThenElse(is_negative(sign), result.overflow_negative, result.overflow_positive);
  rounded = hn::IfThenElse(less(constant(kFormat.max_finite()), rounded), overflow, rounded);
  rounded = hn::IfThenElse(hn::Eq(magnitude, constant(0x7f800000U)), result.infinity, rounded);
  const V32 small_sign = hn::ShiftRight<31 - kExponentBits - kMantissaBits>(sign);
  rounded = hn::Or(rounded, small_sign);

  V32 nan = constant(kFormat.sign_bit() - 1);
  if (!result.canonical_nan) {
    if constexpr (kHasInfinity) {
      const V32 payload =
          hn::And(hn::ShiftRight<kShift>(magnitude), constant(kFormat.mantissa_mask()));
      nan = hn::Or(payload, constant(kFormat.infinity() | kFormat.quiet_bit()));
    }
    nan = hn::Or(nan, small_sign);
  }
  return hn::IfThenElse(less(constant(0x7f800000U), magnitude), nan, rounded);
}

template <class T>
void store_narrow(V32 bits, T* out) {
  const DNarrow<T> dn;
  if constexpr (sizeof(T) == 4) {
    hn::StoreU(hn::BitCast(dn, bits), dn, out);
  } else {
    hn::StoreU(hn::DemoteTo(dn, as_int(bits)), dn, out);
  }
}

template <int kExponentBits, int kMantissaBits, bool kHasInfinity, RoundingMode kMode>
void write_small_floats(const std::uint32_t* src, std::size_t count, const ConvertOptions& options,
                        Bytes* dst) {
  using T = std::conditional_t<kExponentBits + kMantissaBits == 15, std::uint16_t, std::uint8_t>;
  const D32 d;
  const FloatResult result({kExponentBits, kMantissaBits, kHasInfinity}, options);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V32 bits = narrow_float<kExponentBits, kMantissaBits, kHasInfinity, kMode>(
        hn::LoadU(d, src + i), result);
    store_narrow(bits, reinterpret_cast<T*>(dst + i * sizeof(T)));
  }
}

template <int kExponentBits, int kMantissaBits, bool kHasInfinity>
void write_small_floats(const std::uint32_t* src, std::size_t count, const ConvertOptions& options,
                        Bytes* dst) {
  switch (options.rounding) {
    case RoundingMode::kHalfToEven:
      return write_small_floats<kExponentBits, kMantissaBits, kHasInfinity,
                                RoundingMode::kHalfToEven>(src, count, options, dst);
    case RoundingMode::kHalfAwayFromZero:
      return write_small_floats<kExponentBits, kMantissaBits, kHasInfinity,
                                RoundingMode::kHalfAwayFromZero>(src, count, options, dst);
    case RoundingMode::kTowardsZero:
      return write_small_floats<kExponentBits, kMantissaBits, kHasInfinity,
                                RoundingMode::kTowardsZero>(src, count, options, dst);
    case RoundingMode::kDown:
      return write_small_floats<kExponentBits, kMantissaBits, kHasInfinity, RoundingMode::kDown>(
          src, count, options, dst);
    default:
      return write_small_floats<kExponentBits, kMantissaBits, kHasInfinity, RoundingMode::kUp>(
          src, count, options, dst);
  }
}

// Applies what an fp32 result still lacks after a lossless widening.
void finish_fp32(std::uint32_t* data, std::size_t count, const ConvertOptions& options) {
  const bool saturate = options.overflow == OverflowRule::kSaturate;
  const bool canonical = options.nan == NanRule::kCanonical;
  if (!saturate && !canonical && !options.flush_results) return;
  for_each_vector(data, count, [&](V32 bits) {
    const V32 magnitude = hn::And(bits, constant(0x7fffffffU));
    const V32 infinity = constant(0x7f800000U);
    V32 result = options.flush_results ? flush_denormal(bits) : bits;
    if (saturate) {
      // Inf is one above the largest finite number.
      const V32 less = hn::Sub(bits, constant(1));
      result = hn::IfThenElse(hn::Eq(magnitude, infinity), less, result);
    }
    if (canonical) {
      result = hn::IfThenElse(less(infinity, magnitude), constant(0xffc00000U), result);
    }
    return result;
  });
}

// ---------------------------------------------------------------- to integers

template <RoundingMode kMode>
VFloat round_float(VFloat v) {
  if constexpr (kMode == RoundingMode::kHalfToEven) return hn::Round(v);
  if constexpr (kMode == RoundingMode::kDown) return hn::Floor(v);
  if constexpr (kMode == RoundingMode::kUp) return hn::Ceil(v);
  const VFloat whole = hn::Trunc(v);
  if constexpr (kMode == RoundingMode::kHalfAwayFromZero) {
    const DFloat d;
    const auto away = hn::Ge(hn::Abs(hn::Sub(v, whole)), hn::Set(d, 0.5F));
    return hn::Add(whole, hn::IfThenElseZero(away, hn::CopySign(hn::Set(d, 1.0F), v)));
  }
  return whole;
}

// fp32 bits to 32-bit lanes within the range of `dst`.
template <RoundingMode kMode>
void fp32_to_integers(const std::uint32_t* src, std::size_t count, Dtype dst, std::uint32_t* out) {
  const D32 d;
  const DFloat df;
  const IntegerRange range = integer_range(dst);
  const VFloat low = hn::Set(df, static_cast<float>(range.min));
  // The first power of two out of range: exact in fp32, as the largest 32-bit integer is not.
  const VFloat end = hn::Set(df, static_cast<float>(range.max + 1));
  const V32 smallest = constant(static_cast<std::uint32_t>(range.min));
  const V32 largest = constant(static_cast<std::uint32_t>(range.max));
  const VFloat two31 = hn::Set(df, 2147483648.0F);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V32 bits = hn::LoadU(d, src + i);
    const V32 sign = hn::And(bits, constant(0x80000000U));
    const V32 magnitude = hn::Xor(bits, sign);
    // A denormal rounds as the smallest normal number does, in every host mode.
    const V32 tiny = hn::IfThenElseZero(hn::Ne(magnitude, constant(0)), constant(0x00800000U));
    const VFloat exact = as_float(hn::Or(hn::Max(magnitude, tiny), sign));
    const VFloat value = hn::Max(round_float<kMode>(exact), low);
    const auto too_large = hn::Ge(value, end);
    const VFloat bounded = hn::IfThenZeroElse(too_large, value);
    const auto upper_half = hn::Ge(bounded, two31);  // of uint32
    const VFloat reduced = hn::Sub(bounded, hn::IfThenElseZero(upper_half, two31));
    const V32 half = as_bits(hn::IfThenElseZero(upper_half, as_float(constant(0x80000000U))));
    const V32 whole = hn::Xor(as_bits(hn::ConvertTo(DInt(), reduced)), half);
    V32 result = hn::IfThenElse(hn::RebindMask(d, too_large), largest, whole);
    result = hn::IfThenElse(less(constant(0x7f800000U), magnitude), smallest, result);
    hn::StoreU(result, d, out + i);
  }
}

void fp32_to_integers(const std::uint32_t* src, std::size_t count, Dtype dst, RoundingMode mode,
                      std::uint32_t* out) {
  switch (mode) {
    case RoundingMode::kHalfToEven:
      return fp32_to_integers<RoundingMode::kHalfToEven>(src, count, dst, out);
    case RoundingMode::kHalfAwayFromZero:
      return fp32_to_integers<RoundingMode::kHalfAwayFromZero>(src, count, dst, out);
    case RoundingMode::kTowardsZero:
      return fp32_to_integers<RoundingMode::kTowardsZero>(src, count, dst, out);
    case RoundingMode::kDown:
      return fp32_to_integers<RoundingMode::kDown>(src, count, dst, out);
    default:
      return fp32_to_integers<RoundingMode::kUp>(src, count, dst, out);
  }
}

// Integers read from `src` dtype, brought into the range of `dst`, both in 32-bit lanes.
void clamp_integers(std::uint32_t* data, std::size_t count, Dtype src, Dtype dst) {
  const VInt zero = hn::Set(DInt(), 0);
  if (dst == Dtype::kUint32) {
    return for_each_vector(data, count, [&](V32 v) { return as_bits(hn::Max(as_int(v), zero)); });
  }
  if (src == Dtype::kUint32) {
    for_each_vector(data, count, [](V32 v) { return hn::Min(v, constant(0x7fffffffU)); });
  }
  const IntegerRange range = integer_range(dst);
  const VInt low = hn::Set(DInt(), static_cast<std::int32_t>(range.min));
  const VInt high = hn::Set(DInt(), static_cast<std::int32_t>(range.max));
  for_each_vector(data, count,
                  [&](V32 v) { return as_bits(hn::Min(hn::Max(as_int(v), low), high)); });
}

template <class T>
void narrow_integers(const std::uint32_t* src, std::size_t count, Bytes* dst) {
  const D32 d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    store_narrow(hn::LoadU(d, src + i), reinterpret_cast<T*>(dst + i * sizeof(T)));
  }
}

// Writes 32-bit lanes that are within the range of `dtype`.
void write_integers(const std::uint32_t* src, std::size_t count, Dtype dtype, Bytes* dst) {
  switch (dtype) {
    case Dtype::kInt8:
      return narrow_integers<std::int8_t>(src, count, dst);
    case Dtype::kUint8:
      return narrow_integers<std::uint8_t>(src, count, dst);
    case Dtype::kInt16:
      return narrow_integers<std::int16_t>(src, count, dst);
    case Dtype::kUint16:
      return narrow_integers<std::uint16_t>(src, count, dst);
    case Dtype::kInt4:
    case Dtype::kUint4: {
      for (std::size_t i = 0; i < count / 2; ++i) {
        dst[i] = static_cast<Bytes>((src[2 * i] & 0xf) | ((src[2 * i + 1] & 0xf) << 4));
      }
      return;
    }
    default:
      return narrow_integers<std::int32_t>(src, count, dst);
  }
}

// ---------------------------------------------------------------- one block

void write_floats(std::uint32_t* fp32, std::size_t count, Dtype dtype,
                  const ConvertOptions& options, Bytes* dst) {
  switch (dtype) {
    case Dtype::kFp16:
      return write_small_floats<5, 10, true>(fp32, count, options, dst);
    case Dtype::kBf16:
      return write_small_floats<8, 7, true>(fp32, count, options, dst);
    case Dtype::kFp8E5M2:
      return write_small_floats<5, 2, true>(fp32, count, options, dst);
    case Dtype::kFp8E4M3:
      return write_small_floats<4, 3, false>(fp32, count, options, dst);
    default:
      finish_fp32(fp32, count, options);
      return narrow_integers<std::uint32_t>(fp32, count, dst);
  }
}

// `count` <= kBlock is a multiple of 64; the dtypes differ and none is raw.
void convert_block(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype, std::size_t count,
                   const ConvertOptions& options) {
  alignas(64) std::uint32_t lanes[kBlock];
  auto* out = static_cast<Bytes*>(dst);
  const auto* in = static_cast<const Bytes*>(src);
  const bool to_float = dtype_info(dst_dtype).is_float;
  if (to_float) {
    read_as_fp32(in, src_dtype, count, dst_dtype == Dtype::kFp32, options, lanes);
    return write_floats(lanes, count, dst_dtype, options, out);
  }
  if (dtype_info(src_dtype).is_float) {
    read_as_fp32(in, src_dtype, count, false, options, lanes);
    fp32_to_integers(lanes, count, dst_dtype, options.rounding, lanes);
  } else {
    read_integers(in, src_dtype, count, lanes);
    clamp_integers(lanes, count, src_dtype, dst_dtype);
  }
  write_integers(lanes, count, dst_dtype, out);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace {

HWY_EXPORT(convert_block);

constexpr std::size_t kBlock = 1024;

std::size_t bytes_of(Dtype dtype, std::size_t count) {
  return dtype_bits(dtype) == 4 ? int4_bytes(count)
                                : count * static_cast<std::size_t>(dtype_bytes(dtype));
}

}  // namespace

void convert_elements(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype,
                      std::size_t count, const ConvertOptions& options) {
  check_conversion(dst_dtype, src_dtype, options);
  if (count == 0) return;
  auto* out = static_cast<std::uint8_t*>(dst);
  const auto* in = static_cast<const std::uint8_t*>(src);
  const bool copies_bits = dst_dtype == src_dtype || !converts_values(dst_dtype, src_dtype);
  if (copies_bits) {
    std::memmove(out, in, bytes_of(dst_dtype, count));
    if (dtype_bits(dst_dtype) == 4 && count % 2 != 0) out[count / 2] &= 0xf;
    return;
  }
  while (count >= kBlock) {
    HWY_DYNAMIC_DISPATCH(convert_block)(out, dst_dtype, in, src_dtype, kBlock, options);
    out += bytes_of(dst_dtype, kBlock);
    in += bytes_of(src_dtype, kBlock);
    count -= kBlock;
  }
  if (count == 0) return;
  // The rest is padded to whole vectors in buffers of our own.
  alignas(64) std::uint8_t padded_in[kBlock * 4];
  alignas(64) std::uint8_t padded_out[kBlock * 4];
  const std::size_t padded = (count + 63) / 64 * 64;
  const std::size_t used = bytes_of(src_dtype, count);
  std::memcpy(padded_in, in, used);
  std::memset(padded_in + used, 0, bytes_of(src_dtype, padded) - used);
  HWY_DYNAMIC_DISPATCH(convert_block)
  (padded_out, dst_dtype, padded_in, src_dtype, padded, options);
  std::memcpy(out, padded_out, bytes_of(dst_dtype, count));
  if (dtype_bits(dst_dtype) == 4 && count % 2 != 0) out[count / 2] &= 0xf;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
