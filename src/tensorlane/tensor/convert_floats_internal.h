// fp32 in 32-bit lanes to the shorter floats; included once per CPU target.
#include <hwy/highway.h>

#include <type_traits>

#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/convert_lanes_internal.h"

#if defined(TENSORLANE_TENSOR_CONVERT_FLOATS_INTERNAL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_TENSOR_CONVERT_FLOATS_INTERNAL_H_
#undef TENSORLANE_TENSOR_CONVERT_FLOATS_INTERNAL_H_
#else
#define TENSORLANE_TENSOR_CONVERT_FLOATS_INTERNAL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

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
inline void finish_fp32(std::uint32_t* data, std::size_t count, const ConvertOptions& options) {
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
