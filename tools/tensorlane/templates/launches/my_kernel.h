// What the host passes to the kernels. Both read the same bytes: packed, with members of fixed
// size. host 传给两个 kernel 的参数。两边读同样的字节：紧凑排列，成员大小固定。
#ifndef MY_KERNEL_H_
#define MY_KERNEL_H_

typedef struct {
  unsigned long long output_addr;  // rows x cols floats, row by row
  unsigned long long mean_addr;    // rows floats: the first launch writes, the second reads them
  unsigned long long input_addr;   // rows x cols floats
  int rows, cols;
} __attribute__((packed)) my_kernel_args;

#endif  // MY_KERNEL_H_
