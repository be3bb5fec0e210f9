// The host of the kernels in docs/diagnostics: fills a 64 KB input, runs the kernel, reads 64 KB of
// result. A page whose defect is the host's brings a main of its own.
#include <stdio.h>

#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#ifdef CORES
static const int cores[CORES] = {0, 1};
#define okkernel_launch_sync(handle, name, args, size) \
  tpu_kernel_launch_sync_multi_cores(handle, name, args, size, cores, CORES)
#else
#define okkernel_launch_sync tpu_kernel_launch_sync
#endif
#endif

typedef struct {
  unsigned long long input, output;
} __attribute__((packed)) args_t;

static float data[16384];

int main(void) {
  bm_handle_t handle;
  bm_device_mem_t input, output;
  bm_dev_request(&handle, 0);
  bm_malloc_device_byte(handle, &input, sizeof(data));
  bm_malloc_device_byte(handle, &output, sizeof(data));
  for (int i = 0; i < 16384; ++i) data[i] = (float)(i % 7);
  bm_memcpy_s2d(handle, input, data);
  args_t args = {bm_mem_get_device_addr(input), bm_mem_get_device_addr(output)};
  printf("output %llx\n", args.output);
  fflush(stdout);
  if (okkernel_launch_sync(handle, "kernel", &args, sizeof(args)) == BM_SUCCESS)
    bm_memcpy_d2s(handle, data, output);
  bm_free_device(handle, input);
  bm_free_device(handle, output);
  bm_dev_free(handle);
  return 0;
}
