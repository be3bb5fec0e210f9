// Elements of every type into 32-bit lanes; included once per CPU target.
#include <hwy/highway.h>

#include <type_traits>

#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/convert_lanes_internal.h"
#include "tensorlane/tensor/int4.h"

#if defined(TENSORLANE_TENSOR_CONVERT_READ_INTERNAL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_TENSOR_CONVERT_READ_INTERNAL_H_
#undef TENSORLANE_TENSOR_CONVERT_READ_INTERNAL_H_
#else
#define TENSORLANE_TENSOR_CONVERT_READ_INTERNAL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

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

inline V32 unchanged(V32 v) {
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

inline V32 int_to_fp32(V32 value) {
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

inline V32 round_to_odd(V32 truncated, V32 rest, V32 /*mask*/, V32 /*sign*/) {
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

inline void read_integers(const Bytes* src, Dtype dtype, std::size_t count, std::uint32_t* out) {
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

// The upper bits of an fp32 are a format of their own where the exponents are as long (bf16).
template <int kExponentBits, int kMantissaBits, bool kHasInfinity>
void floats_to_fp32(const Bytes* src, std::size_t count, const ConvertOptions& options,
                    std::uint32_t* out) {
  using T = std::conditional_t<
      kExponentBits + kMantissaBits == 31, std::uint32_t,
      std::conditional_t<kExponentBits + kMantissaBits == 15, std::uint16_t, std::uint8_t>>;
  if constexpr (kExponentBits == 8) {
    widen<T>(src, count, out, [&](V32 bits) {
      const V32 wide = hn::ShiftLeft<23 - kMantissaBits>(bits);
      return options.flush_operands ? flush_denormal(wide) : wide;
    });
  } else {
    widen<T>(src, count, out, small_float_to_fp32<kExponentBits, kMantissaBits, kHasInfinity>);
  }
}

// `final`: the fp32 numbers are the result, else an intermediate.
inline void read_as_fp32(const Bytes* src, Dtype dtype, std::size_t count, bool final,
                         const ConvertOptions& options, std::uint32_t* out) {
  switch (dtype) {
#define TL_READ(type, name, ...) \
  case Dtype::k##type:           \
    return floats_to_fp32<__VA_ARGS__>(src, count, options, out);
    TL_FLOAT_DTYPES(TL_READ)
#undef TL_READ
    case Dtype::kInt32:
      return wide_integers_to_fp32<true>(src, count, out, final, options.rounding);
    case Dtype::kUint32:
      return wide_integers_to_fp32<false>(src, count, out, final, options.rounding);
    default:
      read_integers(src, dtype, count, out);
      return for_each_vector(out, count, int_to_fp32);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
