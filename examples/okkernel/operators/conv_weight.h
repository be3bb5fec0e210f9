// How the host packs the weight of operator_conv2d, and with it how the kernel reads the input.
//
// The convolution engine takes two input channels per cycle and tap, but every tap costs it at
// least eight or nine cycles of latency. With three channels it idles most of the time. So when
// channels are few, the rows of the kernel become channels: channel i and kernel row r make the
// engine's channel of a 1 x kernel_w convolution. The transfers then read every input row once per
// kernel row that uses it, which costs kernel_h / stride_h times the bandwidth.
//
// Packed weight: for every output channel, pair of engine channels and remaining tap two floats,
//   [OC][ceil(channels / 2)][taps][2]
// so that the weight of one output channel, which lives in one NPU, is one run.
#ifndef EXAMPLES_OKKERNEL_OPERATORS_CONV_WEIGHT_H_
#define EXAMPLES_OKKERNEL_OPERATORS_CONV_WEIGHT_H_

#include "operators.h"

// Estimated BDC cycles per 16 outputs: channel pairs or latency, whichever dominates, per tap.
static inline float conv_cycles(int taps, int channels, int stride_w, int kernel_w) {
  const float pairs = (float)((channels + 1) / 2) *
                      (stride_w > kernel_w ? (float)stride_w / (float)kernel_w : 1.0f);
  const float latency = 7.7f + (float)stride_w;
  const float more = pairs > latency ? pairs : latency, less = pairs > latency ? latency : pairs;
  return (float)taps * (more + 0.375f * less) + 4.0f;
}

// Whether kernel rows become channels.
static inline int conv_rows_as_channels(const conv2d_args* a) {
  if (a->kernel_h == 1 || a->IC * a->kernel_h > 256) return 0;
  const int output_h =
      (a->H + a->pad_top + a->pad_bottom - (a->kernel_h - 1) * a->dilation_h - 1) / a->stride_h + 1;
  const int output_w =
      (a->W + a->pad_left + a->pad_right - (a->kernel_w - 1) * a->dilation_w - 1) / a->stride_w + 1;
  const float groups = (float)((a->OC + 63) / 64) * (float)output_h * (float)output_w / 16.0f;
  const float output_bytes = 4.0f * (float)a->OC * (float)output_h * (float)output_w;
  const float row_bytes = 4.0f * (float)a->IC * (float)a->W;
  const float bytes_per_cycle = 50.0f;
  const float plain_cycles =
      groups * conv_cycles(a->kernel_h * a->kernel_w, a->IC, a->stride_w, a->kernel_w);
  const float plain_transfer = (row_bytes * (float)a->H + output_bytes) / bytes_per_cycle;
  const float rows_cycles =
      groups * conv_cycles(a->kernel_w, a->IC * a->kernel_h, a->stride_w, a->kernel_w);
  const float rows_transfer =
      (row_bytes * (float)a->kernel_h * (float)output_h + output_bytes) / bytes_per_cycle;
  const float plain = plain_cycles > plain_transfer ? plain_cycles : plain_transfer;
  const float rows = rows_cycles > rows_transfer ? rows_cycles : rows_transfer;
  return rows < plain;
}

// The order of the engine's channels when rows are channels: rows of one channel side by side (one
// transfer per channel), possible when no row lies in padding; else channels of one row side by
// side (one transfer per row).
static inline int conv_channel_major(const conv2d_args* a) {
  return a->pad_top == 0 && a->pad_bottom == 0 && a->IC < a->kernel_h;
}

static inline int conv_engine_channel(const conv2d_args* a, int channel, int row) {
  return conv_channel_major(a) ? channel * a->kernel_h + row : row * a->IC + channel;
}

#endif  // EXAMPLES_OKKERNEL_OPERATORS_CONV_WEIGHT_H_
