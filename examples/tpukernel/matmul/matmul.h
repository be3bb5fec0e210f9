// Arguments of the kernel, shared by device and host.
#ifndef EXAMPLES_TPUKERNEL_MATMUL_H_
#define EXAMPLES_TPUKERNEL_MATMUL_H_

typedef struct {
  unsigned long long output_addr;            // int8, rows x cols
  unsigned long long left_addr, right_addr;  // int8: rows x inner, inner x cols
  int rows, inner, cols;
  int right_zero;                 // zero point of the right matrix
  int multiplier, shift, offset;  // int8 = sum * multiplier / 2^shift + offset
} __attribute__((packed)) matmul_args;

#endif  // EXAMPLES_TPUKERNEL_MATMUL_H_
