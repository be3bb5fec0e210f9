// Convolution of any size: see conv_tiles.c for the tiling and conv_weight.h for the weight.
#include "conv_tiles.h"
#include "conv_weight.h"
#include "operators.h"

void operator_conv2d(const void* context) {
  const conv2d_args* args = context;
  conv_problem problem = {.images = args->N, .channels = args->IC, .out_channels = args->OC};
  problem.rows = make_window(args->H, args->kernel_h, args->pad_top, args->pad_bottom,
                             args->stride_h, args->dilation_h);
  problem.columns = make_window(args->W, args->kernel_w, args->pad_left, args->pad_right,
                                args->stride_w, args->dilation_w);
  const bool rows_as_channels = conv_rows_as_channels(args);
  problem.row_taps = rows_as_channels ? args->kernel_h : 1;
  problem.channel_major = conv_channel_major(args);
  problem.asked = args->tile;
  const int pairs = ceil_div(args->IC * problem.row_taps, 2);
  const int taps = args->kernel_w * (rows_as_channels ? 1 : args->kernel_h);
  const dim4 input = {.n = args->N, .c = args->IC, .h = args->H, .w = args->W};
  const dim4 output = {
      .n = args->N, .c = args->OC, .h = problem.rows.outputs, .w = problem.columns.outputs};
  problem.input = args->input_addr;
  okk_continuous_stride(&problem.input_stride, &input);
  problem.weight = args->weight_addr;
  problem.weight_words = 2 * pairs * taps;
  problem.output = args->output_addr;
  okk_continuous_stride(&problem.output_stride, &output);

  okk_initialize();
  conv_tiles_run(&problem);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_conv2d)
