// Arguments of the kernel, shared by device and host.
#ifndef EXAMPLES_TPUKERNEL_TOPK_H_
#define EXAMPLES_TPUKERNEL_TOPK_H_

typedef struct {
  unsigned long long values_addr;   // fp32, rows x k
  unsigned long long indices_addr;  // int32, rows x k
  unsigned long long input_addr;    // fp32, rows x cols
  int rows, cols, k;
} __attribute__((packed)) topk_args;

#endif  // EXAMPLES_TPUKERNEL_TOPK_H_
