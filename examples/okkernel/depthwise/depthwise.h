// Shared by host and device: arguments of the depthwise kernel.
#ifndef EXAMPLES_OKKERNEL_DEPTHWISE_H_
#define EXAMPLES_OKKERNEL_DEPTHWISE_H_

typedef struct {
  int N, C, H, W;
  int kernel_h, kernel_w;
  int pad_top, pad_bottom, pad_left, pad_right;
  int stride_h, stride_w;
  int dilation_h, dilation_w;
  int using_bias;
  unsigned long long output_addr;  // N x C x output_h x output_w
  unsigned long long input_addr;   // N x C x H x W
  unsigned long long weight_addr;  // C x kernel_h x kernel_w
  unsigned long long bias_addr;    // C
} __attribute__((packed)) depthwise_args;

#endif  // EXAMPLES_OKKERNEL_DEPTHWISE_H_
