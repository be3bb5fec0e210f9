/* One kernel in the words of both systems. */
#ifdef BACKEND_1684X
#include "tpu_kernel.h"
#define initialize tpu_initialize
#define poll tpu_poll
#define parallel_start tpu_parallel_start
#define parallel_end tpu_parallel_end
#define copy_in(to, from, shape) tpu_gdma_cpy_S2L(to, from, shape, 0, 0, DT_FP32)
#define copy_out(to, from, shape) tpu_gdma_cpy_L2S(to, from, shape, 0, 0, DT_FP32)
#define add(to, a, b, shape) tpu_bdc_fp_add(to, a, b, shape, 0, 0, 0, DT_FP32)
#define REGISTER TPUKERNEL_FUNC_REGISTER
#else
#include "okk.h"
#define initialize okk_initialize
#define poll okk_poll
#define parallel_start okk_parallel_start
#define parallel_end okk_parallel_end
#define copy_in(to, from, shape) okk_gdma_32bit_cpy_S2L(to, from, shape, 0, 0)
#define copy_out(to, from, shape) okk_gdma_32bit_cpy_L2S(to, from, shape, 0, 0)
#define add(to, a, b, shape) okk_bdc_add(to, a, b, shape, 0, 0, 0)
#define REGISTER OKKERNEL_FUNC_REGISTER
#endif

typedef struct {
  unsigned long long input, output;
  int races, rows;
} __attribute__((packed)) args_t;
