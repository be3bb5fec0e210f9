#include "tensorlane/compute/products/quantize_words.h"

#include <algorithm>
#include <cstdlib>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/quantize_words.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/partial_vectors_inl.h"
#include "tensorlane/compute/rounding_shift_inl.h"

// What the vectors of every instruction set share.
#ifndef TENSORLANE_PRODUCTS_QUANTIZE_WORDS_SHAPE
#define TENSORLANE_PRODUCTS_QUANTIZE_WORDS_SHAPE
namespace tensorlane {

// Whether differences from the offset are numbers that fp32 holds.
inline bool is_short_difference(const QuantArgs& args, const QuantNumbers& numbers) {
  constexpr std::int64_t kFloatExact = std::int64_t{1} << 24;
  return dtype_bytes(args.src_type) < 4 && std::abs(numbers.offset) <= kFloatExact - UINT16_MAX;
}

}  // namespace tensorlane
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using QuantInts = hn::ScalableTag<std::int32_t>;
using QuantWide = hn::ScalableTag<std::int64_t>;
using QuantFloats = hn::ScalableTag<float>;
using QuantInt = hn::Vec<QuantInts>;
using QuantWideInt = hn::Vec<QuantWide>;
constexpr int kQuantLanes = static_cast<int>(hn::MaxLanes(QuantInts()));
constexpr bool kRepeatsQuantEnds = HWY_TARGET > HWY_AVX3;
// Of lambdas: a call of one would pass its vectors through memory.
#undef TL_QUANT_INLINE
#define TL_QUANT_INLINE HWY_ATTR __attribute__((always_inline))

// Elements as words; `left` of them, where they are fewer than the lanes.
template <class T>
HWY_INLINE QuantInt load_as_words(const std::byte* from, std::int64_t left) {
  constexpr hn::Rebind<T, QuantInts> narrow;
  const auto* const at = reinterpret_cast<const T*>(from);
  const auto elements = left >= kQuantLanes
                            ? hn::LoadU(narrow, at)
                            : FirstLanes<decltype(narrow)>(static_cast<std::size_t>(left)).load(at);
  if constexpr (sizeof(T) == 4) return elements;
  if constexpr (sizeof(T) < 4) return hn::PromoteTo(QuantInts(), elements);
}
// Vectors side by side: what the types and numbers of a call decide is decided once for them.
template <int kVectors>
struct QuantBlock {
  QuantInt words[kVectors];

  template <class F>
  HWY_INLINE void each(const F& f) {
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) words[v] = f(words[v]);
  }
};
constexpr int kQuantBlock = HWY_TARGET == HWY_AVX2 ? 4 : 1;

template <class T, int kVectors>
HWY_INLINE void load_block_as_words(const std::byte* from, std::int64_t left,
                                    QuantBlock<kVectors>& block) {
  constexpr auto kBytes = static_cast<std::int64_t>(kQuantLanes * sizeof(T));
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v)
    block.words[v] = load_as_words<T>(from + v * kBytes, kVectors > 1 ? kQuantLanes : left);
}
// `left` elements where it is one vector, else all of them.
template <int kVectors>
HWY_INLINE void load_words(Dtype dtype, const std::byte* from, std::int64_t left,
                           QuantBlock<kVectors>& block) {
  if (dtype == Dtype::kInt32) return load_block_as_words<std::int32_t>(from, left, block);
  if (dtype == Dtype::kInt16) return load_block_as_words<std::int16_t>(from, left, block);
  if (dtype == Dtype::kUint16) return load_block_as_words<std::uint16_t>(from, left, block);
  if (dtype == Dtype::kInt8) return load_block_as_words<std::int8_t>(from, left, block);
  load_block_as_words<std::uint8_t>(from, left, block);
}

// A vector of words to what is stored of them: words again, or shorter elements.
template <class T>
HWY_INLINE void store_quantized(QuantInt value, std::int64_t left, std::byte* to) {
  constexpr hn::Rebind<T, QuantInts> narrow;
  const auto elements = [&]() HWY_ATTR {
    if constexpr (sizeof(T) == 4) {
      return value;
    } else {
      return hn::DemoteTo(narrow, value);
    }
  }();
  auto* const at = reinterpret_cast<T*>(to);
  if (left >= kQuantLanes) return hn::StoreU(elements, narrow, at);
  FirstLanes<decltype(narrow)>(static_cast<std::size_t>(left)).store(elements, at);
}

// What is computed: the rows of one channel in batches [first, last).
struct ChannelRows {
  const QuantArgs& args;
  const QuantRows& rows;
  int channel, first, last;
};

// f changes the words of a block to results, which fit the type.
template <class T, class F>
HWY_INLINE void map_channel(const ChannelRows& channel, const F& f) {
  const QuantArgs& args = channel.args;
  const LocalView &src = args.src, &dst = args.dst;
  const Dtype type = args.src_type;
  const QuantRows rows = channel.rows;
  const std::int64_t src_bytes = dtype_bytes(type);
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  const std::byte* const src_channel = src.address(0, channel.channel, 0, 0);
  std::byte* const dst_channel = dst.address(0, channel.channel, 0, 0);
  for (int n = channel.first; n < channel.last; ++n) {
    for (std::int64_t h = 0; h < rows.count; ++h) {
      const std::byte* const from = src_channel + (n * src.n + h * src.h) * src_bytes;
      std::byte* const to = dst_channel + (n * dst.n + h * dst.h) * kBytes;
      // Without masks the last vector of a row ends with it and is computed first: the row may be
      // computed in place.
      const std::int64_t end = rows.length - kQuantLanes;
      const bool repeats = kRepeatsQuantEnds && end >= 0;
      const std::int64_t begin = repeats ? -kQuantLanes : 0, last = repeats ? end : rows.length;
      QuantInt at_end = hn::Zero(QuantInts());
      for (std::int64_t i = begin; i < last; i += kQuantLanes) {
        for (; kQuantBlock > 1 && i >= 0 && i + kQuantBlock * kQuantLanes <= rows.length;
             i += kQuantBlock * kQuantLanes) {
          QuantBlock<kQuantBlock> block;
          load_words(type, from + i * src_bytes, kQuantLanes, block);
          f(block);
          HWY_UNROLL(4)
          for (int v = 0; v < kQuantBlock; ++v)
            store_quantized<T>(block.words[v], kQuantLanes, to + (i + v * kQuantLanes) * kBytes);
        }
        if (i >= last) break;
        const std::int64_t at = i < 0 ? end : i;
        const std::int64_t left = rows.length - at;
        QuantBlock<1> one;
        load_words(type, from + at * src_bytes, left, one);
        f(one);
        if (i < 0) {
          at_end = one.words[0];
        } else {
          store_quantized<T>(one.words[0], left, to + at * kBytes);
        }
      }
      if (repeats) store_quantized<T>(at_end, kQuantLanes, to + end * kBytes);
    }
  }
}

// The same of a function of one vector.
template <class T, class F>
HWY_INLINE void map_each(const ChannelRows& channel, const F& f) {
  map_channel<T>(channel, [&f](auto& block) TL_QUANT_INLINE { block.each(f); });
}

// Whether products, shifted left where they are, and sums fit 32 bits with room for the offset and
// for rounding.
bool fits_words(const QuantArgs& args, const QuantNumbers& numbers) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  if (dtype_bytes(args.src_type) == 4 || numbers.shift > 30 || numbers.shift < -30) return false;
  const IntegerRange range = integer_range(args.src_type);
  const std::int64_t multiplier = std::abs(std::int64_t{numbers.multiplier});
  const std::int64_t offset = std::abs(numbers.offset);
  if (multiplier > kMost || offset > kMost) return false;
  const std::int64_t most = (std::max(-range.min, range.max) + offset) * multiplier;
  return most < kMost >> std::max(numbers.shift, 0);
}

// Shifts of lanes of 64 bits, which products may fill, and of lanes that fits_words left room in.
class FullLanesShift {
 public:
  using V = QuantWideInt;
  static constexpr int kLeast = -63;

  HWY_INLINE FullLanesShift(RoundingMode mode, int shift, bool sign_stays)
      : shift_(shift),
        sign_(hn::Set(QuantWide(), sign_stays ? hwy::LimitsMin<std::int64_t>() : 0)),
        threshold_(mode, hn::Set(QuantWide(), mask(shift))) {}
  // Calls each(f) with what shifts one vector.
  template <class Each>
  HWY_INLINE void with(const Each& each) const {
    if (shift_ == 0) return;
    if (shift_ < 0)
      return each([this](V value) TL_QUANT_INLINE {
        return threshold_.round(value, hn::ShiftRightSame(value, -shift_));
      });
    each([this](V value) TL_QUANT_INLINE {
      return hn::Or(hn::AndNot(sign_, hn::ShiftLeftSame(value, shift_)), hn::And(sign_, value));
    });
  }

 private:
  static std::int64_t mask(int shift) {
    return shift >= 0 ? 0 : static_cast<std::int64_t>((std::uint64_t{1} << -shift) - 1);
  }
  const int shift_;
  const V sign_;  // the bits that a shift to the left leaves as they are
  const RoundingThreshold<QuantWide> threshold_;
};
class RoomyLanesShift {
 public:
  using V = QuantInt;
  static constexpr int kLeast = -30;

  HWY_INLINE RoomyLanesShift(RoundingMode mode, int shift, bool)
      : shift_(shift), offset_(mode, std::max(-shift, 1)) {}
  template <class Each>
  HWY_INLINE void with(const Each& each) const {
    if (shift_ == 0) return;
    if (shift_ < 0) return each([this](V value) TL_QUANT_INLINE { return offset_.round(value); });
    each([this](V value) TL_QUANT_INLINE { return hn::ShiftLeftSame(value, shift_); });
  }

 private:
  const int shift_;
  const RoundingOffset<QuantInts> offset_;
};

// saturate(shift(product + before) + after) in lanes of 32 or 64 bits, which gives both rules for
// integers.
template <class D, class Shift>
class ScaledLanes {
 public:
  using Lane = hn::TFromD<D>;
  using V = hn::Vec<D>;

  HWY_INLINE ScaledLanes(const QuantArgs& args, const QuantNumbers& numbers)
      : shift_(args.rounding, std::max(numbers.shift, Shift::kLeast), args.packed),
        before_(hn::Zero(D())),
        after_(hn::Zero(D())) {
    const IntegerRange range = integer_range(args.dst_type);
    const bool requantises = args.rule == QuantRule::kIntRequant;
    const std::int64_t after = requantises ? numbers.offset : 0;
    // The sum's ends less the offset: no sum leaves the lanes.
    low_ = hn::Set(D(), within(range.min - after));
    high_ = hn::Set(D(), within(range.max - after));
    after_ = hn::Set(D(), static_cast<Lane>(after));
    if (!requantises) {
      const auto offset = static_cast<std::uint64_t>(numbers.offset);
      const auto multiplier = static_cast<std::uint64_t>(numbers.multiplier);
      before_ = hn::Set(D(), static_cast<Lane>(0 - offset * multiplier));
    }
  }

  // each(f) has f change each of some products.
  template <class Each>
  HWY_INLINE void scale(const Each& each) const {
    each([this](V product) TL_QUANT_INLINE { return hn::Add(product, before_); });
    shift_.with(each);
    each([this](V value)
             TL_QUANT_INLINE { return hn::Add(hn::Min(hn::Max(value, low_), high_), after_); });
  }

 private:
  static Lane within(std::int64_t end) {
    return static_cast<Lane>(
        std::clamp<std::int64_t>(end, hwy::LimitsMin<Lane>(), hwy::LimitsMax<Lane>()));
  }

  const Shift shift_;
  V before_, after_, low_, high_;
};

// Where fits_words.
class ShortIntegers {
 public:
  HWY_INLINE ShortIntegers(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), numbers.multiplier)), lanes_(args, numbers) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<kVectors>& block) const {
    block.each([this](QuantInt x) TL_QUANT_INLINE { return hn::Mul(x, multiplier_); });
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE { block.each(f); });
  }

 private:
  const QuantInt multiplier_;
  const ScaledLanes<QuantInts, RoomyLanesShift> lanes_;
};

class LongIntegers {
 public:
  HWY_INLINE LongIntegers(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), numbers.multiplier)), lanes_(args, numbers) {}

  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<kVectors>& block) const {
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) block.words[v] = of(block.words[v]);
  }
  HWY_INLINE QuantInt of(QuantInt x) const {
#if HWY_TARGET == HWY_SCALAR
    QuantWideInt only = hn::MulEven(x, multiplier_);
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE { only = f(only); });
    return hn::Set(QuantInts(), static_cast<std::int32_t>(hn::GetLane(only)));
#else
    // Every second lane is a number of 64 bits with its neighbour.
    const QuantInts d;
    const hn::RebindToUnsigned<QuantWide> bits;
    const QuantInt neighbours = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(bits, x)));
    QuantWideInt even = hn::MulEven(x, multiplier_), odd = hn::MulEven(neighbours, multiplier_);
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE {
      even = f(even);
      odd = f(odd);
    });
    return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
#endif
  }

 private:
  const QuantInt multiplier_;
  const ScaledLanes<QuantWide, FullLanesShift> lanes_;
};

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
  map_each<T>(channel, [=](QuantInt x) TL_QUANT_INLINE {
    const auto value = hn::Add(hn::Mul(hn::ConvertTo(d, x), scale), offset);
    const auto kept = hn::Min(hn::Max(value, low), high);
    return rounded_to_words<kMode>(hn::IfThenElse(hn::IsNaN(value), hn::Zero(d), kept));
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
void dequantize_floats(const ChannelRows& channel, const QuantNumbers& numbers) {
  const auto scale = hn::Set(QuantFloats(), numbers.scale);
  const auto scaled = [scale](hn::Vec<QuantFloats> difference)
                          HWY_ATTR { return hn::BitCast(QuantInts(), hn::Mul(difference, scale)); };
  if (is_short_difference(channel.args, numbers) || numbers.offset == 0) {
    const auto offset = hn::Set(QuantInts(), static_cast<std::int32_t>(numbers.offset));
    return map_each<std::int32_t>(channel, [=](QuantInt x) TL_QUANT_INLINE {
      return scaled(hn::ConvertTo(QuantFloats(), hn::Sub(x, offset)));
    });
  }
  map_each<std::int32_t>(channel, [scaled, offset = numbers.offset](QuantInt x) TL_QUANT_INLINE {
    return scaled(wide_differences(x, offset));
  });
}

template <class T>
void quantize_to(const ChannelRows& channel, const QuantNumbers& numbers) {
  if (channel.args.rule == QuantRule::kFloatRequant) {
    if constexpr (sizeof(T) < 4) requantize_floats<T>(channel, numbers);
    return;
  }
  if (fits_words(channel.args, numbers)) {
    map_channel<T>(channel, ShortIntegers(channel.args, numbers));
  } else {
    map_channel<T>(channel, LongIntegers(channel.args, numbers));
  }
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
  while (begin < end) {
    const auto channel = static_cast<int>(begin / args.n), first = static_cast<int>(begin % args.n);
    const auto last = static_cast<int>(std::min<std::int64_t>(args.n, first + end - begin));
    quantize_channel({args, rows, channel, first, last}, args.of(channel));
    begin += last - first;
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
    if (!is_short_difference(args, args.of(c))) return false;
  }
  return true;
}

void quantize_channels(const QuantArgs& args, const QuantRows& rows, std::int64_t begin,
                       std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(quantize_range)(args, rows, begin, end);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
