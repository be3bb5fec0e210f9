// input + 2, computed in two steps (of another size on request); after the last one the kernel adds
// 40 to an element by itself.
#include <stdlib.h>

#include "args.h"

#ifdef BACKEND_1684X
#include "tpu_kernel.h"
#define LOAD(local, global) tpu_gdma_cpy_S2L(local, global, &shape, NULL, NULL, DT_FP32)
#define STORE(global, local) tpu_gdma_cpy_L2S(global, local, &shape, NULL, NULL, DT_FP32)
#define ADD(to, from, value) \
  tpu_bdc_fp_add_C(to, from, (scalar_t){.f32 = (value)}, &shape, NULL, NULL, DT_FP32)
#define initialize tpu_initialize
#define parallel_start tpu_parallel_start
#define parallel_end tpu_parallel_end
#define poll tpu_poll
#define global_pointer tpu_global_mem_addr
#define REGISTER TPUKERNEL_FUNC_REGISTER
#else
#include "okk.h"
#define LOAD(local, global) okk_gdma_32bit_cpy_S2L(local, global, &shape, NULL, NULL)
#define STORE(global, local) okk_gdma_32bit_cpy_L2S(global, local, &shape, NULL, NULL)
#define ADD(to, from, value) okk_bdc_add_C(to, from, value, &shape, NULL, NULL)
#define initialize okk_initialize
#define parallel_start okk_parallel_start
#define parallel_end okk_parallel_end
#define poll okk_poll
#define global_pointer okk_global_mem_addr
#define REGISTER OKKERNEL_FUNC_REGISTER
#endif

#ifndef STEP
#define STEP 1.0f
#endif

static const dim4 shape = {1, 64, 4, 16};

static void add_one(unsigned int to, unsigned int from) {
  ADD(to, from, STEP);  // LINE add
}

static void end_badly(int how) {
  if (how == 1) *(volatile int*)8 = 1;
  if (how == 2) abort();
  if (how == 3) _Exit(5);
  if (how == 4) add_one(0xffffffff, 0);
}

void kernel(const void* args) {
  const args_t* a = (const args_t*)args;
  initialize();
  LOAD(0x0, a->input);  // LINE input
  parallel_start();
  LOAD(0x4000, a->input);  // LINE load
  add_one(0x1000, 0x0);    // LINE first
  parallel_end();
  end_badly(a->end);
  add_one(0x1000, 0x1000);
  STORE(a->output, 0x1000);  // LINE store
  poll();
  float* const output = (float*)global_pointer(a->output);
  output[1] += 40;  // LINE pointer
}
REGISTER(kernel)
