// Arguments of the kernel, shared by device and host.
#ifndef EXAMPLES_TPUKERNEL_ELEMENTWISE_H_
#define EXAMPLES_TPUKERNEL_ELEMENTWISE_H_

typedef struct {
  unsigned long long output_addr;  // int8
  unsigned long long input_addr;   // uint8
  int count;
  float scale, offset;
} __attribute__((packed)) normalize_args;

#endif  // EXAMPLES_TPUKERNEL_ELEMENTWISE_H_
