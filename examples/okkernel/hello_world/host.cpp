// Host side, written with the bare runtime so that every step shows: request a device, allocate,
// launch, copy back, free. The other examples wrap these calls in common/host.h.
#include <cstdio>

#include "bmlib_runtime.h"
#include "hello_world.h"

int main() {
  bm_handle_t handle;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) {
    std::printf("fail: no device\n");
    return 1;
  }
  bm_device_mem_t memory;
  BM_CHECK_RET(bm_malloc_device_byte(handle, &memory, sizeof(float)));

  hello_world_args args = {.magic = HELLO_WORLD_MAGIC,
                           .answer_addr = bm_mem_get_device_addr(memory)};
  bm_status_t status = okkernel_launch_sync(handle, "hello_world", &args, sizeof(args));

  float answer = 0.0f;
  BM_CHECK_RET(bm_memcpy_d2s(handle, &answer, memory));
  bm_free_device(handle, memory);
  bm_dev_free(handle);

  if (status != BM_SUCCESS || answer != 42.0f) {
    std::printf("hello_world: fail: status %d, answer %g instead of 42\n", status, answer);
    return 1;
  }
  std::printf("hello_world: pass\n");
  return 0;
}
