// Shared by host and device: arguments of the plus_one_* kernels.
#ifndef EXAMPLES_OKKERNEL_PLUS_ONE_H_
#define EXAMPLES_OKKERNEL_PLUS_ONE_H_

typedef struct {
  int N, C, H, W;
  unsigned long long output_addr;
  unsigned long long input_addr;
} __attribute__((packed)) plus_one_args;

#endif  // EXAMPLES_OKKERNEL_PLUS_ONE_H_
