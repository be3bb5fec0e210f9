// A convolution of any size, tiled and double-buffered: the engine room of operator_conv2d and
// operator_matmul.
#ifndef EXAMPLES_OKKERNEL_OPERATORS_CONV_TILES_H_
#define EXAMPLES_OKKERNEL_OPERATORS_CONV_TILES_H_

#include "operators.h"
#include "tile.h"

// When `row_taps` is 1: an ordinary convolution with `channels` input channels, `rows` and
// `columns`.
//
// When `row_taps` is larger, kernel rows are channels (conv_weight.h): `channels` still counts the
// input's channels, the engine sees channels * row_taps of them, and `rows` is the window that the
// row taps make.
typedef struct {
  int images, channels, out_channels;
  window rows, columns;
  int row_taps;
  bool channel_major;  // order of the engine's channels, see conv_channel_major

  system_addr_t input;  // w stride 1
  dim4 input_stride;
  system_addr_t weight;  // per output channel [ceil(channels / 2)][taps][2]
  int weight_words;      // of one output channel; may leave out the partner of an odd last channel
  system_addr_t output;  // w stride 1
  dim4 output_stride;
  conv_tile asked;
} conv_problem;

void conv_tiles_run(const conv_problem* problem);

#endif  // EXAMPLES_OKKERNEL_OPERATORS_CONV_TILES_H_
