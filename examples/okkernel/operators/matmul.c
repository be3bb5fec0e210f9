// Matrix product of any size, as a 1 x 1 convolution.
//
// The convolution engine multiplies two channels per cycle where okk_bdc_matmul takes one, and its
// layouts suit row-major matrices without any rearrangement:
//
//   right   left_cols channels (the depth of the product) of right_cols pixels: rows are runs
//   left    the weight. 2IC storage keeps two consecutive input channels of an output channel side
//           by side, which is just what a row of the left matrix does
//   output  left_rows channels of right_cols pixels
#include "conv_tiles.h"
#include "operators.h"

void operator_matmul(const void* context) {
  const matmul_args* args = context;
  conv_problem problem = {
      .images = 1, .channels = args->left_cols, .out_channels = args->left_rows, .row_taps = 1};
  problem.rows = make_window(1, 1, 0, 0, 1, 1);
  problem.columns = make_window(args->right_cols, 1, 0, 0, 1, 1);
  const dim4 rows = {.n = 0, .c = args->right_cols, .h = args->right_cols, .w = 1};
  problem.input = args->right_addr;
  problem.input_stride = rows;
  problem.weight = args->left_addr;
  problem.weight_words = args->left_cols;
  problem.output = args->output_addr;
  problem.output_stride = rows;
  problem.asked = args->tile;

  okk_initialize();
  conv_tiles_run(&problem);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_matmul)
