// The arguments that host.c and the kernels of both systems share.
#ifndef TESTS_THREADS_KERNELS_H_
#define TESTS_THREADS_KERNELS_H_

typedef struct {
  unsigned long long input_addr, output_addr;
  int channels, rows, columns;  // of the input
} __attribute__((packed)) threads_args;

#endif  // TESTS_THREADS_KERNELS_H_
