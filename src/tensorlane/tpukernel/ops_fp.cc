// BDC: floating point arithmetic in fp32, fp16 and bf16.
//
// One operation at a time, each rounded to the type. 16-bit operands are widened to fp32: the fp32
// result rounded again is the correctly rounded one, since 24 bits are at least 2 * 11 + 2.
#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/compute/rows/special_rows.h"
#include "tensorlane/tpukernel/families.h"
#include "tensorlane/tpukernel/pair_families.h"

TL_TPU_OPS_FILE(fp);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kFloatGroup = "bdc-fp";

bool is_fp32(const Command& command) {
  return command.operands()[0].layout.dtype() == Dtype::kFp32;
}

// The vector form of the fp32 case, if there is one, in front of `rest`.
List with_simd(Texts sources, SimdRow simd, List rest) {
  if (simd == nullptr) return rest;
  const Implementation fast = simd_rows("dst_addr", std::move(sources), simd, {4, 4}, {}).front();
  return prefer(is_fp32, fast, std::move(rest));
}

SourceParam typed_source(std::string_view name, TypeOf type) {
  return type.param.empty() ? SourceParam(name, type.fixed) : SourceParam(name, type.param);
}

Texts types_of(TypeOf type) {
  return type.param.empty() ? Texts{} : float_type(type.param);
}

OpSpec unary(Doc doc, TypeOf type, double cycles, List implementations) {
  return of_shape(kFloatGroup, doc, dst_src(type, type), types_of(type), std::move(implementations),
                  cycles);
}
OpSpec binary(Doc doc, TypeOf type, double cycles, List implementations) {
  return of_shape(kFloatGroup, doc, dst_src0_src1(type, type, type), types_of(type),
                  std::move(implementations), cycles);
}

// Sums and products are those of 8-bit floats too, on chips that have them.
OpSpec or_fp8(OpSpec spec) {
  for (std::string_view& limit : spec.limits) {
    if (limit == float_type("dtype").front()) limit = float_type_or_fp8("dtype").front();
  }
  return spec;
}

// A formula of two tensors, and of a tensor with a constant, of the type that dtype holds.
template <TypedRow kRow>
OpSpec two() {
  return binary(formula_doc<kRow>("dst", "src0", "src1"), "dtype", 1,
                float_formula<kRow, 2>("dst_addr", {"src0_addr", "src1_addr"}, "dtype"));
}
template <TypedRow kRow>
OpSpec with_constant() {
  return unary(
      formula_doc<kRow>("dst", "src", "C"), "dtype", 1,
      float_formula<kRow, 2>("dst_addr", {"src_addr", SourceParam("C", "dtype")}, "dtype"));
}

// Division: Newton steps, three unless the call says.
special::Constants iterations(const Command& command) {
  special::Constants constants;
  for (std::size_t k = 0; k < command.op->params().size(); ++k) {
    if (command.op->params()[k].name == "num_iter")
      constants.steps = static_cast<int>(command.args()[k].value());
  }
  return constants;
}
List divide(std::string_view a, std::string_view b, TypeOf type, bool tables = false) {
  return special_rows("dst_addr", {typed_source(a, type), typed_source(b, type)}, special::div,
                      {.constants = iterations, .tables = tables});
}
OpSpec division(OpSpec spec, TypeOf type, bool tunable) {
  spec.work = Work::kSpecial;
  add_limits(spec, newer_model_fp32_only(type));
  if (tunable) spec.limits.emplace_back("1 <= num_iter <= 4");
  return spec;
}
// Where few divisors serve many elements: their reciprocals once, then products.
Cheaper product_with_reciprocals() {
  return {
      "tpu_bdc_fp_reciprocal of the divisors, each once, then tpu_bdc_fp_mul, which rounds "
      "once more",
      [](const Command& command, const TimingParameters& parameters) {
        const double all = steps(command, command.operands()[0]);
        const double cycles =
            parameters.start_special + parameters.start_vector +
            kDivisionCycles * distinct_steps(command, *command.find("src1_addr")) + all;
        return cycles < kDivisionCycles * all ? cycles : 0;
      },
      1};
}
OpSpec quotient(TypeOf type, bool tunable) {
  OpSpec spec = division(binary(computes("dst = src0 / src1", " by Newton steps"), type,
                                kDivisionCycles, divide("src0_addr", "src1_addr", type)),
                         type, tunable);
  spec.cheaper = product_with_reciprocals();
  return spec;
}
OpSpec quotient_by_constant(TypeOf type, bool tunable) {
  OpSpec spec = division(unary(computes("dst = src / C", " by Newton steps"), type, kDivisionCycles,
                               divide("src_addr", "C", type)),
                         type, tunable);
  // x / C is x * (1 / C).
  spec.cheaper = {"tpu_bdc_fp_mul_C with 1 / C, which rounds once more",
                  [](const Command& command, const TimingParameters& parameters) {
                    return parameters.start_vector + steps(command, command.operands()[0]);
                  }};
  return spec;
}
OpSpec quotient_of_constant(TypeOf type, bool tunable) {
  return division(unary(computes("dst = C / src", " by Newton steps"), type, kDivisionCycles,
                        divide("C", "src_addr", type, !type.param.empty())),
                  type, tunable);
}

// dst = a * b + dst in fp32, two roundings
List accumulate(std::string_view a, std::string_view b) {
  constexpr TypedRow kRow = TypedRow::kMultiplyAdd;
  return with_simd({"dst_addr", a, b}, fp32_row<kRow>,
                   float_numbers<kRow, 3>("dst_addr", {"dst_addr", SourceParam(a, Dtype::kFp32),
                                                       SourceParam(b, Dtype::kFp32)}));
}
OpSpec meaning(std::string_view formula, OpSpec spec) {
  spec.doc = computes(formula);
  return spec;
}

RowFunction quotient_row(const Command& command) {
  return special_row(
      command, "dst_addr", {"src0_addr", "src1_addr"},
      SpecialFunction(special::div).of(Dtype::kFp32, numerics_of(*command.chip).rules).vector);
}

template <TypedRow kRow>
OpSpec fp_pairs() {
  return with_limits(
      pairs(kFloatGroup, formula_doc<kRow>("dst[i, j]", "src0[i]", "src1[j]"), "dtype", "dtype",
            "dtype",
            pair_row<float, float, float>(formula_value<kRow, FloatNumbers, float, float, float>),
            typed_pair_row(kRow, "dtype")),
      float_type("dtype"));
}

}  // namespace

#define TPU_BINARY TPU_DST_SRC0_SRC1_STRIDED, (data_type_t, dtype)
#define TPU_WITH_C TPU_DST_SRC_C_STRIDED(scalar_t), (data_type_t, dtype)

TL_TPU_OP(tpu_bdc_fp_add) = or_fp8(two<TypedRow::kAdd>());
TL_TPU_OP(tpu_bdc_fp_add_C) = or_fp8(with_constant<TypedRow::kAdd>());
TL_TPU_OP(tpu_bdc_fp_sub) = or_fp8(two<TypedRow::kSubtract>());
TL_TPU_OP(tpu_bdc_fp_sub_C) = or_fp8(with_constant<TypedRow::kSubtract>());
TL_TPU_OP(tpu_bdc_fp_C_sub) = or_fp8(with_constant<TypedRow::kSubtractFrom>());
TL_TPU_OP(tpu_bdc_fp_mul) = or_fp8(two<TypedRow::kMultiply>());
TL_TPU_OP(tpu_bdc_fp_mul_C) = or_fp8(with_constant<TypedRow::kMultiply>());
TL_TPU_OP(tpu_bdc_fp_square) =
    unary(formula_doc<TypedRow::kMultiply>("dst", "src", "src"), "dtype", 1,
          float_formula<TypedRow::kMultiply, 2>("dst_addr", {"src_addr", "src_addr"}, "dtype"));
// By its sign, which a NaN leaves to the second difference: the sentence says what is meant.
TL_TPU_OP(tpu_bdc_fp_diff_abs) = meaning("dst = |src0 - src1|", two<TypedRow::kDifference>());
TL_TPU_OP(tpu_bdc_fp_diff_abs_C) = meaning("dst = |src - C|",
                                           with_constant<TypedRow::kDifference>());

TL_TPU_OP(tpu_bdc_fp32_div) = quotient(Dtype::kFp32, false);
TL_TPU_OP(tpu_bdc_fp32_div_C) = quotient_by_constant(Dtype::kFp32, false);
TL_TPU_OP(tpu_bdc_fp32_C_div) = quotient_of_constant(Dtype::kFp32, false);
TL_TPU_OP(tpu_bdc_fp32_tunable_div) = quotient(Dtype::kFp32, true);
TL_TPU_OP(tpu_bdc_fp32_tunable_div_C) = quotient_by_constant(Dtype::kFp32, true);
TL_TPU_OP(tpu_bdc_fp32_tunable_C_div) = quotient_of_constant(Dtype::kFp32, true);
TL_TPU_OP(tpu_bdc_fp_div) = quotient("dtype", false);
TL_TPU_OP(tpu_bdc_fp_div_C) = quotient_by_constant("dtype", false);
TL_TPU_OP(tpu_bdc_fp_C_div) = quotient_of_constant("dtype", false);
TL_TPU_OP(tpu_bdc_fp_tunable_div) = quotient("dtype", true);
TL_TPU_OP(tpu_bdc_fp_tunable_div_C) = quotient_by_constant("dtype", true);
TL_TPU_OP(tpu_bdc_fp_tunable_C_div) = quotient_of_constant("dtype", true);

TL_TPU_OP(tpu_bdc_fp32_mac) =
    accumulating(binary(formula_doc<TypedRow::kMultiplyAdd>("dst", "dst", "src0", "src1"),
                        Dtype::kFp32, 2, accumulate("src0_addr", "src1_addr")));
TL_TPU_OP(tpu_bdc_fp32_mac_C) = accumulating(unary(formula_doc<TypedRow::kMultiplyAdd>("dst", "dst",
                                                                                       "src", "C"),
                                                   Dtype::kFp32, 2, accumulate("src_addr", "C")));

TL_TPU_OP(tpu_bdc_fp_vc_add) = fp_pairs<TypedRow::kAdd>();
TL_TPU_OP(tpu_bdc_fp_vc_sub) = fp_pairs<TypedRow::kSubtract>();
TL_TPU_OP(tpu_bdc_fp_vc_mul) = fp_pairs<TypedRow::kMultiply>();
TL_TPU_OP(tpu_bdc_fp32_vc_div) = pairs(kFloatGroup, computes("dst[i, j] = src0[i] / src1[j]"),
                                       Dtype::kFp32, Dtype::kFp32, Dtype::kFp32, quotient_row,
                                       [](const Command& command) -> PairedRows {
                                         return {quotient_row(command), kLongPairRow};
                                       });

}  // namespace tensorlane::tpukernel
