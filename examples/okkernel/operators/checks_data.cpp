// Checks of softmax, sums, channel swap and transposition.
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "operators.h"

Result check_softmax(example::Device& device, const Parameters& p) {
  softmax_args args = {};
  set_parameters(&args, p);
  const std::size_t outer = args.N, length = args.C;
  const std::size_t inner = static_cast<std::size_t>(args.H) * args.W;
  const std::size_t count = outer * length * inner;
  // Some columns are shifted far up or down: only a kernel that subtracts the maximum survives.
  Floats input = random_floats(count, args.bounded ? -1.0f : -8.0f, args.bounded ? 1.0f : 8.0f);
  for (std::size_t i = 0; i < count && !args.bounded; ++i) {
    const std::size_t column = i / (length * inner) * inner + i % inner;
    if (column % 3 == 1) input[i] += 200.0f;
    if (column % 3 == 2) input[i] -= 300.0f;
  }

  std::vector<double> want(count);
  parallel_for(outer * inner, [&](std::size_t column) {
    const std::size_t start = column / inner * length * inner + column % inner;
    double largest = input[start], sum = 0.0;
    for (std::size_t k = 0; k < length; ++k)
      largest = std::max(largest, static_cast<double>(input[start + k * inner]));
    for (std::size_t k = 0; k < length; ++k)
      sum += want[start + k * inner] = std::exp(input[start + k * inner] - largest);
    for (std::size_t k = 0; k < length; ++k) want[start + k * inner] /= sum;
  });

  example::Buffer output_memory(device, count);
  example::Buffer input_memory(device, input);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_softmax", args);
  return compare(output_memory.download(), milliseconds, kTolerance,
                 [&](std::size_t i) { return want[i]; });
}

Result check_reducesum(example::Device& device, const Parameters& p) {
  reducesum_args args = {};
  set_parameters(&args, p);
  args.axis_num = static_cast<int>(p.size()) - 4;
  const std::size_t sizes[4] = {static_cast<std::size_t>(args.N), static_cast<std::size_t>(args.C),
                                static_cast<std::size_t>(args.H), static_cast<std::size_t>(args.W)};
  const std::size_t count = sizes[0] * sizes[1] * sizes[2] * sizes[3];
  const Floats input = random_floats(count, 0.0f, 1.0f);

  std::size_t strides[4], outputs = 1;  // of the output; 0 along summed axes
  for (int a = 3; a >= 0; --a) {
    const bool summed = std::find(p.begin() + 4, p.end(), a) != p.end();
    strides[a] = summed ? 0 : outputs;
    outputs *= summed ? 1 : sizes[a];
  }
  std::vector<double> want(outputs, 0.0);
  std::size_t i = 0;
  for (std::size_t n = 0; n < sizes[0]; ++n)
    for (std::size_t c = 0; c < sizes[1]; ++c)
      for (std::size_t h = 0; h < sizes[2]; ++h)
        for (std::size_t w = 0; w < sizes[3]; ++w)
          want[n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]] += input[i++];

  example::Buffer output_memory(device, outputs);
  example::Buffer input_memory(device, input);
  example::Buffer scratch_memory(device, 2 * count);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  args.scratch_addr = scratch_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_reducesum", args);
  return compare(output_memory.download(), milliseconds, kTolerance,
                 [&](std::size_t k) { return want[k]; });
}

Result check_rgb2bgr(example::Device& device, const Parameters& p) {
  rgb2bgr_args args = {};
  args.pixels = p[0];
  const Floats input = random_floats(static_cast<std::size_t>(args.pixels) * 3, 0.0f, 1.0f);
  example::Buffer output_memory(device, input.size());
  example::Buffer input_memory(device, input);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_rgb2bgr", args);
  return compare(output_memory.download(), milliseconds, 0.0,
                 [&](std::size_t i) { return input[i - i % 3 + (2 - i % 3)]; });
}

Result check_transpose(example::Device& device, const Parameters& p) {
  transpose_args args = {};
  set_parameters(&args, p);
  const std::size_t in_strides[4] = {static_cast<std::size_t>(args.C) * args.H * args.W,
                                     static_cast<std::size_t>(args.H) * args.W,
                                     static_cast<std::size_t>(args.W), 1};
  std::size_t sizes[4], strides[4], count = 1;  // in the order of the output
  for (int a = 0; a < 4; ++a) {
    sizes[a] = p[args.order[a]];
    strides[a] = in_strides[args.order[a]];
    count *= sizes[a];
  }
  const Floats input = random_floats(count, 0.0f, 1.0f);
  example::Buffer output_memory(device, count);
  example::Buffer input_memory(device, input);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  const double milliseconds = launch_milliseconds(device, "operator_transpose", args);
  return compare(output_memory.download(), milliseconds, 0.0, [&](std::size_t i) {
    const std::size_t w = i % sizes[3], h = i / sizes[3] % sizes[2];
    const std::size_t c = i / sizes[3] / sizes[2] % sizes[1],
                      n = i / sizes[3] / sizes[2] / sizes[1];
    return input[n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]];
  });
}
