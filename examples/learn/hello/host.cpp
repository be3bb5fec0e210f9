#include <cstdio>
#include <cstdlib>

#include "args.h"
#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#define launch tpu_kernel_launch_sync
#else
#define launch okkernel_launch_sync
#endif

int main(int argc, char** argv) {
  const char* kernel = argc > 1 ? argv[1] : "hello";
  bm_handle_t handle;
  bm_device_mem_t memory;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  if (bm_malloc_device_byte(handle, &memory, sizeof(float)) != BM_SUCCESS) return 1;

  hello_args args;
  args.number = argc > 2 ? std::atoi(argv[2]) : 21;
  args.answer_addr = bm_mem_get_device_addr(memory);
  const bm_status_t status = launch(handle, kernel, &args, sizeof args);

  float answer = 0;
  if (status == BM_SUCCESS) bm_memcpy_d2s(handle, &answer, memory);
  bm_free_device(handle, memory);
  bm_dev_free(handle);
  if (status == BM_SUCCESS) std::printf("the answer is %g\n", answer);
  return status == BM_SUCCESS ? 0 : 1;
}
