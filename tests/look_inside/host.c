// host DEVICES LAUNCHES END FOLDER: launches in turn on every device, after a change of the folder.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#define launch tpu_kernel_launch_sync
#else
#define launch okkernel_launch_sync
#endif

enum { COUNT = 4096, MOST = 4 };

int main(int argc, char** argv) {
  static float data[COUNT];
  bm_handle_t handle[MOST];
  bm_device_mem_t input[MOST], output[MOST];
  if (argc != 5) return 9;
  const int devices = atoi(argv[1]), launches = atoi(argv[2]), end = atoi(argv[3]);
  if (chdir(argv[4]) != 0) return 9;
  for (int d = 0; d < devices; ++d) {
    if (bm_dev_request(&handle[d], d) != BM_SUCCESS) return 8;
    bm_malloc_device_byte(handle[d], &input[d], sizeof(data));
    bm_malloc_device_byte(handle[d], &output[d], sizeof(data));
    for (int k = 0; k < COUNT; ++k) data[k] = (float)(k + d);
    bm_memcpy_s2d(handle[d], input[d], data);
  }
  for (int l = 0; l < launches; ++l)
    for (int d = 0; d < devices; ++d) {
      args_t args = {bm_mem_get_device_addr(input[d]), bm_mem_get_device_addr(output[d]),
                     l + 1 == launches ? end : 0};
      launch(handle[d], "kernel", &args, sizeof(args));
      bm_memcpy_d2s(handle[d], data, output[d]);
    }
  for (int d = 0; d < devices; ++d) {
    bm_free_device(handle[d], input[d]);
    bm_free_device(handle[d], output[d]);
    bm_dev_free(handle[d]);
  }
  return 0;
}
