// Conversions between fp32, int32 and 8-bit integers.
#include <utility>

#include "tensorlane/compute/rows/converted_rows.h"
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/word_functions.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"
#include "tensorlane/okk/int8_operands.h"

TL_OKK_OPS_FILE(cast);

namespace tensorlane::okk {
namespace {

// The vendor's model cannot run these two: documented meaning. What the chip leaves in the work
// tensor is unknown; here it is a copy of the source.
OpSpec int8_to_fp32(Doc doc, OperandSpec (*int8_operand)(Role, std::string_view)) {
  OperandSpec dst = out("dst_addr", Dtype::kFp32);
  dst.layout_rule = int8_layout<DefaultLayout::kCompact>;
  return {.engine = Engine::kBdc,
          .group = "bdc-cast",
          .doc = doc,
          .operands = {dst, int8_operand(Role::kIn, "src_addr"),
                       int8_operand(Role::kWork, "work_addr")},
          .limits = kInt8CastLimits,
          .preferred = kInt8CastPreferred,
          .only_moves = true,
          .numerics = Numerics::kExactToDocument,
          .implementations =
              in_turn({copy_elements<std::uint8_t>("work_addr", "src_addr"),
                       conversion("dst_addr", "src_addr",
                                  [](const Command&, Dtype, Dtype) { return ConvertOptions(); })}),
          .cycles = per_group(15)};
}

}  // namespace

TL_OKK_OP(okk_bdc_fp32_to_int32) = {
    .engine = Engine::kBdc,
    .group = "bdc-cast",
    .doc = computes("dst = int32(src)",
                    ", cut toward zero and saturated; NaN gives the largest of its sign"),
    .operands = {out("dst_addr", Dtype::kInt32), unrecorded_in_place(in("src_addr", Dtype::kFp32))},
    .limits = kAlignedDstSrcLimits,
    .numerics = Numerics::kExactToModel,
    .implementations = fp32_formula<TypedRow::kToInt32, std::int32_t, float>("dst_addr",
                                                                             {"src_addr"}),
    .cycles = per_group(15),
};

TL_OKK_OP(okk_bdc_lookup_int32_to_fp32) = {
    .engine = Engine::kBdc,
    .group = "bdc-cast",
    .doc = computes("dst = fp32(src)",
                    " by table; only the low byte of src counts, as a signed number"),
    .operands = {out("dst_addr", Dtype::kFp32), unrecorded_in_place(in("src_addr", Dtype::kInt32))},
    .limits = join({kAlignedDstSrcLimits, {"-128 <= values(src_addr) <= 127"}}),
    .numerics = Numerics::kExactToModel,
    .implementations = fp32_formula<TypedRow::kLowByte, float, std::int32_t>("dst_addr",
                                                                             {"src_addr"}),
    .cycles = per_group(15),
    .work = Work::kIndexed,
};

TL_OKK_OP(okk_bdc_4N_int8_to_fp32) = [] {
  OpSpec spec =
      int8_to_fp32(computes("dst = fp32(src)", ", which is int8 or uint8 in 4N storage"), int8_4n);
  const auto words = [](const Invocation& invocation) {
    return words_to_fp32(invocation, "dst_addr", "src_addr", "work_addr");
  };
  spec.implementations = in_words(words, std::move(spec.implementations));
  return spec;
}();

TL_OKK_OP(okk_bdc_int8_to_fp32) = int8_to_fp32(
    computes("dst = fp32(src)", ", which is int8 or uint8, one byte per element"), int8_bytes);

}  // namespace tensorlane::okk
