// BDC: copies, bits, minimum and maximum, comparison, sign.
//
// Formulas as measured on the chip's model. Floating point operands are widened to float; see
// compute/fp32_arithmetic.h for NaN and denormals.
#include "tensorlane/compute/moves/moves.h"
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/compute/rows/overwritten_source.h"
#include "tensorlane/ops/fixed_results.h"
#include "tensorlane/tpukernel/families.h"
#include "tensorlane/tpukernel/pair_families.h"

TL_TPU_OPS_FILE(elementwise_functions);

namespace tensorlane::tpukernel {
namespace {

using u32 = std::uint32_t;
using s64 = std::int64_t;
using List = std::vector<Implementation>;

constexpr std::string_view kElementwiseGroup = "bdc-elementwise";

OpSpec unary(Doc doc, List implementations, const Texts& types = any_type("dtype")) {
  return of_shape(kElementwiseGroup, doc, dst_src("dtype", "dtype"), types,
                  std::move(implementations));
}
OpSpec binary(Doc doc, List implementations) {
  return of_shape(kElementwiseGroup, doc, dst_src0_src1("dtype", "dtype", "dtype"),
                  any_type("dtype"), std::move(implementations));
}

// The words of a formula of bits, which are no numbers.
template <TypedRow kRow, class... Name>
const char* bit_words(const char* dst, const Name&... names) {
  return keep(std::string(dst) + " = " + formula_words<kRow>(names...)).data();
}
template <TypedRow kRow>
OpSpec bits_of_two() {
  return binary(bit_words<kRow>("dst", "src0", "src1"),
                bit_formula<kRow, 2>("dst_addr", {"src0_addr", "src1_addr"}, "dtype"));
}
template <TypedRow kRow>
OpSpec bits_and_constant() {
  return with_constants(
      {{"C", ConstantUse::kBits}},
      unary(bit_words<kRow>("dst", "src", "C"),
            bit_formula<kRow, 2>("dst_addr", {"src_addr", SourceParam("C", "dtype")}, "dtype")));
}

template <TypedRow kRow>
OpSpec extreme_of_two() {
  return with_combination(
      kExtreme<kRow>.combination,
      binary(formula_doc<kRow>("dst", "src0", "src1"),
             extreme("dst_addr", {"src0_addr", "src1_addr"}, "dtype", kExtreme<kRow>)));
}
template <TypedRow kRow>
OpSpec extreme_with_constant() {
  return with_combination(
      kExtreme<kRow>.combination,
      unary(formula_doc<kRow>("dst", "src", "C"),
            extreme("dst_addr", {"src_addr", SourceParam("C", "dtype")}, "dtype", kExtreme<kRow>)));
}

template <TypedRow kRow>
OpSpec bit_pairs() {
  return pairs(kElementwiseGroup, bit_words<kRow>("dst[i, j]", "src0[i]", "src1[j]"), "dtype",
               "dtype", "dtype",
               pair_row<u32, u32, u32>(formula_value<kRow, BitNumbers, u32, u32, u32>),
               typed_pair_row(kRow, "dtype"));
}
template <TypedRow kRow>
OpSpec extreme_pairs(std::string_view formula) {
  return with_combination(kExtreme<kRow>.combination,
                          pairs(kElementwiseGroup, computes(formula), "dtype", "dtype", "dtype",
                                extreme_pair_row(kExtreme<kRow>), typed_pair_row(kRow, "dtype")));
}

// true_val where the comparison holds, 0 elsewhere
List comparison(const Selection& chosen, const SourceParam& b, std::string_view a) {
  return selection("dst_addr",
                   {SourceParam(a, "src_dtype"), b, SourceParam("true_val", "dst_dtype"),
                    SourceParam("0", "dst_dtype")},
                   "src_dtype", chosen);
}
const std::vector<ConstantSpec> kTrueValue = {{"true_val", ConstantUse::kChosen, "dst_dtype"}};
const Texts kComparedTypes = join({any_type("dst_dtype"), any_type("src_dtype")});

OpSpec compare(Doc doc, std::vector<OperandSpec> operands, List implementations) {
  return with_constants(
      kTrueValue, with_limits(of_shape(kElementwiseGroup, doc, std::move(operands), kComparedTypes,
                                       std::move(implementations)),
                              {"dst_dtype.bytes <= src_dtype.bytes [observed]"}));
}
template <TypedRow kRow>
OpSpec compare_two() {
  return compare(formula_doc<kRow>("dst", "src0", "src1", "true_val", "0"),
                 dst_src0_src1("dst_dtype", "src_dtype", "src_dtype"),
                 comparison(kSelection<kRow>, "src1_addr", "src0_addr"));
}
template <TypedRow kRow>
OpSpec compare_constant() {
  return compare(formula_doc<kRow>("dst", "src", "C", "true_val", "0"),
                 dst_src("dst_dtype", "src_dtype"),
                 comparison(kSelection<kRow>, SourceParam("C", "src_dtype"), "src_addr"));
}

template <TypedRow kRow>
OpSpec compared_pairs() {
  return with_constants(
      kTrueValue, pairs(kElementwiseGroup,
                        formula_doc<kRow>("dst[i, j]", "src0[i]", "src1[j]", "true_val", "0"),
                        "dst_dtype", "src_dtype", "src_dtype", compared_pair_row(kSelection<kRow>),
                        typed_pair_row(kRow, "src_dtype")));
}

// A formula of src.
template <TypedRow kRow>
List of_source() {
  return number_formula<kRow, 1>("dst_addr", {"src_addr"}, "dtype");
}

// The bits of a float without its sign.
constexpr auto clear_sign = [](const Command& command) {
  const u32 sign = u32{1} << (dtype_bits(command.operands()[0].layout.dtype()) - 1);
  return [sign](u32 bits) { return bits & ~sign; };
};

// Functions without strides: both operands in the aligned layout.
OpSpec plain(Doc doc, List implementations) {
  OpSpec spec = of_shape(kElementwiseGroup, doc,
                         {out("dst_addr", "dtype"), exact_in_place(in("src_addr", "dtype"))},
                         any_type("dtype"), std::move(implementations));
  spec.limits.pop_back();  // they may start at different NPUs
  return spec;
}

// What moves elements takes those of any type.
OpSpec moving(OpSpec spec) {
  for (std::string_view& limit : spec.limits) {
    if (limit == any_type("dtype").front()) limit = any_type_or_fp8("dtype").front();
  }
  spec.only_moves = true;
  return spec;
}
OpSpec move(Doc doc, List implementations) {
  return moving(plain(doc, std::move(implementations)));
}

OpSpec transpose(Doc doc, DefaultLayout dst_layout, std::string_view on_npu_0) {
  OpSpec spec = move(doc, move_permuted("dst_addr", "src_addr", {0, 3, 2, 1}));
  spec.operands = {shaped(out("dst_addr", "dtype"), kShape, dst_layout),
                   shaped(in("src_addr", "dtype"), {"shape.n", "shape.w", "shape.h", "shape.c"})};
  spec.limits.push_back(on_npu_0);
  spec.limits.emplace_back("distinct(dst_addr, src_addr)");
  spec.dependence = Dependence::kByIndex;
  spec.cycles = per_step(2);
  return spec;
}

OpSpec broadcast_over_npus() {
  OpSpec spec = move("Copies the tensor of one NPU to shape.c NPUs.",
                     move_elements("dst_addr", "src_addr",
                                   [](const Command&, const Layout& dst, const Layout& src) {
                                     return repeated(src, 1, dst.extent(1));
                                   }));
  spec.operands[1] = shaped(spec.operands[1], {"shape.n", "1", "shape.h", "shape.w"});
  spec.limits.emplace_back("start_npu(dst_addr) + shape.c <= tpu_npu_num()");
  spec.operands[1].in_place = InPlace::kUnsaid;
  return spec;
}

OpSpec fill() {
  OpSpec spec = of_shape(kElementwiseGroup, "dst = C", {out("dst_addr", "dtype", "dst_stride")},
                         any_type_or_fp8("dtype"), copy_bits("dst_addr", "C"));
  spec.only_moves = true;
  return with_constants({{"C", ConstantUse::kBits}}, std::move(spec));
}

}  // namespace

#define TPU_BINARY TPU_DST_SRC0_SRC1_STRIDED, (data_type_t, dtype)
#define TPU_WITH_C TPU_DST_SRC_C_STRIDED(scalar_t), (data_type_t, dtype)

TL_TPU_OP(tpu_bdc_and) = bits_of_two<TypedRow::kAnd>();
TL_TPU_OP(tpu_bdc_and_C) = fixed_if(with_zero, bits_and_constant<TypedRow::kAnd>());
TL_TPU_OP(tpu_bdc_or) = bits_of_two<TypedRow::kOr>();
TL_TPU_OP(tpu_bdc_or_C) = bits_and_constant<TypedRow::kOr>();
TL_TPU_OP(tpu_bdc_xor) = fixed_if(of_one_tensor, bits_of_two<TypedRow::kXor>());
TL_TPU_OP(tpu_bdc_xor_C) = bits_and_constant<TypedRow::kXor>();

TL_TPU_OP(tpu_bdc_min) = extreme_of_two<TypedRow::kMinimum>();
TL_TPU_OP(tpu_bdc_min_C) = extreme_with_constant<TypedRow::kMinimum>();
TL_TPU_OP(tpu_bdc_max) = extreme_of_two<TypedRow::kMaximum>();
TL_TPU_OP(tpu_bdc_max_C) = extreme_with_constant<TypedRow::kMaximum>();

#define TPU_COMPARISON(name, row)                           \
  TL_TPU_OP(tpu_bdc_##name) = compare_two<TypedRow::row>(); \
  TL_TPU_OP(tpu_bdc_##name##_C) = compare_constant<TypedRow::row>()

TPU_COMPARISON(greater, kGreater);
TPU_COMPARISON(less, kLess);
TPU_COMPARISON(equal, kEqual);
TPU_COMPARISON(greater_equal, kGreaterEqual);
TPU_COMPARISON(less_equal, kLessEqual);
TPU_COMPARISON(not_equal, kNotEqual);

TL_TPU_OP(tpu_bdc_vc_and) = bit_pairs<TypedRow::kAnd>();
TL_TPU_OP(tpu_bdc_vc_or) = bit_pairs<TypedRow::kOr>();
TL_TPU_OP(tpu_bdc_vc_xor) = bit_pairs<TypedRow::kXor>();
TL_TPU_OP(tpu_bdc_vc_min) = extreme_pairs<TypedRow::kMinimum>("dst[i, j] = min(src0[i], src1[j])");
TL_TPU_OP(tpu_bdc_vc_max) = extreme_pairs<TypedRow::kMaximum>("dst[i, j] = max(src0[i], src1[j])");

#define TPU_COMPARED(name, row) TL_TPU_OP(tpu_bdc_vc_##name) = compared_pairs<TypedRow::row>()
TPU_COMPARED(greater, kGreater);
TPU_COMPARED(less, kLess);
TPU_COMPARED(equal, kEqual);
TPU_COMPARED(greater_equal, kGreaterEqual);
TPU_COMPARED(less_equal, kLessEqual);
TPU_COMPARED(not_equal, kNotEqual);

TL_TPU_OP(tpu_bdc_cpy) = moving(unary("dst = src", copy_bits("dst_addr", "src_addr")));
TL_TPU_OP(tpu_bdc_cpy_cross_npu) = move("dst = src; the tensors may start at different NPUs.",
                                        copy_bits("dst_addr", "src_addr"));
TL_TPU_OP(tpu_bdc_npu_bcast) = broadcast_over_npus();
TL_TPU_OP(tpu_bdc_set_C) = fill();
TL_TPU_OP(tpu_bdc_cw_trans) = transpose("dst[n, c, h, w] = src[n, w, h, c]; dst is line-aligned.",
                                        DefaultLayout::kLineAligned,
                                        "start_npu(src_addr) == 0 [observed]");
TL_TPU_OP(tpu_bdc_wc_trans) = transpose("dst[n, c, h, w] = src[n, w, h, c]",
                                        DefaultLayout::kAligned,
                                        "start_npu(dst_addr) == 0 [observed]");

TL_TPU_OP(tpu_bdc_abs) =
    unary(computes("dst = |src|"),
          in_vectors<TypedRow::kAbsolute, 1>(
              "dst_addr", {"src_addr"}, "dtype",
              by_kind("dtype", widened<u32, u32>("dst_addr", {"src_addr"}, clear_sign),
                      integer_numbers<TypedRow::kAbsolute, 1>("dst_addr", {"src_addr"}))));
TL_TPU_OP(tpu_bdc_not) = unary(bit_words<TypedRow::kComplement>("dst", "src"),
                               bit_formula<TypedRow::kComplement, 1>("dst_addr", {"src_addr"},
                                                                     "dtype"),
                               integer_type("dtype"));
TL_TPU_OP(tpu_bdc_neg) = unary(formula_doc<TypedRow::kNegate>("dst", "src"),
                               of_source<TypedRow::kNegate>());
TL_TPU_OP(tpu_bdc_sign) = [] {
  // The second step looks for positive numbers where the first one has put 0 and -1: those without
  // sign are 0 and the largest one.
  const List on_source = by_kind(
      "dtype",
      widened<float, float>("dst_addr", {"src_addr"},
                            [](float x) { return FloatNumbers::sign(x) == 0 ? 0.0F : -1.0F; }),
      widened<s64, s64>("dst_addr", {"src_addr"}, [](s64 x) -> s64 { return x == 0 ? 0 : -1; }));
  OpSpec spec = plain("dst = 1 where src > 0, 0 where it is 0, -1 elsewhere",
                      choose(
                          [](const Command& command) {
                            return overwrites_source(command) &&
                                   dtype_info(type_in(command, "dtype")).is_signed;
                          },
                          on_source, of_source<TypedRow::kSign>()));
  spec.limits.emplace_back("same_start_npu(dst_addr, src_addr)");
  spec.operands[1] =
      other_in_place(spec.operands[1], "-1, and 0 where src is 0 [inferred]", "dtype.is_signed");
  return spec;
}();

TL_TPU_OP(tpu_bdc_relu) = [] {
  OpSpec spec = unary(formula_doc<TypedRow::kRelu>("dst", "src"), of_source<TypedRow::kRelu>());
  spec.group = "bdc-special";
  return spec;
}();
TL_TPU_OP(tpu_bdc_prelu) = [] {
  const SourceParam alpha("alpha", "dtype");
  OpSpec spec = plain(
      formula_doc<TypedRow::kPrelu>("dst", "src", "alpha"),
      // In place alpha * src has been written when src is looked at again; of two NaN alpha's.
      choose(overwrites_source,
             float_formula<TypedRow::kMultiply, 2>("dst_addr", {alpha, "src_addr"}, "dtype"),
             float_formula<TypedRow::kPrelu, 2>("dst_addr", {"src_addr", alpha}, "dtype")));
  spec.group = "bdc-special";
  add_limits(spec, join({float_type("dtype"), {"same_start_npu(dst_addr, src_addr)"}}));
  spec.cycles = per_step(2);
  spec.operands[1] = other_in_place(spec.operands[1], "alpha * src everywhere");
  return spec;
}();

}  // namespace tensorlane::tpukernel
