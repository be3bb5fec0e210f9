#include "tensorlane/compute/rows/cast_rows.h"

#include <limits>
#include <tuple>
#include <type_traits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/cast_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/half_floats_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/compute/whole_numbers_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Stored = hn::Rebind<T, Floats>;

// ---- from fp32 ----

// Numbers in range whose integers are those of x: halves go to even in the conversion itself.
template <RoundingMode kMode>
HWY_INLINE V rounded_by(V x) {
  if constexpr (kMode == RoundingMode::kHalfToEven) return x;
  return whole_of_any<kMode>(x);
}
template <class T, RoundingMode kMode>
void to_short_integers(const Row& row) {
  const hn::RebindToUnsigned<Ints> bits;
  const V least = hn::Set(Floats(), std::numeric_limits<T>::min());
  const V most = hn::Set(Floats(), std::numeric_limits<T>::max());
  const V shift = hn::Set(Floats(), 0x1.8p23F);
  map_converted<Stored<std::make_unsigned_t<T>>, Floats>(row, [=](V x) HWY_ATTR {
    // The sum rounds to a whole number, whose low bits are those of the integer.
    const VInt near = bits_of(hn::Add(hn::Min(hn::Max(rounded_by<kMode>(x), least), most), shift));
    const VInt result = hn::IfThenZeroElse(hn::RebindMask(Ints(), hn::IsNaN(x)), near);
    return hn::TruncateTo(Stored<std::make_unsigned_t<T>>(), hn::BitCast(bits, result));
  });
}
// Whether the nearest integer to what is too large is the greatest one, and the maximum of a NaN
// and a number that number: on x86 both are.
constexpr bool kSaturates = HWY_ARCH_X86 != 0 && HWY_TARGET != HWY_SCALAR;
template <RoundingMode kMode>
void to_int32(const Row& row) {
  map_converted<Ints, Floats>(row, [](V x) HWY_ATTR {
    const auto is_nan = hn::RebindMask(Ints(), hn::IsNaN(x));
    if constexpr (kSaturates)
      return hn::IfThenZeroElse(is_nan, hn::NearestInt(rounded_by<kMode>(x)));
    const auto too_large = hn::RebindMask(Ints(), hn::Ge(x, hn::Set(Floats(), 0x1p31F)));
    const VInt result = hn::IfThenElse(too_large, number(std::numeric_limits<std::int32_t>::max()),
                                       hn::NearestInt(rounded_by<kMode>(x)));
    return hn::IfThenZeroElse(is_nan, result);
  });
}
template <RoundingMode kMode>
void to_uint32(const Row& row) {
  map_converted<Ints, Floats>(row, [](V x) HWY_ATTR {
    const V half = hn::Set(Floats(), 0x1p31F);
    const V positive = hn::Max(rounded_by<kMode>(x), hn::Zero(Floats()));
    const auto upper = hn::Ge(positive, half);  // whole numbers: nothing is lost below
    const VInt lower = hn::NearestInt(hn::Sub(positive, hn::IfThenElseZero(upper, half)));
    const VInt top = hn::IfThenElseZero(hn::RebindMask(Ints(), upper),
                                        number(std::numeric_limits<std::int32_t>::min()));
    if constexpr (kSaturates) return hn::Xor(lower, top);
    const auto too_large = hn::RebindMask(Ints(), hn::Ge(positive, hn::Set(Floats(), 0x1p32F)));
    const VInt result = hn::IfThenElse(too_large, number(-1), hn::Xor(lower, top));
    return hn::IfThenZeroElse(hn::RebindMask(Ints(), hn::IsNaN(x)), result);
  });
}
template <RoundingMode kMode>
SimdRow to_integers(Dtype dst) {
  switch (dst) {
    case Dtype::kInt8:
      return to_short_integers<std::int8_t, kMode>;
    case Dtype::kUint8:
      return to_short_integers<std::uint8_t, kMode>;
    case Dtype::kInt16:
      return to_short_integers<std::int16_t, kMode>;
    case Dtype::kUint16:
      return to_short_integers<std::uint16_t, kMode>;
    case Dtype::kInt32:
      return to_int32<kMode>;
    case Dtype::kUint32:
      return to_uint32<kMode>;
    default:
      return nullptr;
  }
}
template <class Half>
void to_halves(const Row& row) {
  map_converted<Halves, Floats>(row,
                                [](V x) HWY_ATTR { return Half::write(without_denormals(x)); });
}
SimdRow from_fp32(Dtype dst, RoundingMode mode) {
  switch (mode) {
    case RoundingMode::kHalfToEven:
      if (dst == Dtype::kFp16) return to_halves<Fp16>;
      if (dst == Dtype::kBf16) return to_halves<Bf16>;
      return to_integers<RoundingMode::kHalfToEven>(dst);
    case RoundingMode::kHalfAwayFromZero:
      return to_integers<RoundingMode::kHalfAwayFromZero>(dst);
    case RoundingMode::kTowardsZero:
      return to_integers<RoundingMode::kTowardsZero>(dst);
    case RoundingMode::kDown:
      return to_integers<RoundingMode::kDown>(dst);
    case RoundingMode::kUp:
      return to_integers<RoundingMode::kUp>(dst);
    default:
      return nullptr;
  }
}

// ---- to fp32 ----

template <class T>
void from_short_integers(const Row& row) {
  map_converted<Floats, Stored<T>>(
      row, [](auto x) HWY_ATTR { return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), x)); });
}
void from_int32(const Row& row) {
  map_converted<Floats, Ints>(row, [](VInt x) HWY_ATTR { return hn::ConvertTo(Floats(), x); });
}
// Both halves are exact, so the sum rounds once.
void from_uint32(const Row& row) {
  map_converted<Floats, Ints>(row, [](VInt x) HWY_ATTR {
    const VInt low = hn::And(x, number(0xffff));
    const VInt high = hn::And(hn::ShiftRight<16>(x), number(0xffff));
    const V upper = hn::Mul(hn::ConvertTo(Floats(), high), hn::Set(Floats(), 0x1p16F));
    return hn::Add(upper, hn::ConvertTo(Floats(), low));
  });
}
void from_fp16(const Row& row) {
  map_converted<Floats, Halves>(row, [](VHalf x) HWY_ATTR {
    const V wide = Fp16::read(x);
    const V nan = float_of(number(static_cast<std::int32_t>(0xffc00000U)));
    return hn::IfThenElse(hn::IsNaN(wide), nan, wide);
  });
}
void from_bf16(const Row& row) {
  map_converted<Floats, Halves>(row, [](VHalf x) HWY_ATTR { return Bf16::read(x); });
}
SimdRow to_fp32(Dtype src, RoundingMode mode) {
  switch (src) {
    case Dtype::kInt8:
      return from_short_integers<std::int8_t>;
    case Dtype::kUint8:
      return from_short_integers<std::uint8_t>;
    case Dtype::kInt16:
      return from_short_integers<std::int16_t>;
    case Dtype::kUint16:
      return from_short_integers<std::uint16_t>;
    case Dtype::kInt32:
      return mode == RoundingMode::kHalfToEven ? from_int32 : nullptr;
    case Dtype::kUint32:
      return mode == RoundingMode::kHalfToEven ? from_uint32 : nullptr;
    case Dtype::kFp16:
      return from_fp16;
    case Dtype::kBf16:
      return from_bf16;
    default:
      return nullptr;
  }
}

// ---- exponents ----

struct Single {
  using Tag = Floats;
  static HWY_INLINE V read(V x) { return x; }
};
template <class Half>
struct Stored16 : Half {
  using Tag = Halves;
};

// Kept to the low bits.
template <class Source, class T>
void exponents(const Row& row) {
  using Tag = typename Source::Tag;
  const hn::RebindToUnsigned<Ints> bits;
  map_converted<Stored<T>, Tag>(row, [=](hn::Vec<Tag> x) HWY_ATTR {
    const VInt field = hn::And(hn::ShiftRight<23>(bits_of(Source::read(x))), number(0xff));
    const auto exponent = hn::BitCast(bits, hn::Sub(field, number(127)));
    if constexpr (sizeof(T) == 4) {
      return exponent;
    } else {
      return hn::TruncateTo(Stored<T>(), exponent);
    }
  });
}
template <class Source>
SimdRow exponents_in(std::int64_t bytes) {
  if (bytes == 1) return exponents<Source, std::uint8_t>;
  return bytes == 2 ? exponents<Source, std::uint16_t> : exponents<Source, std::uint32_t>;
}
SimdRow find_exponents(Dtype src, std::int64_t bytes) {
  if (src == Dtype::kFp16) return exponents_in<Stored16<Fp16>>(bytes);
  return src == Dtype::kBf16 ? exponents_in<Stored16<Bf16>>(bytes) : exponents_in<Single>(bytes);
}

SimdRow find_cast(Dtype dst, Dtype src, RoundingMode mode) {
  if (src == Dtype::kFp32) return from_fp32(dst, mode);
  return dst == Dtype::kFp32 ? to_fp32(src, mode) : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_cast);
HWY_EXPORT(find_exponents);

SimdRow cast_of_processor(Dtype dst, Dtype src, RoundingMode mode) {
  return HWY_DYNAMIC_DISPATCH(find_cast)(dst, src, mode);
}
SimdRow exponents_of_processor(Dtype src, std::int64_t bytes) {
  return HWY_DYNAMIC_DISPATCH(find_exponents)(src, bytes);
}

}  // namespace
}  // namespace simd

namespace {

bool same(const ConvertOptions& a, const ConvertOptions& b) {
  const auto parts = [](const ConvertOptions& each) {
    return std::tie(each.rounding, each.overflow, each.nan, each.nan_is_zero, each.flush_operands,
                    each.flush_results);
  };
  return parts(a) == parts(b);
}

}  // namespace

SimdRow cast_row(Dtype dst, Dtype src, const ConvertOptions& options) {
  // Integers of 16 bits and less become fp32 without loss, whatever the options.
  const bool exact = dst == Dtype::kFp32 && !dtype_info(src).is_float && dtype_bits(src) <= 16;
  if (!exact && !same(options, tpu_cast_options(dst, src, options.rounding))) return nullptr;
  return simd::cast_of_processor(dst, src, options.rounding);
}

SimdRow exponent_row(Dtype src, std::int64_t bytes) {
  return simd::exponents_of_processor(src, bytes);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
