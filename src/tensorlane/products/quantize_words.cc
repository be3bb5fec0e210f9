#include "tensorlane/products/quantize_words.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/products/quantize_words.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/products/rounding_shift_inl.h"

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
static_assert(kQuantLanes <= kQuantSlack);

// A vector of words to what is stored of them: words again, or shorter elements.
template <class T>
HWY_INLINE void store_quantized(QuantInt value, int count, std::byte* to) {
  const hn::Rebind<T, QuantInts> narrow;
  alignas(64) T buffer[kQuantLanes];
  T* const at = count >= kQuantLanes ? reinterpret_cast<T*>(to) : buffer;
  if constexpr (sizeof(T) == 4) hn::StoreU(value, narrow, at);
  if constexpr (sizeof(T) < 4) hn::StoreU(hn::DemoteTo(narrow, value), narrow, at);
  if (count < kQuantLanes) std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(T));
}

// to[i] = f(words[i]), whose results fit the type.
template <class T, class F>
HWY_INLINE void map_words(const std::int32_t* words, int count, std::byte* to, const F& f) {
  for (int i = 0; i < count; i += kQuantLanes)
    store_quantized<T>(f(hn::LoadU(QuantInts(), words + i)), count - i,
                       to + static_cast<std::ptrdiff_t>(i) * static_cast<int>(sizeof(T)));
}

// Whether products and sums fit 32 bits with room for the offset.
bool fits_words(const QuantArgs& args, const QuantNumbers& numbers) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  if (dtype_bytes(args.src_type) == 4 || numbers.shift > 0) return false;
  const IntegerRange range = integer_range(args.src_type);
  const std::int64_t multiplier = std::abs(numbers.multiplier);
  const std::int64_t offset = std::abs(numbers.offset);
  if (multiplier > kMost || offset > kMost) return false;
  return (std::max(-range.min, range.max) + offset) * multiplier < kMost;
}

// saturate(shift(product + before) + after) in lanes of 32 or 64 bits, which gives both rules for
// integers.
template <class D>
class ScaledLanes {
 public:
  using Lane = hn::TFromD<D>;
  using V = hn::Vec<D>;

  HWY_INLINE ScaledLanes(const QuantArgs& args, const QuantNumbers& numbers)
      : shift_(std::max(numbers.shift, 1 - kBits)),
        before_(hn::Zero(D())),
        after_(hn::Zero(D())),
        low_(hn::Set(D(), within(integer_range(args.dst_type).min))),
        high_(hn::Set(D(), within(integer_range(args.dst_type).max))),
        threshold_(args.rounding, hn::Set(D(), mask(shift_))) {
    if (args.rule == QuantRule::kIntRequant) {
      after_ = hn::Set(D(), static_cast<Lane>(numbers.offset));
    } else {
      const auto offset = static_cast<std::uint64_t>(numbers.offset);
      const auto multiplier = static_cast<std::uint64_t>(numbers.multiplier);
      before_ = hn::Set(D(), static_cast<Lane>(0 - offset * multiplier));
    }
  }

  HWY_INLINE V of(V product) const {
    const V value = hn::Add(product, before_);
    return hn::Min(hn::Max(hn::Add(shifted(value), after_), low_), high_);
  }

 private:
  static constexpr int kBits = 8 * static_cast<int>(sizeof(Lane));

  static Lane within(std::int64_t end) {
    return static_cast<Lane>(
        std::clamp<std::int64_t>(end, hwy::LimitsMin<Lane>(), hwy::LimitsMax<Lane>()));
  }
  static Lane mask(int shift) {
    return shift >= 0 ? 0 : static_cast<Lane>((std::uint64_t{1} << -shift) - 1);
  }

  HWY_INLINE V shifted(V value) const {
    if (shift_ == 0) return value;
    if (shift_ > 0) return hn::ShiftLeftSame(value, shift_);
    return threshold_.round(value, hn::ShiftRightSame(value, -shift_));
  }

  const int shift_;
  V before_, after_;
  const V low_, high_;
  const RoundingThreshold<D> threshold_;
};

// Where fits_words.
class ShortIntegers {
 public:
  HWY_INLINE ShortIntegers(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), static_cast<std::int32_t>(numbers.multiplier))),
        lanes_(args, numbers) {}
  HWY_INLINE QuantInt operator()(QuantInt x) const { return lanes_.of(hn::Mul(x, multiplier_)); }

 private:
  const QuantInt multiplier_;
  const ScaledLanes<QuantInts> lanes_;
};

class LongIntegers {
 public:
  HWY_INLINE LongIntegers(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), static_cast<std::int32_t>(numbers.multiplier))),
        lanes_(args, numbers) {}

  HWY_INLINE QuantInt operator()(QuantInt x) const {
#if HWY_TARGET == HWY_SCALAR
    const QuantWideInt only = lanes_.of(hn::MulEven(x, multiplier_));
    return hn::Set(QuantInts(), static_cast<std::int32_t>(hn::GetLane(only)));
#else
    // Every second lane is a number of 64 bits with its neighbour.
    const QuantInts d;
    const hn::RebindToUnsigned<QuantWide> bits;
    const QuantInt neighbours = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(bits, x)));
    const QuantWideInt even = lanes_.of(hn::MulEven(x, multiplier_));
    const QuantWideInt odd = lanes_.of(hn::MulEven(neighbours, multiplier_));
    return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
#endif
  }

 private:
  const QuantInt multiplier_;
  const ScaledLanes<QuantWide> lanes_;
};

template <RoundingMode kMode>
HWY_INLINE hn::Vec<QuantFloats> whole_number(hn::Vec<QuantFloats> x) {
  if constexpr (kMode == RoundingMode::kHalfToEven) return hn::Round(x);
  if constexpr (kMode == RoundingMode::kDown) return hn::Floor(x);
  if constexpr (kMode == RoundingMode::kUp) return hn::Ceil(x);
  const auto towards_zero = hn::Trunc(x);
  if constexpr (kMode == RoundingMode::kHalfAwayFromZero) {
    const QuantFloats d;
    const auto away = hn::Ge(hn::Abs(hn::Sub(x, towards_zero)), hn::Set(d, 0.5F));
    const auto one = hn::CopySign(hn::Set(d, 1.0F), x);
    return hn::Add(towards_zero, hn::IfThenElseZero(away, one));
  }
  return towards_zero;
}

// saturate(round(x * scale + offset)); the types are those whose ends fp32 holds.
template <class T, RoundingMode kMode>
void requantize_floats(const QuantNumbers& numbers, const std::int32_t* words, int count,
                       std::byte* to) {
  const QuantFloats d;
  const auto scale = hn::Set(d, numbers.scale);
  const auto offset = hn::Set(d, numbers.float_offset);
  const auto low = hn::Set(d, static_cast<float>(hwy::LimitsMin<T>()));
  const auto high = hn::Set(d, static_cast<float>(hwy::LimitsMax<T>()));
  map_words<T>(words, count, to, [&](QuantInt x) HWY_ATTR {
    const auto value = hn::Add(hn::Mul(hn::ConvertTo(d, x), scale), offset);
    const auto kept = hn::Min(hn::Max(whole_number<kMode>(value), low), high);
    return hn::ConvertTo(QuantInts(), hn::IfThenElse(hn::IsNaN(value), low, kept));
  });
}

template <class T>
void requantize_floats(RoundingMode mode, const QuantNumbers& numbers, const std::int32_t* words,
                       int count, std::byte* to) {
  switch (mode) {
    case RoundingMode::kHalfToEven:
      return requantize_floats<T, RoundingMode::kHalfToEven>(numbers, words, count, to);
    case RoundingMode::kHalfAwayFromZero:
      return requantize_floats<T, RoundingMode::kHalfAwayFromZero>(numbers, words, count, to);
    case RoundingMode::kTowardsZero:
      return requantize_floats<T, RoundingMode::kTowardsZero>(numbers, words, count, to);
    case RoundingMode::kDown:
      return requantize_floats<T, RoundingMode::kDown>(numbers, words, count, to);
    default:
      return requantize_floats<T, RoundingMode::kUp>(numbers, words, count, to);
  }
}

// Differences of 33 bits, exact in fp64 and rounded once.
void dequantize_floats(const QuantNumbers& numbers, const std::int32_t* words, int count,
                       std::byte* to) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<std::int32_t, decltype(wide)> ints;
  const hn::Rebind<float, decltype(wide)> floats;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(wide));
  const auto offset = hn::Set(wide, static_cast<double>(numbers.offset));
  const auto scale = hn::Set(floats, numbers.scale);
  auto* results = reinterpret_cast<float*>(to);
  for (int i = 0; i < count; i += kLanes) {
    const auto difference = hn::Sub(hn::PromoteTo(wide, hn::LoadU(ints, words + i)), offset);
    const auto result = hn::Mul(hn::DemoteTo(floats, difference), scale);
    if (i + kLanes <= count) {
      hn::StoreU(result, floats, results + i);
    } else {
      alignas(64) float buffer[kLanes];
      hn::Store(result, floats, buffer);
      std::memcpy(results + i, buffer, static_cast<std::size_t>(count - i) * sizeof(float));
    }
  }
}

template <class T>
void quantize_to(const QuantArgs& args, const QuantNumbers& numbers, const std::int32_t* words,
                 int count, std::byte* to) {
  if (args.rule == QuantRule::kFloatRequant) {
    if constexpr (sizeof(T) < 4) requantize_floats<T>(args.rounding, numbers, words, count, to);
    return;
  }
  if (fits_words(args, numbers)) {
    map_words<T>(words, count, to, ShortIntegers(args, numbers));
  } else {
    map_words<T>(words, count, to, LongIntegers(args, numbers));
  }
}

void quantize_all(const QuantArgs& args, const QuantNumbers& numbers, const std::int32_t* words,
                  int count, std::byte* to) {
  if (args.rule == QuantRule::kFloatDequant) return dequantize_floats(numbers, words, count, to);
  switch (args.dst_type) {
    case Dtype::kInt8:
      return quantize_to<std::int8_t>(args, numbers, words, count, to);
    case Dtype::kUint8:
      return quantize_to<std::uint8_t>(args, numbers, words, count, to);
    case Dtype::kInt16:
      return quantize_to<std::int16_t>(args, numbers, words, count, to);
    case Dtype::kUint16:
      return quantize_to<std::uint16_t>(args, numbers, words, count, to);
    default:
      return quantize_to<std::int32_t>(args, numbers, words, count, to);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(quantize_all);

bool quantizes_words(const QuantArgs& args, const QuantNumbers& numbers) {
  constexpr std::int64_t kFloatExact = 1 << 24;
  const bool is_short = dtype_bytes(args.src_type) < 4;
  switch (args.rule) {
    case QuantRule::kIntRequant:
    case QuantRule::kIntDequant:
      return numbers.multiplier >= INT32_MIN && numbers.multiplier <= INT32_MAX &&
             numbers.shift <= 63;
    case QuantRule::kFloatRequant:
      return dtype_bytes(args.dst_type) < 4 && legal_for_floats(args.rounding) &&
             (is_short || args.source_rounding == RoundingMode::kHalfToEven);
    case QuantRule::kFloatDequant:
      break;
  }
  // Where the difference is exact in fp32, no mode rounds.
  return args.rounding == RoundingMode::kHalfToEven ||
         (is_short && std::abs(numbers.offset) <= kFloatExact - UINT16_MAX);
}

void quantize_words(const QuantArgs& args, const QuantNumbers& numbers, const std::int32_t* words,
                    int count, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(quantize_all)(args, numbers, words, count, to);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
