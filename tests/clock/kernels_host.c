// kernels_host KERNEL...: launches kernels by name, each with two buffers of 16 MiB.
#include <stdio.h>
#include <stdlib.h>

#include "bmlib_runtime.h"
#include "kernels.h"

static void demand(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  printf("%s failed: %d\n", what, (int)status);
  exit(9);
}

static bm_device_mem_t filled(bm_handle_t handle) {
  bm_device_mem_t buffer;
  demand(bm_malloc_device_byte(handle, &buffer, 16 << 20), "bm_malloc_device_byte");
  demand(bm_memset_device(handle, 0, buffer), "bm_memset_device");
  return buffer;
}

int main(int argc, char** argv) {
  bm_handle_t handle;
  demand(bm_dev_request(&handle, 0), "bm_dev_request");
  const bm_device_mem_t in = filled(handle), out = filled(handle);
  kernel_args args = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out)};
  for (int k = 1; k < argc; ++k) demand(launch_sync(handle, argv[k], &args, sizeof(args)), argv[k]);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
