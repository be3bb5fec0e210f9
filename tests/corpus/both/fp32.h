// fp32 copies and sums under one name for both systems: for cases in which the kernel is not the
// point.
#ifndef CORPUS_BOTH_FP32_H_
#define CORPUS_BOTH_FP32_H_

#include "corpus.h"

#ifdef BACKEND_1684X
#define initialize tpu_initialize
#define poll tpu_poll
#define parallel_start tpu_parallel_start
#define parallel_end tpu_parallel_end
#define local_pointer(npu, offset) ((float*)tpu_local_mem_addr(npu, offset))
#define load(local, system, shape) tpu_gdma_cpy_S2L(local, system, shape, NULL, NULL, DT_FP32)
#define store(system, local, shape) tpu_gdma_cpy_L2S(system, local, shape, NULL, NULL, DT_FP32)
#define copy(to, from, shape) tpu_gdma_cpy_S2S(to, from, shape, NULL, NULL, DT_FP32)
#define add_number(to, from, number, shape) \
  tpu_bdc_fp_add_C(to, from, (scalar_t){.f32 = (number)}, shape, NULL, NULL, DT_FP32)
#else
#define initialize okk_initialize
#define poll okk_poll
#define parallel_start okk_parallel_start
#define parallel_end okk_parallel_end
#define local_pointer(npu, offset) ((float*)okk_local_mem_addr(npu, offset))
#define load(local, system, shape) okk_gdma_32bit_cpy_S2L(local, system, shape, 0, 0)
#define store(system, local, shape) okk_gdma_32bit_cpy_L2S(system, local, shape, 0, 0)
#define copy(to, from, shape) okk_gdma_32bit_cpy_S2S(to, from, shape, 0, 0)
#define add_number(to, from, number, shape) okk_bdc_add_C(to, from, number, shape, 0, 0)
#endif

#endif  // CORPUS_BOTH_FP32_H_
