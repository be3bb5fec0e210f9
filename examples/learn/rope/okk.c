#include "okk.h"
#include "args.h"

// Every row's halves (a, b) become (a * cosine - b * sine, b * cosine + a * sine). A head lies in
// an NPU.
void rope(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 whole = {.n = 1, .c = p->heads, .h = p->tokens, .w = p->dim};
  const dim4 half = {.n = 1, .c = p->heads, .h = p->tokens, .w = p->dim / 2};
  dim4 row, table;  // strides of a whole tensor, and of half a one
  okk_128_byte_aligned_stride_for_32bit(&row, 0, &whole);
  okk_128_byte_aligned_stride_for_32bit(&table, 0, &half);
  const int bytes = row.n * sizeof(float), table_bytes = table.n * sizeof(float),
            b = half.w * sizeof(float);
  const local_addr_t x = 0, y = x + bytes, cosine = y + bytes, sine = cosine + table_bytes,
                     product = sine + table_bytes;
  OKKERNEL_ASSERT(p->heads <= okk_npu_num() && p->dim % 2 == 0);
  OKKERNEL_ASSERT(product + table_bytes <= okk_local_mem_size_per_npu());
  const dim4 same = {.n = 0, .c = 0, .h = half.w, .w = 1};  // one table for all heads

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(x, p->input_addr, &whole, 0, 0);
  okk_gdma_32bit_cpy_S2L(cosine, p->cosine_addr, &half, 0, &same);
  okk_gdma_32bit_cpy_S2L(sine, p->sine_addr, &half, 0, &same);
  okk_bdc_mul(y, x, cosine, &half, &row, &row, &table);
  okk_bdc_mul(product, x + b, sine, &half, &table, &row, &table);
  okk_bdc_sub(y, y, product, &half, &row, &row, &table);
  okk_bdc_mul(y + b, x + b, cosine, &half, &row, &row, &table);
  okk_bdc_mul(product, x, sine, &half, &table, &row, &table);
  okk_bdc_add(y + b, y + b, product, &half, &row, &row, &table);
  okk_gdma_32bit_cpy_L2S(p->output_addr, y, &whole, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(rope)
