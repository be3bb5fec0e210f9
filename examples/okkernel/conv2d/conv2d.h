// Shared by host and device: arguments of the conv2d kernel.
#ifndef EXAMPLES_OKKERNEL_CONV2D_H_
#define EXAMPLES_OKKERNEL_CONV2D_H_

typedef struct {
  int N, IC, OC, H, W;
  int kernel_h, kernel_w;
  int pad_top, pad_bottom, pad_left, pad_right;
  int stride_h, stride_w;
  int dilation_h, dilation_w;
  int using_bias;
  unsigned long long output_addr;  // N x OC x output_h x output_w
  unsigned long long input_addr;   // N x IC x H x W
  unsigned long long weight_addr;  // ceil(IC / 2) x OC x kernel_h x kernel_w pairs (2IC)
  unsigned long long bias_addr;    // OC
} __attribute__((packed)) conv2d_args;

#endif  // EXAMPLES_OKKERNEL_CONV2D_H_
