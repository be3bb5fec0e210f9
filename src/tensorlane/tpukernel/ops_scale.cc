// BDC: bias and scale per channel, and squares of sums.
//
// One rounding to the type per step: a scale multiplies and adds 0, a scale with bias multiplies
// and adds, a square is that of the rounded sum. [observed]
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(scale_functions);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kScaleGroup = "bdc-nn";

OpSpec scale_spec(Doc doc, double cycles, List implementations) {
  return of_shape(kScaleGroup, doc,
                  {out("dst_addr", "dtype"), exact_in_place(in("src_addr", "dtype"))},
                  float_type("dtype"), std::move(implementations), cycles);
}

OpSpec with_vector(OpSpec spec, std::string_view param) {
  spec.operands.push_back(channel_vector(param, "dtype"));
  const std::string name(param);
  add_limits(spec,
             {keep(name + " % dtype.bytes == 0"), keep("same_start_npu(dst_addr, " + name + ")")});
  return spec;
}

// Of the source and a vector per channel, and of the source and the constant C.
template <TypedRow kRow>
OpSpec bias_spec() {
  const int cycles = kRow == TypedRow::kAdd ? 1 : 2;
  return with_vector(
      scale_spec(formula_doc<kRow>("dst", "src", "bias[c]"), cycles,
                 rounded_formula<kRow, 2>("dst_addr", {"src_addr", "bias_addr"}, "dtype")),
      "bias_addr");
}
template <TypedRow kRow>
OpSpec constant_spec() {
  return scale_spec(
      formula_doc<kRow>("dst", "src", "C"), 2,
      rounded_formula<kRow, 2>("dst_addr", {"src_addr", SourceParam("C", "dtype")}, "dtype"));
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp_bias) = bias_spec<TypedRow::kAdd>();
TL_TPU_OP(tpu_bdc_fp_add_bias_sqr) = bias_spec<TypedRow::kSquaredSum>();
TL_TPU_OP(tpu_bdc_fp_add_C_sqr) = constant_spec<TypedRow::kSquaredSum>();
TL_TPU_OP(tpu_bdc_fp_sub_bias_sqr) = bias_spec<TypedRow::kSquaredDifference>();
TL_TPU_OP(tpu_bdc_fp_sub_C_sqr) = constant_spec<TypedRow::kSquaredDifference>();
TL_TPU_OP(tpu_bdc_fp_scale) = with_vector(
    scale_spec(formula_doc<TypedRow::kScale>("dst", "src", "scale[c]"), 1,
               rounded_formula<TypedRow::kScale, 2>("dst_addr", {"src_addr", "scale_addr"},
                                                    "dtype")),
    "scale_addr");
TL_TPU_OP(tpu_bdc_fp_scale_bias) = with_vector(
    with_vector(scale_spec(formula_doc<TypedRow::kScaleBias>("dst", "src", "scale[c]", "bias[c]"),
                           2,
                           rounded_formula<TypedRow::kScaleBias, 3>(
                               "dst_addr", {"src_addr", "scale_addr", "bias_addr"}, "dtype")),
                "scale_addr"),
    "bias_addr");
TL_TPU_OP(tpu_bdc_fp_scale_bias_C) =
    scale_spec(formula_doc<TypedRow::kScaleBias>("dst", "src", "scale", "bias"), 2,
               rounded_formula<TypedRow::kScaleBias, 3>("dst_addr",
                                                        {"src_addr", SourceParam("scale", "dtype"),
                                                         SourceParam("bias", "dtype")},
                                                        "dtype"));

}  // namespace tensorlane::tpukernel
