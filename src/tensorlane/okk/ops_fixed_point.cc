// Fixed-point arithmetic on packed integers: 8-bit operands in 4N, 16-bit operands in 2N storage.
//
// Results are exact, rounded half up by `rshift` bits, then saturated. Batches that do not fill the
// last word stay as they are. [observed]
#include "tensorlane/compute/rows/integer_rows.h"
#include "tensorlane/compute/rows/integer_vectors.h"
#include "tensorlane/compute/rows/short_rules.h"
#include "tensorlane/compute/rows/word_functions.h"
#include "tensorlane/compute/rows/word_integers.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"
#include "tensorlane/ops/fixed_results.h"

TL_OKK_OPS_FILE(fixed_point);

namespace tensorlane::okk {
namespace {

// Types that op_type and mul_type decide; see args.cc for the fields.
Dtype integer(bool is_8bit, bool is_signed) {
  if (is_8bit) return is_signed ? Dtype::kInt8 : Dtype::kUint8;
  return is_signed ? Dtype::kInt16 : Dtype::kUint16;
}
Dtype op_src0(const Command& command) {
  return integer(command.value("op_type", "src_8bit") != 0,
                 command.value("op_type", "src0_signed") != 0);
}
Dtype op_src1(const Command& command) {
  return integer(command.value("op_type", "src_8bit") != 0,
                 command.value("op_type", "src1_signed") != 0);
}
Dtype op_dst(const Command& command) {
  return integer(command.value("op_type", "dst_8bit") != 0,
                 command.value("op_type", "dst_signed") != 0);
}
Dtype mul_src0_high(const Command& command) {
  return integer(true, command.value("mul_type", "src0_signed") != 0);
}
Dtype mul_src1(const Command& command) {
  return integer(true, command.value("mul_type", "src1_signed") != 0);
}
Dtype mul_dst(const Command& command) {
  return integer(false, command.value("mul_type", "dst_signed") != 0);
}

OperandSpec packed(Role role, std::string_view param, Dtype dtype, std::string_view stride) {
  OperandSpec spec = local(role, param, dtype, stride);
  spec.storage = Storage::kPacked;
  return spec;
}
OperandSpec packed(Role role, std::string_view param, DtypeRule rule, std::string_view stride) {
  OperandSpec spec = packed(role, param, Dtype::kX16, stride);
  spec.dtype_rule = std::move(rule);
  return spec;
}

// Exact types: a signed source needs a signed destination; unsigned ones an unsigned (sum) or a
// signed one (difference).
constexpr std::string_view kSumTypes =
    "op_type in {S8_OP_S8_TO_S8, S8_OP_S8_TO_S16, S8_OP_U8_TO_S8, S8_OP_U8_TO_S16, U8_OP_S8_TO_S8, "
    "U8_OP_S8_TO_S16, U8_OP_U8_TO_U8, U8_OP_U8_TO_U16, S16_OP_S16_TO_S8, S16_OP_S16_TO_S16, "
    "S16_OP_U16_TO_S8, S16_OP_U16_TO_S16, U16_OP_S16_TO_S8, U16_OP_S16_TO_S16, U16_OP_U16_TO_U8, "
    "U16_OP_U16_TO_U16}";
constexpr std::string_view kDifferenceTypes =
    "op_type in {S8_OP_S8_TO_S8, S8_OP_S8_TO_S16, S8_OP_U8_TO_S8, S8_OP_U8_TO_S16, U8_OP_S8_TO_S8, "
    "U8_OP_S8_TO_S16, U8_OP_U8_TO_S8, U8_OP_U8_TO_S16, S16_OP_S16_TO_S8, S16_OP_S16_TO_S16, "
    "S16_OP_U16_TO_S8, S16_OP_U16_TO_S16, U16_OP_S16_TO_S8, U16_OP_S16_TO_S16, U16_OP_U16_TO_S8, "
    "U16_OP_U16_TO_S16}";
constexpr std::string_view kProductTypes =
    "op_type in {S8_OP_S8_TO_S8, S8_OP_S8_TO_S16, S8_OP_U8_TO_S8, S8_OP_U8_TO_S16, U8_OP_S8_TO_S8, "
    "U8_OP_S8_TO_S16, U8_OP_U8_TO_U8, U8_OP_U8_TO_U16}";
const Texts kMacTypes = {
    "is_origin_dst_signed == 1 => op_type in {S8_OP_S8_TO_S16, S8_OP_U8_TO_S16, U8_OP_S8_TO_S16}",
    "is_origin_dst_signed == 0 => op_type in {S8_OP_S8_TO_S16, S8_OP_U8_TO_S16, U8_OP_S8_TO_S16, "
    "U8_OP_U8_TO_U16}"};
constexpr std::string_view kSameTypes =
    "op_type in {S8_OP_S8_TO_S8, U8_OP_U8_TO_U8, S16_OP_S16_TO_S16, U16_OP_U16_TO_U16}";
constexpr std::string_view kRshift = "0 <= rshift <= 31";
constexpr std::string_view kFitsSrc1 = "fits(C, op_type.src1)";

// `cycles` per 16 packed words of the destination.
CycleCount per_packed_group(double cycles) {
  return {fmt::format("{} cycle{} per group of packed words", cycles, cycles == 1 ? "" : "s"),
          [cycles](const Command& command, const TimingParameters&) {
            const Operand& dst = command.operands()[0];
            const double batches = static_cast<double>(dst.layout.extent(0));
            const double words =
                static_cast<double>(ceil_div(dst.layout.extent(0), 4 / dst.layout.element_units()));
            return cycles * groups(command, dst) * words / batches;
          }};
}

// Places and what is preferred follow from the operands. The model takes any start NPU that all of
// them share; the documents want the first. [observed]
OpSpec of_packed(Doc doc, std::vector<OperandSpec> operands, double cycles,
                 std::vector<Implementation> implementations, const Texts& before_npu = {},
                 const Texts& after_npu = {}) {
  Texts aligned, preferred;
  for (const OperandSpec& operand : operands) {
    aligned.push_back(keep(std::string(operand.param) + " % 4 == 0"));
    preferred.push_back(keep(std::string(operand.param) + " % 128 == 0"));
  }
  aligned.push_back(keep(std::string(same_start(operands)) + " [observed]"));
  return {.engine = Engine::kBdc,
          .group = "bdc-fixed-point",
          .doc = doc,
          .operands = std::move(operands),
          .limits = join({kBdcShape, aligned, before_npu,
                          not_enforced({"start_npu(dst_addr) == 0"}), after_npu}),
          .preferred = std::move(preferred),
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_packed_group(cycles)};
}

// dst = f(src0, src1), types by op_type
OpSpec two_tensors(Doc doc, const Texts& limits, std::vector<Implementation> f, double cycles = 2) {
  return of_packed(doc,
                   {packed(Role::kOut, "dst_addr", op_dst, "dst_stride"),
                    exact_in_place(packed(Role::kIn, "src0_addr", op_src0, "src0_stride")),
                    exact_in_place(packed(Role::kIn, "src1_addr", op_src1, "src1_stride"))},
                   cycles, std::move(f), {}, limits);
}

// dst = f(src, C), types by op_type
OpSpec tensor_constant(Doc doc, DtypeRule src, const Texts& limits, std::vector<Implementation> f,
                       double cycles = 1) {
  return of_packed(doc,
                   {packed(Role::kOut, "dst_addr", op_dst, "dst_stride"),
                    exact_in_place(packed(Role::kIn, "src_addr", std::move(src), "src_stride"))},
                   cycles, std::move(f), {}, limits);
}

IntegerRule rule_of(const Command& command, IntegerOperation operation) {
  return {.operation = operation,
          .right = static_cast<int>(command.arg("rshift").value()),
          .mode = RoundingMode::kHalfUp};
}

// f(a, b) >> rshift
std::vector<Implementation> shifted(IntegerOperation operation, const SourceParam& a,
                                    const SourceParam& b) {
  const auto rule = [operation](const Command& command) { return rule_of(command, operation); };
  const std::vector<SourceParam> sources = {a, b};
  std::vector<Implementation> list = integer_rows("dst_addr", sources, rule);
  if (operation != IntegerOperation::kMultiply)
    list = shorts_before(std::move(list), "dst_addr", sources, rule);
  return words_before(std::move(list), "dst_addr", sources, rule);
}

// ((dst << lshift) + a * b) >> rshift
std::vector<Implementation> accumulated(const SourceParam& a, const SourceParam& b) {
  const auto rule = [](const Command& command) {
    IntegerRule now = rule_of(command, IntegerOperation::kMultiplyAdd);
    now.left = static_cast<int>(command.arg("lshift").value());
    return now;
  };
  const std::vector<SourceParam> sources = {"dst_addr", a, b};
  return words_before(integer_rows("dst_addr", sources, rule), "dst_addr", sources, rule);
}

// The larger or smaller.
std::vector<Implementation> unshifted(IntegerOperation operation, const SourceParam& a,
                                      const SourceParam& b) {
  return integer_rows("dst_addr", {a, b}, [operation](const Command&) -> IntegerRule {
    return {.operation = operation};
  });
}
Combination combination_of(IntegerOperation operation) {
  return operation == IntegerOperation::kMaximum ? Combination::kMaximum : Combination::kMinimum;
}
OpSpec extreme(Doc doc, IntegerOperation operation) {
  return with_combination(
      combination_of(operation),
      two_tensors(doc, {kSameTypes}, unshifted(operation, "src0_addr", "src1_addr")));
}
OpSpec extreme_constant(Doc doc, IntegerOperation operation) {
  return with_combination(combination_of(operation),
                          tensor_constant(doc, op_src0, {kSameTypes, kFitsSrc1},
                                          unshifted(operation, "src_addr", {"C", op_src1})));
}

// 16-bit shifts by the low byte of the amount: left where that is positive, dropping bits; 16 and
// more shift everything out.
template <class Element>
constexpr Dtype kShifted = std::is_signed_v<Element> ? Dtype::kInt16 : Dtype::kUint16;
IntegerRule shift_of(const Command& /*command*/) {
  return {.operation = IntegerOperation::kShiftByByte, .saturate = false};
}
std::vector<Implementation> shifts(const SourceParam& value, const SourceParam& amount) {
  return integer_rows("dst_addr", {value, amount}, shift_of);
}
std::vector<Implementation> constant_shifts(const SourceParam& value, const SourceParam& amount) {
  return shorts_before(shifts(value, amount), "dst_addr", {value, amount}, shift_of);
}
// The same by the constant C, the same bits for all: a shift left or one right.
std::vector<Implementation> shifts_by_constant() {
  const auto rule = [](const Command& command) -> IntegerRule {
    const auto amount = static_cast<std::int8_t>(command.arg("C").value());
    return {.operation = IntegerOperation::kFirst,
            .left = std::clamp<int>(amount, 0, 16),
            .right = std::clamp<int>(-amount, 0, 16),
            .saturate = false};
  };
  return shorts_before(integer_rows("dst_addr", {"src_addr"}, rule), "dst_addr", {"src_addr"},
                       rule);
}

template <class Element>
OpSpec shift_16bit(Doc doc) {
  OpSpec spec =
      two_tensors(doc, {"-16 <= values(src1_addr) <= 16"}, shifts("src0_addr", "src1_addr"));
  spec.operands = {packed(Role::kOut, "dst_addr", kShifted<Element>, "dst_stride"),
                   exact_in_place(packed(Role::kIn, "src0_addr", kShifted<Element>, "src0_stride")),
                   exact_in_place(packed(Role::kIn, "src1_addr", Dtype::kInt16, "src1_stride"))};
  return spec;
}

template <class Element>
OpSpec shift_16bit_by_constant(Doc doc) {
  OpSpec spec = tensor_constant(doc, op_src0, {"-16 <= C <= 16"}, shifts_by_constant());
  spec.operands = {packed(Role::kOut, "dst_addr", kShifted<Element>, "dst_stride"),
                   exact_in_place(packed(Role::kIn, "src_addr", kShifted<Element>, "src_stride"))};
  return spec;
}

// The vendor's model cannot run these: documented meaning.
template <class Element>
OpSpec shift_16bit_constant(Doc doc) {
  OpSpec spec = tensor_constant(doc, op_src0, {"-16 <= values(src_addr) <= 16"},
                                constant_shifts({"C", kShifted<Element>}, "src_addr"));
  spec.operands = {packed(Role::kOut, "dst_addr", kShifted<Element>, "dst_stride"),
                   exact_in_place(packed(Role::kIn, "src_addr", Dtype::kInt16, "src_stride"))};
  spec.numerics = Numerics::kExactToDocument;
  return spec;
}

// One step of a function that computes its work tensors first; `left` and `right` are its shifts,
// after which the low bits stay.
std::vector<Implementation> step(std::string_view dst, std::string_view src, int left, int right) {
  return integer_rows(dst, {SourceParam(src)}, [left, right](const Command&) -> IntegerRule {
    return {.operation = IntegerOperation::kFirst, .left = left, .right = right, .saturate = false};
  });
}
std::vector<Implementation> high_byte(std::string_view dst, std::string_view src) {
  return step(dst, src, 0, 8);
}
std::vector<Implementation> low_byte_up(std::string_view dst, std::string_view src) {
  return step(dst, src, 8, 0);
}

// ((high * 256 + low) * b) >> rshift
std::vector<SourceParam> parts(std::string_view high, std::string_view low) {
  return {SourceParam(high), SourceParam(low), "src1_addr"};
}
IntegerRule product_of_parts(const Command& command) {
  return rule_of(command, IntegerOperation::kMultiplyPair);
}

std::vector<Implementation> products_of_parts(const std::vector<SourceParam>& sources) {
  return words_before(integer_rows("dst_addr", sources, product_of_parts), "dst_addr", sources,
                      product_of_parts);
}

// Of int16 by uint8: the source is split into bytes, as the two split functions do, then multiplied
// by parts.
std::vector<Implementation> products_in_steps() {
  return in_turn(
      {high_byte("work_high_addr", "src0_addr"), low_byte_up("work_addr", "src0_addr"),
       high_byte("work_low_addr", "work_addr"),
       integer_rows("dst_addr", parts("work_high_addr", "work_low_addr"), product_of_parts)});
}
bool products_of_words(const Invocation& invocation) {
  const WordProduct operands{.dst = "dst_addr",
                             .src0 = "src0_addr",
                             .src1 = "src1_addr",
                             .work = "work_addr",
                             .high = "work_high_addr",
                             .low = "work_low_addr"};
  return multiply_words(invocation, operands,
                        static_cast<int>(invocation.command.arg("rshift").value()));
}

// Of functions that are several commands, in turn; no model was recorded on them.
OpSpec in_steps(int commands, OpSpec spec) {
  spec.numerics = Numerics::kExactToDocument;
  spec.issue_commands = commands;
  return spec;
}

}  // namespace

TL_OKK_OP(okk_bdc_fixed_point_packed_add) =
    two_tensors(computes("dst = (src0 + src1) >> rshift", ", rounded half up and saturated"),
                {kSumTypes, kRshift}, shifted(IntegerOperation::kAdd, "src0_addr", "src1_addr"));

TL_OKK_OP(okk_bdc_fixed_point_packed_add_C) = tensor_constant(
    computes("dst = (src + C) >> rshift", ", rounded half up and saturated"), op_src0,
    {kSumTypes, kFitsSrc1, kRshift}, shifted(IntegerOperation::kAdd, "src_addr", {"C", op_src1}));

TL_OKK_OP(okk_bdc_fixed_point_packed_sub) = fixed_if(
    of_one_tensor,
    two_tensors(computes("dst = (src0 - src1) >> rshift", ", rounded half up and saturated"),
                {kDifferenceTypes, kRshift},
                shifted(IntegerOperation::kSubtract, "src0_addr", "src1_addr")));

TL_OKK_OP(okk_bdc_fixed_point_packed_sub_C) =
    tensor_constant(computes("dst = (src - C) >> rshift", ", rounded half up and saturated"),
                    op_src0, {kDifferenceTypes, kFitsSrc1, kRshift},
                    shifted(IntegerOperation::kSubtract, "src_addr", {"C", op_src1}));

TL_OKK_OP(okk_bdc_fixed_point_packed_C_sub) = tensor_constant(
    computes("dst = (C - src) >> rshift", ", rounded half up and saturated; C is source 0"),
    op_src1, {kDifferenceTypes, "fits(C, op_type.src0)", kRshift},
    shifted(IntegerOperation::kSubtract, {"C", op_src0}, "src_addr"));

TL_OKK_OP(okk_bdc_fixed_point_packed_mul) = two_tensors(
    computes("dst = (src0 * src1) >> rshift", " of 8-bit sources, rounded half up and saturated"),
    {kProductTypes, kRshift}, shifted(IntegerOperation::kMultiply, "src0_addr", "src1_addr"));

TL_OKK_OP(okk_bdc_fixed_point_packed_mul_C) = fixed_if(
    with_zero, tensor_constant(computes("dst = (src * C) >> rshift",
                                        " of an 8-bit source, rounded half up and saturated"),
                               op_src0, {kProductTypes, kFitsSrc1, kRshift},
                               shifted(IntegerOperation::kMultiply, "src_addr", {"C", op_src1})));

// The model reads the old dst with the signedness of op_type, whatever is_origin_dst_signed says.
// [observed]
TL_OKK_OP(okk_bdc_fixed_point_packed_mac) = accumulating(two_tensors(
    computes("dst = ((dst << lshift) + src0 * src1) >> rshift", ", rounded half up and saturated"),
    join({kMacTypes, {"0 <= lshift <= 14", kRshift}}), accumulated("src0_addr", "src1_addr"), 5));

TL_OKK_OP(okk_bdc_fixed_point_packed_mac_C) = accumulating(tensor_constant(
    computes("dst = ((dst << lshift) + src * C) >> rshift", ", rounded half up and saturated"),
    op_src0, join({kMacTypes, {kFitsSrc1, "0 <= lshift <= 14", kRshift}}),
    accumulated("src_addr", {"C", op_src1}), 5));

TL_OKK_OP(okk_bdc_fixed_point_packed_max) = extreme(computes("dst = max(src0, src1)",
                                                             ", all of one type"),
                                                    IntegerOperation::kMaximum);

TL_OKK_OP(okk_bdc_fixed_point_packed_max_C) = extreme_constant(computes("dst = max(src, C)",
                                                                        ", all of one type"),
                                                               IntegerOperation::kMaximum);

TL_OKK_OP(okk_bdc_fixed_point_packed_min) = extreme(computes("dst = min(src0, src1)",
                                                             ", all of one type"),
                                                    IntegerOperation::kMinimum);

TL_OKK_OP(okk_bdc_fixed_point_packed_min_C) = extreme_constant(computes("dst = min(src, C)",
                                                                        ", all of one type"),
                                                               IntegerOperation::kMinimum);

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_arithmetic_shift) = shift_16bit<std::int16_t>(
    "dst = src0 shifted by src1, 16 bits: left if positive, else arithmetic right");

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_logical_shift) = shift_16bit<std::uint16_t>(
    "dst = src0 shifted by src1, 16 bits: left if positive, else logical right");

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C) =
    shift_16bit_by_constant<std::int16_t>(
        "dst = src shifted by C, 16 bits: left if positive, else arithmetic right");

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_logical_shift_C) =
    shift_16bit_by_constant<std::uint16_t>(
        "dst = src shifted by C, 16 bits: left if positive, else logical right");

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift) = shift_16bit_constant<std::int16_t>(
    "dst = C shifted by src, 16 bits: left if positive, else arithmetic right");

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_C_logical_shift) = shift_16bit_constant<std::uint16_t>(
    "dst = C shifted by src, 16 bits: left if positive, else logical right");

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_split_high_8bit) =
    of_packed("dst (8-bit) = high byte of src (16-bit)",
              {packed(Role::kOut, "dst_addr", Dtype::kX8, "dst_stride"),
               packed(Role::kIn, "src_addr", Dtype::kX16, "src_stride")},
              1, high_byte("dst_addr", "src_addr"));

// The low byte moves up in the work tensor, then down into dst.
TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_split_low_8bit) = in_steps(
    2,
    of_packed("dst (8-bit) = low byte of src (16-bit)",
              {packed(Role::kOut, "dst_addr", Dtype::kX8, "dst_stride"),
               packed(Role::kIn, "src_addr", Dtype::kX16, "src_stride"),
               packed(Role::kWork, "work_addr", Dtype::kX16, "work_stride")},
              2,
              in_turn({low_byte_up("work_addr", "src_addr"), high_byte("dst_addr", "work_addr")}),
              {"distinct(dst_addr, work_addr)"}));

TL_OKK_OP(okk_bdc_fixed_point_packed_16bit_mul_8bit) =
    of_packed(computes("dst = ((src0_high * 256 + src0_low) * src1) >> rshift",
                       ", of 16 bits, rounded and saturated"),
              {packed(Role::kOut, "dst_addr", mul_dst, "dst_stride"),
               packed(Role::kIn, "src0_high_addr", mul_src0_high, "src0_high_stride"),
               packed(Role::kIn, "src0_low_addr", Dtype::kUint8, "src0_low_stride"),
               packed(Role::kIn, "src1_addr", mul_src1, "src1_stride")},
              2, products_of_parts(parts("src0_high_addr", "src0_low_addr")),
              {"mul_type in {S16_MUL_S8_TO_S16, U16_MUL_S8_TO_S16, U16_MUL_U8_TO_U16}", kRshift});

TL_OKK_OP(okk_bdc_fixed_point_packed_s16_mul_u8_to_s16) = in_steps(
    4, of_packed(
           "dst (int16) = (src0 (int16) * src1 (uint8)) >> rshift, rounded half up and saturated",
           {packed(Role::kOut, "dst_addr", Dtype::kInt16, "dst_stride"),
            exact_in_place(packed(Role::kIn, "src0_addr", Dtype::kInt16, "src0_stride")),
            packed(Role::kIn, "src1_addr", Dtype::kUint8, "src1_stride"),
            packed(Role::kWork, "work_addr", Dtype::kInt16, "work_stride"),
            packed(Role::kWork, "work_high_addr", Dtype::kInt8, "work_high_stride"),
            packed(Role::kWork, "work_low_addr", Dtype::kUint8, "work_low_stride")},
           5, in_words(products_of_words, products_in_steps()),
           {kRshift, "distinct(dst_addr, work_addr)"}));

}  // namespace tensorlane::okk
