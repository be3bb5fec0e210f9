// Arguments of the kernel, shared by device and host.
#ifndef EXAMPLES_TPUKERNEL_LAYERNORM_H_
#define EXAMPLES_TPUKERNEL_LAYERNORM_H_

typedef struct {
  unsigned long long output_addr, input_addr;  // fp32, rows x cols
  unsigned long long gamma_addr, beta_addr;    // fp32, cols
  int rows, cols;
  float epsilon;
} __attribute__((packed)) layernorm_args;

#endif  // EXAMPLES_TPUKERNEL_LAYERNORM_H_
