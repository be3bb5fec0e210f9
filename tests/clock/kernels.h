// What the kernels here get, and how a host launches them.
#ifndef TENSORLANE_TESTS_CLOCK_KERNELS_H_
#define TENSORLANE_TESTS_CLOCK_KERNELS_H_

typedef struct {
  unsigned long long in, out;  // device memory of 16 MiB each
} kernel_args;

#ifdef BACKEND_1684X
#define launch_sync tpu_kernel_launch_sync
#else
#define launch_sync okkernel_launch_sync
#endif

#endif  // TENSORLANE_TESTS_CLOCK_KERNELS_H_
