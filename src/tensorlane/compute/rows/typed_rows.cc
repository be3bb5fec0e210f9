#include "tensorlane/compute/rows/typed_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/simd_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/typed_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/half_floats_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/compute/whole_numbers_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- rows of elements of T ----

// dst = f(a, b, ...)
template <class Tag, int kSources, class F>
HWY_INLINE void map(const Row& rows, const F& f) {
  map_vectors<Tag, kSources, 1>(rows, f);
}

// ---- bits and integers ----

template <class T>
void bits_and(const Row& row) {
  map<hn::ScalableTag<T>, 2>(row, [](auto a, auto b) HWY_ATTR { return hn::And(a, b); });
}
template <class T>
void bits_or(const Row& row) {
  map<hn::ScalableTag<T>, 2>(row, [](auto a, auto b) HWY_ATTR { return hn::Or(a, b); });
}
template <class T>
void bits_xor(const Row& row) {
  map<hn::ScalableTag<T>, 2>(row, [](auto a, auto b) HWY_ATTR { return hn::Xor(a, b); });
}
template <class T>
void complement_of(const Row& row) {
  map<hn::ScalableTag<T>, 1>(row, [](auto a) HWY_ATTR { return hn::Not(a); });
}
// Of floats: the bits without the sign.
template <class T>
void absolute_of_floats(const Row& row) {
  const hn::ScalableTag<T> d;
  const auto size = hn::Set(d, std::numeric_limits<std::make_signed_t<T>>::max());
  map<hn::ScalableTag<T>, 1>(row, [size](auto a) HWY_ATTR { return hn::And(a, size); });
}
template <class T, T kInfinity, T kOne>
void finite(const Row& row) {
  const hn::ScalableTag<T> d;
  const auto infinity = hn::Set(d, kInfinity), one = hn::Set(d, kOne);
  map<hn::ScalableTag<T>, 1>(row, [=](auto a) HWY_ATTR {
    return hn::IfThenZeroElse(hn::Eq(hn::And(a, infinity), infinity), one);
  });
}
template <class T>
void absolute_of(const Row& row) {
  map<hn::ScalableTag<T>, 1>(row, [](auto a) HWY_ATTR {
    if constexpr (std::is_signed_v<T>) {
      return hn::Abs(a);
    } else {
      return a;
    }
  });
}
template <class T>
void negate_integers(const Row& row) {
  const hn::ScalableTag<T> d;
  map<hn::ScalableTag<T>, 1>(row, [d](auto a) HWY_ATTR { return hn::Sub(hn::Zero(d), a); });
}
template <class T>
void sign_of_integers(const Row& row) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, T{1});
  map<hn::ScalableTag<T>, 1>(row, [d, one](auto a) HWY_ATTR {
    const auto positive = hn::IfThenElseZero(hn::Gt(a, hn::Zero(d)), one);
    if constexpr (std::is_signed_v<T>) {
      return hn::Or(positive, hn::BroadcastSignBit(a));
    } else {
      return positive;
    }
  });
}
// Six bits of the amount count, as a signed number; of its magnitude five. [observed]
template <class T>
void shift_of(const Row& row) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<std::int32_t> amounts;
  map<hn::ScalableTag<T>, 2>(row, [=](auto value, auto amount) HWY_ATTR {
    const auto low = hn::ShiftRight<26>(hn::ShiftLeft<26>(hn::BitCast(amounts, amount)));
    const auto size = hn::BitCast(d, hn::And(hn::Abs(low), hn::Set(amounts, 31)));
    const auto right = hn::RebindMask(d, hn::Lt(low, hn::Zero(amounts)));
    return hn::IfThenElse(right, hn::Shr(value, size), hn::Shl(value, size));
  });
}
template <class T>
void maximum_of(const Row& row) {
  map<hn::ScalableTag<T>, 2>(row, [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
}
template <class T>
void minimum_of(const Row& row) {
  map<hn::ScalableTag<T>, 2>(row, [](auto a, auto b) HWY_ATTR { return hn::Min(a, b); });
}
template <class T>
void relu_of(const Row& row) {
  const hn::ScalableTag<T> d;
  map<hn::ScalableTag<T>, 1>(row, [d](auto a) HWY_ATTR { return hn::Max(a, hn::Zero(d)); });
}

// ---- 16-bit floats ----

template <class Half, class F>
HWY_INLINE void map_floats(const Row& row, const F& f) {
  map<Halves, 2>(
      row, [&](VHalf a, VHalf b) HWY_ATTR { return Half::write(f(Half::read(a), Half::read(b))); });
}
template <class Half>
void add(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
}
template <class Half>
void subtract(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
}
template <class Half>
void subtract_from(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR { return hn::Sub(b, a); });
}
template <class Half>
void multiply(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
}

template <class Half>
void difference(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(a, b), hn::Sub(a, b), hn::Sub(b, a));
  });
}
template <class Half>
void scale(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR {
    return hn::Add(Half::nearest(hn::Mul(a, b)), hn::Zero(Floats()));
  });
}
template <class Half>
void scale_bias(const Row& row) {
  map<Halves, 3>(row, [](VHalf a, VHalf b, VHalf c) HWY_ATTR {
    const V product = hn::Mul(Half::read(a), Half::read(b));
    return Half::write(hn::Add(Half::nearest(product), Half::read(c)));
  });
}
template <class Half>
void squared_sum(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR {
    const V sum = Half::nearest(hn::Add(a, b));
    return hn::Mul(sum, sum);
  });
}
template <class Half>
void squared_difference(const Row& row) {
  map_floats<Half>(row, [](V a, V b) HWY_ATTR {
    const V difference = Half::nearest(hn::Sub(a, b));
    return hn::Mul(difference, difference);
  });
}
template <class Half>
void prelu(const Row& row) {
  map_floats<Half>(row, [](V a, V slope) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(a, hn::Zero(Floats())), a, hn::Mul(slope, a));
  });
}
template <class Half, class F>
HWY_INLINE void map_float(const Row& row, const F& f) {
  map<Halves, 1>(row, [&](VHalf a) HWY_ATTR { return Half::write(f(Half::read(a))); });
}
template <class Half>
void negate(const Row& row) {
  map_float<Half>(row, [](V a) HWY_ATTR { return hn::Sub(hn::Zero(Floats()), a); });
}
template <class Half>
void sign(const Row& row) {
  map_float<Half>(row, [](V a) HWY_ATTR { return sign_of(a); });
}
HWY_INLINE VInt exponent_number(V a) {
  return hn::Sub(hn::And(hn::ShiftRight<23>(bits_of(a)), number(0xff)), number(127));
}
HWY_INLINE V exponent_of(V a) {
  return hn::ConvertTo(Floats(), exponent_number(a));
}
template <class Half>
void exponent(const Row& row) {
  map_float<Half>(row, [](V a) HWY_ATTR { return exponent_of(a); });
}
void exponent_of_fp32(const Row& row) {
  map<Floats, 1>(row, [](V a) HWY_ATTR { return exponent_of(a); });
}
void exponent_number_of_fp32(const Row& row) {
  map<Floats, 1>(row, [](V a) HWY_ATTR { return float_of(exponent_number(a)); });
}
template <class Half, RoundingMode kMode>
void to_whole(const Row& row) {
  map_float<Half>(row, [](V a) HWY_ATTR {
    // No number of fp16 is denormal in fp32.
    return Half::kLeastNormal == 0 ? whole_of_normal<kMode>(a) : whole_of_any<kMode>(a);
  });
}

// Comparisons look at the bits, whose order is that of the numbers once the sign is seen to.
using Words = hn::ScalableTag<std::int16_t>;
using VWord = hn::Vec<Words>;

HWY_INLINE VWord word(std::int16_t value) {
  return hn::Set(Words(), value);
}
HWY_INLINE VWord size_of(VWord bits) {
  return hn::And(bits, word(0x7fff));
}
template <class Half>
HWY_INLINE VWord flushed(VWord bits) {
  if constexpr (Half::kLeastNormal == 0) return bits;
  const VWord size = size_of(bits);
  return hn::IfThenElse(hn::Lt(size, word(Half::kLeastNormal)), hn::Xor(bits, size), bits);
}
// Numbers that compare as the values do, both zeros alike.
template <class Half>
HWY_INLINE VWord order_of(VWord bits) {
  const VWord value = flushed<Half>(bits), size = size_of(value);
  return hn::IfThenElse(hn::Lt(value, hn::Zero(Words())), hn::Neg(size), size);
}
template <class Half>
HWY_INLINE auto is_nan(VWord bits) {
  return hn::Gt(size_of(bits), word(Half::kInfinity));
}
template <class Half>
HWY_INLINE auto unordered(VWord a, VWord b) {
  return hn::Or(is_nan<Half>(a), is_nan<Half>(b));
}

// Comparisons by value; a NaN is equal to itself. [observed]
template <class Half>
struct HalfOrder {
  using Tag = Words;
  static HWY_INLINE VWord quiet(VWord bits) {
    return hn::IfThenElse(is_nan<Half>(bits), hn::Or(bits, word(Half::kQuiet)), bits);
  }
  static HWY_INLINE auto greater(VWord a, VWord b) {
    return hn::AndNot(unordered<Half>(a, b), hn::Gt(order_of<Half>(a), order_of<Half>(b)));
  }
  static HWY_INLINE auto equal(VWord a, VWord b) {
    const auto same_value = hn::Eq(order_of<Half>(a), order_of<Half>(b));
    return hn::Or(hn::AndNot(unordered<Half>(a, b), same_value), hn::Eq(quiet(a), quiet(b)));
  }
};
struct FloatOrder {  // the environment reads denormals as zeros
  using Tag = Floats;
  static HWY_INLINE auto greater(V a, V b) { return hn::Gt(a, b); }
  static HWY_INLINE auto equal(V a, V b) {
    const auto same_bits = hn::Eq(bits_of(a), bits_of(b));
    return hn::Or(hn::Eq(a, b), hn::RebindMask(Floats(), same_bits));
  }
};
template <class T>
struct IntegerOrder {
  using Tag = hn::ScalableTag<T>;
  using VInteger = hn::Vec<Tag>;
  static HWY_INLINE auto greater(VInteger a, VInteger b) { return hn::Gt(a, b); }
  static HWY_INLINE auto equal(VInteger a, VInteger b) { return hn::Eq(a, b); }
};

template <class Order>
void select_greater(const Row& row) {
  map<typename Order::Tag, 4>(row, [](auto a, auto b, auto yes, auto no) HWY_ATTR {
    return hn::IfThenElse(Order::greater(a, b), yes, no);
  });
}
template <class Order>
void select_equal(const Row& row) {
  map<typename Order::Tag, 4>(row, [](auto a, auto b, auto yes, auto no) HWY_ATTR {
    return hn::IfThenElse(Order::equal(a, b), yes, no);
  });
}
template <class Order>
void select_greater_equal(const Row& row) {
  map<typename Order::Tag, 4>(row, [](auto a, auto b, auto yes, auto no) HWY_ATTR {
    return hn::IfThenElse(hn::Or(Order::greater(a, b), Order::equal(a, b)), yes, no);
  });
}
// What does not hold selects the other one.
template <SimdRow kSelect>
void complement(const Row& row) {
  Row swapped = row;
  swap_sources(swapped, 2, 3);
  kSelect(swapped);
}
template <class Order>
SimdRow select_row(TypedRow row) {
  switch (row) {
    case TypedRow::kGreater:
      return select_greater<Order>;
    case TypedRow::kLessEqual:
      return complement<select_greater<Order>>;
    case TypedRow::kEqual:
      return select_equal<Order>;
    case TypedRow::kNotEqual:
      return complement<select_equal<Order>>;
    case TypedRow::kGreaterEqual:
      return select_greater_equal<Order>;
    case TypedRow::kLess:
      return complement<select_greater_equal<Order>>;
    default:
      return nullptr;
  }
}

// Of integers fewer loops do, each of which is compiled for every instruction set: none is
// unordered, and signs do not matter for equality.
template <SimdRow kSelect>
void exchange(const Row& row) {
  Row swapped = row;
  swap_sources(swapped, 0, 1);
  kSelect(swapped);
}
template <class T>
SimdRow select_integers(TypedRow row) {
  constexpr SimdRow kGreater = select_greater<IntegerOrder<T>>;
  constexpr SimdRow kEqual = select_equal<IntegerOrder<std::make_unsigned_t<T>>>;
  switch (row) {
    case TypedRow::kGreater:
      return kGreater;
    case TypedRow::kLess:
      return exchange<kGreater>;
    case TypedRow::kLessEqual:
      return complement<kGreater>;
    case TypedRow::kGreaterEqual:
      return complement<exchange<kGreater>>;
    case TypedRow::kEqual:
      return kEqual;
    case TypedRow::kNotEqual:
      return complement<kEqual>;
    default:
      return nullptr;
  }
}

template <class Half>
void maximum_of_floats(const Row& row) {
  map<Words, 2>(row, [](VWord a, VWord b) HWY_ATTR {
    return flushed<Half>(hn::IfThenElse(HalfOrder<Half>::greater(a, b), a, b));
  });
}
template <class Half>
void minimum_of_floats(const Row& row) {
  map<Words, 2>(row, [](VWord a, VWord b) HWY_ATTR {
    const auto less = hn::Lt(order_of<Half>(a), order_of<Half>(b));
    return flushed<Half>(hn::IfThenElse(hn::Or(unordered<Half>(a, b), less), a, b));
  });
}
template <class Half>
void relu_of_floats(const Row& row) {
  map<Words, 1>(row, [](VWord a) HWY_ATTR {
    const auto positive = hn::Gt(order_of<Half>(a), hn::Zero(Words()));
    return hn::IfThenElseZero(hn::AndNot(is_nan<Half>(a), positive), a);
  });
}

// ---- which ----

template <class T>
SimdRow integer_row(TypedRow row) {
  switch (row) {
    case TypedRow::kMaximum:
      return maximum_of<T>;
    case TypedRow::kMinimum:
      return minimum_of<T>;
    case TypedRow::kRelu:
      if constexpr (std::is_signed_v<T>) return relu_of<T>;
      return absolute_of<T>;
    case TypedRow::kAbsolute:
      return absolute_of<T>;
    case TypedRow::kNegate:
      return negate_integers<std::make_unsigned_t<T>>;
    case TypedRow::kSign:
      return sign_of_integers<T>;
    case TypedRow::kShift:
      if constexpr (sizeof(T) == 4) return shift_of<T>;
      return nullptr;
    default:
      return select_integers<T>(row);
  }
}
template <class Half>
SimdRow half_row(TypedRow row) {
  switch (row) {
    case TypedRow::kAdd:
      return add<Half>;
    case TypedRow::kSubtract:
      return subtract<Half>;
    case TypedRow::kSubtractFrom:
      return subtract_from<Half>;
    case TypedRow::kMultiply:
      return multiply<Half>;
    case TypedRow::kDifference:
      return difference<Half>;
    case TypedRow::kScale:
      return scale<Half>;
    case TypedRow::kScaleBias:
      return scale_bias<Half>;
    case TypedRow::kSquaredSum:
      return squared_sum<Half>;
    case TypedRow::kSquaredDifference:
      return squared_difference<Half>;
    case TypedRow::kPrelu:
      return prelu<Half>;
    case TypedRow::kNegate:
      return negate<Half>;
    case TypedRow::kSign:
      return sign<Half>;
    case TypedRow::kHalfToEven:
      return to_whole<Half, RoundingMode::kHalfToEven>;
    case TypedRow::kHalfAwayFromZero:
      return to_whole<Half, RoundingMode::kHalfAwayFromZero>;
    case TypedRow::kTowardsZero:
      return to_whole<Half, RoundingMode::kTowardsZero>;
    case TypedRow::kDown:
      return to_whole<Half, RoundingMode::kDown>;
    case TypedRow::kUp:
      return to_whole<Half, RoundingMode::kUp>;
    case TypedRow::kAbsolute:
      return absolute_of_floats<std::uint16_t>;
    case TypedRow::kExponent:
      return exponent<Half>;
    case TypedRow::kMaximum:
      return maximum_of_floats<Half>;
    case TypedRow::kMinimum:
      return minimum_of_floats<Half>;
    case TypedRow::kRelu:
      return relu_of_floats<Half>;
    default:
      return select_row<HalfOrder<Half>>(row);
  }
}
template <class T>
SimdRow bits_row(TypedRow row) {
  switch (row) {
    case TypedRow::kAnd:
      return bits_and<T>;
    case TypedRow::kOr:
      return bits_or<T>;
    case TypedRow::kXor:
      return bits_xor<T>;
    case TypedRow::kComplement:
      return complement_of<T>;
    default:
      return nullptr;
  }
}
// The others are in simd_rows.h.
SimdRow fp32_row(TypedRow row) {
  switch (row) {
    case TypedRow::kAbsolute:
      return absolute_of_floats<std::uint32_t>;
    case TypedRow::kFinite:
      return finite<std::uint32_t, 0x7f800000, 0x3f800000>;
    case TypedRow::kExponent:
      return exponent_of_fp32;
    case TypedRow::kExponentNumber:
      return exponent_number_of_fp32;
    default:
      return select_row<FloatOrder>(row);
  }
}
SimdRow find_row(TypedRow row, Dtype dtype) {
  const SimdRow on_bits = dtype_bits(dtype) == 8    ? bits_row<std::uint8_t>(row)
                          : dtype_bits(dtype) == 16 ? bits_row<std::uint16_t>(row)
                                                    : bits_row<std::uint32_t>(row);
  if (on_bits != nullptr) return on_bits;
  switch (dtype) {
    case Dtype::kFp32:
      return fp32_row(row);
    case Dtype::kFp16:
      return row == TypedRow::kFinite ? finite<std::uint16_t, 0x7c00, 0x3c00> : half_row<Fp16>(row);
    case Dtype::kBf16:
      return row == TypedRow::kFinite ? finite<std::uint16_t, 0x7f80, 0x3f80> : half_row<Bf16>(row);
    case Dtype::kInt8:
      return integer_row<std::int8_t>(row);
    case Dtype::kUint8:
      return integer_row<std::uint8_t>(row);
    case Dtype::kInt16:
      return integer_row<std::int16_t>(row);
    case Dtype::kUint16:
      return integer_row<std::uint16_t>(row);
    case Dtype::kInt32:
      return integer_row<std::int32_t>(row);
    case Dtype::kUint32:
      return integer_row<std::uint32_t>(row);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_row);

SimdRow row_of_processor(TypedRow row, Dtype dtype) {
  return HWY_DYNAMIC_DISPATCH(find_row)(row, dtype);
}

SimdRow shared_fp32_row(TypedRow row) {
  switch (row) {
    case TypedRow::kAdd:
      return add;
    case TypedRow::kSubtract:
      return sub;
    case TypedRow::kSubtractFrom:
      return sub_from;
    case TypedRow::kMultiply:
      return mul;
    case TypedRow::kMaximum:
      return maximum;
    case TypedRow::kMinimum:
      return lesser;
    case TypedRow::kRelu:
      return relu;
    case TypedRow::kDifference:
      return difference;
    case TypedRow::kScale:
      return scale;
    case TypedRow::kScaleBias:
      return scale_bias;
    case TypedRow::kSquaredSum:
      return squared_sum;
    case TypedRow::kSquaredDifference:
      return squared_difference;
    case TypedRow::kPrelu:
      return prelu;
    case TypedRow::kNegate:
      return negate;
    case TypedRow::kSign:
      return sign;
    case TypedRow::kHalfToEven:
      return half_to_even;
    case TypedRow::kHalfAwayFromZero:
      return half_away_from_zero;
    case TypedRow::kTowardsZero:
      return towards_zero;
    case TypedRow::kDown:
      return down;
    case TypedRow::kUp:
      return up;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace simd

SimdRow typed_row(TypedRow row, Dtype dtype) {
  if (dtype == Dtype::kFp32) {
    if (const SimdRow found = simd::shared_fp32_row(row)) return found;
  }
  return simd::row_of_processor(row, dtype);
}

std::vector<Implementation> typed_simd(std::function<TypedRow(const Command&)> row,
                                       std::string_view dst, std::vector<std::string_view> sources,
                                       std::string_view dtype_param,
                                       std::vector<Implementation> rest) {
  const auto run = [=, row = std::move(row),
                    sources = std::move(sources)](const Invocation& invocation) {
    const Command& command = invocation.command;
    const Dtype dtype = command.arg(dtype_param).dtype();
    const SimdRow found = typed_row(row(command), dtype);
    const std::int64_t bytes = dtype_bytes(dtype);
    return found != nullptr && run_rows(invocation, dst, sources, found, {bytes, bytes});
  };
  rest.insert(rest.begin(), {"simd", run, kVectorOperands});
  return rest;
}

std::vector<Implementation> typed_simd(TypedRow row, std::string_view dst,
                                       std::vector<std::string_view> sources,
                                       std::string_view dtype_param,
                                       std::vector<Implementation> rest) {
  return typed_simd([row](const Command&) { return row; }, dst, std::move(sources), dtype_param,
                    std::move(rest));
}

}  // namespace tensorlane
#endif  // HWY_ONCE
