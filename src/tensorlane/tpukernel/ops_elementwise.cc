// BDC: copies, bits, minimum and maximum, comparison, sign.
//
// Formulas as measured on the chip's model. Floating point operands are widened to float; see
// compute/fp32_arithmetic.h for NaN and denormals.
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/moves/moves.h"
#include "tensorlane/compute/rows/extremes.h"
#include "tensorlane/compute/rows/overwritten_source.h"
#include "tensorlane/compute/rows/predicates.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/compute/rows/widened_rows.h"
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

OpSpec unary(Doc doc, List implementations, Texts types = any_type("dtype")) {
  return {.engine = Engine::kBdc,
          .group = kElementwiseGroup,
          .doc = doc,
          .operands = {out("dst_addr", "dtype", "dst_stride"),
                       exact_in_place(in("src_addr", "dtype", "src_stride"))},
          .limits = join({kShapeLimits,
                          std::move(types),
                          aligned_or_strided("dst_addr", "dst_stride", "dtype.bytes"),
                          aligned_or_strided("src_addr", "src_stride", "dtype.bytes"),
                          {"same_start_npu(dst_addr, src_addr)"}}),
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_step(1)};
}

OpSpec binary(Doc doc, List implementations) {
  return {.engine = Engine::kBdc,
          .group = kElementwiseGroup,
          .doc = doc,
          .operands = {out("dst_addr", "dtype", "dst_stride"),
                       exact_in_place(in("src0_addr", "dtype", "src0_stride")),
                       exact_in_place(in("src1_addr", "dtype", "src1_stride"))},
          .limits = join({kShapeLimits,
                          any_type("dtype"),
                          aligned_or_strided("dst_addr", "dst_stride", "dtype.bytes"),
                          aligned_or_strided("src0_addr", "src0_stride", "dtype.bytes"),
                          aligned_or_strided("src1_addr", "src1_stride", "dtype.bytes"),
                          {"same_start_npu(dst_addr, src0_addr, src1_addr)"}}),
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_step(1)};
}

// dst = f(a, b) on bits
template <class F>
List on_bits(F f, TypedRow vectors, SourceParam b, std::string_view a) {
  return typed_simd(vectors, "dst_addr", {a, b.param}, "dtype",
                    widened<u32, u32, u32>("dst_addr", {SourceParam(a, "dtype"), b}, f));
}
template <class F>
OpSpec bits_of_two(Doc doc, F f, TypedRow vectors) {
  return binary(doc, on_bits(f, vectors, "src1_addr", "src0_addr"));
}
template <class F>
OpSpec bits_and_constant(Doc doc, F f, TypedRow vectors) {
  return with_constants({{"C", ConstantUse::kBits}},
                        unary(doc, on_bits(f, vectors, SourceParam("C", "dtype"), "src_addr")));
}

u32 bits_and(u32 a, u32 b) {
  return a & b;
}
u32 bits_or(u32 a, u32 b) {
  return a | b;
}
u32 bits_xor(u32 a, u32 b) {
  return a ^ b;
}

template <class TakesFirst>
OpSpec extreme_of_two(Doc doc, TakesFirst takes_first, TypedRow vectors) {
  OpSpec spec =
      binary(doc, typed_simd(vectors, "dst_addr", {"src0_addr", "src1_addr"}, "dtype",
                             extreme("dst_addr", "dtype", "src0_addr", "src1_addr", takes_first)));
  spec.operands[0].combination = TakesFirst::kCombination;
  return spec;
}
template <class TakesFirst>
OpSpec extreme_with_constant(Doc doc, TakesFirst takes_first, TypedRow vectors) {
  OpSpec spec = unary(doc, typed_simd(vectors, "dst_addr", {"src_addr", "C"}, "dtype",
                                      extreme("dst_addr", "dtype", "src_addr",
                                              SourceParam("C", "dtype"), takes_first)));
  spec.operands[0].combination = TakesFirst::kCombination;
  return spec;
}

OpSpec extreme_pairs(Combination combination, OpSpec spec) {
  spec.operands[0].combination = combination;
  return spec;
}

// dst = test(a, b) ? true_val : 0
template <class F>
List comparison(F test, SourceParam b, std::string_view a) {
  const SourceParam value("true_val", "dst_dtype");
  return typed_simd(
      F::kVectors, "dst_addr", {a, b.param, "true_val", "0"}, "src_dtype",
      by_kind("src_dtype",
              widened<u32, float, float, u32>(
                  "dst_addr", {SourceParam(a, "src_dtype"), b, value},
                  [test](float x, float y, u32 yes) { return test(x, y) ? yes : 0U; }),
              widened<u32, s64, s64, u32>(
                  "dst_addr", {SourceParam(a, "src_dtype"), b, value},
                  [test](s64 x, s64 y, u32 yes) { return test(x, y) ? yes : 0U; })));
}
const std::vector<ConstantSpec> kTrueValue = {{"true_val", ConstantUse::kChosen, "dst_dtype"}};
const Texts kComparedTypes = join({any_type("dst_dtype"), any_type("src_dtype")});

template <class F>
OpSpec compare_two(Doc doc, F test) {
  OpSpec spec = with_constants(kTrueValue, binary(doc, comparison(test, "src1_addr", "src0_addr")));
  spec.operands = {out("dst_addr", "dst_dtype", "dst_stride"),
                   exact_in_place(in("src0_addr", "src_dtype", "src0_stride")),
                   exact_in_place(in("src1_addr", "src_dtype", "src1_stride"))};
  spec.limits = join({kShapeLimits,
                      kComparedTypes,
                      aligned_or_strided("dst_addr", "dst_stride", "dst_dtype.bytes"),
                      aligned_or_strided("src0_addr", "src0_stride", "src_dtype.bytes"),
                      aligned_or_strided("src1_addr", "src1_stride", "src_dtype.bytes"),
                      {"same_start_npu(dst_addr, src0_addr, src1_addr)",
                       "dst_dtype.bytes <= src_dtype.bytes [observed]"}});
  return spec;
}
template <class F>
OpSpec compare_constant(Doc doc, F test) {
  OpSpec spec = with_constants(
      kTrueValue, unary(doc, comparison(test, SourceParam("C", "src_dtype"), "src_addr")));
  spec.operands = {out("dst_addr", "dst_dtype", "dst_stride"),
                   exact_in_place(in("src_addr", "src_dtype", "src_stride"))};
  spec.limits = join(
      {kShapeLimits,
       kComparedTypes,
       aligned_or_strided("dst_addr", "dst_stride", "dst_dtype.bytes"),
       aligned_or_strided("src_addr", "src_stride", "src_dtype.bytes"),
       {"same_start_npu(dst_addr, src_addr)", "dst_dtype.bytes <= src_dtype.bytes [observed]"}});
  return spec;
}

// One formula for floats, one for integers.
template <class F, class G>
List value_of(F on_float, G on_integer) {
  return by_kind("dtype", widened<float, float>("dst_addr", {"src_addr"}, on_float),
                 widened<s64, s64>("dst_addr", {"src_addr"}, on_integer));
}

// dst = f(src), by vectors where they take the call.
List in_vectors(TypedRow vectors, List rest) {
  return typed_simd(vectors, "dst_addr", {"src_addr"}, "dtype", std::move(rest));
}

// f(src, alpha)
template <class F>
List prelu_rows(TypedRow vectors, F f) {
  // Of a product the first NaN counts, which is alpha's.
  const bool multiplies = vectors == TypedRow::kMultiply;
  return typed_simd(
      vectors, "dst_addr", multiplies ? Texts{"alpha", "src_addr"} : Texts{"src_addr", "alpha"},
      "dtype",
      widened<float, float, float>("dst_addr", {"src_addr", SourceParam("alpha", "dtype")}, f));
}

// alpha * src: of two NaN alpha's.
List alpha_times_source() {
  return typed_simd(
      TypedRow::kMultiply, "dst_addr", {"alpha", "src_addr"}, "dtype",
      widened<float, float, float>("dst_addr", {SourceParam("alpha", "dtype"), "src_addr"},
                                   [](float alpha, float x) { return fp32::mul(alpha, x); }));
}

// The bits of a float without its sign.
constexpr auto clear_sign = [](const Command& command) {
  const u32 sign = u32{1} << (dtype_bits(command.operands()[0].layout.dtype()) - 1);
  return [sign](u32 bits) { return bits & ~sign; };
};

// Functions without strides: both operands in the aligned layout.
OpSpec plain(Doc doc, List implementations) {
  return {.engine = Engine::kBdc,
          .group = kElementwiseGroup,
          .doc = doc,
          .operands = {out("dst_addr", "dtype"), exact_in_place(in("src_addr", "dtype"))},
          .limits = join(
              {kShapeLimits,
               any_type("dtype"),
               {"dst_addr % tpu_eu_num(DT_INT8) == 0", "src_addr % tpu_eu_num(DT_INT8) == 0"}}),
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_step(1)};
}

OpSpec move(Doc doc, List implementations) {
  OpSpec spec = plain(doc, std::move(implementations));
  spec.only_moves = true;
  return spec;
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
  return {.engine = Engine::kBdc,
          .group = kElementwiseGroup,
          .doc = "dst = C",
          .operands = {out("dst_addr", "dtype", "dst_stride")},
          .limits = join({kShapeLimits, any_type("dtype"),
                          aligned_or_strided("dst_addr", "dst_stride", "dtype.bytes")}),
          .only_moves = true,
          .constants = {{"C", ConstantUse::kBits}},
          .numerics = Numerics::kExactToModel,
          .implementations = copy_bits("dst_addr", "C"),
          .cycles = per_step(1)};
}

}  // namespace
}  // namespace tensorlane::tpukernel

using namespace tensorlane;
using namespace tensorlane::tpukernel;

#define TPU_BINARY TPU_DST_SRC0_SRC1_STRIDED, (data_type_t, dtype)
#define TPU_WITH_C TPU_DST_SRC_C_STRIDED(scalar_t), (data_type_t, dtype)
#define TPU_UNARY TPU_DST_SRC_STRIDED, (data_type_t, dtype)
#define TPU_PLAIN TPU_DST_SRC, (data_type_t, dtype)

TL_TPU_OP(void, tpu_bdc_and, TPU_BINARY) = bits_of_two("dst = src0 & src1", bits_and,
                                                       TypedRow::kAnd);
TL_TPU_OP(void, tpu_bdc_and_C,
          TPU_WITH_C) = fixed_if(with_zero,
                                 bits_and_constant("dst = src & C", bits_and, TypedRow::kAnd));
TL_TPU_OP(void, tpu_bdc_or, TPU_BINARY) = bits_of_two("dst = src0 | src1", bits_or, TypedRow::kOr);
TL_TPU_OP(void, tpu_bdc_or_C, TPU_WITH_C) = bits_and_constant("dst = src | C", bits_or,
                                                              TypedRow::kOr);
TL_TPU_OP(void, tpu_bdc_xor,
          TPU_BINARY) = fixed_if(of_one_tensor,
                                 bits_of_two("dst = src0 ^ src1", bits_xor, TypedRow::kXor));
TL_TPU_OP(void, tpu_bdc_xor_C, TPU_WITH_C) = bits_and_constant("dst = src ^ C", bits_xor,
                                                               TypedRow::kXor);

TL_TPU_OP(void, tpu_bdc_min,
          TPU_BINARY) = extreme_of_two(computes("dst = src0 >= src1 ? src1 : src0"),
                                       MinimumTakesFirst{}, TypedRow::kMinimum);
TL_TPU_OP(void, tpu_bdc_min_C,
          TPU_WITH_C) = extreme_with_constant(computes("dst = src >= C ? C : src"),
                                              MinimumTakesFirst{}, TypedRow::kMinimum);
TL_TPU_OP(void, tpu_bdc_max,
          TPU_BINARY) = extreme_of_two(computes("dst = src0 > src1 ? src0 : src1"),
                                       MaximumTakesFirst{}, TypedRow::kMaximum);
TL_TPU_OP(void, tpu_bdc_max_C,
          TPU_WITH_C) = extreme_with_constant(computes("dst = src > C ? src : C"),
                                              MaximumTakesFirst{}, TypedRow::kMaximum);

#define TPU_COMPARE                                                                     \
  (local_addr_t, dst_addr), (local_addr_t, src0_addr), (local_addr_t, src1_addr),       \
      (scalar_t, true_val), (const dim4*, shape), (const dim4*, dst_stride),            \
      (const dim4*, src0_stride), (const dim4*, src1_stride), (data_type_t, dst_dtype), \
      (data_type_t, src_dtype)
#define TPU_COMPARE_C                                                                      \
  (local_addr_t, dst_addr), (local_addr_t, src_addr), (scalar_t, C), (scalar_t, true_val), \
      (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),          \
      (data_type_t, dst_dtype), (data_type_t, src_dtype)
#define TPU_COMPARISON(name, relation, test)                                        \
  TL_TPU_OP(void, tpu_bdc_##name, TPU_COMPARE) =                                    \
      compare_two(computes("dst = src0 " relation " src1 ? true_val : 0"), test{}); \
  TL_TPU_OP(void, tpu_bdc_##name##_C, TPU_COMPARE_C) =                              \
      compare_constant(computes("dst = src " relation " C ? true_val : 0"), test{})

TPU_COMPARISON(greater, ">", Greater);
TPU_COMPARISON(less, "<", Less);
TPU_COMPARISON(equal, "==", Equal);
TPU_COMPARISON(greater_equal, ">=", GreaterEqual);
TPU_COMPARISON(less_equal, "<=", LessEqual);
TPU_COMPARISON(not_equal, "!=", NotEqual);

#define TPU_PAIRS                                                                                  \
  (local_addr_t, dst_addr), (local_addr_t, src0_addr), (local_addr_t, src1_addr), (int, src0_len), \
      (int, src1_len), (int, src0_len_per_channel), (int, src1_len_per_channel),                   \
      (data_type_t, dtype)
#define TPU_COMPARED_PAIRS                                                                 \
  (local_addr_t, dst_addr), (local_addr_t, src0_addr), (local_addr_t, src1_addr),          \
      (scalar_t, true_val), (int, src0_len), (int, src1_len), (int, src0_len_per_channel), \
      (int, src1_len_per_channel), (data_type_t, dst_dtype), (data_type_t, src_dtype)

TL_TPU_OP(void, tpu_bdc_vc_and,
          TPU_PAIRS) = pairs(kElementwiseGroup, "dst[i, j] = src0[i] & src1[j]", "dtype", "dtype",
                             "dtype", pair_row<u32, u32, u32>(bits_and),
                             typed_pair_row(TypedRow::kAnd, "dtype"));
TL_TPU_OP(void, tpu_bdc_vc_or, TPU_PAIRS) = pairs(kElementwiseGroup,
                                                  "dst[i, j] = src0[i] | src1[j]", "dtype", "dtype",
                                                  "dtype", pair_row<u32, u32, u32>(bits_or),
                                                  typed_pair_row(TypedRow::kOr, "dtype"));
TL_TPU_OP(void, tpu_bdc_vc_xor,
          TPU_PAIRS) = pairs(kElementwiseGroup, "dst[i, j] = src0[i] ^ src1[j]", "dtype", "dtype",
                             "dtype", pair_row<u32, u32, u32>(bits_xor),
                             typed_pair_row(TypedRow::kXor, "dtype"));
TL_TPU_OP(void, tpu_bdc_vc_min, TPU_PAIRS) = extreme_pairs(
    Combination::kMinimum, pairs(kElementwiseGroup, computes("dst[i, j] = min(src0[i], src1[j])"),
                                 "dtype", "dtype", "dtype", extreme_pair_row(MinimumTakesFirst{}),
                                 typed_pair_row(TypedRow::kMinimum, "dtype")));
TL_TPU_OP(void, tpu_bdc_vc_max, TPU_PAIRS) = extreme_pairs(
    Combination::kMaximum, pairs(kElementwiseGroup, computes("dst[i, j] = max(src0[i], src1[j])"),
                                 "dtype", "dtype", "dtype", extreme_pair_row(MaximumTakesFirst{}),
                                 typed_pair_row(TypedRow::kMaximum, "dtype")));

#define TPU_COMPARED(name, relation, test)                                                   \
  TL_TPU_OP(void, tpu_bdc_vc_##name, TPU_COMPARED_PAIRS) = with_constants(                   \
      kTrueValue, pairs(kElementwiseGroup,                                                   \
                        computes("dst[i, j] = src0[i] " relation " src1[j] ? true_val : 0"), \
                        "dst_dtype", "src_dtype", "src_dtype", compared_pair_row(test{}),    \
                        typed_pair_row(test::kVectors, "src_dtype")))
TPU_COMPARED(greater, ">", Greater);
TPU_COMPARED(less, "<", Less);
TPU_COMPARED(equal, "==", Equal);
TPU_COMPARED(greater_equal, ">=", GreaterEqual);
TPU_COMPARED(less_equal, "<=", LessEqual);
TPU_COMPARED(not_equal, "!=", NotEqual);

TL_TPU_OP(void, tpu_bdc_cpy, TPU_UNARY) = [] {
  OpSpec spec = unary("dst = src", copy_bits("dst_addr", "src_addr"));
  spec.only_moves = true;
  return spec;
}();
TL_TPU_OP(void, tpu_bdc_cpy_cross_npu,
          TPU_PLAIN) = move("dst = src; the tensors may start at different NPUs.",
                            copy_bits("dst_addr", "src_addr"));
TL_TPU_OP(void, tpu_bdc_npu_bcast, TPU_PLAIN) = broadcast_over_npus();
TL_TPU_OP(void, tpu_bdc_set_C, (local_addr_t, dst_addr), (scalar_t, C), (const dim4*, shape),
          (const dim4*, dst_stride), (data_type_t, dtype)) = fill();
TL_TPU_OP(void, tpu_bdc_cw_trans,
          TPU_PLAIN) = transpose("dst[n, c, h, w] = src[n, w, h, c]; dst is line-aligned.",
                                 DefaultLayout::kLineAligned,
                                 "start_npu(src_addr) == 0 [observed]");
TL_TPU_OP(void, tpu_bdc_wc_trans, TPU_PLAIN) = transpose("dst[n, c, h, w] = src[n, w, h, c]",
                                                         DefaultLayout::kAligned,
                                                         "start_npu(dst_addr) == 0 [observed]");

TL_TPU_OP(void, tpu_bdc_abs, TPU_UNARY) =
    unary(computes("dst = |src|"),
          in_vectors(TypedRow::kAbsolute,
                     by_kind("dtype", widened<u32, u32>("dst_addr", {"src_addr"}, clear_sign),
                             widened<s64, s64>("dst_addr", {"src_addr"},
                                               [](s64 x) { return x < 0 ? -x : x; }))));
TL_TPU_OP(void, tpu_bdc_not, TPU_UNARY) =
    unary("dst = ~src",
          in_vectors(TypedRow::kComplement,
                     widened<u32, u32>("dst_addr", {"src_addr"}, [](u32 x) { return ~x; })),
          integer_type("dtype"));
TL_TPU_OP(void, tpu_bdc_neg,
          TPU_UNARY) = unary(computes("dst = 0 - src"),
                             in_vectors(TypedRow::kNegate,
                                        value_of([](float x) { return fp32::sub(0.0F, x); },
                                                 [](s64 x) { return -x; })));
TL_TPU_OP(void, tpu_bdc_sign, TPU_PLAIN) = [] {
  OpSpec spec = plain(
      "dst = 1 where src > 0, 0 where it is 0, -1 elsewhere",
      choose(
          [](const Command& command) {
            return overwrites_source(command) && dtype_info(type_in(command, "dtype")).is_signed;
          },
          // The second step looks for positive numbers where the first one has put 0 and -1: those
          // without sign are 0 and the largest one.
          value_of([](float x) { return fp32::flush(x) == 0 ? 0.0F : -1.0F; },
                   [](s64 x) -> s64 { return x == 0 ? 0 : -1; }),
          in_vectors(TypedRow::kSign, value_of(
                                          [](float x) {
                                            const float value = fp32::flush(x);
                                            return value > 0 ? 1.0F : value == 0 ? 0.0F : -1.0F;
                                          },
                                          [](s64 x) -> s64 {
                                            return x > 0 ? 1 : x == 0 ? 0 : -1;
                                          }))));
  spec.limits.emplace_back("same_start_npu(dst_addr, src_addr)");
  spec.operands[1] =
      other_in_place(spec.operands[1], "-1, and 0 where src is 0 [inferred]", "dtype.is_signed");
  return spec;
}();

TL_TPU_OP(void, tpu_bdc_relu, TPU_UNARY) = [] {
  OpSpec spec = unary(
      computes("dst = src > 0 ? src : 0"),
      in_vectors(TypedRow::kRelu, value_of([](float x) { return fp32::greater(x, 0) ? x : 0.0F; },
                                           [](s64 x) -> s64 { return x > 0 ? x : 0; })));
  spec.group = "bdc-special";
  return spec;
}();
TL_TPU_OP(void, tpu_bdc_prelu, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (scalar_t, alpha), (const dim4*, shape), (data_type_t, dtype)) = [] {
  OpSpec spec = plain(computes("dst = src > 0 ? src : alpha * src"),
                      // In place alpha * src has been written when src is looked at again.
                      choose(overwrites_source, alpha_times_source(),
                             prelu_rows(TypedRow::kPrelu, [](float x, float alpha) {
                               return fp32::greater(x, 0) ? x : fp32::mul(alpha, x);
                             })));
  spec.group = "bdc-special";
  spec.limits = join({spec.limits, float_type("dtype"), {"same_start_npu(dst_addr, src_addr)"}});
  spec.cycles = per_step(2);
  spec.operands[1] = other_in_place(spec.operands[1], "alpha * src everywhere");
  return spec;
}();
