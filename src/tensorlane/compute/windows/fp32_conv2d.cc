#include "tensorlane/compute/windows/fp32_conv2d.h"

#include "tensorlane/base/fp_environment.h"

namespace tensorlane {
namespace {

float input_or_padding(const Conv2dArgs& args, int n, int c, int h, int w) {
  const bool inside = h >= 0 && h < args.input_h && w >= 0 && w < args.input_w;
  return inside ? *args.input.at(n, c, h, w) : 0.0F;
}

float convolve_at(const Conv2dArgs& args, int n, int oc, int oh, int ow) {
  const Window2d& window = args.window;
  float chain[2][2] = {};
  int step = 0;
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw) {
      const int ih = window.input_row(oh, kh);
      const int iw = window.input_column(ow, kw);
      for (int ic = 0; ic < args.input_c; ic += 2, ++step) {
        const float* pair = args.weight.at(ic / 2, oc, kh, kw);
        const int lanes = ic + 1 < args.input_c ? 2 : 1;
        for (int lane = 0; lane < lanes; ++lane) {
          chain[step % 2][lane] += input_or_padding(args, n, ic + lane, ih, iw) * pair[lane];
        }
      }
    }
  }
  return (chain[0][0] + chain[1][0]) + (chain[0][1] + chain[1][1]);
}

}  // namespace

void conv2d_reference(const Conv2dArgs& args) {
  ChipFloatScope chip_float;
  for (int n = 0; n < args.n; ++n) {
    for (int oc = 0; oc < args.output_c; ++oc) {
      for (int oh = 0; oh < args.window.output_h; ++oh) {
        for (int ow = 0; ow < args.window.output_w; ++ow) {
          float sum = convolve_at(args, n, oc, oh, ow);
          float* out = args.output.at(n, oc, oh, ow);
          if (args.using_bias) sum += *args.bias.at(0, oc, 0, 0);
          if (args.result_add) sum += *out;
          *out = sum;
        }
      }
    }
  }
}

}  // namespace tensorlane
