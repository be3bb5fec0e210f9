// Matrix products of tensors with one row per channel: fp_mm, int8_zp_mm, int8_pc_zp_mm.

#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/fp8_matmul.h"
#include "tensorlane/tpukernel/nn_families.h"

TL_TPU_OPS_FILE(row_products);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kRowProductGroup = "bdc-mm";

// Which operand is a constant.
enum class Constant { kNone, kLeft, kRight };
// How the operands are stored.
enum class Storing { kPlain, kRightTransposed, kAllTransposed };

struct RowProduct {
  Storing storing = Storing::kPlain;
  Constant constant = Constant::kNone;
  bool of_fp8 = false;

  bool all_transposed() const { return storing == Storing::kAllTransposed; }
  bool right_transposed() const { return storing != Storing::kPlain; }
  bool may_add() const { return of_fp8 || storing != Storing::kRightTransposed; }
  std::string_view rows() const { return all_transposed() ? "left_cols" : "left_rows"; }
  std::string_view inner() const { return all_transposed() ? "left_rows" : "left_cols"; }
  std::string_view cols() const { return right_transposed() ? "right_rows" : "right_cols"; }
  // NPUs that hold rows of right as it is stored.
  std::string_view right_npus() const {
    if (right_transposed()) return "min(right_rows, tpu_npu_num())";
    return all_transposed() ? "min(left_rows, tpu_npu_num())" : "min(left_cols, 64)";
  }
};

// An operand of `rows` channels with one row of `cols` columns each.
OperandSpec rows(Role role, std::string_view param, TypeOf type, std::string_view rows,
                 std::string_view cols) {
  return shaped(local(role, param, type), {"1", rows, "1", cols});
}

AnyTypeMatrix stored(const CallArgs& call, std::string_view operand, bool transposed) {
  AnyTypeMatrix matrix;
  matrix.view = call.view(operand);
  matrix.type = call.type_of(operand);
  matrix.transposed = transposed;
  return matrix;
}

AnyTypeMatmulArgs row_args(const CallArgs& call, const RowProduct& form, Dtype constant_type) {
  AnyTypeMatmulArgs args;
  args.block_channels = call.numerics().exact_products.value;
  args.rows = call.integer(form.rows());
  args.inner = call.integer(form.inner());
  args.cols = call.integer(form.cols());
  const auto operand = [&](std::string_view name, bool transposed, bool constant) {
    return constant ? AnyTypeMatrix::constant(call.bits("C"), constant_type)
                    : stored(call, name, transposed);
  };
  args.left = operand("left_addr", form.all_transposed(), form.constant == Constant::kLeft);
  args.right = operand("right_addr", form.right_transposed(), form.constant == Constant::kRight);
  args.output = stored(call, "output_addr", form.all_transposed());
  if (form.may_add()) args.result_add = call.flag("result_add");
  return args;
}

// `left_type` and `right_type` name the parameters that hold the types.
OpSpec row_spec(Doc doc, Combination combination, const RowProduct& form, TypeOf output_type,
                std::string_view left_type, std::string_view right_type) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = kRowProductGroup,
              .doc = doc,
              .limits = {"1 <= left_rows <= 65535", "1 <= left_cols <= 65535",
                         "output_addr % tpu_eu_num(DT_INT8) == 0", "start_npu(output_addr) == 0"},
              .dependence = Dependence::kByIndex,
              .numerics = Numerics::kExactToModel};
  add_product_cost(spec, Work::kMatrix, [form, right_type](const Command& command) {
    return ProductSize{dtype_bytes(command.arg(right_type).dtype()),
                       command.arg(form.inner()).value(), 1};
  });
  spec.limits.emplace_back(form.right_transposed() ? "1 <= right_rows <= 65535"
                                                   : "1 <= right_cols <= 65535");
  spec.operands.push_back(
      form.all_transposed()
          ? rows(Role::kOut, "output_addr", output_type, "right_rows", "left_cols")
          : rows(Role::kOut, "output_addr", output_type, "left_rows", form.cols()));
  spec.operands[0].combination = combination;
  if (form.may_add()) spec.operands[0].inout_if = "result_add";
  if (form.constant != Constant::kNone) add_roles(spec, {{ParamRole::kOtherFactor, "C"}});
  if (form.constant != Constant::kLeft) {
    spec.operands.push_back(rows(Role::kIn, "left_addr", left_type, "left_rows", "left_cols"));
    add_limits(spec, {"left_addr % tpu_eu_num(DT_INT8) == 0", "start_npu(left_addr) == 0"});
  }
  if (form.constant != Constant::kRight) {
    spec.operands.push_back(
        form.right_transposed()
            ? rows(Role::kIn, "right_addr", right_type, "right_rows", form.inner())
            : rows(Role::kIn, "right_addr", right_type, form.inner(), "right_cols"));
    add_limits(spec, {"right_addr % tpu_eu_num(DT_INT8) == 0", "start_npu(right_addr) == 0"});
  }
  return spec;
}

OpSpec fp_product(Doc doc, const RowProduct& form) {
  const std::string_view type = form.constant == Constant::kLeft    ? "right_C_dtype"
                                : form.constant == Constant::kRight ? "left_C_dtype"
                                                                    : "left_right_dtype";
  OpSpec spec = row_spec(doc, Combination::kSum, form, "output_dtype", type, type);
  const auto text = [type](const std::string& before, const std::string& after) {
    return keep(before + std::string(type) + after);
  };
  add_limits(spec, {text("", " in {DT_FP16, DT_BFP16} [observed]"),
                    text("output_dtype != DT_FP32 => output_dtype == ", "")});
  if (form.storing != Storing::kRightTransposed) {
    spec.limits.emplace_back("result_add => output_dtype == DT_FP32 [observed]");
  }
  spec.implementations = matrix_products([=](const Invocation& invocation) {
    const CallArgs call(invocation);
    return row_args(call, form, call.dtype(type));
  });
  return spec;
}

// Of 8-bit floats, whose types may differ. They are numbers of fp16, and added up as those. What a
// rescaled result is nothing public says.
OpSpec fp8_product(Doc doc, RowProduct form) {
  form.of_fp8 = true;
  OpSpec spec = row_spec(doc, Combination::kSum, form, "output_dtype", "left_dtype", "right_dtype");
  add_limits(spec,
             {"left_dtype in {DT_FP8E4M3, DT_FP8E5M2}", "right_dtype in {DT_FP8E4M3, DT_FP8E5M2}",
              "output_dtype in {DT_FP32, DT_FP16, DT_BFP16}",
              "result_add => output_dtype == DT_FP32 [as of 16-bit floats]",
              "do_rescale == 0 [nothing public says what it does]"});
  spec.implementations = simd_or_reference(
      [=](const Invocation& invocation) {
        return row_args(CallArgs(invocation), form, Dtype::kFp8E4M3);
      },
      fp8_matmul_simd, fp8_matmul_reference);
  return as_chosen(std::move(spec));
}

// 32-bit sums of left * (right - zero point); the zero point is a number, or a vector with one per
// column: a row that every NPU of right holds, or one per channel where right is stored transposed
// and the result too. Each row of right reads that of its own NPU. [observed]
OpSpec zero_point_product(Doc doc, const RowProduct& form, bool per_column) {
  const std::string_view left = form.constant == Constant::kLeft ? "C_dtype" : "left_dtype";
  const std::string_view right =
      form.constant == Constant::kRight ? "C_zp_dtype" : "right_zp_dtype";
  OpSpec spec = row_spec(doc, Combination::kFunction, form, Dtype::kInt32, left, right);
  spec.operands[0].dtype_rule = [left, right](const Command& command) {
    const auto is_signed = [&](std::string_view param) {
      return dtype_info(command.arg(param).dtype()).is_signed;
    };
    return is_signed(left) || is_signed(right) ? Dtype::kInt32 : Dtype::kUint32;
  };
  add_limits(spec, join({byte_type(left), byte_type(right)}));
  if (form.constant != Constant::kNone) {
    spec.constants.push_back(
        {"C", ConstantUse::kNumber, form.constant == Constant::kLeft ? left : right});
  }
  if (!per_column) spec.constants.push_back({"zp_val", ConstantUse::kNumber, right});
  if (per_column) {
    spec.operands.push_back(
        form.all_transposed() ? channel_vector("zp_addr", right, "right_rows")
                              : rows(Role::kIn, "zp_addr", right, form.right_npus(), form.cols()));
    add_limits(spec, {"start_npu(zp_addr) == 0"});
    if (!form.all_transposed()) {
      spec.limits.emplace_back("zp_addr % tpu_eu_num(DT_INT8) == 0");
      spec.operands.back().copies = true;
    }
  }
  spec.implementations = matrix_products([=](const Invocation& invocation) {
    const CallArgs call(invocation);
    const bool left_constant = form.constant == Constant::kLeft;
    AnyTypeMatmulArgs args = row_args(call, form, call.dtype(left_constant ? left : right));
    args.zero_points = per_column ? stored(call, "zp_addr", form.all_transposed())
                                  : AnyTypeMatrix::constant(call.bits("zp_val"), call.dtype(right));
    args.zero_points_by_npu = per_column && !form.all_transposed() &&
                              npus_differ(args.zero_points, call.extent("zp_addr", 1), args.cols);
    args.finish = {.output = args.output.type, .saturate = false};
    return args;
  });
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp_mm) =
    fp_product("fp16 or bf16 matrix product, one row per channel: left * right", {});

TL_TPU_OP(tpu_bdc_fp_mm_R_trans) =
    fp_product("fp16 or bf16 matrix product, one row per channel: right stored transposed",
               {.storing = Storing::kRightTransposed});

TL_TPU_OP(tpu_bdc_fp_mm_all_trans) = fp_product(
    "fp16 or bf16 matrix product, one row per channel: both and the result stored transposed",
    {.storing = Storing::kAllTransposed});

TL_TPU_OP(tpu_bdc_fp_mm_L_const) =
    fp_product("fp16 or bf16 matrix product, one row per channel: every element of left is C",
               {.constant = Constant::kLeft});

TL_TPU_OP(tpu_bdc_fp_mm_R_const) =
    fp_product("fp16 or bf16 matrix product, one row per channel: every element of right is C",
               {.constant = Constant::kRight});

TL_TPU_OP(tpu_bdc_fp_mm_L_const_R_trans) = fp_product(
    "fp16 or bf16 matrix product, one row per channel: left is C, right stored transposed",
    {.storing = Storing::kRightTransposed, .constant = Constant::kLeft});

TL_TPU_OP(tpu_bdc_fp_mm_L_const_all_trans) = fp_product(
    "fp16 or bf16 matrix product, one row per channel: left is C, right and result "
    "stored transposed",
    {.storing = Storing::kAllTransposed, .constant = Constant::kLeft});

TL_TPU_OP(tpu_bdc_fp_mm_R_const_all_trans) = fp_product(
    "fp16 or bf16 matrix product, one row per channel: right is C, left and result "
    "stored transposed",
    {.storing = Storing::kAllTransposed, .constant = Constant::kRight});

TL_TPU_OP(tpu_bdc_fp8_mm) = fp8_product("fp8 matrix product, one row per channel: left * right",
                                        {});
TL_TPU_OP(tpu_bdc_fp8_mm_R_trans) =
    fp8_product("fp8 matrix product, one row per channel: right stored transposed",
                {.storing = Storing::kRightTransposed});
TL_TPU_OP(tpu_bdc_fp8_mm_all_trans) =
    fp8_product("fp8 matrix product, one row per channel: both and the result stored transposed",
                {.storing = Storing::kAllTransposed});

TL_TPU_OP(tpu_bdc_int8_zp_mm) =
    zero_point_product("32-bit sums of left * (right - zero point): left * right", {}, false);

TL_TPU_OP(tpu_bdc_int8_zp_mm_R_trans) =
    zero_point_product("32-bit sums of left * (right - zero point): right stored transposed",
                       {.storing = Storing::kRightTransposed}, false);

TL_TPU_OP(tpu_bdc_int8_zp_mm_all_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point): both and the result stored transposed",
    {.storing = Storing::kAllTransposed}, false);

TL_TPU_OP(tpu_bdc_int8_zp_mm_L_const) =
    zero_point_product("32-bit sums of left * (right - zero point): every element of left is C",
                       {.constant = Constant::kLeft}, false);

TL_TPU_OP(tpu_bdc_int8_zp_mm_R_const) =
    zero_point_product("32-bit sums of left * (right - zero point): every element of right is C",
                       {.constant = Constant::kRight}, false);

TL_TPU_OP(tpu_bdc_int8_zp_mm_L_const_R_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point): left is C, right stored transposed",
    {.storing = Storing::kRightTransposed, .constant = Constant::kLeft}, false);

TL_TPU_OP(tpu_bdc_int8_zp_mm_L_const_all_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point): left is C, right and result "
    "stored transposed",
    {.storing = Storing::kAllTransposed, .constant = Constant::kLeft}, false);

TL_TPU_OP(tpu_bdc_int8_zp_mm_R_const_all_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point): right is C, left and result "
    "stored transposed",
    {.storing = Storing::kAllTransposed, .constant = Constant::kRight}, false);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): left * right", {}, true);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm_R_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): right stored transposed",
    {.storing = Storing::kRightTransposed}, true);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm_all_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): both and the "
    "result stored transposed",
    {.storing = Storing::kAllTransposed}, true);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm_L_const) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): every element of left is C",
    {.constant = Constant::kLeft}, true);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm_R_const) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): every element of right is C",
    {.constant = Constant::kRight}, true);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm_L_const_R_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): left is C, "
    "right stored transposed",
    {.storing = Storing::kRightTransposed, .constant = Constant::kLeft}, true);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm_L_const_all_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): left is C, "
    "right and result stored transposed",
    {.storing = Storing::kAllTransposed, .constant = Constant::kLeft}, true);

TL_TPU_OP(tpu_bdc_int8_pc_zp_mm_R_const_all_trans) = zero_point_product(
    "32-bit sums of left * (right - zero point of the column): right is C, "
    "left and result stored transposed",
    {.storing = Storing::kAllTransposed, .constant = Constant::kRight}, true);

}  // namespace tensorlane::tpukernel
