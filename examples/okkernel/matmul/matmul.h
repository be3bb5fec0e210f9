// Shared by host and device: arguments of the matmul kernel.
#ifndef EXAMPLES_OKKERNEL_MATMUL_H_
#define EXAMPLES_OKKERNEL_MATMUL_H_

typedef struct {
  int left_rows, left_cols, right_cols;
  int using_bias;
  unsigned long long output_addr;  // left_rows x right_cols
  unsigned long long left_addr;    // left_rows x left_cols
  unsigned long long right_addr;   // left_cols x right_cols
  unsigned long long bias_addr;    // right_cols
} __attribute__((packed)) matmul_args;

#endif  // EXAMPLES_OKKERNEL_MATMUL_H_
