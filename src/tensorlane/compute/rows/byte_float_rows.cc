#include "tensorlane/compute/rows/byte_float_rows.h"

#include <type_traits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/byte_float_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/float_numbers_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using ByteFloats = hn::Rebind<std::uint8_t, Floats>;
using VByteFloat = hn::Vec<ByteFloats>;

// ---- in ----

// The NaN of an operand of 8 bits, and of an invalid operation.
HWY_INLINE V one_byte_nan(hn::Mask<Floats> is_nan, V x) {
  return hn::IfThenElse(is_nan, float_of(number(static_cast<std::int32_t>(0xffc00000U))), x);
}
struct E5M2 {
  static HWY_INLINE V read(VByteFloat x) {
    return Fp16::read(hn::ShiftLeft<8>(hn::PromoteTo(Halves(), x)));
  }
};
struct E4M3 {
  static HWY_INLINE V read(VByteFloat x) {
    const VHalf word = hn::PromoteTo(Halves(), x);
    const VHalf size = hn::And(word, hn::Set(Halves(), std::uint16_t{0x7f}));
    const VHalf sign = hn::ShiftLeft<8>(hn::Xor(word, size));
    const V small = Fp16::read(hn::Or(hn::ShiftLeft<7>(size), sign));  // by the biases, 15 and 7
    const V wide = hn::Mul(small, hn::Set(Floats(), 256.0F));
    return one_byte_nan(hn::Eq(hn::Abs(wide), hn::Set(Floats(), 480.0F)), wide);
  }
};

// ---- out ----

struct SingleResult {
  using Tag = Floats;
  static HWY_INLINE V write(V x) { return one_byte_nan(hn::IsNaN(x), x); }
};
template <class Half>
struct HalfResult : Half {
  using Tag = Halves;
};

// ---- which ----

template <ByteFloatFormula kFormula, class Result, class Source>
void byte_floats(const Row& frame, float constant) {
  const V c = hn::Set(Floats(), constant);
  map_converted<typename Result::Tag, ByteFloats>(frame, [c](VByteFloat x) HWY_ATTR {
    const V a = Source::read(x);
    if constexpr (kFormula == ByteFloatFormula::kAdd) return Result::write(hn::Add(a, c));
    if constexpr (kFormula == ByteFloatFormula::kSubtractFrom) return Result::write(hn::Sub(c, a));
    if constexpr (kFormula == ByteFloatFormula::kMultiply) return Result::write(hn::Mul(a, c));
  });
}
template <class Result, class Source>
ByteFloatRow formula_row(ByteFloatFormula formula) {
  switch (formula) {
    case ByteFloatFormula::kAdd:
      return byte_floats<ByteFloatFormula::kAdd, Result, Source>;
    case ByteFloatFormula::kSubtractFrom:
      return byte_floats<ByteFloatFormula::kSubtractFrom, Result, Source>;
    default:
      return byte_floats<ByteFloatFormula::kMultiply, Result, Source>;
  }
}
template <class Source>
ByteFloatRow result_row(ByteFloatFormula formula, Dtype dst) {
  switch (dst) {
    case Dtype::kFp32:
      return formula_row<SingleResult, Source>(formula);
    case Dtype::kFp16:
      return formula_row<HalfResult<Fp16>, Source>(formula);
    case Dtype::kBf16:
      return formula_row<HalfResult<Bf16>, Source>(formula);
    default:
      return nullptr;
  }
}
ByteFloatRow find_byte_floats(ByteFloatFormula formula, Dtype dst, Dtype src) {
  return src == Dtype::kFp8E5M2 ? result_row<E5M2>(formula, dst) : result_row<E4M3>(formula, dst);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_byte_floats);

ByteFloatRow byte_floats_of_processor(ByteFloatFormula formula, Dtype dst, Dtype src) {
  return HWY_DYNAMIC_DISPATCH(find_byte_floats)(formula, dst, src);
}

}  // namespace
}  // namespace simd

ByteFloatRow byte_float_row(ByteFloatFormula formula, Dtype dst, Dtype src) {
  return simd::byte_floats_of_processor(formula, dst, src);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
