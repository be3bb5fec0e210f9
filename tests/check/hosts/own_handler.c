// A program that handles faults itself: accesses through pointers cannot be seen, so the pointer
// that is taken too early is a warning, what it reads is not looked at, and a note says so once.
//
// note what the processor reads and writes there is not checked
// expect TL-SYNC-009 pointer copy
#include <signal.h>
#include <stdlib.h>

#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#include "tpu_kernel.h"
#define LAUNCH tpu_kernel_launch_sync
#define REGISTER TPUKERNEL_FUNC_REGISTER
#define INITIALIZE tpu_initialize
#define POLL tpu_poll
#define LOCAL tpu_local_mem_addr
#define LOAD(to, from, shape) tpu_gdma_cpy_S2L(to, from, shape, NULL, NULL, DT_FP32)
#else
#include "okk.h"
#define LAUNCH okkernel_launch_sync
#define REGISTER OKKERNEL_FUNC_REGISTER
#define INITIALIZE okk_initialize
#define POLL okk_poll
#define LOCAL okk_local_mem_addr
#define LOAD(to, from, shape) okk_gdma_32bit_cpy_S2L(to, from, shape, NULL, NULL)
#endif

typedef struct {
  unsigned long long input;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16};
  INITIALIZE();
  volatile float* const elsewhere = (volatile float*)LOCAL(0, 65536);
  LOAD(0, a->input, &all);                                           // @copy
  const volatile float* const first = (volatile float*)LOCAL(0, 0);  // @pointer
  elsewhere[1] = elsewhere[0] + first[0];
  POLL();
}
REGISTER(kernel)

static void on_fault(int number) {
  (void)number;
  exit(1);
}

static float data[16384];

int main(void) {
  signal(SIGSEGV, on_fault);
  bm_handle_t handle;
  bm_device_mem_t input;
  bm_dev_request(&handle, 0);
  bm_malloc_device_byte(handle, &input, sizeof(data));
  bm_memcpy_s2d(handle, input, data);
  const args_t args = {bm_mem_get_device_addr(input)};
  LAUNCH(handle, "kernel", &args, sizeof(args));
  bm_free_device(handle, input);
  bm_dev_free(handle);
  return 0;
}
