// int8 convolutions of several shapes; every element must be right to the bit.
#include "../common/host.h"
#include "conv2d.h"

// (oc, ic, kh, kw) to 64IC storage: [oc][ic / 64][kh][kw][64], the last group filled with zeros.
static std::vector<std::int8_t> pack_64ic(const std::vector<std::int8_t>& weight, int oc, int ic,
                                          int taps) {
  const int groups = (ic + 63) / 64;
  std::vector<std::int8_t> packed(static_cast<std::size_t>(oc) * groups * taps * 64);
  for (int o = 0; o < oc; ++o) {
    for (int i = 0; i < ic; ++i) {
      for (int t = 0; t < taps; ++t)
        packed[((o * groups + i / 64) * taps + t) * 64 + i % 64] = weight[(o * ic + i) * taps + t];
    }
  }
  return packed;
}

static int run(example::Device& device, conv2d_args args) {
  const int taps = args.kernel_h * args.kernel_w;
  const int reach_h = (args.kernel_h - 1) * args.dilation,
            reach_w = (args.kernel_w - 1) * args.dilation;
  const int oh = (args.h + 2 * args.pad - reach_h - 1) / args.stride + 1;
  const int ow = (args.w + 2 * args.pad - reach_w - 1) / args.stride + 1;
  const std::vector<std::int8_t> input = example::random_integers<std::int8_t>(
      static_cast<std::size_t>(args.n) * args.ic * args.h * args.w, -128, 127, 1);
  const std::vector<std::int8_t> weight = example::random_integers<std::int8_t>(
      static_cast<std::size_t>(args.oc) * args.ic * taps, -128, 127, 2);
  const std::vector<std::int16_t> bias =
      example::random_integers<std::int16_t>(static_cast<std::size_t>(args.oc), -3000, 3000, 3);
  std::vector<double> want;
  for (int n = 0; n < args.n; ++n) {
    for (int o = 0; o < args.oc; ++o) {
      for (int y = 0; y < oh; ++y) {
        for (int x = 0; x < ow; ++x) {
          std::int64_t sum = bias[o];
          for (int i = 0; i < args.ic; ++i) {
            for (int t = 0; t < taps; ++t) {
              const int h = y * args.stride - args.pad + t / args.kernel_w * args.dilation;
              const int w = x * args.stride - args.pad + t % args.kernel_w * args.dilation;
              if (h < 0 || h >= args.h || w < 0 || w >= args.w) continue;
              sum += input[((n * args.ic + i) * args.h + h) * args.w + w] *
                     weight[(o * args.ic + i) * taps + t];
            }
          }
          const double rounded =
              std::floor(std::ldexp(static_cast<double>(sum), -args.shift) + 0.5);
          want.push_back(std::fmin(127, std::fmax(-128, rounded)));
        }
      }
    }
  }
  const example::Buffer<std::int8_t> input_memory(device, input),
      output_memory(device, want.size()),
      weight_memory(device, pack_64ic(weight, args.oc, args.ic, taps));
  const example::Buffer<std::int16_t> bias_memory(device, bias);
  args.output_addr = output_memory.address();
  args.input_addr = input_memory.address();
  args.weight_addr = weight_memory.address();
  args.bias_addr = bias_memory.address();
  device.launch("conv2d", args);
  return example::report("conv2d", output_memory.download(), want, 0);
}

int main() {
  example::Device device;
  int failures = 0;
  //                               n  ic  h   w   oc  kh kw pad stride dilation shift
  failures += run(device, {0, 0, 0, 0, 1, 3, 5, 7, 4, 3, 3, 1, 1, 1, 6});
  failures += run(device, {0, 0, 0, 0, 2, 64, 14, 14, 64, 3, 3, 1, 1, 1, 10});
  failures += run(device, {0, 0, 0, 0, 1, 70, 15, 20, 66, 3, 2, 1, 2, 1, 9});
  failures += run(device, {0, 0, 0, 0, 1, 130, 9, 9, 32, 3, 3, 2, 1, 2, 11});
  return failures == 0 ? 0 : 1;
}
