#include "tensorlane/compute/windows/fp32_depthwise2d.h"

#include "tensorlane/base/fp_environment.h"

namespace tensorlane {
namespace {

float input_or_padding(const Depthwise2dArgs& args, int n, int c, int h, int w) {
  const bool inside = h >= 0 && h < args.input_h && w >= 0 && w < args.input_w;
  return inside ? *args.input.at(n, c, h, w) : 0.0F;
}

float convolve_at(const Depthwise2dArgs& args, int n, int c, int oh, int ow) {
  const Window2d& window = args.window;
  if (window.kernel_h * window.kernel_w == 1) {
    return input_or_padding(args, n, c, window.input_row(oh, 0), window.input_column(ow, 0)) *
           *args.weight.at(0, c, 0, 0);
  }
  float chain[2] = {};
  int step = 0;
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw, ++step) {
      const int ih = window.input_row(oh, kh);
      const int iw = window.input_column(ow, kw);
      chain[step % 2] += input_or_padding(args, n, c, ih, iw) * *args.weight.at(0, c, kh, kw);
    }
  }
  return chain[0] + chain[1];
}

}  // namespace

void depthwise2d_reference(const Depthwise2dArgs& args) {
  ChipFloatScope chip_float;
  for (int n = 0; n < args.n; ++n) {
    for (int c = 0; c < args.c; ++c) {
      for (int oh = 0; oh < args.window.output_h; ++oh) {
        for (int ow = 0; ow < args.window.output_w; ++ow) {
          float sum = convolve_at(args, n, c, oh, ow);
          if (args.using_bias) sum += *args.bias.at(0, c, 0, 0);
          *args.output.at(n, c, oh, ow) = sum;
        }
      }
    }
  }
}

}  // namespace tensorlane
