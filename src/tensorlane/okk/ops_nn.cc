// Neural network functions: activations per channel, convolution, pooling, matrix product.
#include <cmath>
#include <limits>

#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/matrices/fp32_matmul.h"
#include "tensorlane/compute/rows/command_views.h"
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/compute/windows/any_type_window.h"
#include "tensorlane/compute/windows/fp32_conv2d.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(nn);

namespace tensorlane::okk {
namespace {

const Definitions kWindowDefinitions = {
    {"pad_top", "padding.top"},
    {"pad_bottom", "padding.bottom"},
    {"pad_left", "padding.left"},
    {"pad_right", "padding.right"},
    {"output_h",
     "(input_shape.h + pad_top + pad_bottom - ((kernel_h - 1) * dilation.h + 1)) / stride.h + 1"},
    {"output_w",
     "(input_shape.w + pad_left + pad_right - ((kernel_w - 1) * dilation.w + 1)) / stride.w + 1"},
};
const Definitions kPoolDefinitions = {
    kWindowDefinitions[0],
    kWindowDefinitions[1],
    kWindowDefinitions[2],
    kWindowDefinitions[3],
    {"output_h", "(input_shape.h + pad_top + pad_bottom - kernel_h) / stride.h + 1"},
    {"output_w", "(input_shape.w + pad_left + pad_right - kernel_w) / stride.w + 1"},
};

// How the windows lie on the input. [doc]
std::vector<WindowSpec> windows(bool dilated) {
  return {{.source = "input_shape.h",
           .result = "output_h",
           .kernel = "kernel_h",
           .step = "stride.h",
           .dilation = dilated ? "dilation.h" : "1",
           .before = "pad_top"},
          {.source = "input_shape.w",
           .result = "output_w",
           .kernel = "kernel_w",
           .step = "stride.w",
           .dilation = dilated ? "dilation.w" : "1",
           .before = "pad_left"}};
}

const Texts kChannelLimit = {"1 <= input_shape.c <= 4095"};
const Texts kWindowLimits = join({
    {"not_null(input_shape)", "1 <= kernel_h", "1 <= kernel_w"},
    on_request({
        "1 <= input_shape.n <= 65535",
        "1 <= input_shape.h <= 2047",
        "1 <= input_shape.w <= 2047",
        "input_shape.h + pad_top + pad_bottom <= 2047",
        "input_shape.w + pad_left + pad_right <= 2047",
        "padding != NULL => 0 <= padding.top <= 15",
        "padding != NULL => 0 <= padding.bottom <= 15",
        "padding != NULL => 0 <= padding.left <= 15",
        "padding != NULL => 0 <= padding.right <= 15",
        "stride != NULL => 1 <= stride.h <= 15",
        "stride != NULL => 1 <= stride.w <= 15",
        "1 <= output_h <= 2047",
        "1 <= output_w <= 2047",
    }),
});
const Texts kDilationLimits = on_request(
    {"dilation != NULL => 1 <= dilation.h <= 15", "dilation != NULL => 1 <= dilation.w <= 15"});

const Texts kWindowOutput = {"input_shape.n", "input_shape.c", "output_h", "output_w"};

// The window of a call; `dilation` is absent for pooling.
Window2d window(const Command& command, bool dilated) {
  const auto value = [&](std::string_view param, std::string_view field = {}) {
    return static_cast<int>(command.value(param, field));
  };
  const Layout& output = command.operands()[0].layout;
  return {.kernel_h = value("kernel_h"),
          .kernel_w = value("kernel_w"),
          .stride_h = value("stride", "h"),
          .stride_w = value("stride", "w"),
          .dilation_h = dilated ? value("dilation", "h") : 1,
          .dilation_w = dilated ? value("dilation", "w") : 1,
          .pad_top = value("padding", "top"),
          .pad_left = value("padding", "left"),
          .output_h = static_cast<int>(output.extent(2)),
          .output_w = static_cast<int>(output.extent(3))};
}

int extent(const Command& command, std::string_view operand, int dim) {
  return static_cast<int>(command.find(operand)->layout.extent(dim));
}

Conv2dArgs conv2d_args(const Invocation& invocation) {
  const Command& command = invocation.command;
  return {.input = local_view(invocation, "input_addr"),
          .weight = local_view(invocation, "weight_addr"),
          .bias = local_view(invocation, "bias_addr"),
          .output = local_view(invocation, "output_addr"),
          .n = extent(command, "input_addr", 0),
          .input_c = extent(command, "input_addr", 1),
          .input_h = extent(command, "input_addr", 2),
          .input_w = extent(command, "input_addr", 3),
          .output_c = extent(command, "output_addr", 1),
          .window = window(command, true),
          .using_bias = command.arg("using_bias").value() != 0,
          .result_add = command.arg("result_add").value() != 0};
}

// Nothing starts a sum of one product, which keeps its sign at zero. [observed]
AnyTypeWindowArgs window_args(const Invocation& invocation, bool dilated) {
  const Command& command = invocation.command;
  AnyTypeWindowArgs args;
  args.input = local_view(invocation, "input_addr");
  args.output = local_view(invocation, "output_addr");
  args.n = extent(command, "input_addr", 0);
  args.c = extent(command, "input_addr", 1);
  args.input_h = extent(command, "input_addr", 2);
  args.input_w = extent(command, "input_addr", 3);
  args.window = window(command, dilated);
  args.starts_empty = args.window.kernel_h * args.window.kernel_w == 1;
  return args;
}
AnyTypeWindowArgs depthwise2d_args(const Invocation& invocation) {
  AnyTypeWindowArgs args = window_args(invocation, true);
  args.weight = local_view(invocation, "weight_addr");
  args.bias = local_view(invocation, "bias_addr");
  args.has_bias = invocation.command.arg("using_bias").value() != 0;
  args.bias_is_last = true;
  return args;
}
// A depthwise convolution with equal weights: elements are scaled before they are summed.
AnyTypeWindowArgs average_args(const Invocation& invocation) {
  AnyTypeWindowArgs args = window_args(invocation, false);
  args.weight_is_constant = true;
  args.weight_bits =
      fp32::bits(1.0F / static_cast<float>(args.window.kernel_h * args.window.kernel_w));
  return args;
}
AnyTypeWindowArgs maximum_args(const Invocation& invocation) {
  AnyTypeWindowArgs args = window_args(invocation, false);
  args.rule = WindowRule::kMaximum;
  args.nan_loses = true;
  args.padding_bits = fp32::bits(std::numeric_limits<float>::lowest());
  return args;
}

MatmulArgs matmul_args(const Invocation& invocation) {
  const Command& command = invocation.command;
  const auto value = [&](std::string_view name) {
    return static_cast<int>(command.arg(name).value());
  };
  return {.left = local_view(invocation, "left_addr"),
          .right = local_view(invocation, "right_addr"),
          .bias = local_view(invocation, "bias_addr"),
          .output = local_view(invocation, "output_addr"),
          .left_rows = value("left_rows"),
          .left_cols = value("left_cols"),
          .right_cols = value("right_cols"),
          .left_cols_per_channel = value("left_cols_per_channel"),
          .right_cols_per_channel = value("right_cols_per_channel"),
          .using_bias = value("using_bias") != 0,
          .result_add = value("result_add") != 0};
}

// Many input channels keep the multipliers busy (two per cycle); with few, the pipeline latency of
// about 8 + stride cycles per tap shows. The root is a smooth maximum of the two.
double conv2d_cycles(const Command& command, const TimingParameters& parameters) {
  const Window2d at = window(command, true);
  const double channel_pairs = std::ceil(extent(command, "input_addr", 1) / 2.0);
  const double busy = channel_pairs * std::max(1.0, static_cast<double>(at.stride_w) / at.kernel_w);
  const double latency = parameters.conv_tap + parameters.conv_tap_stride * at.stride_w;
  const double accumulate = command.arg("result_add").value() != 0 ? 1 : 0;
  return groups(command, command.operands()[0]) *
         (at.kernel_h * at.kernel_w * std::sqrt(busy * busy + latency * latency) +
          parameters.conv_group * (1 + accumulate));
}

// The part of conv2d_cycles that enough input channels would hide.
double conv2d_latency_share(const Command& command, const TimingParameters& parameters) {
  const Window2d at = window(command, true);
  const double busy = groups(command, command.operands()[0]) * at.kernel_h * at.kernel_w *
                      std::ceil(extent(command, "input_addr", 1) / 2.0) *
                      std::max(1.0, static_cast<double>(at.stride_w) / at.kernel_w);
  return 1 - busy / conv2d_cycles(command, parameters);
}

// A multiplication and an addition per kernel tap and input channel.
double conv2d_operations(const Command& command, const TimingParameters&) {
  const Window2d at = window(command, true);
  return 2 * static_cast<double>(command.operands()[0].layout.size()) *
         extent(command, "input_addr", 1) * at.kernel_h * at.kernel_w;
}
// Two input channels at a time.
double conv2d_peak(const Command& command, const TimingParameters&) {
  return 4.0 * command.chip->local.npus *
         static_cast<double>(command.chip->outputs_per_step(Dtype::kFp32));
}

double depthwise2d_cycles(const Command& command, const TimingParameters&) {
  const Window2d at = window(command, true);
  return groups(command, command.operands()[0]) *
         (at.kernel_h * at.kernel_w * (at.stride_w + 1) - at.kernel_h);
}
double depthwise2d_operations(const Command& command, const TimingParameters&) {
  const Window2d at = window(command, true);
  return 2 * static_cast<double>(command.operands()[0].layout.size()) * at.kernel_h * at.kernel_w;
}
// Of one input channel at a time, in matrix products too.
double single_peak(const Command& command, const TimingParameters&) {
  return 2.0 * command.chip->local.npus *
         static_cast<double>(command.chip->outputs_per_step(Dtype::kFp32));
}

double pool2d_cycles(const Command& command, const TimingParameters&) {
  const Window2d at = window(command, false);
  return groups(command, command.operands()[0]) * at.kernel_h * at.kernel_w;
}

double matmul_operations(const Command& command, const TimingParameters&) {
  return 2 * static_cast<double>(command.operands()[0].layout.size() *
                                 command.arg("left_cols").value());
}
double matmul_cycles(const Command& command, const TimingParameters&) {
  const auto value = [&](std::string_view name) { return command.arg(name).value(); };
  const std::int64_t per_channel = value("right_cols_per_channel");
  const std::int64_t start_npu =
      static_cast<std::int64_t>(command.operands()[0].address) / command.chip->local.npu_bytes;
  const std::int64_t rows =
      channels_per_npu(command.chip->local, start_npu, ceil_div(value("right_cols"), per_channel));
  const double accumulate = value("result_add") != 0 ? 1 : 0;
  return static_cast<double>(value("left_rows") * rows *
                             ceil_div(per_channel, command.chip->outputs_per_step(Dtype::kFp32))) *
         (static_cast<double>(value("left_cols")) + 6 + 2 * accumulate);
}

// What functions of windows share.
OpSpec of_windows(Doc doc, std::vector<OperandSpec> operands, const Texts& limits, bool dilated,
                  std::vector<Implementation> implementations, CycleCount cycles) {
  return {.engine = Engine::kBdc,
          .group = "bdc-nn",
          .doc = doc,
          .operands = std::move(operands),
          .limits = join({kWindowLimits, limits}),
          .definitions = dilated ? kWindowDefinitions : kPoolDefinitions,
          .dependence = Dependence::kByIndex,
          .windows = windows(dilated),
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = std::move(cycles)};
}
OpSpec convolution(OpSpec spec, CommandFigure operations, CommandFigure peak) {
  spec.work = Work::kConvolution;
  spec.operations = std::move(operations);
  spec.peak = std::move(peak);
  return spec;
}

OpSpec pool2d(Doc doc, Combination combination, const Texts& channel_limit,
              AnyTypeWindowArgs (*decode)(const Invocation&)) {
  return of_windows(doc,
                    {combined(combination, shaped(out("output_addr", Dtype::kFp32), kWindowOutput)),
                     shaped(in("input_addr", Dtype::kFp32), kInputShape)},
                    join({channel_limit,
                          on_request({"output_addr % 128 == 0", "input_addr % 128 == 0"}),
                          {"same_start_npu(output_addr, input_addr)"}}),
                    false,
                    simd_or_reference(decode, any_type_window_simd, any_type_window_reference),
                    {"1 cycle per group and kernel tap", pool2d_cycles});
}

// dst of src and fp32 vectors of one value per channel.
OpSpec per_channel(Doc formula, const Texts& vectors, std::vector<Implementation> implementations) {
  OpSpec spec =
      strided_fp32("bdc-nn", with_words(formula, " of the channel"), 2, std::move(implementations));
  spec.limits = kBdcShape;
  for (const std::string_view name : vectors)
    spec.operands.push_back(channel_vector(name, Dtype::kFp32));
  for (const OperandSpec& operand : spec.operands)
    add_limits(spec, {keep(std::string(operand.param) + " % 4 == 0")});
  add_limits(spec, {same_start(spec.operands)});
  return spec;
}

}  // namespace

TL_OKK_OP(okk_bdc_relu) =
    strided_fp32("bdc-nn", with_words(formula_doc<TypedRow::kRelu>("dst", "src"), "; NaN gives 0"),
                 1, fp32_formula<TypedRow::kRelu, float, float>("dst_addr", {"src_addr"}));

TL_OKK_OP(okk_bdc_bias) = per_channel(
    formula_doc<TypedRow::kAdd>("dst", "src", "bias"), {"bias_addr"},
    fp32_formula<TypedRow::kAdd, float, float, float>("dst_addr", {"src_addr", "bias_addr"}));

// The product is added to +0, so that -0 becomes +0. [observed]
TL_OKK_OP(okk_bdc_scale) = per_channel(
    formula_doc<TypedRow::kScale>("dst", "src", "scale"), {"scale_addr"},
    fp32_formula<TypedRow::kScale, float, float, float>("dst_addr", {"src_addr", "scale_addr"}));

TL_OKK_OP(okk_bdc_scale_bias) = per_channel(
    formula_doc<TypedRow::kScaleBias>("dst", "src", "scale", "bias"), {"scale_addr", "bias_addr"},
    fp32_formula<TypedRow::kScaleBias, float, float, float, float>("dst_addr",
                                                                   {"src_addr", "scale_addr",
                                                                    "bias_addr"}));

TL_OKK_OP(okk_bdc_conv2d) = [] {
  OperandSpec weights =
      shaped(in("weight_addr", Dtype::kFp32, "kernel_stride"),
             {"input_shape.c", "output_c", "kernel_h", "kernel_w"}, DefaultLayout::kRequired);
  weights.storage = Storage::k2IC;
  OpSpec spec = of_windows(
      "2-D convolution (no kernel flip) with weights in 2IC storage, optional bias and "
      "accumulation",
      {inout_if("result_add", combined(Combination::kSum, shaped(out("output_addr", Dtype::kFp32),
                                                                 {"input_shape.n", "output_c",
                                                                  "output_h", "output_w"}))),
       shaped(in("input_addr", Dtype::kFp32, "input_stride"), kInputShape), weights,
       added(only_if(channel_vector("bias_addr", Dtype::kFp32, "output_c"), "using_bias"))},
      join({on_request(kChannelLimit),
            kDilationLimits,
            on_request({"1 <= output_c <= 4095", "output_addr % 128 == 0"}),
            {"not_null(kernel_stride) [observed]", "input_addr % 4 == 0", "weight_addr % 4 == 0",
             "using_bias => bias_addr % 4 == 0", "same_start_npu(output_addr, weight_addr)",
             "using_bias => same_start_npu(output_addr, bias_addr)"}}),
      true, simd_or_reference(conv2d_args, conv2d_simd, conv2d_reference),
      {"per group and kernel tap 1 cycle per 2 input channels, about 8 at least", conv2d_cycles});
  spec.latency_share = conv2d_latency_share;
  return convolution(std::move(spec), conv2d_operations, conv2d_peak);
}();

TL_OKK_OP(okk_bdc_depthwise2d) = convolution(
    of_windows(
        "Depthwise 2-D convolution: one kernel per channel, optional bias",
        {combined(Combination::kSum, shaped(out("output_addr", Dtype::kFp32), kWindowOutput)),
         shaped(in("input_addr", Dtype::kFp32), kInputShape),
         shaped(in("weight_addr", Dtype::kFp32), {"1", "input_shape.c", "kernel_h", "kernel_w"},
                DefaultLayout::kCompact),
         added(only_if(channel_vector("bias_addr", Dtype::kFp32, "input_shape.c"), "using_bias"))},
        join({on_request(kChannelLimit),
              kDilationLimits,
              on_request({"output_addr % 128 == 0", "input_addr % 128 == 0"}),
              {"weight_addr % 4 == 0", "using_bias => bias_addr % 4 == 0",
               "same_start_npu(output_addr, input_addr, weight_addr)",
               "using_bias => same_start_npu(output_addr, bias_addr)"}}),
        true, simd_or_reference(depthwise2d_args, any_type_window_simd, any_type_window_reference),
        {"1 + stride_w cycles per group and kernel tap", depthwise2d_cycles}),
    depthwise2d_operations, single_peak);

TL_OKK_OP(okk_bdc_avg_pool2d) =
    pool2d("Average pooling; padding counts as zeros and in the divisor", Combination::kMean,
           // The vendor's own programs pool 8,192 channels on the model.
           computed(kChannelLimit), average_args);

TL_OKK_OP(okk_bdc_max_pool2d) = pool2d("Max pooling; padding is -FLT_MAX, NaN never wins",
                                       Combination::kMaximum, on_request(kChannelLimit),
                                       maximum_args);

TL_OKK_OP(okk_bdc_matmul) = {
    .engine = Engine::kBdc,
    .group = "bdc-nn",
    .doc = "Matrix product in the matrix layout, optional bias row and accumulation",
    .operands = {combined(Combination::kSum,
                          inout_if("result_add",
                                   matrix(Role::kOut, "output_addr", Dtype::kFp32, "left_rows",
                                          "right_cols", "right_cols_per_channel"))),
                 matrix(Role::kIn, "left_addr", Dtype::kFp32, "left_rows", "left_cols",
                        "left_cols_per_channel"),
                 matrix(Role::kIn, "right_addr", Dtype::kFp32, "left_cols", "right_cols",
                        "right_cols_per_channel"),
                 added(only_if(matrix(Role::kIn, "bias_addr", Dtype::kFp32, "1", "right_cols",
                                      "right_cols_per_channel"),
                               "using_bias"))},
    .limits = join({{"1 <= left_cols", "1 <= right_cols", "1 <= left_cols_per_channel",
                     "1 <= right_cols_per_channel", "same_start_npu(output_addr, right_addr)",
                     "using_bias => same_start_npu(output_addr, bias_addr)"},
                    on_request({"1 <= left_rows <= 65535",
                                "ceil_div(left_cols, left_cols_per_channel) <= 4095",
                                "ceil_div(right_cols, right_cols_per_channel) <= 4095",
                                "output_addr % 128 == 0", "left_addr % 128 == 0",
                                "right_addr % 128 == 0", "using_bias => bias_addr % 128 == 0"}),
                    computed({"min(left_cols_per_channel, left_cols) <= 128",
                              "min(right_cols_per_channel, right_cols) <= 128"})}),
    // As in the matrix copies, wider channels than the matrix are outside the document only.
    .preferred = {"ceil_div(right_cols, right_cols_per_channel) <= okk_npu_num()",
                  "left_cols_per_channel <= left_cols", "right_cols_per_channel <= right_cols"},
    .dependence = Dependence::kByIndex,
    .numerics = Numerics::kExactToModel,
    .implementations = simd_or_reference(matmul_args, matmul_simd, matmul_reference),
    .cycles = {"left_cols + 6 cycles per left row and group of right columns", matmul_cycles},
    .work = Work::kMatrix,
    .operations = matmul_operations,
    .peak = single_peak,
};

}  // namespace tensorlane::okk
