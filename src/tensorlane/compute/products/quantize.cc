#include "tensorlane/compute/products/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/quantize_words.h"

namespace tensorlane {
namespace {

std::int64_t saturated(std::int64_t value, Dtype dtype) {
  const IntegerRange range = integer_range(dtype);
  return std::clamp(value, range.min, range.max);
}

// Wraps at 64 bits, which only numbers outside every documented range reach.
std::int64_t product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// To the left without the sign, which stays.
std::int64_t shifted_below_sign(std::int64_t value, int places) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  const std::uint64_t bits = static_cast<std::uint64_t>(value) << static_cast<unsigned>(places);
  return static_cast<std::int64_t>(value < 0 ? bits | kSign : bits & ~kSign);
}

// What leaves room for an offset, and is beyond every type's range still.
std::int64_t clamped(std::int64_t value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  return std::clamp(value, -kMost, kMost);
}

// The two conversions as the casts define them.
float to_float(std::int64_t value, RoundingMode mode) {
  return std::bit_cast<float>(pack(Real::from_integer(value), kFp32Format, mode));
}
std::int64_t to_whole(float value, RoundingMode mode, Dtype dtype) {
  const Real real = unpack(std::bit_cast<std::uint32_t>(value), kFp32Format);
  if (real.kind == Real::Kind::kNan) return 0;
  return saturated(to_integer(real, mode), dtype);
}

// The same from the host's arithmetic.
float to_float_fast(std::int64_t value, RoundingMode mode) {
  constexpr std::int64_t kExact = std::int64_t{1} << 24;
  if (mode == RoundingMode::kHalfToEven || (value <= kExact && value >= -kExact)) {
    return static_cast<float>(value);
  }
  return to_float(value, mode);
}
std::int64_t to_whole_fast(float value, RoundingMode mode, const IntegerRange& range) {
  if (std::isnan(value)) return 0;
  double whole = value;
  switch (mode) {
    case RoundingMode::kHalfToEven:
      whole = std::nearbyint(whole);
      break;
    case RoundingMode::kHalfAwayFromZero:
      whole = std::round(whole);
      break;
    case RoundingMode::kTowardsZero:
      whole = std::trunc(whole);
      break;
    case RoundingMode::kDown:
      whole = std::floor(whole);
      break;
    default:
      whole = std::ceil(whole);
      break;
  }
  return static_cast<std::int64_t>(
      std::clamp(whole, static_cast<double>(range.min), static_cast<double>(range.max)));
}

void quantize_element(const QuantArgs& args, const QuantNumbers& numbers, const std::byte* from,
                      std::byte* to) {
  const std::int64_t src = load_integer(from, args.src_type);
  const auto shift = [&](std::int64_t value) {
    const std::int64_t whole = product(value, numbers.multiplier);
    if (args.packed && numbers.shift > 0) return shifted_below_sign(whole, numbers.shift);
    return rounding_shift(whole, numbers.shift, args.rounding);
  };
  switch (args.rule) {
    case QuantRule::kIntRequant:
      return store_integer(to, args.dst_type,
                           saturated(numbers.offset + clamped(shift(src)), args.dst_type));
    case QuantRule::kIntDequant:
      return store_integer(to, args.dst_type,
                           saturated(shift(src - numbers.offset), args.dst_type));
    case QuantRule::kFloatRequant: {
      const float scaled = to_float(src, args.source_rounding) * numbers.scale;
      return store_integer(to, args.dst_type,
                           to_whole(scaled + numbers.float_offset, args.rounding, args.dst_type));
    }
    case QuantRule::kFloatDequant:
      return store_float(to, args.dst_type,
                         to_float(src - numbers.offset, args.rounding) * numbers.scale);
  }
}

// One row of fp32 arithmetic, element by element, in any mode; the source widened to int32 words
// (uint32 sources are left to the reference).
class FloatRow {
 public:
  FloatRow(const QuantArgs& args, const QuantNumbers& numbers) : args_(args), numbers_(numbers) {}

  void run(const std::byte* from, std::int64_t count, std::byte* to) const {
    constexpr int kPart = 1024;
    const int source_bytes = dtype_bytes(args_.src_type);
    const int bytes = dtype_bytes(args_.dst_type);
    alignas(64) std::int32_t words[kPart];
    for (std::int64_t i = 0; i < count; i += kPart) {
      const auto part = static_cast<int>(std::min<std::int64_t>(kPart, count - i));
      widen(from + i * source_bytes, 1, args_.src_type, part, words);
      if (args_.rule == QuantRule::kFloatRequant) {
        requantize(words, part, to + i * bytes);
      } else {
        dequantize(words, part, to + i * bytes);
      }
    }
  }

 private:
  void requantize(const std::int32_t* src, int count, std::byte* to) const {
    const IntegerRange range = integer_range(args_.dst_type);
    const int bytes = dtype_bytes(args_.dst_type);
    for (int i = 0; i < count; ++i, to += bytes) {
      const float scaled = to_float_fast(src[i], args_.source_rounding) * numbers_.scale;
      store_integer(to, args_.dst_type,
                    to_whole_fast(scaled + numbers_.float_offset, args_.rounding, range));
    }
  }
  void dequantize(const std::int32_t* src, int count, std::byte* to) const {
    for (int i = 0; i < count; ++i, to += sizeof(float)) {
      const float difference = to_float_fast(src[i] - numbers_.offset, args_.rounding);
      store_float(to, Dtype::kFp32, difference * numbers_.scale);
    }
  }

  const QuantArgs& args_;
  QuantNumbers numbers_;
};

}  // namespace

std::int64_t quant_offset(QuantRule rule, std::uint32_t bits, Dtype dst, Dtype src) {
  const Dtype decides = rule == QuantRule::kIntRequant ? dst : src;
  return bits_to_integer(bits, dtype_info(decides).is_signed ? Dtype::kInt16 : Dtype::kUint16);
}

QuantNumbers QuantArgs::of(int channel) const {
  if (!per_channel) return numbers;
  QuantNumbers own;
  ChannelPlaces places(quant, channel);
  read_numbers(*this, places, 1, &own);
  return own;
}

void read_numbers(const QuantArgs& args, ChannelPlaces& places, int count, QuantNumbers* to) {
  const std::int64_t next = args.quant.w * args.quant.element_bytes;
  const auto word = [next](const std::byte* words, int at) {
    std::int32_t value;
    std::memcpy(&value, words + at * next, sizeof value);
    return value;
  };
  const auto number = [word](const std::byte* words, int at) {
    return std::bit_cast<float>(word(words, at));
  };
  const auto places_of = [word](const std::byte* words, int at) {
    const int shift = static_cast<std::int8_t>(word(words, at));
    return shift > 0 ? shift & 63 : shift;
  };
  const bool is_signed =
      args.packed || quant_offset(args.rule, UINT16_MAX, args.dst_type, args.src_type) < 0;
  const auto offset = [word, is_signed](const std::byte* words, int at) -> std::int64_t {
    const std::int32_t bits = word(words, at);
    return is_signed ? static_cast<std::int16_t>(bits) : static_cast<std::uint16_t>(bits);
  };
  // What each rule reads is decided once for all of them.
  const auto each = [&](const auto& numbers_at) {
    ChannelPlaces at = places;  // in registers: numbers might be stored over it otherwise
    for (int c = 0; c < count; ++c, at.advance()) std::construct_at(to + c, numbers_at(at.begin()));
    places = at;
  };
  const bool of_integers =
      args.rule == QuantRule::kIntRequant || args.rule == QuantRule::kIntDequant;
  if (args.packed && of_integers)
    return each([&](const std::byte* words) {
      return QuantNumbers{.multiplier = word(words, 0),
                          .shift = places_of(words, 1),
                          .offset = word(words, 1) >> 16};
    });
  switch (args.rule) {
    case QuantRule::kIntRequant:
      return each([&](const std::byte* words) {
        return QuantNumbers{
            .multiplier = word(words, 0), .shift = places_of(words, 1), .offset = offset(words, 2)};
      });
    case QuantRule::kIntDequant:
      return each([&](const std::byte* words) {
        return QuantNumbers{
            .multiplier = word(words, 1), .shift = places_of(words, 2), .offset = offset(words, 0)};
      });
    case QuantRule::kFloatRequant:
      return each([&](const std::byte* words) {
        return QuantNumbers{.scale = number(words, 0), .float_offset = number(words, 1)};
      });
    case QuantRule::kFloatDequant:
      return each([&](const std::byte* words) {
        return QuantNumbers{.offset = offset(words, 0), .scale = number(words, 1)};
      });
  }
}

void quantize_reference(const QuantArgs& args) {
  ChipFloatScope chip_float;
  for (int n = 0; n < args.n; ++n) {
    for (int c = 0; c < args.c; ++c) {
      const QuantNumbers numbers = args.of(c);
      for (int h = 0; h < args.h; ++h) {
        for (int w = 0; w < args.w; ++w) {
          quantize_element(args, numbers, args.src.address(n, c, h, w),
                           args.dst.address(n, c, h, w));
        }
      }
    }
  }
}

bool quantize_rows(const QuantArgs& args) {
  if (args.src_type == Dtype::kUint32 || !has_dense_rows(args.src) || !has_dense_rows(args.dst))
    return false;
  const bool dense = has_dense_channels(args.src, args.w) && has_dense_channels(args.dst, args.w);
  const int rows = dense ? 1 : args.h;
  const std::int64_t length = dense ? std::int64_t{args.h} * args.w : args.w;
  const std::int64_t count = std::int64_t{args.n} * args.c;
  const std::int64_t work = count * args.h * args.w;
  if (quantizes_channels(args)) {
    const auto run = [&](std::int64_t begin, std::int64_t end) {
      const ChipFloatScope chip_float;
      quantize_channels(args, {rows, length}, begin, end);
    };
    if (thread_count(work) == 1) {
      run(0, count);
    } else {
      parallel_ranges(count, 1, run);
    }
    return true;
  }
  for_each_task(count, work, [&](std::int64_t i) {
    const auto n = static_cast<int>(i / args.c);
    const auto c = static_cast<int>(i % args.c);
    const FloatRow row(args, args.of(c));
    for (int h = 0; h < rows; ++h)
      row.run(args.src.address(n, c, h, 0), length, args.dst.address(n, c, h, 0));
  });
  return true;
}

}  // namespace tensorlane
