// fp32 arithmetic, comparison and selection of two operands, tensor or constant.
//
// Formulas as measured on the vendor's model (compute/rows/row_formulas.h); see
// compute/fp32_arithmetic.h for NaN and denormals.
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(fp32_binary);

namespace tensorlane::okk {
namespace {

using u32 = std::uint32_t;

constexpr Dtype kFp32 = Dtype::kFp32;

OpSpec two_tensors(Doc doc, double cycles, std::vector<Implementation> implementations) {
  return of_shape("bdc-fp32-binary", doc, dst_src0_src1(kFp32, kFp32, kFp32), cycles,
                  std::move(implementations));
}
OpSpec one_tensor(Doc doc, double cycles, std::vector<Implementation> implementations) {
  return strided_fp32("bdc-fp32-binary", doc, cycles, std::move(implementations));
}

// A division and what takes less time.
OpSpec division(OpSpec spec, Cheaper cheaper) {
  spec.work = Work::kSpecial;
  spec.cheaper = std::move(cheaper);
  return spec;
}
constexpr double kDivisionCycles = 30, kProductCycles = 2;

// x / C is x * (1 / C).
Cheaper product_with_constant() {
  return {"okk_bdc_mul_C with 1 / C, which rounds once more",
          [](const Command& command, const TimingParameters& parameters) {
            return parameters.start_vector + groups(command, command.operands()[0]);
          }};
}
// Where few divisors serve many elements: their reciprocals once, then products.
Cheaper product_with_reciprocals() {
  return {"okk_bdc_reciprocal of the divisors, each once, then okk_bdc_mul, which rounds once more",
          [](const Command& command, const TimingParameters& parameters) {
            const double cycles =
                parameters.start_special + parameters.start_vector +
                kDivisionCycles * distinct_groups(command, *command.find("src1_addr")) +
                kProductCycles * groups(command, command.operands()[0]);
            return cycles < kDivisionCycles * groups(command, command.operands()[0]) ? cycles : 0;
          },
          1};
}

// A formula of two tensors, of a tensor and the constant, and of the constant and a tensor.
template <TypedRow kRow>
OpSpec of_tensors(double cycles, const char* words = "") {
  return two_tensors(
      with_words(formula_doc<kRow>("dst", "src0", "src1"), words), cycles,
      fp32_formula<kRow, float, float, float>("dst_addr", {"src0_addr", "src1_addr"}));
}
template <TypedRow kRow>
OpSpec with_constant(double cycles, const char* words = "") {
  return one_tensor(with_words(formula_doc<kRow>("dst", "src", "C"), words), cycles,
                    fp32_formula<kRow, float, float, float>("dst_addr", {"src_addr", "C"}));
}
template <TypedRow kRow>
OpSpec of_constant(double cycles, const char* words = "") {
  return one_tensor(with_words(formula_doc<kRow>("dst", "C", "src"), words), cycles,
                    fp32_formula<kRow, float, float, float>("dst_addr", {"C", "src_addr"}));
}
// dst = a * b + dst
std::vector<Implementation> accumulate(std::string_view a, std::string_view b) {
  return fp32_formula<TypedRow::kMultiplyAdd, float, float, float, float>("dst_addr",
                                                                          {"dst_addr", a, b});
}
template <class... Name>
Doc sum_and_product(const Name&... names) {
  return with_words(formula_doc<TypedRow::kMultiplyAdd>("dst", "dst", names...),
                    ", product and sum rounded one by one");
}
// dst = select_val where the formula compares so, 0 elsewhere
template <TypedRow kRow>
std::vector<Implementation> select_value(std::string_view a, std::string_view b) {
  return fp32_formula<kRow, u32, float, float, u32>("dst_addr", {a, b, "select_val"});
}
template <class... Name>
Doc chosen_if_greater(const Name&... names) {
  return formula_doc<TypedRow::kGreaterValue>("dst", names..., "select_val");
}

OpSpec selecting(OpSpec spec) {
  spec.operands[0].dtype = Dtype::kX32;
  spec.constants = {{"select_val", ConstantUse::kChosen}};
  return spec;
}

OperandSpec either(std::string_view param, Dtype dtype, std::string_view address,
                   std::string_view condition, bool decides = false) {
  OperandSpec spec = unrecorded_in_place(in(param, dtype));
  spec.decides = decides;
  spec.address = address;
  spec.used_if = condition;
  return spec;
}

// select0 or select1, as src0 and src1 compare, each a tensor or a constant.
template <TypedRow kRow>
OpSpec select_any(Doc doc) {
  return {.engine = Engine::kBdc,
          .group = "bdc-fp32-binary",
          .doc = doc,
          .operands = {out("dst_addr", Dtype::kX32),
                       either("src0", Dtype::kFp32, "src0.context.addr", "src0.is_addr", true),
                       either("src1", Dtype::kFp32, "src1.context.addr", "src1.is_addr", true),
                       either("select0", Dtype::kX32, "select0.context.addr", "select0.is_addr"),
                       either("select1", Dtype::kX32, "select1.context.addr", "select1.is_addr")},
          .limits =
              join({{"not_null(src0)", "not_null(src1)", "not_null(select0)", "not_null(select1)"},
                    kBdcShape,
                    on_request({"dst_addr % 128 == 0"}),
                    with_tag({"src0.is_addr => src0.context.addr % 128 == 0",
                              "src1.is_addr => src1.context.addr % 128 == 0",
                              "select0.is_addr => select0.context.addr % 128 == 0",
                              "select1.is_addr => select1.context.addr % 128 == 0"},
                             "observed; on request")}),
          .dependence = Dependence::kSelected,
          .numerics = Numerics::kExactToModel,
          .implementations = fp32_formula<kRow, u32, float, float, u32, u32>(
              "dst_addr", {"src0", "src1", "select0", "select1"}),
          .cycles = per_group(2)};
}

}  // namespace

TL_OKK_OP(okk_bdc_add) = of_tensors<TypedRow::kAdd>(2);
TL_OKK_OP(okk_bdc_add_C) = with_constant<TypedRow::kAdd>(1);
TL_OKK_OP(okk_bdc_sub) = of_tensors<TypedRow::kSubtract>(2);
TL_OKK_OP(okk_bdc_sub_C) = with_constant<TypedRow::kSubtract>(1);
TL_OKK_OP(okk_bdc_C_sub) = of_constant<TypedRow::kSubtract>(1);
TL_OKK_OP(okk_bdc_mul) = of_tensors<TypedRow::kMultiply>(2);
TL_OKK_OP(okk_bdc_mul_C) = with_constant<TypedRow::kMultiply>(1);

TL_OKK_OP(okk_bdc_div) =
    division(of_tensors<TypedRow::kDivide>(kDivisionCycles, " by three Newton steps, 1 to 3 ulp"),
             product_with_reciprocals());
TL_OKK_OP(okk_bdc_div_C) = division(with_constant<TypedRow::kDivide>(kDivisionCycles,
                                                                     " by three Newton steps"),
                                    product_with_constant());
TL_OKK_OP(okk_bdc_C_div) = special(of_constant<TypedRow::kDivide>(kDivisionCycles,
                                                                  " by three Newton steps"));

// Equal or unordered operands give the second one; a denormal result becomes zero.
TL_OKK_OP(okk_bdc_max) = with_combination(Combination::kMaximum, of_tensors<TypedRow::kMaximum>(2));
TL_OKK_OP(okk_bdc_max_C) = with_combination(Combination::kMaximum,
                                            with_constant<TypedRow::kMaximum>(1));
// Equal operands give the first one, unordered ones the second; the result is copied unchanged.
TL_OKK_OP(okk_bdc_min) = with_combination(Combination::kMinimum, of_tensors<TypedRow::kLeast>(2));
TL_OKK_OP(okk_bdc_min_C) = with_combination(Combination::kMinimum,
                                            with_constant<TypedRow::kLeast>(1));

TL_OKK_OP(okk_bdc_mac) = accumulating(two_tensors(sum_and_product("src0", "src1"), 5,
                                                  accumulate("src0_addr", "src1_addr")));
TL_OKK_OP(okk_bdc_mac_C) = accumulating(one_tensor(sum_and_product("src", "C"), 5,
                                                   accumulate("src_addr", "C")));

TL_OKK_OP(okk_bdc_greater_select_value) =
    selecting(two_tensors(chosen_if_greater("src0", "src1"), 2,
                          select_value<TypedRow::kGreaterValue>("src0_addr", "src1_addr")));

TL_OKK_OP(okk_bdc_greater_C_select_value) = selecting(one_tensor(
    chosen_if_greater("src", "C"), 1, select_value<TypedRow::kGreaterValue>("src_addr", "C")));

TL_OKK_OP(okk_bdc_C_greater_select_value) = selecting(one_tensor(
    chosen_if_greater("C", "src"), 1, select_value<TypedRow::kGreaterValue>("C", "src_addr")));

TL_OKK_OP(okk_bdc_equal_select_value) =
    selecting(two_tensors("dst = bits of src0 and src1 are equal ? select_val : 0", 2,
                          select_value<TypedRow::kEqualBitsValue>("src0_addr", "src1_addr")));

TL_OKK_OP(okk_bdc_equal_C_select_value) =
    selecting(one_tensor("dst = bits of src and C are equal ? select_val : 0", 1,
                         select_value<TypedRow::kEqualBitsValue>("src_addr", "C")));

TL_OKK_OP(okk_bdc_greater_select) = select_any<TypedRow::kGreater>(
    with_words(formula_doc<TypedRow::kGreater>("dst", "src0", "src1", "select0", "select1"),
               "; operands are tensors or constants"));

TL_OKK_OP(okk_bdc_equal_select) =
    // A NaN counts as equal: neither is greater.
    select_any<TypedRow::kNeitherGreater>(
        "dst = neither of src0, src1 is greater ? select0 : select1; operands are tensors "
        "or constants");

}  // namespace tensorlane::okk
