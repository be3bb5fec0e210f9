#include "tensorlane/compute/products/quantize_words.h"

#include <algorithm>
#include <optional>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/quantize_words.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_floats_inl.h"
#include "tensorlane/compute/products/quantize_integers_inl.h"
#include "tensorlane/compute/products/quantize_kinds.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"
#include "tensorlane/compute/products/quantize_shorts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void quantize_to(ChannelRows& channels, QuantKind kind) {
  if (channels.form.rule == QuantRule::kFloatRequant) {
    if constexpr (sizeof(T) < 4) requantize_floats<T>(channels, kind);
    return;
  }
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 2) {
    if (kind < QuantKind::kWords) return quantize_shorts<T>(channels, kind);
  }
#endif
  using Word = std::int32_t;
  using Usual = QuantBlocks<4, 2, 0>;
  if (kind == QuantKind::kWords) return map_channels<ShortIntegers, T, Word, void, Usual>(channels);
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET <= HWY_AVX2
  if constexpr (sizeof(T) == 4) {
    if (kind == QuantKind::kLongWords)
      return map_channels<LongWords, T, Word, void, QuantBlocks<2, 1, 0>>(channels);
  }
#endif
  map_channels<LongIntegers, T, Word, void, Usual>(channels);
}

// Channels of one kind.
void quantize_run(ChannelRows& channels, QuantKind kind) {
  if (channels.form.rule == QuantRule::kFloatDequant) return dequantize_floats(channels, kind);
  switch (channels.form.dst_type) {
    case Dtype::kInt8:
      return quantize_to<std::int8_t>(channels, kind);
    case Dtype::kUint8:
      return quantize_to<std::uint8_t>(channels, kind);
    case Dtype::kInt16:
      return quantize_to<std::int16_t>(channels, kind);
    case Dtype::kUint16:
      return quantize_to<std::uint16_t>(channels, kind);
    default:
      return quantize_to<std::int32_t>(channels, kind);
  }
}

void quantize_range(const QuantArgs& args, const QuantRows& rows, std::int64_t begin,
                    std::int64_t end) {
  const std::int64_t batches = args.n;
  const int first = static_cast<int>(begin / batches);
  ChannelRows part{QuantForm(args),
                   RowSteps(args, rows.count),
                   rows.length,
                   ChannelPlaces(args.src, first),
                   ChannelPlaces(args.dst, first),
                   begin % batches,
                   end - begin,
                   &args.numbers};
  const bool short_lanes =
      HWY_TARGET != HWY_SCALAR && !(kRepeatsQuantEnds && rows.length < kQuantLanes<std::int16_t>);
  const QuantKinds kinds(part.form, short_lanes);
  if (!args.per_channel) return quantize_run(part, kinds.of(args.numbers));
  // Channels of one kind that follow each other are one loop. Numbers of many channels are read
  // together: they are in lines of their own.
  constexpr std::int64_t kMost = 64;
  alignas(QuantNumbers) std::byte room[kMost * sizeof(QuantNumbers)];
  auto* const numbers = reinterpret_cast<QuantNumbers*>(room);
  ChannelPlaces places(args.quant, first);
  for (std::int64_t left = end - begin; left > 0;) {
    const auto channels =
        static_cast<int>(std::min(kMost, (part.batch + left + batches - 1) / batches));
    read_numbers(args, places, channels, numbers);
    const std::optional<QuantKind> of_all = kinds.of_all(numbers, channels);
    QuantKind kind = of_all ? *of_all : kinds.beside_others(numbers[0]);
    for (int c = 0; c < channels;) {
      const QuantKind of_run = kind;
      const int from = c;
      c = of_all ? channels : c + 1;
      while (c < channels && (kind = kinds.beside_others(numbers[c])) == of_run) ++c;
      part.numbers = numbers + from;
      part.count = std::min(left, (c - from) * batches - part.batch);
      left -= part.count;
      quantize_run(part, of_run);
      part.batch = 0;
    }
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
