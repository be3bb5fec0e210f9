// Shared by host and device: arguments of the pooling kernels.
#ifndef EXAMPLES_OKKERNEL_POOLING_H_
#define EXAMPLES_OKKERNEL_POOLING_H_

typedef struct {
  int N, C, H, W;
  int kernel_h, kernel_w;
  int pad_top, pad_bottom, pad_left, pad_right;
  int stride_h, stride_w;
  int is_max;
  unsigned long long output_addr;
  unsigned long long input_addr;
} __attribute__((packed)) pooling_args;

#endif  // EXAMPLES_OKKERNEL_POOLING_H_
