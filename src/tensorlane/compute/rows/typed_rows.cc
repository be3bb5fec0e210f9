#include "tensorlane/compute/rows/typed_rows.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/typed_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/float_numbers_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- elements as they are stored ----

template <class T>
struct Elements {
  using Tag = hn::ScalableTag<T>;
  using VT = hn::Vec<Tag>;
  static HWY_INLINE VT read(VT x) { return x; }
  static HWY_INLINE VT write(VT x) { return x; }
  static HWY_INLINE VT set(T value) { return hn::Set(Tag(), value); }
  static HWY_INLINE VT zero() { return hn::Zero(Tag()); }
};

template <class T>
struct Bits : Elements<T> {
  using VT = typename Elements<T>::VT;
  static HWY_INLINE VT both(VT a, VT b) { return hn::And(a, b); }
  static HWY_INLINE VT any(VT a, VT b) { return hn::Or(a, b); }
  static HWY_INLINE VT one(VT a, VT b) { return hn::Xor(a, b); }
  static HWY_INLINE VT complement(VT a) { return hn::Not(a); }
};

template <class T, T kInfinity, T kOne>
struct FloatBits : Elements<T> {
  using E = Elements<T>;
  using VT = typename E::VT;
  static HWY_INLINE VT absolute(VT a) {
    return hn::And(a, E::set(std::numeric_limits<std::make_signed_t<T>>::max()));
  }
  static HWY_INLINE VT one_if_finite(VT a) {
    const VT infinity = E::set(kInfinity);
    return hn::IfThenZeroElse(hn::Eq(hn::And(a, infinity), infinity), E::set(kOne));
  }
};

// The low bytes of products: of the even bytes and of the odd ones, in lanes of 16 bits.
template <class T, class VT>
HWY_INLINE VT product_of_bytes(VT a, VT b) {
  const hn::ScalableTag<T> d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, static_cast<T>(hn::GetLane(a) * hn::GetLane(b)));
#else
  const hn::Repartition<std::uint16_t, hn::ScalableTag<T>> pairs;
  const auto x = hn::BitCast(pairs, a), y = hn::BitCast(pairs, b), low = hn::Set(pairs, 0xff);
  const auto even = hn::And(hn::Mul(x, y), low);
  const auto odd = hn::Mul(hn::ShiftRight<8>(x), hn::AndNot(low, y));
  return hn::BitCast(d, hn::Or(even, odd));
#endif
}

template <class T>
struct Integers : Elements<T> {
  using E = Elements<T>;
  using VT = typename E::VT;
  static HWY_INLINE VT add(VT a, VT b) { return hn::Add(a, b); }
  static HWY_INLINE VT sub(VT a, VT b) { return hn::Sub(a, b); }
  static HWY_INLINE VT mul(VT a, VT b) {
    if constexpr (sizeof(T) == 1) {
      return product_of_bytes<T>(a, b);
    } else {
      return hn::Mul(a, b);
    }
  }
  static HWY_INLINE VT max(VT a, VT b) { return hn::Max(a, b); }
  static HWY_INLINE VT min(VT a, VT b) { return hn::Min(a, b); }
  static HWY_INLINE VT absolute(VT a) {
    if constexpr (std::is_signed_v<T>) return hn::Abs(a);
    return a;
  }
  static HWY_INLINE VT sign(VT a) {
    const VT positive = hn::IfThenElseZero(hn::Gt(a, E::zero()), E::set(T{1}));
    if constexpr (std::is_signed_v<T>) return hn::Or(positive, hn::BroadcastSignBit(a));
    return positive;
  }
  static HWY_INLINE auto greater(VT a, VT b) { return hn::Gt(a, b); }
  static HWY_INLINE auto equal(VT a, VT b) { return hn::Eq(a, b); }
  template <class M>
  static HWY_INLINE VT select(M mask, VT yes, VT no) {
    return hn::IfThenElse(mask, yes, no);
  }
  // Six bits of the amount count, as a signed number; of its magnitude five. [observed]
  static HWY_INLINE VT shift(VT value, VT amount) {
    const typename E::Tag d;
    const hn::ScalableTag<std::int32_t> amounts;
    const auto low = hn::ShiftRight<26>(hn::ShiftLeft<26>(hn::BitCast(amounts, amount)));
    const auto size = hn::BitCast(d, hn::And(hn::Abs(low), hn::Set(amounts, 31)));
    const auto right = hn::RebindMask(d, hn::Lt(low, hn::Zero(amounts)));
    return hn::IfThenElse(right, hn::Shr(value, size), hn::Shl(value, size));
  }
};

// ---- rows of formulas ----

#define TL_FORMULA(...) TL_FORMULA_OF(HWY_INLINE, __VA_ARGS__)
namespace formula {
TL_ALL_FORMULAS(TL_FORMULA)
}  // namespace formula
namespace integer_formula {
TL_INTEGER_FORMULAS(TL_FORMULA)
}  // namespace integer_formula
#undef TL_FORMULA

// Where sources stand is worked out once for a block of vectors: with vectors of 32 bytes or fewer
// that takes as long as a short formula.
template <class A>
constexpr int kShortBlock = HWY_TARGET == HWY_AVX2
                                ? (sizeof(hn::TFromD<typename A::Tag>) == 4 ? 4 : 2)
                                : 1;

template <class A, template <class> class Formula, PairLoops kLoops = PairLoops::kNone,
          int kBlock = kShortBlock<A>>
void row_of(const Row& row) {
#if HWY_TARGET == HWY_AVX2
  // Rows shorter than a vector of pairs; other sets have masks, or no need of whole vectors.
  if constexpr (std::is_same_v<A, Bf16Pairs>) {
    if (row.count < static_cast<std::int64_t>(hn::MaxLanes(typename A::Tag())))
      return row_of<HalfNumbers<Bf16>, Formula, kLoops>(row);
  }
#endif
  map_vectors<typename A::Tag, Formula<A>::kSources, kBlock, kLoops>(
      row, [](auto... x) TL_INLINE_ATTR { return A::write(Formula<A>::of(A::read(x)...)); });
}

// Of one dividend for all, whose only NaNs are those of its divisors.
void divide_number(const Row& row, std::size_t divisors, float dividend) {
  using A = Fp32Numbers;
  Row of_divisors = row;
  swap_sources(of_divisors, 0, divisors);
  map_vectors<A::Tag, 1, A::kBlock>(of_divisors, [&](V divisor) TL_INLINE_ATTR {
    return A::number_by(A::set(dividend), divisor);
  });
}
void reciprocal_row(const Row& row) {
  divide_number(row, 0, 1);
}
// The reciprocal of one divisor for all is found once.
void divide_row(const Row& row) {
  using A = Fp32Numbers;
  const auto is_one = [&](std::size_t k) {
    return (row.src_step[k] | row.src_next[k] | row.src_block[k]) == 0;
  };
  if (is_one(1)) {
    const V divisor = A::set(load_element<float>(row.src[1]));
    const V reciprocal = A::reciprocal_of_size(divisor);
    return map_vectors<A::Tag, 1, kShortBlock<A>>(
        row, [&](V dividend) TL_INLINE_ATTR { return A::div_by(reciprocal, divisor, dividend); });
  }
  const float dividend = is_one(0) ? load_element<float>(row.src[0]) : std::nanf("");
  if (!std::isnan(dividend)) return divide_number(row, 1, dividend);
  row_of<A, formula::Divide, PairLoops::kNone, A::kBlock>(row);
}

// ---- which ----

template <class Half>
struct Arithmetic {
  using Numbers = HalfNumbers<Half>;
};
#if HWY_TARGET != HWY_SCALAR
template <>
struct Arithmetic<Bf16> {
  using Numbers = Bf16Pairs;
};
#endif
template <class Half>
using NumbersOf = typename Arithmetic<Half>::Numbers;

#define TL_CASE(name, ...) \
  case TypedRow::k##name:  \
    return row_of<A, formula::name, pair_loops(TypedRow::k##name, true)>;

template <class A>
SimdRow number_row(TypedRow row) {
  switch (row) {
    TL_FLOAT_FORMULAS(TL_CASE)
    default:
      return nullptr;
  }
}
SimdRow fp32_alone_row(TypedRow row) {
  using A = Fp32Numbers;
  if (row == TypedRow::kDivide) return divide_row;
  if (row == TypedRow::kReciprocal) return reciprocal_row;
  switch (row) {
#define TL_LONG_CASE(name, ...) \
  case TypedRow::k##name:       \
    return row_of<A, formula::name, PairLoops::kNone, A::kBlock>;
    TL_FP32_FORMULAS(TL_LONG_CASE)
#undef TL_LONG_CASE
    default:
      return nullptr;
  }
}
template <class A>
SimdRow float_bits_row(TypedRow row) {
  switch (row) {
    TL_SIZE_FORMULAS(TL_CASE)
    TL_FLOAT_BIT_FORMULAS(TL_CASE)
    default:
      return nullptr;
  }
}
template <class T>
SimdRow bits_row(TypedRow row) {
  using A = Bits<T>;
  switch (row) {
    TL_BIT_FORMULAS(TL_CASE)
    default:
      return nullptr;
  }
}

// What does not hold selects the other one; what holds the other way round, others.
template <SimdRow kSelect, std::size_t kSource>
void exchange(const Row& row) {
  Row swapped = row;
  swap_sources(swapped, kSource, kSource + 1);
  kSelect(swapped);
}
template <SimdRow kSelect>
constexpr SimdRow complement = exchange<kSelect, 2>;

template <class A>
SimdRow order_row(TypedRow row) {
  switch (row) {
    TL_ORDER_FORMULAS(TL_CASE)
    TL_CHOICE_FORMULAS(TL_CASE)
#define TL_COMPLEMENT(name, sources, other) \
  case TypedRow::k##name:                   \
    return complement<row_of<A, formula::other, pair_loops(TypedRow::k##other, true)>>;
    TL_COMPLEMENTS(TL_COMPLEMENT)
#undef TL_COMPLEMENT
    default:
      return nullptr;
  }
}
#undef TL_CASE

// Of integers fewer loops do, each of which is compiled for every instruction set: none is
// unordered, and signs do not matter for equality, sums and bits.
template <class T>
SimdRow integer_row(TypedRow row) {
  using A = Integers<T>;
  using AnySign = Integers<std::make_unsigned_t<T>>;
  constexpr SimdRow kGreater = row_of<A, formula::Greater, pair_loops(TypedRow::kGreater, false)>;
  constexpr SimdRow kEqual = row_of<AnySign, formula::Equal, pair_loops(TypedRow::kEqual, false)>;
  switch (row) {
    case TypedRow::kGreater:
      return kGreater;
    case TypedRow::kLess:
      return exchange<kGreater, 0>;
    case TypedRow::kLessEqual:
      return complement<kGreater>;
    case TypedRow::kGreaterEqual:
      return complement<exchange<kGreater, 0>>;
    case TypedRow::kEqual:
      return kEqual;
    case TypedRow::kNotEqual:
      return complement<kEqual>;
    case TypedRow::kAbsolute:
      return row_of<A, formula::Absolute>;
    case TypedRow::kAdd:
      return row_of<AnySign, integer_formula::Add, pair_loops(TypedRow::kAdd, false)>;
    case TypedRow::kSubtract:
      return row_of<AnySign, integer_formula::Subtract, pair_loops(TypedRow::kSubtract, false)>;
    case TypedRow::kMultiply:
      return row_of<AnySign, integer_formula::Multiply, pair_loops(TypedRow::kMultiply, false)>;
    case TypedRow::kNegate:
      return row_of<AnySign, integer_formula::Negate>;
    case TypedRow::kShift:
      if constexpr (sizeof(T) == 4) return row_of<A, formula::Shift>;
      return nullptr;
    case TypedRow::kRelu:
      if constexpr (!std::is_signed_v<T>) return row_of<A, formula::Absolute>;
      return row_of<A, integer_formula::Relu>;
    case TypedRow::kMaximum:
      return row_of<A, integer_formula::Maximum, pair_loops(TypedRow::kMaximum, false)>;
    case TypedRow::kMinimum:
      return row_of<A, integer_formula::Minimum, pair_loops(TypedRow::kMinimum, false)>;
    case TypedRow::kSign:
      return row_of<A, integer_formula::Sign>;
    default:
      return nullptr;
  }
}

SimdRow first_of(std::initializer_list<SimdRow> rows) {
  const auto* const found = std::ranges::find_if(rows, [](SimdRow row) { return row != nullptr; });
  return found == rows.end() ? nullptr : *found;
}
template <class Half, std::uint16_t kInfinity, std::uint16_t kOne>
SimdRow half_row(TypedRow row) {
  return first_of({number_row<NumbersOf<Half>>(row), order_row<HalfOrder<Half>>(row),
                   float_bits_row<FloatBits<std::uint16_t, kInfinity, kOne>>(row)});
}
SimdRow fp32_row(TypedRow row) {
  return first_of({number_row<Fp32Numbers>(row), fp32_alone_row(row), order_row<Fp32Order>(row),
                   float_bits_row<FloatBits<std::uint32_t, 0x7f800000, 0x3f800000>>(row)});
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
      return half_row<Fp16, 0x7c00, 0x3c00>(row);
    case Dtype::kBf16:
      return half_row<Bf16, 0x7f80, 0x3f80>(row);
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

bool turns_row(std::int64_t bytes) {
  return turns_rows(bytes);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_row);
HWY_EXPORT(turns_row);

SimdRow row_of_processor(TypedRow row, Dtype dtype) {
  return HWY_DYNAMIC_DISPATCH(find_row)(row, dtype);
}
bool turns_row_on_processor(std::int64_t bytes) {
  return HWY_DYNAMIC_DISPATCH(turns_row)(bytes);
}

}  // namespace
}  // namespace simd

SimdRow typed_row(TypedRow row, Dtype dtype) {
  return simd::row_of_processor(row, dtype);
}

bool turns_pairs(std::int64_t rows, std::int64_t row_bytes) {
  constexpr std::int64_t kFewestRows = 16;  // of a vector at most
  return rows >= kFewestRows && simd::turns_row_on_processor(row_bytes);
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
