// own_functions_host MODULE: launches the kernel of own_functions.c.
#include <dlfcn.h>
#include <stdio.h>

#include "bmlib_runtime.h"

int main(int argc, char** argv) {
  bm_handle_t handle;
  if (argc < 2 || dlopen(argv[1], RTLD_NOW) == NULL) return 9;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 8;
  const bm_status_t status = tpu_kernel_launch_sync(handle, "carried_over", NULL, 0);
  bm_dev_free(handle);
  printf("%s\n", status == BM_SUCCESS ? "succeeded" : "failed");
  return 0;
}
