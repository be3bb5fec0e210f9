// fp32 arithmetic, comparison and selection of two operands, tensor or constant.
//
// Formulas as measured on the vendor's model; see compute/fp32_arithmetic.h for NaN and denormals.
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(fp32_binary);

namespace tensorlane::okk {
namespace {

using u32 = std::uint32_t;

OpSpec two_tensors(Doc doc, double cycles, std::vector<Implementation> implementations) {
  return {.engine = Engine::kBdc,
          .group = "bdc-fp32-binary",
          .doc = doc,
          .operands = {out("dst_addr", Dtype::kFp32, "dst_stride"),
                       exact_in_place(in("src0_addr", Dtype::kFp32, "src0_stride")),
                       exact_in_place(in("src1_addr", Dtype::kFp32, "src1_stride"))},
          .limits = kDstSrc0Src1Limits,
          .preferred = kDstSrc0Src1Preferred,
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_group(cycles)};
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

// dst = f(a, b) of the parameters named so
template <class F>
std::vector<Implementation> apply(std::string_view a, std::string_view b, F f, SimdRow simd) {
  return elementwise<float, float, float>("dst_addr", {a, b}, f, simd);
}
// dst = dst + a * b
std::vector<Implementation> accumulate(std::string_view a, std::string_view b) {
  return elementwise<float, float, float, float>(
      "dst_addr", {"dst_addr", a, b},
      [](float d, float x, float y) { return fp32::add(fp32::mul(x, y), d); },
      fp32_row<TypedRow::kMultiplyAdd>);
}
// dst = test(a, b) ? select_val : 0
template <class F>
std::vector<Implementation> select_value(std::string_view a, std::string_view b, F test,
                                         SimdRow simd) {
  return elementwise<u32, float, float, u32>(
      "dst_addr", {a, b, "select_val"},
      [test](float x, float y, u32 selected) { return test(x, y) ? selected : 0u; }, simd);
}

OpSpec accumulating(OpSpec spec) {
  spec.operands[0].role = Role::kInOut;
  return spec;
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

// dst = test(src0, src1) ? select0 : select1, each a tensor or a constant.
template <class F>
OpSpec select_any(Doc doc, F test, SimdRow simd) {
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
          .implementations = elementwise<u32, float, float, u32, u32>(
              "dst_addr", {"src0", "src1", "select0", "select1"},
              [test](float a, float b, u32 yes, u32 no) { return test(a, b) ? yes : no; }, simd),
          .cycles = per_group(2)};
}

// Of functions whose results are one of their operands, or the constant.
OpSpec extreme(Combination combination, OpSpec spec) {
  spec.operands[0].combination = combination;
  return spec;
}

// Equal or unordered operands give the second one; a denormal result becomes zero.
float maximum(float a, float b) {
  return fp32::flush(fp32::greater(a, b) ? a : b);
}
// Equal operands give the first one, unordered ones the second; the result is copied unchanged.
float minimum(float a, float b) {
  return fp32::flush(a) <= fp32::flush(b) ? a : b;
}
bool same_bits(float a, float b) {
  return fp32::bits(a) == fp32::bits(b);
}
// NaN counts as equal: neither is greater.
bool neither_greater(float a, float b) {
  return !fp32::greater(a, b) && !fp32::greater(b, a);
}

}  // namespace
}  // namespace tensorlane::okk

using namespace tensorlane;
using namespace tensorlane::okk;

TL_OKK_OP(void, okk_bdc_add,
          OKK_DST_SRC0_SRC1_STRIDED) = two_tensors(computes("dst = src0 + src1"), 2,
                                                   apply("src0_addr", "src1_addr", fp32::add,
                                                         fp32_row<TypedRow::kAdd>));

TL_OKK_OP(void, okk_bdc_add_C, OKK_DST_SRC_C_STRIDED(float)) = one_tensor(
    computes("dst = src + C"), 1, apply("src_addr", "C", fp32::add, fp32_row<TypedRow::kAdd>));

TL_OKK_OP(void, okk_bdc_sub,
          OKK_DST_SRC0_SRC1_STRIDED) = two_tensors(computes("dst = src0 - src1"), 2,
                                                   apply("src0_addr", "src1_addr", fp32::sub,
                                                         fp32_row<TypedRow::kSubtract>));

TL_OKK_OP(void, okk_bdc_sub_C, OKK_DST_SRC_C_STRIDED(float)) = one_tensor(
    computes("dst = src - C"), 1, apply("src_addr", "C", fp32::sub, fp32_row<TypedRow::kSubtract>));

TL_OKK_OP(void, okk_bdc_C_sub, OKK_DST_SRC_C_STRIDED(float)) = one_tensor(
    computes("dst = C - src"), 1, apply("C", "src_addr", fp32::sub, fp32_row<TypedRow::kSubtract>));

TL_OKK_OP(void, okk_bdc_mul,
          OKK_DST_SRC0_SRC1_STRIDED) = two_tensors(computes("dst = src0 * src1"), 2,
                                                   apply("src0_addr", "src1_addr", fp32::mul,
                                                         fp32_row<TypedRow::kMultiply>));

TL_OKK_OP(void, okk_bdc_mul_C, OKK_DST_SRC_C_STRIDED(float)) = one_tensor(
    computes("dst = src * C"), 1, apply("src_addr", "C", fp32::mul, fp32_row<TypedRow::kMultiply>));

TL_OKK_OP(void, okk_bdc_div, OKK_DST_SRC0_SRC1_STRIDED) =
    division(two_tensors(computes("dst = src0 / src1", " by three Newton steps, 1 to 3 ulp"),
                         kDivisionCycles,
                         apply("src0_addr", "src1_addr", fp32::div, fp32_row<TypedRow::kDivide>)),
             product_with_reciprocals());

TL_OKK_OP(void, okk_bdc_div_C, OKK_DST_SRC_C_STRIDED(float)) =
    division(one_tensor(computes("dst = src / C", " by three Newton steps"), kDivisionCycles,
                        apply("src_addr", "C", fp32::div, fp32_row<TypedRow::kDivide>)),
             product_with_constant());

TL_OKK_OP(void, okk_bdc_C_div, OKK_DST_SRC_C_STRIDED(float)) =
    special(one_tensor(computes("dst = C / src", " by three Newton steps"), kDivisionCycles,
                       apply("C", "src_addr", fp32::div, fp32_row<TypedRow::kDivide>)));

TL_OKK_OP(void, okk_bdc_max, OKK_DST_SRC0_SRC1_STRIDED) =
    extreme(Combination::kMaximum,
            two_tensors(computes("dst = src0 > src1 ? src0 : src1"), 2,
                        apply("src0_addr", "src1_addr", maximum, fp32_row<TypedRow::kMaximum>)));

TL_OKK_OP(void, okk_bdc_max_C, OKK_DST_SRC_C_STRIDED(float)) =
    extreme(Combination::kMaximum,
            one_tensor(computes("dst = src > C ? src : C"), 1,
                       apply("src_addr", "C", maximum, fp32_row<TypedRow::kMaximum>)));

TL_OKK_OP(void, okk_bdc_min, OKK_DST_SRC0_SRC1_STRIDED) =
    extreme(Combination::kMinimum,
            two_tensors(computes("dst = src0 <= src1 ? src0 : src1"), 2,
                        apply("src0_addr", "src1_addr", minimum, fp32_row<TypedRow::kLeast>)));

TL_OKK_OP(void, okk_bdc_min_C, OKK_DST_SRC_C_STRIDED(float)) = extreme(
    Combination::kMinimum, one_tensor(computes("dst = src <= C ? src : C"), 1,
                                      apply("src_addr", "C", minimum, fp32_row<TypedRow::kLeast>)));

TL_OKK_OP(void, okk_bdc_mac, OKK_DST_SRC0_SRC1_STRIDED) = accumulating(
    two_tensors(computes("dst = dst + src0 * src1", ", product and sum rounded one by one"), 5,
                accumulate("src0_addr", "src1_addr")));

TL_OKK_OP(void, okk_bdc_mac_C, OKK_DST_SRC_C_STRIDED(float)) =
    accumulating(one_tensor(computes("dst = dst + src * C", ", product and sum rounded one by one"),
                            5, accumulate("src_addr", "C")));

TL_OKK_OP(void, okk_bdc_greater_select_value, (local_addr_t, dst_addr), (local_addr_t, src0_addr),
          (local_addr_t, src1_addr), (x32, select_val), (const dim4*, shape),
          (const dim4*, dst_stride), (const dim4*, src0_stride), (const dim4*, src1_stride)) =
    selecting(two_tensors(computes("dst = src0 > src1 ? select_val : 0"), 2,
                          select_value("src0_addr", "src1_addr", fp32::greater,
                                       fp32_row<TypedRow::kGreaterValue>)));

TL_OKK_OP(void, okk_bdc_greater_C_select_value, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (float, C), (x32, select_val), (const dim4*, shape), (const dim4*, dst_stride),
          (const dim4*,
           src_stride)) = selecting(one_tensor(computes("dst = src > C ? select_val : 0"), 1,
                                               select_value("src_addr", "C", fp32::greater,
                                                            fp32_row<TypedRow::kGreaterValue>)));

TL_OKK_OP(void, okk_bdc_C_greater_select_value, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (float, C), (x32, select_val), (const dim4*, shape), (const dim4*, dst_stride),
          (const dim4*,
           src_stride)) = selecting(one_tensor(computes("dst = C > src ? select_val : 0"), 1,
                                               select_value("C", "src_addr", fp32::greater,
                                                            fp32_row<TypedRow::kGreaterValue>)));

TL_OKK_OP(void, okk_bdc_equal_select_value, (local_addr_t, dst_addr), (local_addr_t, src0_addr),
          (local_addr_t, src1_addr), (x32, select_val), (const dim4*, shape),
          (const dim4*, dst_stride), (const dim4*, src0_stride), (const dim4*, src1_stride)) =
    selecting(two_tensors("dst = bits of src0 and src1 are equal ? select_val : 0", 2,
                          select_value("src0_addr", "src1_addr", same_bits,
                                       fp32_row<TypedRow::kEqualBitsValue>)));

TL_OKK_OP(void, okk_bdc_equal_C_select_value, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (float, C), (x32, select_val), (const dim4*, shape), (const dim4*, dst_stride),
          (const dim4*,
           src_stride)) = selecting(one_tensor("dst = bits of src and C are equal ? select_val : 0",
                                               1,
                                               select_value("src_addr", "C", same_bits,
                                                            fp32_row<TypedRow::kEqualBitsValue>)));

TL_OKK_OP(void, okk_bdc_greater_select, (local_addr_t, dst_addr), (const fp32_or_addr_t*, src0),
          (const fp32_or_addr_t*, src1), (const x32_or_addr_t*, select0),
          (const x32_or_addr_t*, select1),
          (const dim4*, shape)) = select_any(computes("dst = src0 > src1 ? select0 : select1",
                                                      "; operands are tensors or constants"),
                                             fp32::greater, fp32_row<TypedRow::kGreater>);

TL_OKK_OP(void, okk_bdc_equal_select, (local_addr_t, dst_addr), (const fp32_or_addr_t*, src0),
          (const fp32_or_addr_t*, src1), (const x32_or_addr_t*, select0),
          (const x32_or_addr_t*, select1), (const dim4*, shape)) =
    select_any(
        "dst = neither of src0, src1 is greater ? select0 : select1; operands are tensors "
        "or constants",
        neither_greater, fp32_row<TypedRow::kNeitherGreater>);
