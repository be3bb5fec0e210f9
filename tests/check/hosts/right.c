// What looks wrong and is not: copies up to the last byte, of nothing, of parts by a descriptor of
// the host's own; the same address on two devices; trying how much memory there is; the largest
// argument block.
//
// expect nothing
#include <stddef.h>

#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#include "tpu_kernel.h"
#define okkernel_launch_sync tpu_kernel_launch_sync
#define OKKERNEL_FUNC_REGISTER TPUKERNEL_FUNC_REGISTER
#define okk_initialize tpu_initialize
#define okk_poll tpu_poll
#else
#include "okk.h"
#endif

void kernel(const void* args) {
  (void)args;
  okk_initialize();
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)

static char data[8192];

int main(void) {
  bm_handle_t handle, second;
  bm_device_mem_t a, b, other;
  bm_dev_request(&handle, 0);
  bm_dev_request(&second, 1);
  bm_malloc_device_byte(handle, &a, 4095);
  bm_malloc_device_byte(handle, &b, 4096);
  bm_malloc_device_byte(second, &other, 4096);
  const unsigned long long address = bm_mem_get_device_addr(b);
  bm_memcpy_s2d(handle, a, data);
  bm_memcpy_s2d(handle, b, data);
  bm_memcpy_s2d(second, other, data);
  bm_memcpy_s2d_partial_offset(handle, b, data, 96, 4000);
  bm_memcpy_s2d_partial_offset(handle, b, data, 0, 4096);
  bm_memcpy_d2s_partial(handle, NULL, b, 0);
  bm_memcpy_d2d_byte(handle, b, 1, a, 0, 4095);
  bm_memcpy_d2d_byte(handle, b, 0, b, 2048, 2048);
  bm_memcpy_d2s(handle, data, bm_mem_from_device(address + 4092, 4));
  bm_memset_device(handle, 7, bm_mem_from_device(address + 2048, 2048));
  bm_memcpy_d2d_stride(handle, b, 4, a, 1, 1024, 1);

  bm_device_mem_t large[8];
  int blocks = 0;
  while (blocks < 8 && bm_malloc_device_byte(handle, &large[blocks], 0xffffffffu) == BM_SUCCESS)
    ++blocks;
  while (blocks > 0) bm_free_device(handle, large[--blocks]);

  okkernel_launch_sync(handle, "kernel", data, 4096);
  okkernel_launch_sync(handle, "kernel", NULL, 0);
  bm_free_device(handle, a);
  bm_malloc_device_byte(handle, &a, 64);  // where the first one was
  bm_memcpy_s2d(handle, a, data);
  bm_free_device(handle, b);
  bm_free_device(handle, a);
  bm_free_device(second, other);
  bm_dev_free(second);
  bm_dev_free(handle);
  return 0;
}
