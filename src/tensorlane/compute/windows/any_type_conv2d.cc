#include "tensorlane/compute/windows/any_type_conv2d.h"

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/element_io.h"

namespace tensorlane {
namespace {

enum class Place { kInput, kInserted, kPadding };

struct InputElement {
  Place place;
  const std::byte* address = nullptr;
};

InputElement input_at(const AnyTypeConv2dArgs& args, int n, int c, int row, int column) {
  if (row < 0 || row >= args.inserted_h() || column < 0 || column >= args.inserted_w()) {
    return {Place::kPadding};
  }
  const int step_h = args.insert_h + 1;
  const int step_w = args.insert_w + 1;
  if (row % step_h != 0 || column % step_w != 0) return {Place::kInserted};
  return {Place::kInput, args.input.address(n, c, row / step_h, column / step_w)};
}

std::uint32_t weight_bits_at(const AnyTypeConv2dArgs& args, int oc, const ProductStep& step) {
  if (args.weight_is_constant) return args.weight_bits;
  const std::int64_t index = args.weight_index(step.channel, step.kernel_h, step.kernel_w);
  return load_bits(args.channel_weights(oc) + index * dtype_bytes(args.weight_type),
                   args.weight_type);
}

struct Position {
  int n, oc, oh, ow;
};

template <class Sum>
void convolve_floats(const AnyTypeConv2dArgs& args, std::span<const ProductStep> steps,
                     const Position& at, std::byte* out) {
  SumStart start{.has_bias = args.has_bias, .has_old = args.result_add};
  if (args.has_bias) start.bias = load_float(args.bias.address(0, at.oc, 0, 0), args.bias_type);
  if (args.result_add) start.old = load_float(out, args.output_type);
  Sum sum(start);
  for (const ProductStep& step : steps) {
    const InputElement in =
        input_at(args, at.n, step.channel, args.window.input_row(at.oh, step.kernel_h),
                 args.window.input_column(at.ow, step.kernel_w));
    sum.add(in.place == Place::kInput ? load_float(in.address, args.input_type) : 0.0F,
            bits_to_float(weight_bits_at(args, at.oc, step), args.weight_type));
    if (step.ends_block) sum.end_block();
  }
  store_float(out, args.output_type, sum.result());
}

void convolve_integers(const AnyTypeConv2dArgs& args, std::span<const ProductStep> steps,
                       const Position& at, std::byte* out) {
  std::int64_t sum = 0;
  for (const ProductStep& step : steps) {
    const InputElement in =
        input_at(args, at.n, step.channel, args.window.input_row(at.oh, step.kernel_h),
                 args.window.input_column(at.ow, step.kernel_w));
    const std::int64_t weight =
        bits_to_integer(weight_bits_at(args, at.oc, step), args.weight_type) -
        args.zero_point.of(at.oc);
    std::int64_t value = 0;
    switch (in.place) {
      case Place::kInput:
        value = load_integer(in.address, args.input_type);
        break;
      case Place::kInserted:
        value = args.insert_value.of(step.channel);
        break;
      case Place::kPadding:
        value = args.padding.of(step.channel);
        break;
    }
    sum += value * weight;
  }
  if (args.has_bias) sum += load_integer(args.bias.address(0, at.oc, 0, 0), args.bias_type);
  if (args.result_add) sum += load_integer(out, args.output_type) << args.finish.left_shift;
  store_integer(out, args.output_type, args.finish.apply(sum));
}

}  // namespace

int weight_group(Dtype weight_type) {
  switch (dtype_bytes(weight_type)) {
    case 1:
      return 64;
    case 2:
      return 32;
    default:
      return 1;
  }
}

std::int64_t AnyTypeConv2dArgs::weight_index(int ic, int kh, int kw) const {
  if (rotate) {
    kh = window.kernel_h - 1 - kh;
    kw = window.kernel_w - 1 - kw;
  }
  const int group = weight_group(weight_type);
  const std::int64_t positions = std::int64_t{window.kernel_h} * window.kernel_w;
  return ic / group * group * positions +
         (static_cast<std::int64_t>(kh) * window.kernel_w + kw) * group + ic % group;
}

std::int64_t AnyTypeConv2dArgs::weight_count() const {
  const int group = weight_group(weight_type);
  const std::int64_t groups = (input_c + group - 1) / group;
  return groups * group * window.kernel_h * window.kernel_w;
}

const std::byte* AnyTypeConv2dArgs::channel_weights(int oc) const {
  const std::int64_t lane = weight.start_npu + oc;
  return weight.memory + lane % weight.npus * weight.npu_bytes + weight.offset +
         lane / weight.npus * weight_count() * dtype_bytes(weight_type);
}

ProductFrame AnyTypeConv2dArgs::frame(const LocalView& view, int channels) const {
  return {.input = view,
          .n = n,
          .channels = channels,
          .h = inserted_h(),
          .w = inserted_w(),
          .rows = output_c,
          .window = window,
          .output_pitch = output.h};
}

bool any_type_conv2d_simd(const AnyTypeConv2dArgs& args) {
  return args.rule() == ProductRule::kInteger ? integer_conv2d_simd(args) : float_conv2d_simd(args);
}

void any_type_conv2d_reference(const AnyTypeConv2dArgs& args) {
  ChipFloatScope chip_float;
  const Window2d& window = args.window;
  const std::vector<ProductStep> steps = product_steps(args.rule(), args.input_c, window.kernel_h,
                                                       window.kernel_w, args.block_channels);
  for (int n = 0; n < args.n; ++n) {
    for (int oc = 0; oc < args.output_c; ++oc) {
      for (int oh = 0; oh < window.output_h; ++oh) {
        for (int ow = 0; ow < window.output_w; ++ow) {
          const Position at{n, oc, oh, ow};
          std::byte* out = args.output.address(n, oc, oh, ow);
          switch (args.rule()) {
            case ProductRule::kFp32Chains:
              convolve_floats<ChainSum>(args, steps, at, out);
              break;
            case ProductRule::kBlockSums:
              convolve_floats<BlockSum>(args, steps, at, out);
              break;
            case ProductRule::kInteger:
              convolve_integers(args, steps, at, out);
              break;
          }
        }
      }
    }
  }
}

}  // namespace tensorlane
