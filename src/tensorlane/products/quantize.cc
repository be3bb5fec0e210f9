#include "tensorlane/products/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/products/element_io.h"
#include "tensorlane/products/quantize_words.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {
namespace {

std::int64_t saturated(std::int64_t value, Dtype dtype) {
  const IntegerRange range = integer_range(dtype);
  return std::clamp(value, range.min, range.max);
}

// Wrap at 64 bits, which only numbers outside every documented range reach.
std::int64_t product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// The two conversions as the casts define them.
float to_float(std::int64_t value, RoundingMode mode) {
  return std::bit_cast<float>(pack(Real::from_integer(value), kFp32Format, mode));
}
std::int64_t to_whole(float value, RoundingMode mode, Dtype dtype) {
  const Real real = unpack(std::bit_cast<std::uint32_t>(value), kFp32Format);
  if (real.kind == Real::Kind::kNan) return integer_range(dtype).min;
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
  if (std::isnan(value)) return range.min;
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
    return rounding_shift(product(value, numbers.multiplier), numbers.shift, args.rounding);
  };
  switch (args.rule) {
    case QuantRule::kIntRequant:
      return store_integer(to, args.dst_type,
                           saturated(sum(shift(src), numbers.offset), args.dst_type));
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

// One row: the source widened to int32 words (uint32 sources are left to the reference).
class QuantRow {
 public:
  QuantRow(const QuantArgs& args, const QuantNumbers& numbers)
      : args_(args),
        numbers_(numbers),
        range_(output_range(args)),
        in_vectors_(quantizes_words(args, numbers)) {}

  void run(const std::byte* from, std::int64_t count, std::byte* to) const {
    constexpr int kPart = 1024;
    const int source_bytes = dtype_bytes(args_.src_type);
    const int bytes = dtype_bytes(args_.dst_type);
    alignas(64) std::int32_t words[kPart + kQuantSlack];
    for (std::int64_t i = 0; i < count; i += kPart) {
      const auto part = static_cast<int>(std::min<std::int64_t>(kPart, count - i));
      widen(from + i * source_bytes, 1, args_.src_type, part, words);
      std::fill_n(words + part, kQuantSlack, 0);
      if (in_vectors_) {
        quantize_words(args_, numbers_, words, part, to + i * bytes);
      } else {
        one_by_one(words, part, to + i * bytes);
      }
    }
  }

 private:
  void one_by_one(const std::int32_t* src, int count, std::byte* to) const {
    switch (args_.rounding) {
      case RoundingMode::kHalfToEven:
        return run_with<RoundingMode::kHalfToEven>(src, count, to);
      case RoundingMode::kHalfAwayFromZero:
        return run_with<RoundingMode::kHalfAwayFromZero>(src, count, to);
      case RoundingMode::kTowardsZero:
        return run_with<RoundingMode::kTowardsZero>(src, count, to);
      case RoundingMode::kDown:
        return run_with<RoundingMode::kDown>(src, count, to);
      case RoundingMode::kUp:
        return run_with<RoundingMode::kUp>(src, count, to);
      case RoundingMode::kHalfUp:
        return run_with<RoundingMode::kHalfUp>(src, count, to);
      case RoundingMode::kHalfDown:
        return run_with<RoundingMode::kHalfDown>(src, count, to);
    }
  }

  static IntegerRange output_range(const QuantArgs& args) {
    return args.rule == QuantRule::kFloatDequant ? IntegerRange{} : integer_range(args.dst_type);
  }

  template <RoundingMode kMode>
  void run_with(const std::int32_t* src, int count, std::byte* to) const {
    const QuantNumbers numbers = numbers_;
    const IntegerRange range = range_;
    switch (args_.rule) {
      case QuantRule::kIntRequant:
        return each(src, count, to, [=](std::int64_t x) {
          const std::int64_t shifted =
              rounding_shift(product(x, numbers.multiplier), numbers.shift, kMode);
          return std::clamp(sum(shifted, numbers.offset), range.min, range.max);
        });
      case QuantRule::kIntDequant:
        return each(src, count, to, [=](std::int64_t x) {
          const std::int64_t shifted =
              rounding_shift(product(x - numbers.offset, numbers.multiplier), numbers.shift, kMode);
          return std::clamp(shifted, range.min, range.max);
        });
      case QuantRule::kFloatRequant:
        return each(src, count, to, [=, mode = args_.source_rounding](std::int64_t x) {
          const float scaled = to_float_fast(x, mode) * numbers.scale;
          return to_whole_fast(scaled + numbers.float_offset, kMode, range);
        });
      case QuantRule::kFloatDequant:
        for (int i = 0; i < count; ++i, to += sizeof(float)) {
          const std::int64_t x = src[i] - numbers.offset;
          store_bits(to, Dtype::kFp32,
                     std::bit_cast<std::uint32_t>(to_float_fast(x, kMode) * numbers.scale));
        }
        return;
    }
  }

  template <class F>
  void each(const std::int32_t* src, int count, std::byte* to, F f) const {
    switch (dtype_bytes(args_.dst_type)) {
      case 1:
        return store<std::uint8_t>(src, count, to, f);
      case 2:
        return store<std::uint16_t>(src, count, to, f);
      default:
        return store<std::uint32_t>(src, count, to, f);
    }
  }

  template <class T, class F>
  static void store(const std::int32_t* src, int count, std::byte* to, F f) {
    for (int i = 0; i < count; ++i, to += sizeof(T)) {
      const auto value = static_cast<T>(f(src[i]));
      std::memcpy(to, &value, sizeof value);
    }
  }

  const QuantArgs& args_;
  QuantNumbers numbers_;
  IntegerRange range_;
  bool in_vectors_;
};

}  // namespace

QuantNumbers QuantArgs::of(int channel) const {
  if (!per_channel) return numbers;
  const auto word = [&](int at) {
    return load_integer(quant.address(0, channel, 0, at), Dtype::kInt32);
  };
  const auto number = [&](int at) {
    return load_float(quant.address(0, channel, 0, at), Dtype::kFp32);
  };
  // Any word may stand there; what is beyond 63 places makes no difference.
  const auto places = [&](int at) {
    return static_cast<int>(std::clamp<std::int64_t>(word(at), -64, 64));
  };
  switch (rule) {
    case QuantRule::kIntRequant:
      return {.multiplier = word(0), .shift = places(1), .offset = word(2)};
    case QuantRule::kIntDequant:
      return {.multiplier = word(1), .shift = places(2), .offset = word(0)};
    case QuantRule::kFloatRequant:
      return {.scale = number(0), .float_offset = number(1)};
    case QuantRule::kFloatDequant:
      break;
  }
  return {.offset = word(0), .scale = number(1)};
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
  if (args.src_type == Dtype::kUint32 || args.src.w != 1 || args.dst.w != 1) return false;
  const bool dense = args.src.h == args.w && args.dst.h == args.w;  // rows behind each other
  const int rows = dense ? 1 : args.h;
  const std::int64_t length = dense ? std::int64_t{args.h} * args.w : args.w;
  const std::int64_t channels = std::int64_t{args.n} * args.c;
  const std::int64_t work = channels * args.h * args.w;
  for_each_task(channels, work, [&](std::int64_t i) {
    const auto n = static_cast<int>(i / args.c);
    const auto c = static_cast<int>(i % args.c);
    const QuantRow row(args, args.of(c));
    for (int h = 0; h < rows; ++h)
      row.run(args.src.address(n, c, h, 0), length, args.dst.address(n, c, h, 0));
  });
  return true;
}

}  // namespace tensorlane
