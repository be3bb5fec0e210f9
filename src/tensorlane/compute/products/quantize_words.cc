#include "tensorlane/compute/products/quantize_words.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/quantize_words.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_integers_inl.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"
#include "tensorlane/compute/products/quantize_shorts_inl.h"

// What the vectors of every instruction set share.
#ifndef TENSORLANE_PRODUCTS_QUANTIZE_WORDS_SHAPE
#define TENSORLANE_PRODUCTS_QUANTIZE_WORDS_SHAPE
namespace tensorlane {

// Whether differences from the offset are numbers that fp32 holds.
inline bool is_short_difference(int src_bytes, const QuantNumbers& numbers) {
  constexpr std::int64_t kFloatExact = std::int64_t{1} << 24;
  return src_bytes < 4 && std::abs(numbers.offset) <= kFloatExact - UINT16_MAX;
}

}  // namespace tensorlane
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// x rounded to an integer, where its size is below 2^22: then adding 1.5 * 2^23 leaves the integer
// in the low bits, rounded to nearest even if it was none.
template <RoundingMode kMode>
HWY_INLINE QuantInt rounded_to_words(hn::Vec<QuantFloats> x) {
  const QuantFloats d;
  if constexpr (kMode == RoundingMode::kDown) x = hn::Floor(x);
  if constexpr (kMode == RoundingMode::kUp) x = hn::Ceil(x);
  if constexpr (kMode == RoundingMode::kTowardsZero) x = hn::Trunc(x);
  if constexpr (kMode == RoundingMode::kHalfAwayFromZero) {
    constexpr float kBelowHalf =
        0x1.fffffep-2F;  // with a half, what lies just below it would reach 1
    x = hn::Trunc(hn::Add(x, hn::CopySign(hn::Set(d, kBelowHalf), x)));
  }
  const auto magic = hn::Set(d, 0x1.8p23F);
  return hn::Sub(hn::BitCast(QuantInts(), hn::Add(x, magic)), hn::BitCast(QuantInts(), magic));
}

// saturate(round(x * scale + offset)); the types are those whose ends fp32 holds.
template <class T, RoundingMode kMode>
void requantize_floats(const ChannelRows& channel, const QuantNumbers& numbers) {
  const QuantFloats d;
  const auto scale = hn::Set(d, numbers.scale);
  const auto offset = hn::Set(d, numbers.float_offset);
  const auto low = hn::Set(d, static_cast<float>(hwy::LimitsMin<T>()));
  const auto high = hn::Set(d, static_cast<float>(hwy::LimitsMax<T>()));
  const auto value_of = [=](QuantInt x) TL_QUANT_INLINE {
    return hn::Add(hn::Mul(hn::ConvertTo(d, x), scale), offset);
  };
  const auto kept = [=](auto value) TL_QUANT_INLINE { return hn::Min(hn::Max(value, low), high); };
  // Numbers that are finite make no NaN of an integer.
  if (std::isfinite(numbers.scale) && std::isfinite(numbers.float_offset))
    return map_each<T, kLongBlock>(channel, [=](QuantInt x) TL_QUANT_INLINE {
      return rounded_to_words<kMode>(kept(value_of(x)));
    });
  map_each<T>(channel, [=](QuantInt x) TL_QUANT_INLINE {
    const auto value = value_of(x);
    return rounded_to_words<kMode>(hn::IfThenElse(hn::IsNaN(value), hn::Zero(d), kept(value)));
  });
}

template <class T>
void requantize_floats(const ChannelRows& channel, const QuantNumbers& numbers) {
  switch (channel.args.rounding) {
    case RoundingMode::kHalfToEven:
      return requantize_floats<T, RoundingMode::kHalfToEven>(channel, numbers);
    case RoundingMode::kHalfAwayFromZero:
      return requantize_floats<T, RoundingMode::kHalfAwayFromZero>(channel, numbers);
    case RoundingMode::kTowardsZero:
      return requantize_floats<T, RoundingMode::kTowardsZero>(channel, numbers);
    case RoundingMode::kDown:
      return requantize_floats<T, RoundingMode::kDown>(channel, numbers);
    default:
      return requantize_floats<T, RoundingMode::kUp>(channel, numbers);
  }
}

// A difference of up to 33 bits, exact in fp64, rounded once to fp32.
template <class Ints>
HWY_INLINE auto wide_difference(Ints x, std::int64_t offset) {
  const hn::Rebind<double, hn::DFromV<Ints>> wide;
  const hn::Rebind<float, hn::DFromV<Ints>> floats;
  const auto difference =
      hn::Sub(hn::PromoteTo(wide, x), hn::Set(wide, static_cast<double>(offset)));
  return hn::DemoteTo(floats, difference);
}
HWY_INLINE hn::Vec<QuantFloats> wide_differences(QuantInt x, std::int64_t offset) {
#if HWY_TARGET == HWY_SCALAR
  return wide_difference(x, offset);
#else
  const hn::Half<QuantInts> half;
  return hn::Combine(QuantFloats(), wide_difference(hn::UpperHalf(half, x), offset),
                     wide_difference(hn::LowerHalf(half, x), offset));
#endif
}

// (x - offset) * scale
template <class S>
void dequantize_differences(const ChannelRows& channel, const QuantNumbers& numbers) {
  const auto scale = hn::Set(QuantFloats(), numbers.scale);
  const auto offset = hn::Set(QuantInts(), static_cast<std::int32_t>(numbers.offset));
  map_channel<std::int32_t, std::int32_t, 4, 1, S>(channel, [=](auto& block) TL_QUANT_INLINE {
    block.each([=](QuantInt x) TL_QUANT_INLINE {
      const auto difference = hn::ConvertTo(QuantFloats(), hn::Sub(x, offset));
      return hn::BitCast(QuantInts(), hn::Mul(difference, scale));
    });
  });
}
void dequantize_floats(const ChannelRows& channel, const QuantNumbers& numbers) {
  if (is_short_difference(channel.src_bytes, numbers) || numbers.offset == 0) {
    switch (channel.args.src_type) {
      case Dtype::kInt8:
        return dequantize_differences<std::int8_t>(channel, numbers);
      case Dtype::kUint8:
        return dequantize_differences<std::uint8_t>(channel, numbers);
      case Dtype::kInt16:
        return dequantize_differences<std::int16_t>(channel, numbers);
      case Dtype::kUint16:
        return dequantize_differences<std::uint16_t>(channel, numbers);
      default:
        return dequantize_differences<std::int32_t>(channel, numbers);
    }
  }
  const auto scale = hn::Set(QuantFloats(), numbers.scale);
  const auto scaled = [=](auto difference) TL_QUANT_INLINE {
    return hn::BitCast(QuantInts(), hn::Mul(difference, scale));
  };
  const std::int64_t wide_offset = numbers.offset;
  const auto offset = static_cast<std::int32_t>(wide_offset);
  if (offset != wide_offset)
    return map_each<std::int32_t>(channel, [=](QuantInt x) TL_QUANT_INLINE {
      return scaled(wide_differences(x, wide_offset));
    });
  // Differences that words hold, as nearly all are, are rounded as they become floats.
  const QuantInt offsets = hn::Set(QuantInts(), offset);
  map_each<std::int32_t>(channel, [=](QuantInt x) TL_QUANT_INLINE {
    const QuantInt difference = hn::Sub(x, offsets);
    const QuantInt outside = hn::And(hn::Xor(x, offsets), hn::Xor(x, difference));
    if (HWY_LIKELY(hn::AllFalse(QuantInts(), hn::Lt(outside, hn::Zero(QuantInts())))))
      return scaled(hn::ConvertTo(QuantFloats(), difference));
    return scaled(wide_differences(x, wide_offset));
  });
}

template <class T>
void quantize_to(const ChannelRows& channel, const QuantNumbers& numbers) {
  if (channel.args.rule == QuantRule::kFloatRequant) {
    if constexpr (sizeof(T) < 4) requantize_floats<T>(channel, numbers);
    return;
  }
  if constexpr (sizeof(T) == 2) {
    if (quantize_shorts<T>(channel, numbers)) return;
  }
  if (fits_words(channel, numbers))
    return map_channel<T>(channel, ShortIntegers(channel.args, numbers));
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET <= HWY_AVX2
  if constexpr (sizeof(T) == 4) {
    if (LongWords::takes(channel.args, numbers))
      return map_channel<T, std::int32_t, 2>(channel, LongWords(channel.args, numbers));
  }
#endif
  map_channel<T>(channel, LongIntegers(channel.args, numbers));
}

void quantize_channel(const ChannelRows& channel, const QuantNumbers& numbers) {
  if (channel.args.rule == QuantRule::kFloatDequant) return dequantize_floats(channel, numbers);
  switch (channel.args.dst_type) {
    case Dtype::kInt8:
      return quantize_to<std::int8_t>(channel, numbers);
    case Dtype::kUint8:
      return quantize_to<std::uint8_t>(channel, numbers);
    case Dtype::kInt16:
      return quantize_to<std::int16_t>(channel, numbers);
    case Dtype::kUint16:
      return quantize_to<std::uint16_t>(channel, numbers);
    default:
      return quantize_to<std::int32_t>(channel, numbers);
  }
}

void quantize_range(const QuantArgs& args, const QuantRows& rows, std::int64_t begin,
                    std::int64_t end) {
  const IntegerRange range = integer_range(args.src_type);
  const std::int64_t batches = args.n;
  const int first = static_cast<int>(begin / batches);
  ChannelRows part{args,
                   rows,
                   ChannelPlaces(args.src, first),
                   ChannelPlaces(args.dst, first),
                   begin % batches,
                   end - begin,
                   dtype_bytes(args.src_type),
                   dtype_bytes(args.dst_type),
                   std::max(-range.min, range.max)};
  if (!args.per_channel) return quantize_channel(part, args.numbers);
  ChannelPlaces numbers(args.quant, first);
  for (std::int64_t left = end - begin; left > 0; left -= part.count) {
    part.count = std::min(left, batches - part.batch);
    quantize_channel(part, args.read(numbers.begin()));
    for (ChannelPlaces* places : {&part.src, &part.dst, &numbers}) places->advance();
    part.batch = 0;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(quantize_range);

bool quantizes_channels(const QuantArgs& args) {
  switch (args.rule) {
    case QuantRule::kIntRequant:
    case QuantRule::kIntDequant:
      return true;
    case QuantRule::kFloatRequant:
      return dtype_bytes(args.dst_type) < 4 && legal_for_floats(args.rounding) &&
             (dtype_bytes(args.src_type) < 4 || args.source_rounding == RoundingMode::kHalfToEven);
    case QuantRule::kFloatDequant:
      break;
  }
  if (args.rounding == RoundingMode::kHalfToEven) return true;
  // Where the difference is exact in fp32, no mode rounds.
  const int channels = args.per_channel ? args.c : 1;
  for (int c = 0; c < channels; ++c) {
    if (!is_short_difference(dtype_bytes(args.src_type), args.of(c))) return false;
  }
  return true;
}

void quantize_channels(const QuantArgs& args, const QuantRows& rows, std::int64_t begin,
                       std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(quantize_range)(args, rows, begin, end);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
