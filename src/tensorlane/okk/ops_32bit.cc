// 32-bit logic and shifts.
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"
#include "tensorlane/ops/fixed_results.h"

TL_OKK_OPS_FILE(bit32);

namespace tensorlane::okk {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;

// value shifted by amount
template <class T>
constexpr auto kShift = formula_value<TypedRow::kShift, BitNumbers, T, T, s32>;

constexpr std::string_view k32bitGroup = "bdc-32bit";

// dst = f(src0, src1)
template <class R, class A, class B, class F>
OpSpec two_tensors(Doc doc, Dtype dst, Dtype src0, Dtype src1, F f, SimdRow simd) {
  return of_shape(k32bitGroup, doc, dst_src0_src1(dst, src0, src1), 2,
                  elementwise<R, A, B>("dst_addr", {"src0_addr", "src1_addr"}, f, simd));
}
// dst = f(src, C)
template <class R, class A, class B, class F>
OpSpec tensor_constant(Doc doc, Dtype dst, Dtype src, F f, SimdRow simd) {
  return of_shape(k32bitGroup, doc, dst_src(dst, src), 1,
                  elementwise<R, A, B>("dst_addr", {"src_addr", "C"}, f, simd));
}

template <TypedRow kRow>
constexpr auto kLogic = formula_value<kRow, BitNumbers, u32, u32, u32>;
template <TypedRow kRow>
OpSpec logic() {
  return two_tensors<u32, u32, u32>(keep("dst = " + formula_words<kRow>("src0", "src1")).data(),
                                    Dtype::kX32, Dtype::kX32, Dtype::kX32, kLogic<kRow>,
                                    row_of_type<kRow, Dtype::kX32>);
}
// The vendor's model cannot run these: documented meaning.
template <TypedRow kRow>
OpSpec logic_constant() {
  OpSpec spec = tensor_constant<u32, u32, u32>(
      keep("dst = " + formula_words<kRow>("src", "C")).data(), Dtype::kX32, Dtype::kX32,
      kLogic<kRow>, row_of_type<kRow, Dtype::kX32>);
  spec.numerics = Numerics::kExactToDocument;
  return spec;
}

// The source is the amount.
template <Dtype kDtype>
void shift_constant(const Row& row) {
  Row swapped = row;
  swap_sources(swapped, 0, 1);
  row_of_type<TypedRow::kShift, kDtype>(swapped);
}

}  // namespace

TL_OKK_OP(okk_bdc_32bit_and) = logic<TypedRow::kAnd>();
TL_OKK_OP(okk_bdc_32bit_and_C) = fixed_if(with_zero, logic_constant<TypedRow::kAnd>());
TL_OKK_OP(okk_bdc_32bit_or) = logic<TypedRow::kOr>();
TL_OKK_OP(okk_bdc_32bit_or_C) = logic_constant<TypedRow::kOr>();
TL_OKK_OP(okk_bdc_32bit_xor) = fixed_if(of_one_tensor, logic<TypedRow::kXor>());
TL_OKK_OP(okk_bdc_32bit_xor_C) = logic_constant<TypedRow::kXor>();

TL_OKK_OP(okk_bdc_32bit_arithmetic_shift) = with_limits(
    two_tensors<s32, s32, s32>(
        "dst = src0 shifted by src1: left if positive, else arithmetic right", Dtype::kInt32,
        Dtype::kInt32, Dtype::kInt32, kShift<s32>, row_of_type<TypedRow::kShift, Dtype::kInt32>),
    {"-32 <= values(src1_addr) <= 32"});

TL_OKK_OP(okk_bdc_32bit_logical_shift) = with_limits(
    two_tensors<u32, u32, s32>("dst = src0 shifted by src1: left if positive, else logical right",
                               Dtype::kUint32, Dtype::kUint32, Dtype::kInt32, kShift<u32>,
                               row_of_type<TypedRow::kShift, Dtype::kUint32>),
    {"-32 <= values(src1_addr) <= 32"});

TL_OKK_OP(okk_bdc_32bit_arithmetic_shift_C) = with_limits(
    tensor_constant<s32, s32, s32>(
        "dst = src shifted by C: left if positive, else arithmetic right", Dtype::kInt32,
        Dtype::kInt32, kShift<s32>, row_of_type<TypedRow::kShift, Dtype::kInt32>),
    {"-32 <= C <= 32"});

TL_OKK_OP(okk_bdc_32bit_logical_shift_C) = with_limits(
    tensor_constant<u32, u32, s32>("dst = src shifted by C: left if positive, else logical right",
                                   Dtype::kUint32, Dtype::kUint32, kShift<u32>,
                                   row_of_type<TypedRow::kShift, Dtype::kUint32>),
    {"-32 <= C <= 32"});

TL_OKK_OP(okk_bdc_32bit_C_arithmetic_shift) = with_limits(
    tensor_constant<s32, s32, s32>(
        "dst = C shifted by src: left if positive, else arithmetic right", Dtype::kInt32,
        Dtype::kInt32, [](s32 amount, s32 value) { return kShift<s32>(value, amount); },
        shift_constant<Dtype::kInt32>),
    {"-32 <= values(src_addr) <= 32"});

TL_OKK_OP(okk_bdc_32bit_C_logical_shift) =
    with_limits(tensor_constant<u32, s32, u32>(
                    "dst = C shifted by src: left if positive, else logical right", Dtype::kUint32,
                    Dtype::kInt32, [](s32 amount, u32 value) { return kShift<u32>(value, amount); },
                    shift_constant<Dtype::kUint32>),
                {"-32 <= values(src_addr) <= 32"});

}  // namespace tensorlane::okk
