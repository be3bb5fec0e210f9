// The arguments that host.c and the kernels of both systems share.
#ifndef TESTS_NUMBERS_KERNELS_H_
#define TESTS_NUMBERS_KERNELS_H_

enum { kCount = 64 * 96 };  // elements: 96 on each of 64 NPUs

typedef struct {
  unsigned long long input_addr, output_addr;
  float add;
  int terms;  // of `sums`
  int speak;  // whether the kernel says something of its tensors
} __attribute__((packed)) numbers_args;

#endif  // TESTS_NUMBERS_KERNELS_H_
