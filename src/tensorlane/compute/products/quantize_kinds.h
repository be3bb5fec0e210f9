// What the numbers of a channel allow to compute with, for the vectors of every instruction set.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_KINDS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_KINDS_H_

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "tensorlane/compute/products/quantize.h"
#include "tensorlane/compute/shift_rounding.h"

namespace tensorlane {

enum class QuantKind : std::uint8_t {
  // Integers to 16 bits: lanes of as many hold each step, or the product, which is shifted to the
  // left and saturates,
  kNarrow,
  kRaised,
  // or each factor, and words the product. Of a shift to the left its nearest 16 bits may decide.
  kRaisedProducts,
  kSplitLeft,
  kSplitRight,
  // Integers in words; in 64 bits that become words again, shifted to the right; in any.
  kWords,
  kLongWords,
  kLong,
  // fp32 to integers: no NaN comes of finite numbers.
  kFiniteFloats,
  kAnyFloats,
  // Differences that fp32 holds, or that are the source; of words that words nearly all hold; all.
  kShortDifferences,
  kNearDifferences,
  kWideDifferences,
};

// What of a call its elements depend on, beside the numbers.
struct QuantForm {
  QuantRule rule;
  Dtype dst_type, src_type;
  RoundingMode rounding;
  ShiftRounding shift_rounding;  // of that, once for all channels
  bool packed;

  explicit QuantForm(const QuantArgs& args)
      : rule(args.rule),
        dst_type(args.dst_type),
        src_type(args.src_type),
        rounding(args.rounding),
        shift_rounding(tensorlane::shift_rounding(args.rounding)),
        packed(args.packed) {}
};

// What integers in words keep below, with room for the offset and for rounding.
inline constexpr std::int64_t kMostOfWords = std::int64_t{1} << 30;

// The source as a number of lanes of 16 bits: of uint16 less half of its range.
inline constexpr std::int64_t kHalfShort = 1 << 15;
inline std::int64_t taken_off(Dtype src) {
  return src == Dtype::kUint16 ? kHalfShort : 0;
}

// Where a result that is shifted to the left stays inside its type: products from the least to the
// most.
struct RaisedEnds {
  std::int32_t least, most;

  RaisedEnds(const IntegerRange& range, std::int64_t after, int shift)
      : least(static_cast<std::int32_t>(-((after - range.min) >> shift))),
        most(static_cast<std::int32_t>((range.max - after) >> shift)) {}
  // Whether products beyond 16 bits are beyond these.
  bool are_short() const { return least > INT16_MIN && most < INT16_MAX; }
};

// Whether differences from the offset are numbers that fp32 holds.
inline bool is_short_difference(int src_bytes, const QuantNumbers& numbers) {
  constexpr std::int64_t kFloatExact = std::int64_t{1} << 24;
  return src_bytes < 4 && std::abs(numbers.offset) <= kFloatExact - UINT16_MAX;
}

class QuantKinds {
 public:
  // `short_lanes`: whether rows fill vectors of lanes of 16 bits, where those are needed.
  QuantKinds(const QuantForm& form, bool short_lanes)
      : rule_(form.rule),
        src_bytes_(dtype_bytes(form.src_type)),
        dst_bytes_(dtype_bytes(form.dst_type)),
        to_shorts_(short_lanes && src_bytes_ <= 2 && dst_bytes_ == 2),
        taken_off_(taken_off(form.src_type)) {
    if (form.rule != QuantRule::kFloatDequant) dst_range_ = integer_range(form.dst_type);
    const IntegerRange range = integer_range(form.src_type);
    source_most_ = std::max(-range.min, range.max);
  }

  QuantKind of(const QuantNumbers& numbers) const {
    switch (rule_) {
      case QuantRule::kFloatRequant:
        return std::isfinite(numbers.scale) && std::isfinite(numbers.float_offset)
                   ? QuantKind::kFiniteFloats
                   : QuantKind::kAnyFloats;
      case QuantRule::kFloatDequant:
        if (is_short_difference(src_bytes_, numbers) || numbers.offset == 0)
          return QuantKind::kShortDifferences;
        return src_bytes_ == 4 && numbers.offset == static_cast<std::int32_t>(numbers.offset)
                   ? QuantKind::kNearDifferences
                   : QuantKind::kWideDifferences;
      default:
        return of_integers(numbers);
    }
  }
  // The kind of all of some channels, where the largest of their numbers allow to know it without a
  // look at each: kNarrow and kRaised bound sizes and nothing else.
  std::optional<QuantKind> of_all(const QuantNumbers* numbers, int count) const {
    if (!to_shorts_ || src_bytes_ != 1) return {};
    std::int64_t multiplier = 0, offset = 0;
    int least = INT_MAX, most = INT_MIN;
    for (int c = 0; c < count; ++c) {
      multiplier = std::max(multiplier, std::abs(std::int64_t{numbers[c].multiplier}));
      offset = std::max(offset, std::abs(numbers[c].offset));
      least = std::min(least, numbers[c].shift);
      most = std::max(most, numbers[c].shift);
    }
    if (offset > INT16_MAX) return {};  // beyond which the signs matter
    QuantNumbers ends{
        .multiplier = static_cast<std::int32_t>(std::min<std::int64_t>(multiplier, INT32_MAX)),
        .shift = most,
        .offset = offset};
    const QuantKind kind = beside(of(ends), most);
    ends.shift = least;
    if (kind > QuantKind::kRaised || beside(of(ends), least) != kind) return {};
    return kind;
  }
  // The kind of a channel beside others: what is shifted to the left is of one.
  QuantKind beside_others(const QuantNumbers& numbers) const {
    return beside(of(numbers), numbers.shift);
  }

 private:
  QuantKind beside(QuantKind kind, int shift) const {
    const bool raised = kind == QuantKind::kNarrow && shift >= 0 && rule_ == QuantRule::kIntDequant;
    return raised ? QuantKind::kRaised : kind;
  }
  QuantKind of_integers(const QuantNumbers& numbers) const {
    if (!fits_words(numbers)) {
      constexpr int kMostShift = 61;  // what rounding adds has room
      return dst_bytes_ == 4 && rule_ == QuantRule::kIntDequant && numbers.shift <= 0 &&
                     numbers.shift >= -kMostShift
                 ? QuantKind::kLongWords
                 : QuantKind::kLong;
    }
    if (!to_shorts_ || !fits_shorts(numbers)) return QuantKind::kWords;
    if (src_bytes_ == 1) {
      if (stays_short(numbers)) return QuantKind::kNarrow;
      if (raises_short(numbers)) return QuantKind::kRaised;
    }
    if (numbers.shift < 0) return QuantKind::kSplitRight;
    constexpr int kMostLeft = 15;  // in lanes of 16 bits
    if (numbers.shift > 0 && numbers.shift <= kMostLeft &&
        RaisedEnds(dst_range_, after(numbers), numbers.shift).are_short())
      return QuantKind::kRaisedProducts;
    return QuantKind::kSplitLeft;
  }
  std::int64_t before(const QuantNumbers& numbers) const {
    return rule_ == QuantRule::kIntDequant ? numbers.offset : 0;
  }
  std::int64_t after(const QuantNumbers& numbers) const {
    return rule_ == QuantRule::kIntRequant ? numbers.offset : 0;
  }
  // Whether products, shifted left where they are, and sums fit 32 bits with room for the offset
  // and for rounding.
  bool fits_words(const QuantNumbers& numbers) const {
    if (src_bytes_ == 4 || numbers.shift > 30 || numbers.shift < -30) return false;
    const std::int64_t multiplier = std::abs(std::int64_t{numbers.multiplier});
    const std::int64_t offset = std::abs(numbers.offset);
    if (multiplier > kMostOfWords || offset > kMostOfWords) return false;
    const std::int64_t most = (source_most_ + offset) * multiplier;
    // What elements of 16 bits hold is limited before it is shifted, see RoomyLanesShift.
    const bool limits = dst_bytes_ <= 2 && offset <= UINT16_MAX;
    const int left = limits ? 0 : std::max(numbers.shift, 0);
    return most < kMostOfWords >> left;
  }
  // Where lanes of 16 bits hold each factor and what is taken off, and words each step behind the
  // product.
  bool fits_shorts(const QuantNumbers& numbers) const {
    const auto is_short = [](std::int64_t number) {
      return number == static_cast<std::int16_t>(number);
    };
    return is_short(numbers.multiplier) && is_short(-std::int64_t{numbers.multiplier}) &&
           is_short(before(numbers) - taken_off_);
  }
  // Of bytes, where they hold each step, with room for rounding or for a shift to the left.
  bool stays_short(const QuantNumbers& numbers) const {
    constexpr std::int64_t kMost = 1 << 14;
    if (numbers.shift < -14) return false;
    if (numbers.offset <= INT16_MIN) return false;  // whose negative they do not hold
    return (UINT8_MAX + std::abs(before(numbers))) * std::abs(std::int64_t{numbers.multiplier}) <
           kMost >> std::max(numbers.shift, 0);
  }
  // Of bytes, where they hold the product, which is shifted to the left and saturates.
  bool raises_short(const QuantNumbers& numbers) const {
    if (numbers.shift <= 0 || rule_ != QuantRule::kIntDequant) return false;
    return (UINT8_MAX + std::abs(numbers.offset)) * std::abs(std::int64_t{numbers.multiplier}) <=
           INT16_MAX;
  }

  QuantRule rule_;
  int src_bytes_, dst_bytes_;
  bool to_shorts_;
  std::int64_t taken_off_, source_most_;
  IntegerRange dst_range_{};
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_KINDS_H_
