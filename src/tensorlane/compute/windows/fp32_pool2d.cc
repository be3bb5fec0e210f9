#include "tensorlane/compute/windows/fp32_pool2d.h"

#include <cmath>
#include <limits>

#include "tensorlane/base/fp_environment.h"

namespace tensorlane {
namespace {

float input_or(float padding, const Pool2dArgs& args, int n, int c, int h, int w) {
  const bool inside = h >= 0 && h < args.input_h && w >= 0 && w < args.input_w;
  return inside ? *args.input.at(n, c, h, w) : padding;
}

float average_at(const Pool2dArgs& args, int n, int c, int oh, int ow) {
  const Window2d& window = args.window;
  const int positions = window.kernel_h * window.kernel_w;
  const float weight = 1.0F / static_cast<float>(positions);
  if (positions == 1) {
    return input_or(0.0F, args, n, c, window.input_row(oh, 0), window.input_column(ow, 0)) * weight;
  }
  float chain[2] = {};
  int step = 0;
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw, ++step) {
      const int ih = window.input_row(oh, kh);
      const int iw = window.input_column(ow, kw);
      chain[step % 2] += input_or(0.0F, args, n, c, ih, iw) * weight;
    }
  }
  return chain[0] + chain[1];
}

float maximum_at(const Pool2dArgs& args, int n, int c, int oh, int ow) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  const Window2d& window = args.window;
  float maximum = kLowest;
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw) {
      const int ih = window.input_row(oh, kh);
      const int iw = window.input_column(ow, kw);
      const float value = input_or(kLowest, args, n, c, ih, iw);
      maximum = value > maximum ? value : maximum;
    }
  }
  const bool is_denormal = std::abs(maximum) < std::numeric_limits<float>::min();
  return is_denormal ? std::copysign(0.0F, maximum) : maximum;
}

template <class At>
void pool(const Pool2dArgs& args, At at) {
  ChipFloatScope chip_float;
  for (int n = 0; n < args.n; ++n) {
    for (int c = 0; c < args.c; ++c) {
      for (int oh = 0; oh < args.window.output_h; ++oh) {
        for (int ow = 0; ow < args.window.output_w; ++ow) {
          *args.output.at(n, c, oh, ow) = at(args, n, c, oh, ow);
        }
      }
    }
  }
}

}  // namespace

void avg_pool2d_reference(const Pool2dArgs& args) {
  pool(args, average_at);
}

void max_pool2d_reference(const Pool2dArgs& args) {
  pool(args, maximum_at);
}

}  // namespace tensorlane
