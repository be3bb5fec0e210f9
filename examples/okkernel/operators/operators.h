// Argument blocks of the operator kernels, shared by host and device. All tensors are dense NCHW
// fp32 in global memory unless said otherwise; outputs must not overlap inputs.
#ifndef EXAMPLES_OKKERNEL_OPERATORS_OPERATORS_H_
#define EXAMPLES_OKKERNEL_OPERATORS_OPERATORS_H_

#define OPERATOR_ARGS __attribute__((packed))

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
} OPERATOR_ARGS depthwise_args;

// operator_matmul: left_rows x left_cols times left_cols x right_cols, row-major.
typedef struct {
  int left_rows, left_cols, right_cols;
  unsigned long long output_addr;
  unsigned long long left_addr;
  unsigned long long right_addr;
} OPERATOR_ARGS matmul_args;

// operator_softmax, along C. `bounded` != 0: the caller promises that all inputs lie in -1 .. 1,
// so that the maximum need not be subtracted.
typedef struct {
  int N, C, H, W;
  int bounded;
  unsigned long long output_addr;
  unsigned long long input_addr;
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
} OPERATOR_ARGS avgpool_args;

// operator_reducesum: sums over the axes axis_list[0 .. axis_num). scratch_addr has room for twice
// as many elements as the input.
typedef struct {
  int N, C, H, W;
  int axis_list[4];
  int axis_num;
  unsigned long long output_addr;
  unsigned long long input_addr;
  unsigned long long scratch_addr;
} OPERATOR_ARGS reducesum_args;

// operator_rgb2bgr: `pixels` pixels of three interleaved floats; swaps the first and the third.
typedef struct {
  int pixels;
  unsigned long long output_addr;
  unsigned long long input_addr;
} OPERATOR_ARGS rgb2bgr_args;

// operator_transpose: axis i of the output is axis order[i] of the input.
typedef struct {
  int N, C, H, W;
  int order[4];
  unsigned long long output_addr;
  unsigned long long input_addr;
} OPERATOR_ARGS transpose_args;

#endif  // EXAMPLES_OKKERNEL_OPERATORS_OPERATORS_H_
