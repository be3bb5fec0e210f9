// What kernels for the chip do in public and the checker must not object to: broadcasts, narrowing
// casts and reductions in place, functions over the unused lanes of the last column, reading what
// nonzero wrote after asking for the count. C11 with nothing but the header.
#include "kernels.h"
#include "tpu_kernel.h"

// [n, 1, h, 1] becomes [n, c, h, w].
void broadcast(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 one = {a->n, 1, a->h, 1}, channels = {a->n, a->c, a->h, 1},
             all = {a->n, a->c, a->h, a->w};
  dim4 stride;
  tpu_aligned_stride(&stride, 0, &one, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->input, &one, NULL, NULL, DT_FP32);
  tpu_bdc_npu_bcast(0, 0, &channels, DT_FP32);
  // Every element of h to where the result has its row, then every row from its first element.
  const local_addr_t rows = tpu_local_mem_size_per_npu() / 2;
  dim4 row, spread;
  tpu_aligned_stride(&row, 0, &all, DT_FP32);
  tpu_bdc_cpy(rows, 0, &channels, &row, &stride, DT_FP32);
  spread = row;
  spread.w = 0;
  tpu_bdc_cpy(rows, rows, &all, NULL, &spread, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, rows, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(broadcast)

// n numbers, 16 to a channel; the lanes behind the last one are computed like the others.
void sigmoid(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const int columns = tpu_eu_num(DT_FP32), bank = tpu_local_mem_size_per_npu() / tpu_bank_num();
  const dim4 shape = {1, DIV_UP(a->n, columns), 1, columns};
  tpu_bdc_load_fp32_exp_coeff(4 * bank);
  tpu_bdc_load_fp32_exp_table(5 * bank);
  tpu_gdma_matrix_S2L(0, a->input, 1, a->n, columns, a->n, DT_FP32);
  tpu_bdc_fp32_sigmoid(bank, 0, 2 * bank, 3 * bank, 4 * bank, 5 * bank, &shape);
  tpu_gdma_matrix_L2S(a->output, bank, 1, a->n, columns, a->n, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(sigmoid)

// The root of the sum of w squares, as fp16.
void norm(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 shape = {1, 1, 1, a->w}, one = {1, 1, 1, 1};
  const dim2 kernel = {1, a->w}, unit = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t scale = {.f32 = 1};
  tpu_gdma_cpy_S2L(0, a->input, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(0, 0, 0, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(0, 0, &shape, &kernel, &none, &unit, &unit, DT_FP32, scale);
  tpu_bdc_fp32_sqrt(1024, 0, &one);
  tpu_bdc_cast(1024, 1024, &one, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(a->output, 1024, &one, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(norm)

// extra: positions of the elements that are not 0; output: how many, then their sum.
void nonzero(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 shape = {a->n, a->c, a->h, a->w};
  tpu_gdma_nonzero_S2S(a->extra, a->input, &shape, DT_INT32, 0);
  const unsigned count = tpu_gdma_get_filter_num();
  const int* positions = tpu_global_mem_addr(a->extra);
  int* result = tpu_global_mem_addr(a->output);
  result[0] = (int)count;
  result[1] = 0;
  for (unsigned i = 0; i < count; ++i) result[1] += positions[i];
  tpu_flush_cache(a->output, 64);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(nonzero)

// The w largest of n numbers, and in extra where they stood.
void largest(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort_general(a->input, 0, a->output, a->extra, 0, a->n, 1, 1, 1, a->w);
  tpu_hau_poll();
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(largest)

// Every element of [n, c, h, w] three times in both directions: average pooling backwards.
void enlarge(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 shape = {a->n, a->c, a->h, a->w}, larger = {a->n, a->c, 3 * a->h, 3 * a->w};
  const dim2 kernel = {3, 3}, insert = {2, 2}, unit = {1, 1};
  const padding_t padding = {2, 2, 2, 2};
  const scalar_t one = {.f32 = 1};
  const local_addr_t result = tpu_local_mem_size_per_npu() / 2;
  tpu_gdma_cpy_S2L(0, a->input, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_depthwise_for_deconv2d(result, 0, one.u32, 0, &shape, &kernel, &insert, &padding,
                                    &unit, DT_FP32, DT_FP32, true, false);
  tpu_gdma_cpy_L2S(a->output, result, &larger, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(enlarge)

#ifdef CLOSED
// Stands for a function of the vendor's library, which nobody has here: the other kernels of the
// module can be used all the same.
void vendor_function(unsigned long long output, unsigned long long input);
void closed(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  vendor_function(a->output, a->input);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(closed)
#endif
