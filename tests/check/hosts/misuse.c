// Every kind of call that the host must not make; each is refused, and found at its line with the
// lines that freed and made the memory.
//
// expect TL-HOST-001 past made_b
// expect TL-HOST-001 offset made_b
// expect TL-HOST-001 wrapped made_b
// expect TL-HOST-001 read made_b
// expect TL-HOST-001 fill made_b
// expect TL-HOST-001 between made_a
// expect TL-HOST-001 nowhere
// expect TL-HOST-003 foreign made_other
// expect TL-HOST-003 foreign_free made_other
// expect TL-HOST-002 freed_write freed made_a
// expect TL-HOST-002 freed_read freed made_a
// expect TL-HOST-004 twice freed made_a
// expect TL-HOST-004 inside made_b
// expect TL-HOST-005 unknown
// expect TL-HOST-005 no_args
// expect TL-HOST-005 large_args
// expect TL-HOST-006 null_descriptor
// expect TL-HOST-006 null_source
// expect TL-HOST-006 negative
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
  bm_malloc_device_byte(handle, &a, 4096);      // @made_a
  bm_malloc_device_byte(handle, &b, 4096);      // @made_b
  bm_malloc_device_byte(second, &other, 4096);  // @made_other
  bm_memcpy_s2d(handle, a, data);
  bm_memcpy_s2d(handle, b, data);

  bm_memcpy_s2d_partial(handle, b, data, 4100);                                      // @past
  bm_memcpy_s2d_partial_offset(handle, b, data, 16, 4096);                           // @offset
  bm_memcpy_d2d_byte(handle, b, (size_t)-4096, a, 0, 4096);                          // @wrapped
  bm_memcpy_d2s_partial_offset(handle, data, b, 8, 4092);                            // @read
  bm_memset_device(handle, 1, bm_mem_from_device(bm_mem_get_device_addr(b), 4097));  // @fill
  bm_memcpy_d2d_byte(handle, b, 0, a, 1, 4096);                                      // @between
  bm_memcpy_d2s(handle, data, bm_mem_from_device(0x10, 4));                          // @nowhere
  bm_memcpy_d2s(handle, data, other);                                                // @foreign
  bm_free_device(handle, other);                                                   // @foreign_free
  bm_free_device(handle, a);                                                       // @freed
  bm_memcpy_s2d(handle, a, data);                                                  // @freed_write
  bm_memcpy_d2s(handle, data, a);                                                  // @freed_read
  bm_free_device(handle, a);                                                       // @twice
  bm_free_device(handle, bm_mem_from_device(bm_mem_get_device_addr(b) + 64, 64));  // @inside
  okkernel_launch_sync(handle, "kernl", data, 8);                                  // @unknown
  okkernel_launch_sync(handle, "kernel", NULL, 8);                                 // @no_args
  okkernel_launch_sync(handle, "kernel", data, 4097);                              // @large_args
  bm_malloc_device_byte(handle, NULL, 64);  // @null_descriptor
  bm_memcpy_s2d(handle, b, NULL);           // @null_source
  bm_memcpy_d2d(handle, b, -4, b, 0, 1);    // @negative

  bm_free_device(handle, b);
  bm_free_device(second, other);
  bm_dev_free(second);
  bm_dev_free(handle);
  return 0;
}
