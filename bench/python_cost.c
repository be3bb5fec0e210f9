// The C host that python_cost.py measures the package against: copies a megabyte in, launches,
// copies it out.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bmlib_runtime.h"

typedef struct {
  unsigned long long output, input;
} copy_args;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int by_value(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return left < right ? -1 : left > right;
}

int main(int argc, char** argv) {
  enum { kBytes = 1 << 20 };
  if (argc != 3) return 2;
  const int rounds = atoi(argv[2]);
  bm_handle_t handle;
  bm_device_mem_t input, output;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  const tpu_kernel_module_t module = tpu_kernel_load_module_file(handle, argv[1]);
  const tpu_kernel_function_t copy = tpu_kernel_get_function(handle, module, "copy");
  bm_malloc_device_byte(handle, &input, kBytes);
  bm_malloc_device_byte(handle, &output, kBytes);
  char* const host = calloc(1, kBytes);
  copy_args args = {bm_mem_get_device_addr(output), bm_mem_get_device_addr(input)};
  double* const launches = malloc(sizeof(double) * (size_t)rounds);
  double* const all = malloc(sizeof(double) * (size_t)rounds);
  for (int k = -rounds / 10; k < rounds; ++k) {
    const double begin = now_us();
    bm_memcpy_s2d(handle, input, host);
    const double copied = now_us();
    if (tpu_kernel_launch(handle, copy, &args, sizeof args) != BM_SUCCESS) return 1;
    const double launched = now_us();
    bm_memcpy_d2s(handle, host, output);
    if (k < 0) continue;  // warming up
    launches[k] = launched - copied;
    all[k] = now_us() - begin;
  }
  qsort(launches, (size_t)rounds, sizeof(double), by_value);
  qsort(all, (size_t)rounds, sizeof(double), by_value);
  printf("%g %g\n", launches[rounds / 2], all[rounds / 2]);
  bm_free_device(handle, input);
  bm_free_device(handle, output);
  bm_dev_free(handle);
  return 0;
}
