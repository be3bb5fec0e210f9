// Arguments of the kernel, shared by device and host.
#ifndef EXAMPLES_TPUKERNEL_SOFTMAX_H_
#define EXAMPLES_TPUKERNEL_SOFTMAX_H_

typedef struct {
  unsigned long long output_addr, input_addr;  // fp16, rows x cols
  int rows, cols;
} __attribute__((packed)) softmax_args;

#endif  // EXAMPLES_TPUKERNEL_SOFTMAX_H_
