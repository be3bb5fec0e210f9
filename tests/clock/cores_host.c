// cores_host "KERNEL CORES"...: launches the kernels of cores.c, one launch per argument.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmlib_runtime.h"

enum { kColumns = 1024, kBytes = 9 * 64 * kColumns * 4 };

static void demand(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  printf("%s failed: %d\n", what, (int)status);
  exit(9);
}

int main(int argc, char** argv) {
  bm_handle_t handle;
  bm_device_mem_t in, out;
  demand(bm_dev_request(&handle, 0), "bm_dev_request");
  demand(bm_malloc_device_byte(handle, &in, kBytes), "bm_malloc_device_byte");
  demand(bm_malloc_device_byte(handle, &out, kBytes), "bm_malloc_device_byte");
  struct {
    unsigned long long in, out;
    int columns;
  } args = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out), kColumns};
  const int list[] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int k = 1; k < argc; ++k) {
    const char* const kernel = strtok(argv[k], " ");
    const char* const cores = strtok(NULL, " ");
    demand(
        tpu_kernel_launch_sync_multi_cores(handle, kernel, &args, sizeof(args), list, atoi(cores)),
        kernel);
  }
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
