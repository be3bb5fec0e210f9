// Argument blocks of the operator kernels, shared by host and device. All tensors are dense NCHW
// fp32 in global memory unless said otherwise; outputs must not overlap inputs.
#ifndef EXAMPLES_OKKERNEL_OPERATORS_OPERATORS_H_
#define EXAMPLES_OKKERNEL_OPERATORS_OPERATORS_H_

#define OPERATOR_ARGS __attribute__((packed))

// Tiles. A kernel chooses the blocks that are 0 by its own estimate of time; the others are what
// somebody asks for, a tuner for one (examples/python/tune_operators.py). Blocks of channels are
// rounded up to whole NPUs. What does not fit local memory or the engine is refused.

// Elements of each axis of the output in one step; `in_channels` of them are summed in one step.
typedef struct {
  int images, in_channels, out_channels, rows, columns;
} OPERATOR_ARGS conv_tile;

// The same for pooling and depthwise convolution; `bands` of rows are computed side by side.
typedef struct {
  int images, channels, rows, columns, bands;
} OPERATOR_ARGS window_blocks;

// Of a tensor seen as outer x length x inner, what one NPU has in one step. `shared` is the axis
// that the NPUs share: 1 outer, 2 inner.
typedef struct {
  int outer, length, inner, shared;
} OPERATOR_ARGS column_tile;

// Of a plane that is transposed: what one NPU has of the axis that is innermost in the input and of
// that which is in the output, and of one axis around them. `shared` is the axis that the NPUs
// share: 1 and 2 those around, in the order of the output, 3 the input's, 4 the output's.
typedef struct {
  int input, output, around, shared;
} OPERATOR_ARGS transpose_tile;

// operator_conv2d. The weight is packed by the host as conv_weight.h says.
typedef struct {
  int N, IC, OC, H, W;
  int kernel_h, kernel_w;
  int pad_top, pad_bottom, pad_left, pad_right;
  int stride_h, stride_w;
  int dilation_h, dilation_w;
  unsigned long long output_addr;
  unsigned long long input_addr;
  unsigned long long weight_addr;
  conv_tile tile;
} OPERATOR_ARGS conv2d_args;

// operator_depthwise. Weight C x kernel_h x kernel_w.
typedef struct {
  int N, C, H, W;
  int kernel_h, kernel_w;
  int pad_top, pad_bottom, pad_left, pad_right;
  int stride_h, stride_w;
  int dilation_h, dilation_w;
  unsigned long long output_addr;
  unsigned long long input_addr;
  unsigned long long weight_addr;
  window_blocks tile;
} OPERATOR_ARGS depthwise_args;

// operator_matmul: left_rows x left_cols times left_cols x right_cols, row-major. Of its tile
// in_channels are left_cols, out_channels left_rows and columns right_cols.
typedef struct {
  int left_rows, left_cols, right_cols;
  unsigned long long output_addr;
  unsigned long long left_addr;
  unsigned long long right_addr;
  conv_tile tile;
} OPERATOR_ARGS matmul_args;

// operator_softmax, along C. `bounded` != 0: the caller promises that all inputs lie in -1 .. 1,
// so that the maximum need not be subtracted.
typedef struct {
  int N, C, H, W;
  int bounded;
  unsigned long long output_addr;
  unsigned long long input_addr;
  column_tile tile;
} OPERATOR_ARGS softmax_args;

// operator_avgpool. ceil_mode rounds the output size up, count_include_pad counts padding in the
// divisor; both as PyTorch defines them.
typedef struct {
  int N, C, H, W;
  int kernel_h, kernel_w;
  int pad_top, pad_bottom, pad_left, pad_right;
  int stride_h, stride_w;
  int ceil_mode, count_include_pad;
  unsigned long long output_addr;
  unsigned long long input_addr;
  window_blocks tile;
} OPERATOR_ARGS avgpool_args;

// operator_reducesum: sums over the axes axis_list[0 .. axis_num). scratch_addr has room for twice
// as many elements as the input. The tile is that of the first pass.
typedef struct {
  int N, C, H, W;
  int axis_list[4];
  int axis_num;
  unsigned long long output_addr;
  unsigned long long input_addr;
  unsigned long long scratch_addr;
  column_tile tile;
} OPERATOR_ARGS reducesum_args;

// operator_rgb2bgr: `pixels` pixels of three interleaved floats; swaps the first and the third.
// Of more than 512 pixels `tile_row` lie in one NPU in one step; 0: the kernel chooses.
typedef struct {
  int pixels;
  unsigned long long output_addr;
  unsigned long long input_addr;
  int tile_row;
} OPERATOR_ARGS rgb2bgr_args;

// operator_transpose: axis i of the output is axis order[i] of the input.
typedef struct {
  int N, C, H, W;
  int order[4];
  unsigned long long output_addr;
  unsigned long long input_addr;
  transpose_tile tile;  // where the innermost axis does not stay innermost
} OPERATOR_ARGS transpose_args;

#endif  // EXAMPLES_OKKERNEL_OPERATORS_OPERATORS_H_
