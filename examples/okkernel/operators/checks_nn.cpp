// Checks of convolution, depthwise convolution, matrix product and average pooling. The data are
// positive, so that no cancellation hides behind the relative tolerance.
#include <algorithm>

#include "checks.h"
#include "conv_weight.h"

namespace {

// A sliding window along one axis.
struct Window {
  int size, kernel, before, after, step, dilation;
  int outputs() const { return (size + before + after - ((kernel - 1) * dilation + 1)) / step + 1; }
  // Outputs [first, last) whose tap `t` lies inside the input.
  int first(int t) const {
    const int reach = before - t * dilation;
    return reach > 0 ? (reach + step - 1) / step : 0;
  }
  int last(int t) const {
    const int room = size - 1 + before - t * dilation;
    return room < 0 ? 0 : std::min(outputs(), room / step + 1);
  }
  int input(int output, int t) const { return output * step + t * dilation - before; }
};

std::size_t product(std::initializer_list<int> factors) {
  std::size_t result = 1;
  for (int factor : factors) result *= static_cast<std::size_t>(factor);
  return result;
}

// out += the plane `in` correlated with `taps`.
void add_plane(double* out, const float* in, const float* taps, const Window& y, const Window& x) {
  const int width = x.outputs();
  for (int ky = 0; ky < y.kernel; ++ky) {
    for (int kx = 0; kx < x.kernel; ++kx) {
      const double tap = taps[ky * x.kernel + kx];
      const int from = x.first(kx), to = x.last(kx);
      for (int i = y.first(ky); i < y.last(ky); ++i) {
        const float* row = in + static_cast<std::size_t>(y.input(i, ky)) * x.size + x.input(0, kx);
        double* result = out + static_cast<std::size_t>(i) * width;
        for (int j = from; j < to; ++j) result[j] += tap * row[j * x.step];
      }
    }
  }
}

}  // namespace

Result check_conv2d(example::Device& device, const Parameters& p) {
  conv2d_args args = {};
  set_parameters(&args, p);
  const Window y = {p[3], p[5], p[7], p[8], p[11], p[13]};
  const Window x = {p[4], p[6], p[9], p[10], p[12], p[14]};
  const std::size_t in_plane = product({args.H, args.W});
  const std::size_t out_plane = product({y.outputs(), x.outputs()});
  const std::size_t taps = product({args.kernel_h, args.kernel_w});
  const Floats input = random_floats(product({args.N, args.IC}) * in_plane, 0.0f, 1.0f, 1);
  const Floats weight = random_floats(product({args.OC, args.IC}) * taps, 0.0f, 1.0f, 2);

  std::vector<double> want(product({args.N, args.OC}) * out_plane, 0.0);
  parallel_for(product({args.N, args.OC}), [&](std::size_t plane) {
    const std::size_t n = plane / args.OC, o = plane % args.OC;
    for (int i = 0; i < args.IC; ++i)
      add_plane(&want[plane * out_plane], &input[(n * args.IC + i) * in_plane],
                &weight[(o * args.IC + i) * taps], y, x);
  });

  // conv_weight.h describes the packing.
  const bool rows_as_channels = conv_rows_as_channels(&args);
  const int channels = rows_as_channels ? args.IC * args.kernel_h : args.IC;
  const std::size_t engine_taps = rows_as_channels ? args.kernel_w : taps;
  const std::size_t pairs = (channels + 1) / 2;
  Floats packed(static_cast<std::size_t>(args.OC) * pairs * engine_taps * 2, 0.0f);
  for (int o = 0; o < args.OC; ++o)
    for (int i = 0; i < args.IC; ++i)
      for (std::size_t t = 0; t < taps; ++t) {
        const int row = static_cast<int>(t / args.kernel_w);
        const int channel = rows_as_channels ? conv_engine_channel(&args, i, row) : i;
        const std::size_t tap = rows_as_channels ? t % args.kernel_w : t;
        packed[((o * pairs + channel / 2) * engine_taps + tap) * 2 + channel % 2] =
            weight[(static_cast<std::size_t>(o) * args.IC + i) * taps + t];
      }

  example::Buffer output_memory(device, want.size());
  example::Buffer input_memory(device, input);
  example::Buffer weight_memory(device, packed);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  args.weight_addr = weight_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_conv2d", args);
  return compare(output_memory.download(), milliseconds, kTolerance,
                 [&](std::size_t i) { return want[i]; });
}

Result check_depthwise(example::Device& device, const Parameters& p) {
  depthwise_args args = {};
  set_parameters(&args, p);
  const Window y = {p[2], p[4], p[6], p[7], p[10], p[12]};
  const Window x = {p[3], p[5], p[8], p[9], p[11], p[13]};
  const std::size_t in_plane = product({args.H, args.W});
  const std::size_t out_plane = product({y.outputs(), x.outputs()});
  const std::size_t taps = product({args.kernel_h, args.kernel_w});
  const std::size_t planes = product({args.N, args.C});
  const Floats input = random_floats(planes * in_plane, 0.0f, 1.0f, 1);
  const Floats weight = random_floats(args.C * taps, 0.0f, 1.0f, 2);

  std::vector<double> want(planes * out_plane, 0.0);
  parallel_for(planes, [&](std::size_t plane) {
    add_plane(&want[plane * out_plane], &input[plane * in_plane], &weight[plane % args.C * taps], y,
              x);
  });

  example::Buffer output_memory(device, want.size());
  example::Buffer input_memory(device, input);
  example::Buffer weight_memory(device, weight);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  args.weight_addr = weight_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_depthwise", args);
  return compare(output_memory.download(), milliseconds, kTolerance,
                 [&](std::size_t i) { return want[i]; });
}

Result check_matmul(example::Device& device, const Parameters& p) {
  matmul_args args = {};
  set_parameters(&args, p);
  const std::size_t rows = args.left_rows, depth = args.left_cols, cols = args.right_cols;
  const Floats left = random_floats(rows * depth, 0.0f, 1.0f, 1);
  const Floats right = random_floats(depth * cols, 0.0f, 1.0f, 2);

  // Blocks of 16 rows and 256 columns: a row of right is read once for 16 rows of left.
  std::vector<double> want(rows * cols, 0.0);
  const std::size_t row_blocks = (rows + 15) / 16, column_blocks = (cols + 255) / 256;
  parallel_for(row_blocks * column_blocks, [&](std::size_t block) {
    const std::size_t top = block / column_blocks * 16, bottom = std::min(rows, top + 16);
    const std::size_t from = block % column_blocks * 256, to = std::min(cols, from + 256);
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t i = top; i < bottom; ++i) {
        const double a = left[i * depth + k];
        for (std::size_t j = from; j < to; ++j) want[i * cols + j] += a * right[k * cols + j];
      }
  });

  example::Buffer output_memory(device, want.size());
  example::Buffer left_memory(device, left);
  example::Buffer right_memory(device, right);
  args.output_addr = output_memory.address();
  args.left_addr = left_memory.address();
  args.right_addr = right_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_matmul", args);
  return compare(output_memory.download(), milliseconds, kTolerance,
                 [&](std::size_t i) { return want[i]; });
}

namespace {

// Pooling windows along one axis as PyTorch has them: [start, end) inside the input, and the size
// that counts in the divisor.
struct PoolAxis {
  int size, kernel, before, after, step;
  bool ceil_mode, include_pad;

  int outputs() const {
    const int room = size + before + after - kernel;
    int count = (ceil_mode ? (room + step - 1) / step : room / step) + 1;
    if (ceil_mode && (count - 1) * step >= size + before) --count;
    return count;
  }
  int start(int o) const { return std::max(o * step - before, 0); }
  int end(int o) const { return std::min(o * step - before + kernel, size); }
  int counted(int o) const {
    if (!include_pad) return end(o) - start(o);
    return std::min(o * step - before + kernel, size + after) - (o * step - before);
  }
};

}  // namespace

Result check_avgpool(example::Device& device, const Parameters& p) {
  avgpool_args args = {};
  set_parameters(&args, p);
  const bool ceil_mode = args.ceil_mode, include_pad = args.count_include_pad;
  const PoolAxis y = {args.H,        args.kernel_h, args.pad_top, args.pad_bottom,
                      args.stride_h, ceil_mode,     include_pad};
  const PoolAxis x = {args.W,        args.kernel_w, args.pad_left, args.pad_right,
                      args.stride_w, ceil_mode,     include_pad};
  const std::size_t in_plane = product({args.H, args.W});
  const std::size_t out_plane = product({y.outputs(), x.outputs()});
  const std::size_t planes = product({args.N, args.C});
  const Floats input = random_floats(planes * in_plane, 0.0f, 1.0f);

  std::vector<double> want(planes * out_plane);
  parallel_for(planes, [&](std::size_t plane) {
    const float* in = &input[plane * in_plane];
    double* out = &want[plane * out_plane];
    for (int i = 0; i < y.outputs(); ++i)
      for (int j = 0; j < x.outputs(); ++j) {
        double sum = 0.0;
        for (int row = y.start(i); row < y.end(i); ++row)
          for (int column = x.start(j); column < x.end(j); ++column)
            sum += in[static_cast<std::size_t>(row) * args.W + column];
        *out++ = sum / (static_cast<double>(y.counted(i)) * x.counted(j));
      }
  });

  example::Buffer output_memory(device, want.size());
  example::Buffer input_memory(device, input);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_avgpool", args);
  return compare(output_memory.download(), milliseconds, kTolerance,
                 [&](std::size_t i) { return want[i]; });
}
