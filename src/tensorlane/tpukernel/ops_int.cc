// BDC: integer arithmetic with shifts and saturation.
//
// t is exact. A positive shift goes left by its low five bits, a negative one right with rounding;
// then the result is clamped to the destination's type (saturation) or its low bits are kept.
// [observed]
#include "tensorlane/compute/rows/integer_sums.h"
#include "tensorlane/compute/rows/integer_vectors.h"
#include "tensorlane/compute/rows/small_products.h"
#include "tensorlane/ops/fixed_results.h"
#include "tensorlane/ops/param_roles.h"
#include "tensorlane/tensor/rounding.h"
#include "tensorlane/tpukernel/families.h"
#include "tensorlane/tpukernel/pair_families.h"

TL_TPU_OPS_FILE(integer_functions);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kIntegerGroup = "bdc-int";
constexpr Doc kShiftPerChannel = ", a shift per channel";
const std::vector<ConstantSpec> kTypedConstant = {{"C", ConstantUse::kNumber, "C_dtype"}};

RoundingMode mode_of(const Command& command) {
  return static_cast<RoundingMode>(command.arg("rounding_mode").value());
}
int shift_of(const Command& command) {
  return static_cast<int>(command.arg("shift").value());
}
bool saturates(const Command& command) {
  return command.arg("saturation").value() != 0;
}

// dst = operation(a, b), shifted, the same for every element.
List shifted(IntegerOperation operation, const SourceParam& a, const SourceParam& b) {
  return integer_rows("dst_addr", {a, b}, [operation](const Command& command) {
    return with_shift({operation, 0, 0, mode_of(command), saturates(command)}, shift_of(command));
  });
}
// The shift of every channel stands in a tensor.
List shifted_per_channel(IntegerOperation operation, const SourceParam& a, const SourceParam& b) {
  return integer_rows_per_channel("dst_addr", {a, b}, "shift_addr",
                                  [operation](const Command& command) -> IntegerRule {
                                    return {operation, 0, 0, mode_of(command), saturates(command)};
                                  });
}

enum class Sign : std::uint8_t { kAny, kSignedResult };

Texts dst_types(Sign sign) {
  return sign == Sign::kAny ? integer_type("dst_dtype") : signed_type("dst_dtype");
}

// With a mode that shifts round by.
OpSpec of_integers(Doc doc, std::vector<OperandSpec> operands, const Texts& types,
                   List implementations) {
  return with_limits(
      of_shape(kIntegerGroup, doc, std::move(operands), types, std::move(implementations)),
      {kShiftMode});
}
OpSpec of_two(Doc doc, Sign sign, List implementations) {
  return of_integers(
      doc, dst_src0_src1("dst_dtype", "src0_dtype", "src1_dtype"),
      join({dst_types(sign), integer_type("src0_dtype"), integer_type("src1_dtype")}),
      std::move(implementations));
}
OpSpec with_constant(Doc doc, Sign sign, List implementations) {
  return with_constants(
      kTypedConstant,
      of_integers(doc, dst_src("dst_dtype", "src_dtype"),
                  join({dst_types(sign), integer_type("src_dtype"), integer_type("C_dtype")}),
                  std::move(implementations)));
}

OpSpec per_channel(OpSpec spec) {
  spec.operands.push_back(channel_vector("shift_addr", Dtype::kInt8));
  spec.limits.emplace_back("same_start_npu(dst_addr, shift_addr)");
  return spec;
}

const SourceParam kTypedC{"C", "C_dtype"};

OpSpec two(Doc doc, IntegerOperation operation, Sign sign = Sign::kAny) {
  return of_two(doc, sign, shifted(operation, "src0_addr", "src1_addr"));
}
OpSpec constant(Doc doc, IntegerOperation operation, Sign sign = Sign::kAny) {
  return with_constant(doc, sign, shifted(operation, "src_addr", kTypedC));
}
OpSpec two_pcs(Doc doc, IntegerOperation operation, Sign sign = Sign::kAny) {
  return per_channel(of_two(doc, sign, shifted_per_channel(operation, "src0_addr", "src1_addr")));
}
OpSpec constant_pcs(Doc doc, IntegerOperation operation, Sign sign = Sign::kAny) {
  return per_channel(with_constant(doc, sign, shifted_per_channel(operation, "src_addr", kTypedC)));
}

// Shifts alone: left by the low five bits of the shift, right with rounding; the result keeps its
// low bits. [observed]
List shift_by_tensor() {
  return integer_rows("dst_addr", {"src_addr", "shift_addr"},
                      [](const Command& command) -> IntegerRule {
                        return {IntegerOperation::kShift, 0, 0, mode_of(command), false};
                      });
}
List shift_by_constant() {
  return integer_rows("dst_addr", {"src_addr"}, [](const Command& command) {
    return with_shift({IntegerOperation::kFirst, 0, 0, mode_of(command), false},
                      static_cast<std::int8_t>(command.arg("C").value()));
  });
}
OpSpec shift_spec(Doc doc, bool by_tensor, bool logical) {
  const auto type = [logical](std::string_view name) {
    return logical ? unsigned_type(name) : integer_type(name);
  };
  OpSpec spec = of_integers(doc, dst_src("dst_dtype", "src_dtype"),
                            join({type("dst_dtype"), type("src_dtype")}),
                            by_tensor ? shift_by_tensor() : shift_by_constant());
  spec.definitions =
      with_roles(std::move(spec.definitions), {{ParamRole::kDroppedBits, "rounding_mode"}});
  if (by_tensor) {
    spec.operands.push_back(exact_in_place(in("shift_addr", "shift_dtype", "shift_stride")));
    add_limits(spec,
               join({integer_type("shift_dtype"),
                     aligned_or_strided("shift_addr", "shift_stride", "shift_dtype.bytes"),
                     {"same_start_npu(dst_addr, shift_addr)", "-32 <= values(shift_addr) <= 32"}}));
  } else {
    spec.limits.emplace_back("-32 <= C <= 32");
    spec.constants = {{"C", ConstantUse::kBits}};
  }
  return spec;
}

// 16-bit dst = saturate(shift((dst << lshift) + a * b)); signed when a factor is.
List accumulate_bytes(const SourceParam& a, const SourceParam& b) {
  const auto shift = [](const Command& command, std::string_view param) {
    return static_cast<int>(command.arg(param).value());
  };
  return integer_rows("dst_addr", {"dst_addr", a, b},
                      [shift](const Command& command) -> IntegerRule {
                        return {IntegerOperation::kMultiplyAdd, shift(command, "lshift"),
                                shift(command, "rshift"), mode_of(command), true};
                      });
}
Dtype signed_if_either(const Command& command, std::string_view a, std::string_view b) {
  const bool is_signed =
      dtype_info(type_in(command, a)).is_signed || dtype_info(type_in(command, b)).is_signed;
  return is_signed ? Dtype::kInt16 : Dtype::kUint16;
}
const Texts kMacLimits = {kShiftMode, "0 <= lshift <= 31", "0 <= rshift <= 31"};

// The parameters `types` hold those of the factors.
OpSpec accumulating_bytes(OpSpec spec, const Texts& types) {
  spec.operands[0] = inout("dst_addr", Dtype::kInt16, "dst_stride");
  spec.operands[0].dtype_rule = [types](const Command& command) {
    return signed_if_either(command, types[0], types[1]);
  };
  spec.limits = join({kShapeLimits, byte_type(types[0]), byte_type(types[1]),
                      aligned_or_strided("dst_addr", "dst_stride", "2")});
  for (const OperandSpec& factor : std::span(spec.operands).subspan(1)) {
    add_limits(spec, {keep(std::string(factor.stride) + " == NULL => " + std::string(factor.param) +
                           " % tpu_eu_num(DT_INT8) == 0")});
  }
  add_limits(spec, join({{same_start(spec.operands)}, kMacLimits}));
  return spec;
}
constexpr Doc kBytesRounded = ", 8-bit factors, 16-bit sum, rounded and saturated";

// min or max with a constant; the chip ignores the shift. [observed]
OpSpec limited(Doc doc, Combination combination, IntegerOperation operation) {
  return with_combination(combination,
                          of_integers(doc, dst_src("dtype", "dtype"), integer_type("dtype"),
                                      integer_rows("dst_addr", {"src_addr", {"C", "dtype"}},
                                                   [operation](const Command&) -> IntegerRule {
                                                     return {.operation = operation};
                                                   })));
}

OpSpec square() {
  return of_integers(computes("dst = shift(src * src)"), dst_src("dst_dtype", "src_dtype"),
                     join({integer_type("dst_dtype"), integer_type("src_dtype")}),
                     shifted(IntegerOperation::kMultiply, "src_addr", "src_addr"));
}

OpSpec int_pairs(Doc doc, IntegerOperation operation, Sign sign = Sign::kAny) {
  const auto rule_of = [operation](const Command& command) -> IntegerRule {
    return {.operation = operation, .saturate = saturates(command)};
  };
  const auto types_of = [](const Command& command) -> std::array<Dtype, 2> {
    return {type_in(command, "src0_dtype"), type_in(command, "src1_dtype")};
  };
  const PairRow scalars = [=](const Command& command) {
    return integer_scalar_row(rule_of(command), types_of(command), type_in(command, "dst_dtype"));
  };
  const FasterRows vectors = [=](const Command& command) -> PairedRows {
    const IntegerRule rule = rule_of(command);
    const std::array<Dtype, 2> types = types_of(command);
    const Dtype dst = type_in(command, "dst_dtype");
    if (const SimdRow row = row_as_stored(rule, types, dst)) {
      const bool multiplies = rule.operation == IntegerOperation::kMultiply && rule.saturate;
      if (!multiplies || dtype_bits(dst) < 32) return turned_rows(row);
      const IntegerRule low_bits{.operation = rule.operation, .saturate = false};
      return turned_rows(small_products_row(row, row_as_stored(low_bits, types, dst), dst));
    }
    const RowFunction row = integer_vector_row(rule, types, dst);
    return integer_sums(rule, types, dst) ? turned_rows(row) : PairedRows{row};
  };
  return with_limits(
      pairs(kIntegerGroup, doc, "dst_dtype", "src0_dtype", "src1_dtype", scalars, vectors),
      join({dst_types(sign), integer_type("src0_dtype"), integer_type("src1_dtype")}));
}

}  // namespace

// `fixed_two`, `fixed_constant`: when results depend on no source.
#define TPU_ARITHMETIC(name, sign_text, formula, sign, fixed_two, fixed_constant)                  \
  TL_TPU_OP(tpu_bdc_int_##name) = fixed_if(                                                        \
      fixed_two,                                                                                   \
      two(computes("dst = shift(src0 " sign_text " src1)"), IntegerOperation::formula, sign));     \
  TL_TPU_OP(tpu_bdc_int_##name##_C) = fixed_if(                                                    \
      fixed_constant,                                                                              \
      constant(computes("dst = shift(src " sign_text " C)"), IntegerOperation::formula, sign));    \
  TL_TPU_OP(tpu_bdc_int_pcs_##name) = fixed_if(                                                    \
      fixed_two, two_pcs(computes("dst = shift(src0 " sign_text " src1)", kShiftPerChannel),       \
                         IntegerOperation::formula, sign));                                        \
  TL_TPU_OP(tpu_bdc_int_pcs_##name##_C) = fixed_if(                                                \
      fixed_constant, constant_pcs(computes("dst = shift(src " sign_text " C)", kShiftPerChannel), \
                                   IntegerOperation::formula, sign))

TPU_ARITHMETIC(add, "+", kAdd, Sign::kAny, nullptr, nullptr);
TPU_ARITHMETIC(sub, "-", kSubtract, Sign::kSignedResult, of_one_tensor, nullptr);
TPU_ARITHMETIC(mul, "*", kMultiply, Sign::kAny, nullptr, with_zero);
TL_TPU_OP(tpu_bdc_int_C_sub) = with_constant(computes("dst = shift(C - src)"), Sign::kSignedResult,
                                             shifted(IntegerOperation::kSubtract, kTypedC,
                                                     "src_addr"));
TL_TPU_OP(tpu_bdc_int_pcs_C_sub) = per_channel(
    with_constant(computes("dst = shift(C - src)", kShiftPerChannel), Sign::kSignedResult,
                  shifted_per_channel(IntegerOperation::kSubtract, kTypedC, "src_addr")));
TL_TPU_OP(tpu_bdc_int_square) = square();

TL_TPU_OP(tpu_bdc_int_min_C) = limited(computes("dst = min(src, C)", "; shift has no effect"),
                                       Combination::kMinimum, IntegerOperation::kMinimum);
TL_TPU_OP(tpu_bdc_int_max_C) = limited(computes("dst = max(src, C)", "; shift has no effect"),
                                       Combination::kMaximum, IntegerOperation::kMaximum);

TL_TPU_OP(tpu_bdc_arithmetic_shift) = shift_spec(
    computes("dst = src << shift", ", rounded >> -shift where it is negative"), true, false);
TL_TPU_OP(tpu_bdc_arithmetic_shift_C) = shift_spec(computes("dst = src << C",
                                                            ", rounded >> -C where it is negative"),
                                                   false, false);
TL_TPU_OP(tpu_bdc_logical_shift) = shift_spec("The same for unsigned types.", true, true);
TL_TPU_OP(tpu_bdc_logical_shift_C) = shift_spec("The same for unsigned types.", false, true);

TL_TPU_OP(tpu_bdc_int8_mac) = accumulating_bytes(
    of_two(computes("dst = ((dst << lshift) + src0 * src1) >> rshift", kBytesRounded), Sign::kAny,
           accumulate_bytes("src0_addr", "src1_addr")),
    {"src0_dtype", "src1_dtype"});
TL_TPU_OP(tpu_bdc_int8_mac_C) = accumulating_bytes(
    with_constant(computes("dst = ((dst << lshift) + src * C) >> rshift", kBytesRounded),
                  Sign::kAny, accumulate_bytes("src_addr", kTypedC)),
    {"src_dtype", "C_dtype"});

TL_TPU_OP(tpu_bdc_int_vc_add) = int_pairs(computes("dst[i, j] = src0[i] + src1[j]"),
                                          IntegerOperation::kAdd);
TL_TPU_OP(tpu_bdc_int_vc_sub) = int_pairs(computes("dst[i, j] = src0[i] - src1[j]"),
                                          IntegerOperation::kSubtract, Sign::kSignedResult);
TL_TPU_OP(tpu_bdc_int_vc_mul) = int_pairs(computes("dst[i, j] = src0[i] * src1[j]"),
                                          IntegerOperation::kMultiply);

}  // namespace tensorlane::tpukernel
