// Attention of 64 queries, whose keys and values are divided among the cores: each core makes the
// largest score, the sum and the weighted values of its part; the first one puts them together.
#include "cores.h"

enum { kFine, kReadEarly, kOneMessageShort };
enum { kSize = 64, kArrived = 200 };

// in: queries 64 x 64, in2: keys n x 64, in3: values n x 64, fp16; out: 64 x 64 fp32.
void attention(const void* args) {
  const cores_args* a = (const cores_args*)args;
  const int core = tpu_core_index(), cores = tpu_core_num(), keys = a->n / cores;
  const local_addr_t query = 0, key = 16384, value = 32768, score = 49152, weight = 65536;
  const local_addr_t part = 81920, most = 98304, sum = most + 64, scale = most + 128, work = 114688;
  const dim4 square = matrix(kSize, kSize), block = matrix(keys, kSize);
  const dim4 scores = matrix(kSize, keys), single = matrix(kSize, 1), each = matrix(kSize, cores);
  const dim4 in_parts = {.n = 1, .c = cores, .h = cores, .w = 1}, stride = column_stride(kSize);
  const unsigned long long maxima = L2_SRAM_START_ADDR, sums = maxima + 4096;
  const unsigned long long parts = sums + 4096, bytes = kSize * kSize * 4, one = core * 4ull;

  tpu_initialize();
  tpu_gdma_cpy_S2L(query, a->in, &square, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(key, a->in2 + core * keys * 128ull, &block, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(value, a->in3 + core * keys * 128ull, &block, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm_R_trans(score, query, key, kSize, kSize, keys, DT_FP32, DT_FP16);
  row_max(most, score, kSize, keys);
  exp_minus(score, most, work, kSize, keys);
  row_sum(sum, score, kSize, keys);
  tpu_bdc_cast(weight, score, &scores, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_fp_mm(part, weight, value, kSize, keys, kSize, DT_FP32, DT_FP16, false);
  tpu_gdma_cpy_L2S(maxima + one, most, &single, &in_parts, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(sums + one, sum, &single, &in_parts, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(parts + core * bytes, part, &square, NULL, NULL, DT_FP32);  // @part
  tpu_gdma_send_msg(kArrived, 1);                                              // @arrived
  if (core == 0) {
    if (a->broken != kReadEarly)
      tpu_gdma_wait_msg(kArrived, a->broken == kOneMessageShort ? cores - 1 : cores);  // @wait
    const local_addr_t all = score, whole = weight, total = scale + 64, next = key, out = value;
    tpu_gdma_cpy_S2L(all, maxima, &each, NULL, NULL, DT_FP32);
    row_max(total, all, kSize, cores);
    exp_minus(all, total, work, kSize, cores);
    tpu_gdma_cpy_S2L(whole, sums, &each, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul(whole, whole, all, &each, NULL, NULL, NULL, DT_FP32);
    row_sum(scale, whole, kSize, cores);
    for (int k = 0; k < cores; ++k) {
      tpu_gdma_cpy_S2L(next, parts + k * bytes, &square, NULL, NULL, DT_FP32);  // @read
      tpu_bdc_fp_mul(next, next, all + k * 4, &square, NULL, NULL, &stride, DT_FP32);
      if (k == 0) {
        tpu_bdc_cpy(out, next, &square, NULL, NULL, DT_FP32);
      } else {
        tpu_bdc_fp_add(out, out, next, &square, NULL, NULL, NULL, DT_FP32);
      }
    }
    tpu_bdc_fp_div(out, out, scale, &square, NULL, NULL, &stride, DT_FP32);
    tpu_gdma_cpy_L2S(a->out, out, &square, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(attention)
