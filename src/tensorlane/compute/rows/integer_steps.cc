#include "tensorlane/compute/rows/integer_steps.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tensorlane {
namespace {

using Operation = IntegerOperation;

// Exact bounds of a step: products of two 32-bit numbers and more.
__extension__ using Exact = __int128;
struct Bounds {
  Exact least, most;

  static Bounds of(Dtype dtype) {
    const IntegerRange range = integer_range(dtype);
    return {range.min, range.max};
  }
  friend Bounds operator+(const Bounds& a, const Bounds& b) {
    return {a.least + b.least, a.most + b.most};
  }
  friend Bounds operator-(const Bounds& a, const Bounds& b) {
    return {a.least - b.most, a.most - b.least};
  }
  friend Bounds operator*(const Bounds& a, const Bounds& b) {
    const auto [least, most] =
        std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
    return {least, most};
  }
  Bounds with(const Bounds& other) const {
    return {std::min(least, other.least), std::max(most, other.most)};
  }
  Bounds shifted_left(int shift) const {
    const Exact factor = Exact{1} << shift;
    return {least * factor, most * factor};
  }
  template <class Wide>
  bool fit() const {
    return least >= std::numeric_limits<Wide>::min() && most <= std::numeric_limits<Wide>::max();
  }
};

bool shifts_by_elements(Operation operation) {
  return operation == Operation::kShift || operation == Operation::kShiftByByte;
}

// What saturates in the end and is shifted left may be clamped before: it stays inside or outside.
bool clamps_first(const IntegerRule& rule) {
  return rule.saturate && rule.left > 0 && rule.right == 0 &&
         rule.operation != Operation::kMultiplyAdd && !shifts_by_elements(rule.operation);
}

// Of everything that is computed before the shift to the right.
Bounds bounds_of(const IntegerRule& rule, std::span<const Dtype> sources) {
  const Bounds a = Bounds::of(sources[0]);
  if (rule.operation == Operation::kFirst) return a.shifted_left(rule.left);
  const Bounds b = Bounds::of(sources[1]);
  switch (rule.operation) {
    case Operation::kAdd:
      return (a + b).shifted_left(rule.left);
    case Operation::kSubtract:
      return (a - b).shifted_left(rule.left);
    case Operation::kMultiply:
      return (a * b).shifted_left(rule.left);
    case Operation::kMultiplyAdd: {
      const Bounds product = b * Bounds::of(sources[2]);
      return (a.shifted_left(rule.left) + product).with(product);
    }
    case Operation::kMultiplyPair: {
      const Bounds pair = a.shifted_left(8) + b;
      return (pair * Bounds::of(sources[2])).with(pair).shifted_left(rule.left);
    }
    default:
      return a.with(b).shifted_left(rule.left);
  }
}

bool is_integer(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
    case Dtype::kUint8:
    case Dtype::kInt16:
    case Dtype::kUint16:
    case Dtype::kInt32:
    case Dtype::kUint32:
      return true;
    default:
      return false;
  }
}

bool multiplies(Operation operation) {
  return operation == Operation::kMultiply || operation == Operation::kMultiplyAdd ||
         operation == Operation::kMultiplyPair;
}

constexpr unsigned bit(IntegerLanes lanes) {
  return 1U << static_cast<unsigned>(lanes);
}

// A shift by elements works on any value; only values of 16 bits leave room to round in 32.
unsigned lanes_that_shift(std::span<const Dtype> sources) {
  const auto is_short = [](Dtype dtype) { return dtype_bits(dtype) <= 16; };
  const unsigned wide = bit(IntegerLanes::kInt64);
  return std::ranges::all_of(sources, is_short) ? wide | bit(IntegerLanes::kInt32) : wide;
}

bool is_short(Dtype dtype) {
  return dtype_bits(dtype) == 16;
}
bool is_byte(Dtype dtype) {
  return dtype_bits(dtype) == 8;
}
bool has_sign(Dtype dtype) {
  return dtype_info(dtype).is_signed;
}

// dst + a * b, of a product of bytes that an element of the destination's type holds.
bool is_short_sum(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  if (rule.operation != Operation::kMultiplyAdd || rule.left != 0 || rule.right > 15) return false;
  return is_short(dst) && sources[0] == dst && is_byte(sources[1]) && is_byte(sources[2]) &&
         has_sign(dst) == (has_sign(sources[1]) || has_sign(sources[2]));
}

// A product of two factors of 16 bits, or what makes one, that saturates to such an element.
bool is_short_product(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  if (!rule.saturate || rule.left != 0 || dtype_bits(dst) > 16) return false;
  if (rule.operation == Operation::kMultiplyPair)
    return std::ranges::all_of(sources, is_byte) && !has_sign(sources[1]);
  return rule.operation == Operation::kMultiply &&
         std::ranges::all_of(sources, [](Dtype dtype) { return dtype_bits(dtype) <= 16; });
}

// Whether the nearest value that the destination holds may be another than the result.
bool may_saturate(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  if (!rule.saturate) return false;
  if (shifts_by_elements(rule.operation)) return true;
  Bounds bounds = bounds_of(rule, sources);
  const Exact rest = (Exact{1} << rule.right) - 1;  // no mode rounds further than up
  bounds = {bounds.least >> rule.right, (bounds.most + rest) >> rule.right};
  const Bounds held = Bounds::of(dst);
  return bounds.least < held.least || bounds.most > held.most;
}

ShortSteps short_steps_of(IntegerLanes lanes) {
  if (lanes == IntegerLanes::kSums16) return ShortSteps::kSums;
  return lanes == IntegerLanes::kProducts16 ? ShortSteps::kProducts : ShortSteps::kUnsignedProducts;
}

}  // namespace

IntegerShift integer_shift(const IntegerRule& rule) {
  IntegerShift shift{.left = rule.left, .right = rule.right};
  shift.clamps_first = clamps_first(rule);
  if (rule.right == 0) return shift;
  const std::int64_t rest = (std::int64_t{1} << rule.right) - 1;  // the most that is shifted out
  const ShiftRounding rounding = shift_rounding(rule.mode);
  shift.base = rounding.base(rest);
  shift.even = rounding.even;
  shift.negative = rounding.of_negative(rest);
  return shift;
}

unsigned lanes_that_hold(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  constexpr int kMostShift = 62;
  if (!is_integer(dst) || !std::ranges::all_of(sources, is_integer)) return 0;
  if (shifts_by_elements(rule.operation)) return rule.saturate ? 0 : lanes_that_shift(sources);
  if (rule.left > kMostShift || rule.right > kMostShift) return 0;
  IntegerRule unclamped = rule;
  if (clamps_first(rule)) unclamped.left = 0;
  Bounds bounds = bounds_of(unclamped, sources);
  if (clamps_first(rule)) bounds = bounds.with(Bounds::of(dst).shifted_left(rule.left));
  // Shifts stay below the bits of the lanes, and rounding adds less than the last bit that stays.
  const Exact shifted_out = (Exact{1} << rule.right) - 1;
  if (rule.mode == RoundingMode::kDown) {
    bounds = bounds.with({0, shifted_out + 1});
  } else if (rule.right > 0) {
    bounds.most += shifted_out + 1;
  }
  const auto none_is = [&](Dtype dtype) { return std::ranges::count(sources, dtype) == 0; };
  const auto at_most_16_bits = [](Dtype dtype) { return dtype_bits(dtype) <= 16; };

  // What wraps around stays right in its low bits.
  const bool low_bits =
      !rule.saturate && rule.right == 0 && rule.left < 32 && rule.operation < Operation::kMaximum;

  unsigned lanes = 0;
  if (rule.left < 16 && at_most_16_bits(dst) && std::ranges::all_of(sources, at_most_16_bits) &&
      (low_bits || (bounds.fit<std::int16_t>() && none_is(Dtype::kUint16))))
    lanes |= bit(IntegerLanes::kInt16);
  // Unsigned lanes hold products of half their bits, which signed ones do not.
  const bool all_unsigned =
      std::ranges::none_of(sources, [](Dtype dtype) { return dtype_info(dtype).is_signed; });
  const bool unsigned_product = all_unsigned && rule.operation == Operation::kMultiply;
  const auto all_bytes = [&] {
    return std::ranges::all_of(sources, [](Dtype dtype) { return dtype_bits(dtype) == 8; });
  };
  if (unsigned_product && bounds.fit<std::uint16_t>() && rule.left < 16 && at_most_16_bits(dst) &&
      all_bytes())
    lanes |= bit(IntegerLanes::kUint16);
  if (is_short_sum(rule, sources, dst)) lanes |= bit(IntegerLanes::kSums16);
  if (is_short_product(rule, sources, dst)) {
    if (unsigned_product) {
      if (bounds.fit<std::uint32_t>()) lanes |= bit(IntegerLanes::kUnsignedProducts16);
    } else if (bounds.fit<std::int32_t>() && none_is(Dtype::kUint16)) {
      lanes |= bit(IntegerLanes::kProducts16);
    }
  }
  if (low_bits || (bounds.fit<std::int32_t>() && rule.left < 32 && none_is(Dtype::kUint32)))
    lanes |= bit(IntegerLanes::kInt32);
  if (unsigned_product && bounds.fit<std::uint32_t>() && rule.left < 32)
    lanes |= bit(IntegerLanes::kUint32);
  // Products take signed factors of 32 bits, or unsigned ones.
  const bool pair_fits =
      rule.operation != Operation::kMultiplyPair ||
      (Bounds::of(sources[0]).shifted_left(8) + Bounds::of(sources[1])).fit<std::int32_t>();
  if (bounds.fit<std::int64_t>() && pair_fits &&
      (!multiplies(rule.operation) || none_is(Dtype::kUint32)))
    lanes |= bit(IntegerLanes::kInt64);
  if (unsigned_product && bounds.fit<std::uint64_t>()) lanes |= bit(IntegerLanes::kUint64);
  return lanes;
}

IntegerSteps integer_steps(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst,
                           IntegerLanes lanes) {
  IntegerSteps steps;
  steps.operation = rule.operation;
  if (!shifts_by_elements(rule.operation)) steps.shift = integer_shift(rule);
  steps.rounding = shift_rounding(rule.mode);
  std::ranges::copy(sources, steps.sources.begin());
  steps.source_count = static_cast<int>(sources.size());
  steps.dst = dst;
  steps.clamps = may_saturate(rule, sources, dst);
  const auto set_range = [&]<class Wide>(Wide least, Wide most) {
    if (rule.saturate) {
      const IntegerRange range = integer_range(dst);
      if (std::cmp_greater(range.min, least)) least = static_cast<Wide>(range.min);
      if (std::cmp_less(range.max, most)) most = static_cast<Wide>(range.max);
    }
    steps.least = static_cast<std::int64_t>(least);
    steps.most = static_cast<std::int64_t>(most);
  };
  const auto set_range_of = [&]<class Wide>(Wide) {
    set_range(std::numeric_limits<Wide>::min(), std::numeric_limits<Wide>::max());
  };
  switch (lanes) {
    case IntegerLanes::kSums16:
    case IntegerLanes::kProducts16:
      steps.short_steps = short_steps_of(lanes);
      set_range_of(std::int32_t{});  // the lanes of packed words
      break;
    case IntegerLanes::kUnsignedProducts16:
      steps.short_steps = short_steps_of(lanes);
      set_range_of(std::uint32_t{});
      break;
    case IntegerLanes::kInt16:
      set_range_of(std::int16_t{});
      break;
    case IntegerLanes::kUint16:
      set_range_of(std::uint16_t{});
      break;
    case IntegerLanes::kInt32:
      set_range_of(std::int32_t{});
      break;
    case IntegerLanes::kUint32:
      set_range_of(std::uint32_t{});
      break;
    case IntegerLanes::kInt64:
      set_range_of(std::int64_t{});
      break;
    case IntegerLanes::kUint64:
      set_range_of(std::uint64_t{});
      break;
  }
  return steps;
}

}  // namespace tensorlane
