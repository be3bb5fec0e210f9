// 32-bit lanes to integers within their range; included once per CPU target.
#include <hwy/highway.h>

#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/convert_floats_internal.h"
#include "tensorlane/tensor/convert_lanes_internal.h"

#if defined(TENSORLANE_TENSOR_CONVERT_INTEGERS_INTERNAL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_TENSOR_CONVERT_INTEGERS_INTERNAL_H_
#undef TENSORLANE_TENSOR_CONVERT_INTEGERS_INTERNAL_H_
#else
#define TENSORLANE_TENSOR_CONVERT_INTEGERS_INTERNAL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

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
void fp32_to_integers(const std::uint32_t* src, std::size_t count, Dtype dst, bool nan_is_zero,
                      std::uint32_t* out) {
  const D32 d;
  const DFloat df;
  const IntegerRange range = integer_range(dst);
  const VFloat low = hn::Set(df, static_cast<float>(range.min));
  // The first power of two out of range: exact in fp32, as the largest 32-bit integer is not.
  const VFloat end = hn::Set(df, static_cast<float>(range.max + 1));
  const V32 of_nan = constant(nan_is_zero ? 0 : static_cast<std::uint32_t>(range.min));
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
    result = hn::IfThenElse(less(constant(0x7f800000U), magnitude), of_nan, result);
    hn::StoreU(result, d, out + i);
  }
}

inline void fp32_to_integers(const std::uint32_t* src, std::size_t count, Dtype dst,
                             const ConvertOptions& options, std::uint32_t* out) {
  switch (options.rounding) {
    case RoundingMode::kHalfToEven:
      return fp32_to_integers<RoundingMode::kHalfToEven>(src, count, dst, options.nan_is_zero, out);
    case RoundingMode::kHalfAwayFromZero:
      return fp32_to_integers<RoundingMode::kHalfAwayFromZero>(src, count, dst, options.nan_is_zero,
                                                               out);
    case RoundingMode::kTowardsZero:
      return fp32_to_integers<RoundingMode::kTowardsZero>(src, count, dst, options.nan_is_zero,
                                                          out);
    case RoundingMode::kDown:
      return fp32_to_integers<RoundingMode::kDown>(src, count, dst, options.nan_is_zero, out);
    default:
      return fp32_to_integers<RoundingMode::kUp>(src, count, dst, options.nan_is_zero, out);
  }
}

// Integers read from `src` dtype, brought into the range of `dst`, both in 32-bit lanes.
inline void clamp_integers(std::uint32_t* data, std::size_t count, Dtype src, Dtype dst) {
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
inline void write_integers(const std::uint32_t* src, std::size_t count, Dtype dtype, Bytes* dst) {
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
