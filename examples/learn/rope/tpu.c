#include "args.h"
#include "tpu_kernel.h"

// Every row's halves (a, b) become (a * cosine - b * sine, b * cosine + a * sine). A head lies in
// an NPU.
void rope(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 whole = {.n = 1, .c = p->heads, .h = p->tokens, .w = p->dim};
  const dim4 half = {.n = 1, .c = p->heads, .h = p->tokens, .w = p->dim / 2};
  dim4 row, table;  // strides of a whole tensor, and of half a one
  tpu_aligned_stride(&row, 0, &whole, DT_FP32);
  tpu_aligned_stride(&table, 0, &half, DT_FP32);
  const int bytes = row.n * sizeof(float), table_bytes = table.n * sizeof(float),
            b = half.w * sizeof(float);
  const local_addr_t x = 0, y = x + bytes, cosine = y + bytes, sine = cosine + table_bytes,
                     product = sine + table_bytes;
  TPUKERNEL_ASSERT(p->heads <= tpu_npu_num() && p->dim % 2 == 0);
  TPUKERNEL_ASSERT((int)(product + table_bytes) <= tpu_local_mem_size_per_npu());
  const dim4 same = {.n = 0, .c = 0, .h = half.w, .w = 1};  // one table for all heads

  tpu_initialize();
  tpu_gdma_cpy_S2L(x, p->input_addr, &whole, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(cosine, p->cosine_addr, &half, NULL, &same, DT_FP32);
  tpu_gdma_cpy_S2L(sine, p->sine_addr, &half, NULL, &same, DT_FP32);
  tpu_bdc_fp_mul(y, x, cosine, &half, &row, &row, &table, DT_FP32);
  tpu_bdc_fp_mul(product, x + b, sine, &half, &table, &row, &table, DT_FP32);
  tpu_bdc_fp_sub(y, y, product, &half, &row, &row, &table, DT_FP32);
  tpu_bdc_fp_mul(y + b, x + b, cosine, &half, &row, &row, &table, DT_FP32);
  tpu_bdc_fp_mul(product, x, sine, &half, &table, &row, &table, DT_FP32);
  tpu_bdc_fp_add(y + b, y + b, product, &half, &row, &row, &table, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, y, &whole, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(rope)
