// Depthwise convolution and pooling: floats and 8-bit integers.
#include <tuple>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/rows/typed_rounding.h"
#include "tensorlane/compute/windows/any_type_window.h"
#include "tensorlane/compute/windows/channel_mean.h"
#include "tensorlane/tpukernel/nn_families.h"

TL_TPU_OPS_FILE(windows);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kWindowGroup = "bdc-nn";

AnyTypeWindowArgs window_shape(const CallArgs& call, WindowKind kind) {
  AnyTypeWindowArgs args;
  args.input = call.view("input_addr");
  args.output = call.view("output_addr");
  args.input_type = call.type_of("input_addr");
  args.output_type = call.type_of("output_addr");
  args.weight_type = args.input_type;
  args.n = call.extent("input_addr", 0);
  args.c = call.extent("input_addr", 1);
  args.input_h = call.extent("input_addr", 2);
  args.input_w = call.extent("input_addr", 3);
  args.window = window_of(call, kind);
  std::tie(args.insert_h, args.insert_w) = inserted(call, kind);
  args.rotate = kind == WindowKind::kInsert;
  return args;
}

AnyTypeWindowArgs float_average_args(const Invocation& invocation, WindowKind kind) {
  const CallArgs call(invocation);
  AnyTypeWindowArgs args = window_shape(call, kind);
  args.starts_empty = true;
  args.weight_is_constant = true;
  args.weight_bits = call.bits("scale");
  return args;
}

AnyTypeWindowArgs maximum_args(const Invocation& invocation) {
  const CallArgs call(invocation);
  AnyTypeWindowArgs args = window_shape(call, WindowKind::kStride);
  args.rule = WindowRule::kMaximum;
  args.nan_loses = call.numerics().nan_loses_in_pooling.value;
  if (args.is_float()) {
    args.padding_bits = call.bits("pad_val");
  } else {
    args.padding = call.number("pad_val", args.input_type);
  }
  return args;
}

AnyTypeWindowArgs integer_average_args(const Invocation& invocation, WindowKind kind) {
  const CallArgs call(invocation);
  AnyTypeWindowArgs args = window_shape(call, kind);
  args.weight_type = Dtype::kInt8;
  args.weight_is_constant = true;
  args.weight_bits = 1;
  args.finish = {.output = args.output_type,
                 .multiplier = call.integer("scale"),
                 .shift = -call.integer("rshift")};
  return args;
}

AnyTypeWindowArgs float_depthwise_args(const Invocation& invocation, WindowKind kind) {
  const CallArgs call(invocation);
  AnyTypeWindowArgs args = window_shape(call, kind);
  args.weight = call.view("weight_addr");
  args.has_bias = call.flag("has_bias");
  args.bias = call.view("bias_addr");
  args.bias_type = args.input_type;
  return args;
}

// The kernel is one number where kernel_is_const: the bits of weight_addr, in the type of the
// input. [public kernels of average and maximum pooling backwards]
AnyTypeWindowArgs float_transposed_args(const Invocation& invocation) {
  AnyTypeWindowArgs args = float_depthwise_args(invocation, WindowKind::kInsert);
  const CallArgs call(invocation);
  args.weight_is_constant = call.flag("kernel_is_const");
  if (args.weight_is_constant) args.weight_bits = call.bits("weight_addr");
  return args;
}

// How the 8-bit depthwise functions get their kernel and their padding.
struct Depthwise {
  WindowKind window = WindowKind::kStride;
  bool constant = false;
  bool padding_per_channel = false;
};

AnyTypeWindowArgs integer_depthwise_args(const Invocation& invocation, const Depthwise& form) {
  const CallArgs call(invocation);
  AnyTypeWindowArgs args = window_shape(call, form.window);
  args.weight_type = call.dtype("weight_dtype");
  args.weight_is_constant = form.constant;
  if (form.constant) {
    args.weight_bits = call.bits("C");
  } else {
    args.weight = call.view("weight_addr");
  }
  if (form.padding_per_channel) {
    args.padding = {.per_channel = true, .view = call.view("pad_addr"), .type = args.input_type};
    args.insert_value = args.padding;
    args.insert_value.at = 1;
  } else {
    args.padding = call.number("pad_val", args.input_type);
    if (call.numerics().inserts_padding.value) args.insert_value = args.padding;
  }
  args.has_bias = call.flag("has_bias");
  args.bias = call.view("bias_addr");
  args.bias_type = call.dtype("bias_dtype");
  const bool is_unsigned = !dtype_info(args.input_type).is_signed &&
                           !dtype_info(args.weight_type).is_signed &&
                           !(args.has_bias && dtype_info(args.bias_type).is_signed);
  args.finish = {.output = args.output_type,
                 .shift = -call.integer("rshift"),
                 .rounding = call.rounding(),
                 .relu = call.flag("result_relu"),
                 .wraps = is_unsigned ? SumWraps::kUint32 : SumWraps::kInt32};
  return args;
}

OpSpec window_spec(Doc doc, Combination combination, WindowKind kind, TypeOf output_type,
                   TypeOf input_type) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = kWindowGroup,
              .doc = doc,
              .operands = {shaped(out("output_addr", output_type),
                                  {"input_shape.n", "input_shape.c", "output_h", "output_w"}),
                           shaped(in("input_addr", input_type), kInputShape)},
              .limits = join({window_limits(kind, true),
                              {"output_addr % tpu_eu_num(DT_INT8) == 0",
                               "input_addr % tpu_eu_num(DT_INT8) == 0",
                               "same_start_npu(output_addr, input_addr)"}}),
              .definitions = window_definitions(kind),
              .dependence = Dependence::kByIndex,
              .windows = windows_of(kind),
              .numerics = Numerics::kExactToModel,
              .cycles = per_step_and_position()};
  spec.operands[0].combination = combination;
  return spec;
}

std::vector<Implementation> windows(std::function<AnyTypeWindowArgs(const Invocation&)> decode) {
  return simd_or_reference(std::move(decode), any_type_window_simd, any_type_window_reference);
}

OpSpec float_average(Doc doc, WindowKind kind, TypeOf output_type = "dtype",
                     TypeOf input_type = "dtype") {
  OpSpec spec = window_spec(doc, Combination::kMean, kind, output_type, input_type);
  add_roles(spec, {{ParamRole::kFactor, "scale"}});
  add_limits(spec, float_type(input_type.param));
  spec.implementations =
      windows([=](const Invocation& invocation) { return float_average_args(invocation, kind); });
  return spec;
}

OpSpec maximum(Doc doc, bool is_float) {
  OpSpec spec = window_spec(doc, Combination::kMaximum, WindowKind::kStride, "dtype", "dtype");
  add_roles(spec, {{ParamRole::kPadding, "pad_val"}});
  add_limits(spec, is_float ? float_type("dtype") : Texts{"dtype in {DT_INT8, DT_UINT8}"});
  spec.implementations = windows(maximum_args);
  return spec;
}

OpSpec integer_average(Doc doc, WindowKind kind) {
  OpSpec spec = window_spec(doc, Combination::kMean, kind, "output_dtype", "input_dtype");
  add_roles(spec, {{ParamRole::kFactor, "scale"}, {ParamRole::kShiftRight, "rshift"}});
  add_limits(spec, {"input_dtype in {DT_INT8, DT_UINT8}",
                    "output_dtype in {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_UINT32}",
                    "output_dtype.is_signed == input_dtype.is_signed [observed]", "rshift <= 31"});
  spec.implementations =
      windows([=](const Invocation& invocation) { return integer_average_args(invocation, kind); });
  return spec;
}

OperandSpec kernel_per_channel(TypeOf type) {
  return shaped(in("weight_addr", type), {"1", "input_shape.c", "kernel.h", "kernel.w"},
                DefaultLayout::kCompact);
}

OpSpec window_with_bias(OpSpec spec, TypeOf type) {
  spec.operands.push_back(
      added(only_if(channel_vector("bias_addr", type, "input_shape.c"), "has_bias")));
  add_limits(spec, {"has_bias => same_start_npu(output_addr, bias_addr)"});
  return spec;
}

OpSpec float_depthwise(Doc doc, WindowKind kind) {
  OpSpec spec = window_spec(doc, sum_of(kind), kind, "dtype", "dtype");
  spec.operands.push_back(kernel_per_channel("dtype"));
  spec = window_with_bias(std::move(spec), "dtype");
  add_limits(spec, join({float_type("dtype"), {"same_start_npu(output_addr, weight_addr)"}}));
  spec.implementations =
      windows([=](const Invocation& invocation) { return float_depthwise_args(invocation, kind); });
  return spec;
}

OpSpec float_transposed_depthwise(Doc doc) {
  OpSpec spec = window_spec(doc, sum_of(WindowKind::kInsert), WindowKind::kInsert, "output_dtype",
                            "input_dtype");
  spec.operands.push_back(only_if(kernel_per_channel("input_dtype"), "1 - kernel_is_const"));
  spec = window_with_bias(std::move(spec), "input_dtype");
  add_limits(spec, float_type("input_dtype"));
  spec.limits.emplace_back("output_dtype == input_dtype [observed]");
  spec.limits.emplace_back("kernel_is_const == 0 => same_start_npu(output_addr, weight_addr)");
  spec.implementations = windows(float_transposed_args);
  return spec;
}

constexpr std::string_view kIntegerOutput =
    "output_dtype in {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_UINT32}";

OpSpec integer_depthwise(Doc doc, const Depthwise& form) {
  OpSpec spec =
      window_spec(doc, form.padding_per_channel ? Combination::kFunction : sum_of(form.window),
                  form.window, "output_dtype", "input_dtype");
  if (form.constant) {
    spec.constants = {{"C", ConstantUse::kNumber, "weight_dtype"}};
    add_roles(spec, {{ParamRole::kOtherFactor, "C"}});
  } else {
    spec.operands.push_back(kernel_per_channel("weight_dtype"));
    add_limits(spec, {"same_start_npu(output_addr, weight_addr)"});
  }
  add_roles(spec, {{ParamRole::kShiftRight, "rshift"}, {ParamRole::kRectified, "result_relu"}});
  if (!form.padding_per_channel) {
    add_roles(spec, {{ParamRole::kPadding, "pad_val"}});
  } else {
    // Two bytes per channel: what padding and what inserted elements count as. [observed]
    spec.operands.push_back(shaped(in("pad_addr", "input_dtype"), {"1", "input_shape.c", "1", "2"},
                                   DefaultLayout::kCompact));
    add_limits(spec, {"same_start_npu(input_addr, pad_addr)"});
  }
  spec = window_with_bias(std::move(spec), "bias_dtype");
  add_limits(
      spec, {"input_dtype in {DT_INT8, DT_UINT8}", "weight_dtype in {DT_INT8, DT_UINT8}",
             kIntegerOutput, "has_bias => bias_dtype in {DT_INT32, DT_UINT32, DT_INT16, DT_UINT16}",
             "output_dtype.is_signed == 0 => input_dtype.is_signed == 0 [observed]",
             "output_dtype.is_signed == 0 => weight_dtype.is_signed == 0 [observed]",
             "rshift <= 31", kShiftMode});
  spec.implementations = windows(
      [=](const Invocation& invocation) { return integer_depthwise_args(invocation, form); });
  return spec;
}

// The mean of each channel by two averages: of every column of rows as long as a step, then of
// these columns. [the body that the current header's library falls back to]
bool channel_mean(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), input(invocation, "input_addr");
  const Command& command = invocation.command;
  const Dtype dtype = command.operands()[0].layout.dtype();
  const TypedRounding type(dtype);
  const std::int64_t count = input.extent(2) * input.extent(3);
  const std::int64_t columns = command.chip->outputs_per_step(dtype);
  const float scale = type(static_cast<float>(1.0 / static_cast<double>(count)));
  const ChipFloatScope flush;
  // Columns side by side: rows are summed whole, even and odd ones apart, rounded at every step.
  const auto width = static_cast<std::size_t>(columns);
  std::vector<float> elements(static_cast<std::size_t>(ceil_div(count, columns)) * width);
  std::vector<float> sums[] = {std::vector<float>(width), std::vector<float>(width)};
  for (std::int64_t n = 0; n < input.extent(0); ++n) {
    for (std::int64_t c = 0; c < input.extent(1); ++c) {
      for (std::int64_t h = 0; h < input.extent(2); ++h) {
        const auto row = static_cast<std::size_t>(input.extent(3));
        type.read(input.at(n, c, h, 0),
                  std::span(elements).subspan(static_cast<std::size_t>(h) * row, row));
      }
      for (std::vector<float>& sum : sums) std::ranges::fill(sum, -0.0F);
      for (std::size_t at = 0, k = 0; at < elements.size(); at += width, ++k) {
        std::vector<float>& sum = sums[k % 2];
        const std::span<float> row = std::span(elements).subspan(at, width);
        for (float& each : row) each = fp32::mul(each, 1);
        type.round(row);
        for (std::size_t w = 0; w < width; ++w) sum[w] = fp32::add(sum[w], row[w]);
        type.round(sum);
      }
      for (std::size_t w = 0; w < width; ++w) sums[0][w] = fp32::add(sums[0][w], sums[1][w]);
      type.round(sums[0]);
      type.write(output.at(n, c, 0, 0), type.average(sums[0], scale));
    }
  }
  return true;
}

bool channel_mean_in_vectors(const Invocation& invocation) {
  const CallArgs call(invocation);
  const Dtype type = call.type_of("input_addr");
  ChannelMeanArgs args{
      .input = call.view("input_addr"),
      .output = call.view("output_addr"),
      .type = type,
      .n = call.extent("input_addr", 0),
      .c = call.extent("input_addr", 1),
      .h = call.extent("input_addr", 2),
      .w = call.extent("input_addr", 3),
      .columns = static_cast<int>(invocation.command.chip->outputs_per_step(type))};
  args.scale = TypedRounding(type)(static_cast<float>(1.0 / static_cast<double>(args.h * args.w)));
  return channel_mean_simd(args);
}

OpSpec channel_mean_spec() {
  OpSpec spec{
      .engine = Engine::kBdc,
      .group = kWindowGroup,
      .doc = "Mean of each channel",
      .operands = {combined(Combination::kMean,
                            shaped(out("output_addr", "dtype"), {"shape.n", "shape.c", "1", "1"})),
                   in("input_addr", "dtype"),
                   shaped(work("buffer_addr", "dtype"),
                          {"shape.n", "shape.c", "1", "64 / dtype.bytes"})},
      .limits =
          join({kShapeLimits,
                float_type("dtype"),
                {"output_addr % tpu_eu_num(DT_INT8) == 0", "input_addr % tpu_eu_num(DT_INT8) == 0",
                 "buffer_addr % tpu_eu_num(DT_INT8) == 0",
                 "same_start_npu(output_addr, input_addr, buffer_addr)"}}),
      .dependence = Dependence::kByIndex,
      .numerics = Numerics::kExactToDocument,
      .implementations = {{"simd", channel_mean_in_vectors}, {"reference", channel_mean}},
      .cycles = {"1 cycle per step of the input and element of a step",
                 [](const Command& command, const TimingParameters&) {
                   return steps(command, command.operands()[1]) +
                          static_cast<double>(command.elements_per_step()) *
                              steps(command, command.operands()[0]);
                 }}};
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp_max_pool2d) = maximum("Maximum of each window; padding counts as pad_val",
                                           true);

TL_TPU_OP(tpu_bdc_fp_avg_pool2d) = float_average(
    "Sum of scale * element over each window; rounded to dtype at every step", WindowKind::kStride);

TL_TPU_OP(tpu_bdc_fp_ins_avg_pool2d) = float_average(
    "Average pooling of an input with zeros between its elements", WindowKind::kStrideIns);

// The chip averages within one type. [the forms above]
TL_TPU_OP(tpu_bdc_fp_avg_pool2d_ex) = [] {
  OpSpec spec = float_average("tpu_bdc_fp_ins_avg_pool2d; both types are one",
                              WindowKind::kStrideIns, "out_dtype", "in_dtype");
  add_limits(spec, {"out_dtype == in_dtype"});
  spec.numerics = Numerics::kExactToDocument;
  return spec;
}();

TL_TPU_OP(tpu_bdc_fp_hw_reduce_mean) = channel_mean_spec();

TL_TPU_OP(tpu_bdc_fp_depthwise2d) = float_depthwise(
    "Depthwise convolution: one kernel per channel, optional bias", WindowKind::kStride);

TL_TPU_OP(tpu_bdc_fp_ins_depthwise) = float_depthwise(
    "Depthwise convolution of an input with zeros between its elements", WindowKind::kStrideIns);

TL_TPU_OP(tpu_bdc_fp_depthwise_for_deconv2d) = float_transposed_depthwise(
    "Transposed depthwise convolution; with kernel_is_const every "
    "weight is the number in weight_addr");

TL_TPU_OP(tpu_bdc_int8_max_pool2d) = maximum("Maximum of each window of 8-bit elements", false);

TL_TPU_OP(tpu_bdc_int8_avg_pool2d) =
    integer_average("saturate((window sum * scale) >> rshift, half up)", WindowKind::kStride);

TL_TPU_OP(tpu_bdc_int8_ins_avg_pool2d) = integer_average(
    "int8_avg_pool2d of an input with zeros between its elements", WindowKind::kStrideIns);

TL_TPU_OP(tpu_bdc_int8_depthwise2d) =
    integer_depthwise("8-bit depthwise convolution, shifted with rounding and saturated", {});

TL_TPU_OP(tpu_bdc_int8_depthwise2d_kernel_const) =
    integer_depthwise("8-bit depthwise convolution whose weights are all C", {.constant = true});

TL_TPU_OP(tpu_bdc_int8_pc_pad_depthwise2d) = integer_depthwise(
    "8-bit depthwise convolution with a padding value per channel", {.padding_per_channel = true});

TL_TPU_OP(tpu_bdc_int8_pc_pad_depthwise_for_deconv2d) =
    integer_depthwise("Transposed 8-bit depthwise convolution with a padding value per channel",
                      {.window = WindowKind::kInsert, .padding_per_channel = true});

TL_TPU_OP(tpu_bdc_int8_depthwise_for_deconv2d) =
    integer_depthwise("Transposed 8-bit depthwise convolution", {.window = WindowKind::kInsert});

}  // namespace tensorlane::tpukernel
