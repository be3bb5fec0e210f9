#include "layer.h"

// Halves (a, b) of every head become (a * cosine - b * sine, b * cosine + a * sine), in fp32.
static void turn(local_addr_t to, local_addr_t from, local_addr_t cosine, local_addr_t sine,
                 const rope_args* p, int tokens) {
  const local_addr_t x = bank(10), y = bank(11), product = bank(12);
  const dim4 whole = {.n = 1, .c = tokens, .h = p->heads, .w = p->dim};
  const dim4 half = {.n = 1, .c = tokens, .h = p->heads, .w = p->dim / 2};
  const dim4 angles = {.n = 1, .c = tokens, .h = 1, .w = p->dim / 2};
  dim4 row, part, table;
  tpu_aligned_stride(&row, 0, &whole, DT_FP32);
  tpu_aligned_stride(&part, 0, &half, DT_FP32);
  tpu_aligned_stride(&table, 0, &angles, DT_FP32);
  table.h = 0;  // the same angles for all heads
  const local_addr_t xb = x + half.w * sizeof(float), yb = y + half.w * sizeof(float);
  tpu_bdc_cast(x, from, &whole, NULL, NULL, DT_FP32, TYPE, RM_HALF_TO_EVEN);
  tpu_bdc_fp_mul(y, x, cosine, &half, &row, &row, &table, DT_FP32);
  tpu_bdc_fp_mul(product, xb, sine, &half, &part, &row, &table, DT_FP32);
  tpu_bdc_fp_sub(y, y, product, &half, &row, &row, &part, DT_FP32);
  tpu_bdc_fp_mul(yb, xb, cosine, &half, &row, &row, &table, DT_FP32);
  tpu_bdc_fp_mul(product, x, sine, &half, &part, &row, &table, DT_FP32);
  tpu_bdc_fp_add(yb, yb, product, &half, &row, &row, &part, DT_FP32);
  tpu_bdc_cast(to, y, &whole, NULL, NULL, TYPE, DT_FP32, RM_HALF_TO_EVEN);
}

// Tokens lie in NPUs.
void rope(const void* args) {
  const rope_args* p = (const rope_args*)args;
  const local_addr_t q[2] = {bank(0), bank(1)}, k[2] = {bank(2), bank(3)},
                     v[2] = {bank(4), bank(5)}, turned_q[2] = {bank(6), bank(7)},
                     turned_k[2] = {bank(8), bank(9)}, cosine[2] = {bank(13), bank(14)};
  const int hidden = p->heads * p->dim, blocks = DIV_UP(p->tokens, NPU_NUM);
  const int half_bytes = p->dim / 2 * (int)sizeof(float), angle_bytes = ALIGN(half_bytes, 64);
  TPUKERNEL_ASSERT(p->dim % 2 == 0 && hidden * (int)sizeof(float) <= BANK_SIZE);
  const dim4 inside = {.n = 0, .c = 3 * hidden, .h = p->dim, .w = 1};            // of input
  const dim4 cached = {.n = 0, .c = p->dim, .h = p->capacity * p->dim, .w = 1};  // of a cache

  tpu_initialize();
  for (int step = 0; step < blocks + 2; ++step) {
    tpu_parallel_start();
    for (int stage = 0; stage < 3; ++stage) {
      const int block = step - stage, first = block * NPU_NUM, side = block & 1;
      if (block < 0 || block >= blocks) continue;
      const int tokens = MIN(NPU_NUM, p->tokens - first);
      const dim4 shape = {.n = 1, .c = tokens, .h = p->heads, .w = p->dim};
      const dim4 angles = {.n = 1, .c = tokens, .h = 1, .w = p->dim / 2};
      const address at = p->input + 6ull * first * hidden, angle = (address)first * half_bytes,
                    slot = 2ull * (p->first + first) * p->dim;
      if (stage == 0) {
        tpu_gdma_cpy_S2L(q[side], at, &shape, NULL, &inside, TYPE);
        tpu_gdma_cpy_S2L(k[side], at + 2ull * hidden, &shape, NULL, &inside, TYPE);
        tpu_gdma_cpy_S2L(v[side], at + 4ull * hidden, &shape, NULL, &inside, TYPE);
        tpu_gdma_cpy_S2L(cosine[side], p->cosine + angle, &angles, NULL, NULL, DT_FP32);
        tpu_gdma_cpy_S2L(cosine[side] + angle_bytes, p->sine + angle, &angles, NULL, NULL, DT_FP32);
      } else if (stage == 1) {
        tpu_gdma_cpy_L2S(p->value + slot, v[side], &shape, &cached, NULL, TYPE);
        turn(turned_q[side], q[side], cosine[side], cosine[side] + angle_bytes, p, tokens);
        turn(turned_k[side], k[side], cosine[side], cosine[side] + angle_bytes, p, tokens);
      } else {
        tpu_gdma_cpy_L2S(p->query + 2ull * first * hidden, turned_q[side], &shape, NULL, NULL,
                         TYPE);
        tpu_gdma_cpy_L2S(p->key + slot, turned_k[side], &shape, &cached, NULL, TYPE);
      }
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(rope)

// Queries lie in NPUs, two in each at most; step by step another head, or more of its queries.
void attention(const void* args) {
  const int most = 2 * NPU_NUM;
  const attention_args* p = (const attention_args*)args;
  const local_addr_t query[2] = {bank(0), bank(1)}, key[2] = {bank(2), bank(3)},
                     value[2] = {bank(4), bank(5)}, output[2] = {bank(6), bank(7)};
  const local_addr_t score = bank(8), work = bank(9), work2 = bank(10), mask = bank(11),
                     weight = bank(12), sum = bank(13), coefficients = bank(14), number = bank(15);
  const int keys = p->first + p->queries, hidden = p->heads * p->dim;
  const int parts = DIV_UP(p->queries, most), steps = p->heads * parts;
  const scalar_t scale = {.f32 = p->scale}, never = {.f32 = -1e9f};
  const dim4 of_keys = {.n = 1, .c = keys, .h = 1, .w = p->dim};
  const dim4 same = {.n = 0, .c = 0, .h = 0, .w = 1};         // a row for all channels
  const dim4 inside = {.n = 0, .c = hidden, .h = 0, .w = 1};  // of queries and output
  TPUKERNEL_ASSERT(2 * keys * (int)sizeof(float) <= BANK_SIZE);
  TPUKERNEL_ASSERT(tpu_get_local_size(&of_keys, TYPE, 0, true) <= BANK_SIZE);

  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(coefficients, DT_FP32);
  for (int step = 0; step < steps + 2; ++step) {
    tpu_parallel_start();
    for (int stage = 0; stage < 3; ++stage) {
      const int now = step - stage, side = now & 1;
      if (now < 0 || now >= steps) continue;
      const int head = now / parts, first = now % parts * most;
      const int queries = MIN(most, p->queries - first);
      const dim4 shape = {.n = 1, .c = queries, .h = 1, .w = p->dim};
      const dim4 scores = {.n = 1, .c = queries, .h = 1, .w = keys};
      const dim4 single = {.n = 1, .c = queries, .h = 1, .w = 1};
      const dim4 spread = spread_stride(queries);
      const address at = 2ull * ((address)first * hidden + head * p->dim),
                    cached = 2ull * head * p->capacity * p->dim;
      if (stage == 0) {
        tpu_gdma_cpy_S2L(query[side], p->query + at, &shape, NULL, &inside, TYPE);
        tpu_gdma_cpy_S2L(key[side], p->key + cached, &of_keys, NULL, NULL, TYPE);
        tpu_gdma_cpy_S2L(value[side], p->value + cached, &of_keys, NULL, NULL, TYPE);
      } else if (stage == 1) {
        if (head == 0 || parts > 1) {  // -1e9 where a key is later than its query
          tpu_bdc_arithmetic_sequence_bcast(work, NPU_NUM, 0, 1, keys);
          tpu_bdc_arithmetic_sequence_distribute_aligned(number, p->first + first, 1, queries);
          tpu_bdc_greater(mask, work, number, never, &scores, NULL, &same, &spread, DT_FP32,
                          DT_INT32);
        }
        tpu_bdc_fp_mm_R_trans(score, query[side], key[side], queries, p->dim, keys, DT_FP32, TYPE);
        tpu_bdc_fp_mul_C(score, score, scale, &scores, NULL, NULL, DT_FP32);
        tpu_bdc_fp_add(score, score, mask, &scores, NULL, NULL, NULL, DT_FP32);
        row_maximum(number, score, &scores);
        tpu_bdc_fp_sub(score, score, number, &scores, NULL, NULL, &spread, DT_FP32);
        tpu_bdc_fp_exp(score, score, work, work2, coefficients, &scores, DT_FP32);
        row_sum(number, score, &scores, 1.0f);
        tpu_bdc_fp32_reciprocal(number, number, &single, NULL, NULL);
        tpu_bdc_cast(weight, score, &scores, NULL, NULL, TYPE, DT_FP32, RM_HALF_TO_EVEN);
        tpu_bdc_fp_mm(sum, weight, value[side], queries, keys, p->dim, DT_FP32, TYPE, false);
        tpu_bdc_fp_mul(sum, sum, number, &shape, NULL, NULL, &spread, DT_FP32);
        tpu_bdc_cast(output[side], sum, &shape, NULL, NULL, TYPE, DT_FP32, RM_HALF_TO_EVEN);
      } else {
        tpu_gdma_cpy_L2S(p->output + at, output[side], &shape, &inside, NULL, TYPE);
      }
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(attention)
