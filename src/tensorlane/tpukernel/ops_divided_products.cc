// Matrix products of matrix layouts, whose columns are divided over channels: fp32_mm, int_mm,
// int_pcs_mm, int8_mm.
#include <algorithm>

#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/tpukernel/nn_families.h"

TL_TPU_OPS_FILE(divided_products);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kDividedProductGroup = "bdc-mm";

struct Divided {
  bool left_transposed = false;
  bool left_constant = false;
};

AnyTypeMatrix divided(const CallArgs& call, std::string_view operand,
                      std::string_view per_channel) {
  AnyTypeMatrix matrix;
  matrix.view = call.view(operand);
  matrix.type = call.type_of(operand);
  matrix.cols_per_channel = call.integer(per_channel);
  return matrix;
}

// Left, right, output and bias; `constant_type` is that of C.
AnyTypeMatmulArgs divided_args(const CallArgs& call, const Divided& form, Dtype constant_type) {
  AnyTypeMatmulArgs args;
  args.block_channels = call.numerics().exact_products.value;
  args.rows = call.integer(form.left_transposed ? "left_cols" : "left_rows");
  args.inner = call.integer(form.left_transposed ? "left_rows" : "left_cols");
  args.cols = call.integer("right_cols");
  args.left = form.left_constant ? AnyTypeMatrix::constant(call.bits("C"), constant_type)
                                 : divided(call, "left_addr", "left_cols_per_channel");
  args.left.transposed = form.left_transposed;
  args.right = divided(call, "right_addr", "right_cols_per_channel");
  args.output = divided(call, "output_addr", "right_cols_per_channel");
  return args;
}

void take_bias(const CallArgs& call, AnyTypeMatmulArgs& args) {
  args.has_bias = call.flag("has_bias");
  args.result_add = call.flag("result_add");
  if (args.has_bias) args.bias = divided(call, "bias_addr", "right_cols_per_channel");
}

// As many multiply-adds as fp32 has adders, whatever the type.
constexpr std::int64_t kAdders = 16;

double divided_cycles(const Command& command, const TimingParameters& parameters) {
  const Layout& right = command.find("right_addr")->layout;
  const Layout& output = command.operands()[0].layout;
  const std::int64_t per_channel = command.arg("right_cols_per_channel").value();
  const std::int64_t channels = ceil_div(output.extent(1), per_channel);
  const std::int64_t rows = ceil_div(channels, command.chip->local.npus);
  return parameters.product_slowdown *
         static_cast<double>(output.extent(0) * rows * ceil_div(per_channel, kAdders) *
                             right.extent(0));
}

std::string_view left_dtype_param(const Divided& form) {
  return form.left_constant ? "C_dtype" : "left_dtype";
}

OpSpec divided_spec(Doc doc, const Divided& form, TypeOf output_type, TypeOf left_type,
                    TypeOf right_type) {
  const std::string_view rows = form.left_transposed ? "left_cols" : "left_rows";
  const std::string_view inner = form.left_transposed ? "left_rows" : "left_cols";
  OpSpec spec{
      .engine = Engine::kBdc,
      .group = kDividedProductGroup,
      .doc = doc,
      .operands = {matrix(Role::kOut, "output_addr", output_type, rows, "right_cols",
                          "right_cols_per_channel"),
                   matrix(Role::kIn, "right_addr", right_type, inner, "right_cols",
                          "right_cols_per_channel")},
      .limits = {"1 <= left_rows <= 65535", "1 <= left_cols <= 65535", "1 <= right_cols <= 65535",
                 "1 <= right_cols_per_channel <= right_cols",
                 "output_addr % tpu_eu_num(DT_INT8) == 0", "right_addr % tpu_eu_num(DT_INT8) == 0",
                 "same_start_npu(output_addr, right_addr)"},
      .dependence = Dependence::kByIndex,
      .numerics = Numerics::kExactToModel,
      .cycles = {"1 cycle per 16 outputs of an NPU and factor", divided_cycles},
      .work = Work::kMatrix,
      .operations =
          [](const Command& command, const TimingParameters&) {
            return 2 * static_cast<double>(command.operands()[0].layout.size() *
                                           command.find("right_addr")->layout.extent(0));
          },
      .peak = [](const Command& command,
                 const TimingParameters&) { return 2.0 * command.chip->local.npus * kAdders; },
      .outputs_at_a_time = [](const Command&,
                              const TimingParameters&) { return static_cast<double>(kAdders); }};
  spec.operands[0].combination = Combination::kSum;
  if (form.left_constant) {
    add_roles(spec, {{ParamRole::kOtherFactor, "C"}});
  } else {
    spec.operands.push_back(matrix(Role::kIn, "left_addr", left_type, "left_rows", "left_cols",
                                   "left_cols_per_channel"));
    add_limits(spec,
               {"1 <= left_cols_per_channel <= left_cols", "left_addr % tpu_eu_num(DT_INT8) == 0"});
  }
  return spec;
}

OpSpec product_with_bias(OpSpec spec, TypeOf type) {
  spec.operands.push_back(added(
      only_if(matrix(Role::kIn, "bias_addr", type, "1", "right_cols", "right_cols_per_channel"),
              "has_bias")));
  spec.operands[0].inout_if = "result_add";
  add_limits(spec, {"has_bias => bias_addr % tpu_eu_num(DT_INT8) == 0",
                    "has_bias => same_start_npu(output_addr, bias_addr)"});
  return spec;
}

OpSpec fp32_product(Doc doc, const Divided& form) {
  OpSpec spec = product_with_bias(divided_spec(doc, form, Dtype::kFp32, Dtype::kFp32, Dtype::kFp32),
                                  Dtype::kFp32);
  spec.implementations = matrix_products([=](const Invocation& invocation) {
    const CallArgs call(invocation);
    AnyTypeMatmulArgs args = divided_args(call, form, Dtype::kFp32);
    take_bias(call, args);
    return args;
  });
  return spec;
}

// A 32-bit result, unsigned when both factors are.
OpSpec int_product(Doc doc, const Divided& form, bool shift_per_column) {
  const std::string_view left = left_dtype_param(form);
  OpSpec spec = divided_spec(doc, form, Dtype::kInt32, left, "right_dtype");
  if (form.left_constant) spec.constants = {{"C", ConstantUse::kNumber, left}};
  const auto result_type = [left](const Command& command) {
    const auto is_signed = [&](std::string_view param) {
      return dtype_info(command.arg(param).dtype()).is_signed;
    };
    return is_signed(left) || is_signed("right_dtype") ? Dtype::kInt32 : Dtype::kUint32;
  };
  spec.operands[0].dtype_rule = result_type;
  add_limits(spec, join({integer_type(left), integer_type("right_dtype"), {kShiftMode}}));
  if (shift_per_column) {
    spec.operands[0].combination = Combination::kFunction;
    spec.operands.push_back(
        matrix(Role::kIn, "shift_addr", Dtype::kInt8, "1", "right_cols", "right_cols_per_channel"));
    add_limits(
        spec, {"shift_addr % tpu_eu_num(DT_INT8) == 0", "same_start_npu(output_addr, shift_addr)"});
  } else {
    add_roles(spec, {{ParamRole::kWordShift, "shift"}});
    add_limits(spec, {"-32 <= shift <= 32"});
  }
  spec.implementations = matrix_products([=](const Invocation& invocation) {
    const CallArgs call(invocation);
    AnyTypeMatmulArgs args =
        divided_args(call, form, form.left_constant ? call.dtype("C_dtype") : Dtype::kInt8);
    // Sums of 32-bit factors wrap at 64 bits, are shifted and saturate; those of shorter factors
    // are not shifted and keep their low bits. [observed]
    const bool words = std::max(dtype_bytes(args.left.type), dtype_bytes(args.right.type)) == 4;
    args.finish = {.output = args.output.type, .rounding = call.rounding(), .saturate = words};
    if (!words) return args;
    if (!dtype_info(args.output.type).is_signed) args.finish.wraps = SumWraps::kUint64;
    args.has_shifts = shift_per_column;
    if (shift_per_column) {
      args.shifts = divided(call, "shift_addr", "right_cols_per_channel");
    } else {
      args.finish.shift = call.integer("shift");
    }
    return args;
  });
  return spec;
}

OpSpec int8_product(Doc doc, const Divided& form) {
  const std::string_view left = left_dtype_param(form);
  OpSpec spec =
      product_with_bias(divided_spec(doc, form, "output_dtype", left, "right_dtype"), "bias_dtype");
  if (form.left_constant) spec.constants = {{"C", ConstantUse::kNumber, left}};
  add_roles(spec, {{ParamRole::kOldShift, "lshift"},
                   {ParamRole::kShiftRight, "rshift"},
                   {ParamRole::kRectified, "result_relu"}});
  add_limits(spec, join({byte_type(left),
                         byte_type("right_dtype"),
                         {"output_dtype in {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16}",
                          "has_bias => bias_dtype in {DT_INT16, DT_UINT16}",
                          "result_add => output_dtype in {DT_INT16, DT_UINT16}",
                          "result_relu => output_dtype.is_signed == 0 [observed]", "lshift <= 31",
                          "rshift <= 31"}}));
  spec.implementations = matrix_products([=](const Invocation& invocation) {
    const CallArgs call(invocation);
    AnyTypeMatmulArgs args =
        divided_args(call, form, form.left_constant ? call.dtype("C_dtype") : Dtype::kInt8);
    take_bias(call, args);
    args.finish = {.output = args.output.type,
                   .left_shift = call.integer("lshift"),
                   .shift = -call.integer("rshift"),
                   .relu = call.flag("result_relu")};
    return args;
  });
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp32_mm) = fp32_product("fp32 matrix product in the matrix layout: left * right",
                                          {});

TL_TPU_OP(tpu_bdc_fp32_mm_L_trans) = fp32_product(
    "fp32 matrix product in the matrix layout: left stored transposed", {.left_transposed = true});

TL_TPU_OP(tpu_bdc_fp32_mm_L_const) =
    fp32_product("fp32 matrix product in the matrix layout: every element of left is C",
                 {.left_constant = true});

TL_TPU_OP(tpu_bdc_int_mm) =
    int_product("Integer matrix product, 32-bit result shifted: left * right", {}, false);

TL_TPU_OP(tpu_bdc_int_mm_L_trans) =
    int_product("Integer matrix product, 32-bit result shifted: left stored transposed",
                {.left_transposed = true}, false);

TL_TPU_OP(tpu_bdc_int_mm_L_const) =
    int_product("Integer matrix product, 32-bit result shifted: every element of left is C",
                {.left_constant = true}, false);

TL_TPU_OP(tpu_bdc_int_pcs_mm) =
    int_product("Integer matrix product, 32-bit result shifted per column: left * right", {}, true);

TL_TPU_OP(tpu_bdc_int_pcs_mm_L_trans) =
    int_product("Integer matrix product, 32-bit result shifted per column: left stored transposed",
                {.left_transposed = true}, true);

TL_TPU_OP(tpu_bdc_int_pcs_mm_L_const) = int_product(
    "Integer matrix product, 32-bit result shifted per column: every element of left is C",
    {.left_constant = true}, true);

TL_TPU_OP(tpu_bdc_int8_mm) = int8_product(
    "8-bit matrix product, saturate(((old << lshift) + sum + bias) >> rshift, half up): left "
    "* right",
    {});

TL_TPU_OP(tpu_bdc_int8_mm_L_trans) = int8_product(
    "8-bit matrix product, saturate(((old << lshift) + sum + bias) >> rshift, half up): left "
    "stored transposed",
    {.left_transposed = true});

TL_TPU_OP(tpu_bdc_int8_mm_L_const) = int8_product(
    "8-bit matrix product, saturate(((old << lshift) + sum + bias) >> rshift, half up): every "
    "element of left is C",
    {.left_constant = true});

}  // namespace tensorlane::tpukernel
