// Convolution: floats, 8-bit symmetric (shift and saturate) and asymmetric (zero points).
#include <tuple>

#include "tensorlane/compute/windows/any_type_conv2d.h"
#include "tensorlane/tpukernel/nn_families.h"

TL_TPU_OPS_FILE(convolution);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kConvolutionGroup = "bdc-nn";

AnyTypeConv2dArgs convolution_shape(const CallArgs& call, WindowKind kind) {
  AnyTypeConv2dArgs args;
  args.input = call.view("input_addr");
  args.weight = call.view("weight_addr");
  args.output = call.view("output_addr");
  args.input_type = call.type_of("input_addr");
  args.output_type = call.type_of("output_addr");
  args.n = call.extent("input_addr", 0);
  args.input_c = call.extent("input_addr", 1);
  args.input_h = call.extent("input_addr", 2);
  args.input_w = call.extent("input_addr", 3);
  args.output_c = call.extent("output_addr", 1);
  args.window = window_of(call, kind);
  std::tie(args.insert_h, args.insert_w) = inserted(call, kind);
  args.rotate = kind == WindowKind::kInsert;
  args.block_channels = call.numerics().exact_products.value;
  return args;
}

AnyTypeConv2dArgs float_args(const Invocation& invocation, WindowKind kind, bool constant) {
  const CallArgs call(invocation);
  AnyTypeConv2dArgs args = convolution_shape(call, kind);
  args.weight_type = args.input_type;
  args.has_bias = call.flag("has_bias");
  args.bias = call.view("bias_addr");
  args.result_add = call.flag("result_add");
  args.weight_is_constant = constant;
  if (constant) args.weight_bits = call.bits("C");
  return args;
}

AnyTypeConv2dArgs symmetric_args(const Invocation& invocation, WindowKind kind) {
  const CallArgs call(invocation);
  AnyTypeConv2dArgs args = convolution_shape(call, kind);
  args.weight_type = call.dtype("weight_dtype");
  args.has_bias = call.flag("has_bias");
  args.bias = call.view("bias_addr");
  args.bias_type = call.dtype("bias_dtype");
  args.finish = {.output = args.output_type,
                 .shift = -call.integer("rshift"),
                 .relu = call.flag("result_relu")};
  return args;
}

// A per-channel operand as it lies in memory.
ChannelValue vector_value(const CallArgs& call, std::string_view operand, int at = 0) {
  return {.per_channel = true, .view = call.view(operand), .type = call.type_of(operand), .at = at};
}

AnyTypeConv2dArgs asymmetric_args(const Invocation& invocation, WindowKind kind, bool constant) {
  const CallArgs call(invocation);
  AnyTypeConv2dArgs args = convolution_shape(call, kind);
  args.weight_type = call.dtype("weight_dtype");
  args.weight_is_constant = constant;
  if (constant) args.weight_bits = call.bits("C");
  args.result_add = call.flag("result_add");
  const NumericsRules& rules = call.numerics();
  const bool is_unsigned = constant && rules.unsigned_zero_point.value;
  args.zero_point = call.number("kzp_val", is_unsigned ? Dtype::kUint8 : call.dtype("kzp_dtype"));
  args.padding = call.number("pad_val", args.input_type);
  if (kind == WindowKind::kInsert) args.insert_value = call.number("insert_val", args.input_type);
  args.finish = {.output = args.output_type,
                 .saturate = dtype_bytes(args.output_type) < 4 || rules.saturates_sums.value};
  return args;
}

AnyTypeConv2dArgs per_channel_args(const Invocation& invocation, WindowKind kind) {
  const CallArgs call(invocation);
  AnyTypeConv2dArgs args = convolution_shape(call, kind);
  args.weight_type = call.dtype("weight_dtype");
  args.result_add = call.flag("result_add");
  args.zero_point = vector_value(call, "kzp_addr");
  const std::string_view pad = kind == WindowKind::kInsert ? "pad_insert_addr" : "pad_addr";
  args.padding = vector_value(call, pad);
  if (kind == WindowKind::kInsert) args.insert_value = vector_value(call, pad, 1);
  args.finish = {.output = args.output_type, .saturate = false};
  return args;
}

ProductSize product_size(const Command& command) {
  const Layout& input = command.find("input_addr")->layout;
  return {dtype_bytes(input.dtype()), input.extent(1),
          command.value("kernel", "h") * command.value("kernel", "w")};
}

OperandSpec weights(TypeOf type) {
  OperandSpec operand =
      shaped(in("weight_addr", type), {"output_c", "input_shape.c", "kernel.h", "kernel.w"});
  operand.storage = Storage::kWeights;
  return operand;
}

// What all of them share. Weights are absent where the kernel is constant.
OpSpec convolution_spec(Doc doc, Combination combination, WindowKind kind, TypeOf weight_type,
                        bool constant) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = kConvolutionGroup,
              .doc = doc,
              .operands = {shaped(out("output_addr", "output_dtype"),
                                  {"input_shape.n", "output_c", "output_h", "output_w"}),
                           shaped(in("input_addr", "input_dtype", "input_stride"), kInputShape)},
              .limits = join({window_limits(kind, false),
                              {"1 <= output_c <= 65535", "output_addr % tpu_eu_num(DT_INT8) == 0"},
                              aligned_or_strided("input_addr", "input_stride", "input_dtype.bytes"),
                              {"input_dtype.bytes < 4 => start_npu(input_addr) == 0"}}),
              .definitions = window_definitions(kind),
              .dependence = Dependence::kByIndex,
              .windows = windows_of(kind),
              .numerics = Numerics::kExactToModel};
  spec.operands[0].combination = combination;
  add_product_cost(spec, Work::kConvolution, product_size);
  if (!constant) {
    spec.operands.push_back(weights(weight_type));
    add_limits(spec, {"input_dtype.bytes < 4 => weight_addr % tpu_eu_num(DT_INT8) == 0",
                      "weight_addr % 4 == 0", "same_start_npu(output_addr, weight_addr)"});
  }
  return spec;
}

OpSpec convolution_with_bias(OpSpec spec, TypeOf type) {
  spec.operands.push_back(
      added(only_if(channel_vector("bias_addr", type, "output_c"), "has_bias")));
  add_limits(spec, {"has_bias => bias_addr % 4 == 0",
                    "has_bias => same_start_npu(output_addr, bias_addr)"});
  return spec;
}

OpSpec float_convolution(Doc doc, WindowKind kind, bool constant) {
  OpSpec spec = convolution_with_bias(
      convolution_spec(doc, sum_of(kind), kind, "input_dtype", constant), Dtype::kFp32);
  spec.operands[0].inout_if = "result_add";
  if (constant) add_roles(spec, {{ParamRole::kOtherFactor, "C"}});
  add_limits(spec, join({float_type("input_dtype"),
                         {"output_dtype != DT_FP32 => output_dtype == input_dtype",
                          "result_add => output_dtype == DT_FP32"}}));
  spec.implementations = simd_or_reference(
      [=](const Invocation& invocation) { return float_args(invocation, kind, constant); },
      any_type_conv2d_simd, any_type_conv2d_reference);
  return spec;
}

const Texts kByteTypes = {"input_dtype in {DT_INT8, DT_UINT8}",
                          "weight_dtype in {DT_INT8, DT_UINT8}"};
const Texts kSymmetricLimits = {
    "output_dtype in {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16}",
    "has_bias => bias_dtype in {DT_INT16, DT_UINT16}",
    "output_dtype.is_signed >= max(input_dtype.is_signed, weight_dtype.is_signed) [observed]",
    "result_relu => output_dtype.is_signed == 0 [observed]", "rshift <= 31"};

OpSpec symmetric_convolution(Doc doc, WindowKind kind) {
  OpSpec spec = convolution_with_bias(
      convolution_spec(doc, sum_of(kind), kind, "weight_dtype", false), "bias_dtype");
  add_roles(spec, {{ParamRole::kShiftRight, "rshift"}, {ParamRole::kRectified, "result_relu"}});
  add_limits(spec, join({kByteTypes, kSymmetricLimits}));
  spec.implementations = simd_or_reference(
      [=](const Invocation& invocation) { return symmetric_args(invocation, kind); },
      any_type_conv2d_simd, any_type_conv2d_reference);
  return spec;
}

const Texts kAsymmetricLimits = {"output_dtype in {DT_INT32, DT_UINT32}",
                                 "kzp_dtype in {DT_INT8, DT_UINT8}"};
// A constant kernel also gives 16 bits. [observed]
const Texts kConstantLimits = {"output_dtype in {DT_INT32, DT_UINT32, DT_INT16, DT_UINT16}",
                               "kzp_dtype in {DT_INT8, DT_UINT8}"};

OpSpec asymmetric_convolution(Doc doc, WindowKind kind, bool constant) {
  OpSpec spec = convolution_spec(doc, Combination::kFunction, kind, "weight_dtype", constant);
  spec.operands[0].inout_if = "result_add";
  add_limits(spec, join({kByteTypes, constant ? kConstantLimits : kAsymmetricLimits}));
  spec.constants = {{"kzp_val", ConstantUse::kNumber, "kzp_dtype"}};
  if (constant) spec.constants.push_back({"C", ConstantUse::kNumber, "weight_dtype"});
  add_roles(spec, {{ParamRole::kPadding, "pad_val"}});
  if (kind == WindowKind::kInsert) add_roles(spec, {{ParamRole::kInserted, "insert_val"}});
  spec.implementations = simd_or_reference(
      [=](const Invocation& invocation) { return asymmetric_args(invocation, kind, constant); },
      any_type_conv2d_simd, any_type_conv2d_reference);
  return spec;
}

OpSpec per_channel_convolution(Doc doc, WindowKind kind) {
  OpSpec spec = convolution_spec(doc, Combination::kFunction, kind, "weight_dtype", false);
  spec.operands[0].inout_if = "result_add";
  const std::string_view pad = kind == WindowKind::kInsert ? "pad_insert_addr" : "pad_addr";
  spec.operands.push_back(channel_vector("kzp_addr", "kzp_dtype", "output_c"));
  spec.operands.push_back(
      shaped(in(pad, "input_dtype"), {"1", "input_shape.c", "1", "2"}, DefaultLayout::kCompact));
  add_limits(spec,
             join({kByteTypes, kAsymmetricLimits, {"same_start_npu(output_addr, kzp_addr)"}}));
  spec.limits.emplace_back(kind == WindowKind::kInsert
                               ? "same_start_npu(input_addr, pad_insert_addr)"
                               : "same_start_npu(input_addr, pad_addr)");
  spec.implementations = simd_or_reference(
      [=](const Invocation& invocation) { return per_channel_args(invocation, kind); },
      any_type_conv2d_simd, any_type_conv2d_reference);
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp_conv2d) = float_convolution(
    "2-D convolution (no kernel flip), optional bias and accumulation; 16-bit weights in 32IC",
    WindowKind::kStride, false);

TL_TPU_OP(tpu_bdc_fp_conv2d_long_instr) = as_documented(
    float_convolution("tpu_bdc_fp_conv2d as a command of full length", WindowKind::kStride, false));

TL_TPU_OP(tpu_bdc_fp_conv2d_for_deconv2d) = float_convolution(
    "Transposed convolution: zeros inserted between the inputs, kernel rotated by 180 degrees",
    WindowKind::kInsert, false);

TL_TPU_OP(tpu_bdc_fp_conv2d_kernel_const) =
    float_convolution("2-D convolution whose weights are all C", WindowKind::kStride, true);

TL_TPU_OP(tpu_bdc_int8_sym_quant_conv2d) = symmetric_convolution(
    "8-bit convolution: saturate((sum + bias) >> rshift, half up); weights in 64IC",
    WindowKind::kStride);

TL_TPU_OP(tpu_bdc_int8_sym_quant_conv2d_for_deconv2d) = symmetric_convolution(
    "8-bit transposed convolution, shifted and saturated", WindowKind::kInsert);

TL_TPU_OP(tpu_bdc_int8_asym_quant_conv2d) = asymmetric_convolution(
    "32-bit sums of input * (weight - kzp); padding is pad_val", WindowKind::kStride, false);

TL_TPU_OP(tpu_bdc_int8_asym_quant_conv2d_kernel_const) =
    asymmetric_convolution("32-bit sums of input * (C - kzp)", WindowKind::kStride, true);

TL_TPU_OP(tpu_bdc_int8_asym_quant_conv2d_for_deconv2d) = asymmetric_convolution(
    "Transposed convolution with zero point; insert_val lies between the inputs",
    WindowKind::kInsert, false);

TL_TPU_OP(tpu_bdc_int8_asym_pc_quant_conv2d) = per_channel_convolution(
    "32-bit sums with a zero point per output and padding per input channel", WindowKind::kStride);

TL_TPU_OP(tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d) = per_channel_convolution(
    "Transposed convolution; zero points and (padding, inserted) values per channel",
    WindowKind::kInsert);

}  // namespace tensorlane::tpukernel
