// Rows lie in NPUs, as many at a time as there are NPUs: while some are computed, the next come and
// those before go.
#include "layer.h"

void norm(const void* args) {
  const norm_args* p = (const norm_args*)args;
  const local_addr_t input[2] = {bank(0), bank(1)}, output[2] = {bank(2), bank(3)};
  const local_addr_t given = bank(4), gamma = bank(5), x = bank(7), square = bank(9),
                     mean = bank(11);
  const scalar_t epsilon = {.f32 = p->epsilon};
  const dim4 copies = {.n = 0, .c = 0, .h = 0, .w = 1};
  const dim4 everywhere = {.n = 1, .c = NPU_NUM, .h = 1, .w = p->cols};
  const int blocks = DIV_UP(p->rows, NPU_NUM);
  TPUKERNEL_ASSERT(p->cols * (int)sizeof(float) <= 2 * BANK_SIZE);

  tpu_initialize();
  tpu_gdma_cpy_S2L(given, p->gamma, &everywhere, NULL, &copies, TYPE);
  tpu_bdc_cast(gamma, given, &everywhere, NULL, NULL, DT_FP32, TYPE, RM_HALF_TO_EVEN);
  for (int step = 0; step < blocks + 2; ++step) {
    tpu_parallel_start();
    for (int stage = 0; stage < 3; ++stage) {
      const int block = step - stage, first = block * NPU_NUM;
      if (block < 0 || block >= blocks) continue;
      const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, p->rows - first), .h = 1, .w = p->cols};
      const dim4 single = {.n = 1, .c = shape.c, .h = 1, .w = 1};
      const dim4 spread = spread_stride(shape.c);
      const address at = 2ull * first * p->cols;
      if (stage == 0) {
        tpu_gdma_cpy_S2L(input[block % 2], p->input + at, &shape, NULL, NULL, TYPE);
      } else if (stage == 1) {
        tpu_bdc_cast(x, input[block % 2], &shape, NULL, NULL, DT_FP32, TYPE, RM_HALF_TO_EVEN);
        tpu_bdc_fp_mul(square, x, x, &shape, NULL, NULL, NULL, DT_FP32);
        row_sum(mean, square, &shape, 1.0f / (float)p->cols);
        tpu_bdc_fp_add_C(mean, mean, epsilon, &single, NULL, NULL, DT_FP32);
        tpu_bdc_fp32_rsqrt(mean, mean, &single);
        tpu_bdc_fp_mul(x, x, mean, &shape, NULL, NULL, &spread, DT_FP32);
        tpu_bdc_fp_mul(x, x, gamma, &shape, NULL, NULL, NULL, DT_FP32);
        tpu_bdc_cast(output[block % 2], x, &shape, NULL, NULL, TYPE, DT_FP32, RM_HALF_TO_EVEN);
      } else {
        tpu_gdma_cpy_L2S(p->output + at, output[block % 2], &shape, NULL, NULL, TYPE);
      }
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(norm)

void quantise(const void* args) {
  const quantise_args* p = (const quantise_args*)args;
  const local_addr_t input[2] = {bank(0), bank(2)}, output[2] = {bank(4), bank(5)},
                     scale[2] = {bank(12), bank(13)};
  const local_addr_t x = bank(6), magnitude = bank(9), factor = bank(14);
  const scalar_t least = {.f32 = 1e-20f}, step_of = {.f32 = 1.0f / 127.0f};
  const int blocks = DIV_UP(p->rows, NPU_NUM);
  TPUKERNEL_ASSERT(p->cols <= BANK_SIZE && p->cols * (int)sizeof(float) <= 3 * BANK_SIZE);

  tpu_initialize();
  for (int step = 0; step < blocks + 2; ++step) {
    tpu_parallel_start();
    for (int stage = 0; stage < 3; ++stage) {
      const int block = step - stage, first = block * NPU_NUM;
      if (block < 0 || block >= blocks) continue;
      const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, p->rows - first), .h = 1, .w = p->cols};
      const dim4 single = {.n = 1, .c = shape.c, .h = 1, .w = 1};
      const dim4 spread = spread_stride(shape.c);
      const address at = (address)first * p->cols;
      if (stage == 0) {
        tpu_gdma_cpy_S2L(input[block % 2], p->input + 2 * at, &shape, NULL, NULL, TYPE);
      } else if (stage == 1) {
        const local_addr_t unit = scale[block % 2];
        tpu_bdc_cast(x, input[block % 2], &shape, NULL, NULL, DT_FP32, TYPE, RM_HALF_TO_EVEN);
        tpu_bdc_abs(magnitude, x, &shape, NULL, NULL, DT_FP32);
        row_maximum(unit, magnitude, &shape);
        tpu_bdc_max_C(unit, unit, least, &single, NULL, NULL, DT_FP32);
        tpu_bdc_fp_mul_C(unit, unit, step_of, &single, NULL, NULL, DT_FP32);
        tpu_bdc_fp32_reciprocal(factor, unit, &single, NULL, NULL);
        tpu_bdc_fp_mul(x, x, factor, &shape, NULL, NULL, &spread, DT_FP32);
        tpu_bdc_cast(output[block % 2], x, &shape, NULL, NULL, DT_INT8, DT_FP32, RM_HALF_TO_EVEN);
      } else {
        tpu_gdma_cpy_L2S(p->output + at, output[block % 2], &shape, NULL, NULL, DT_INT8);
        tpu_gdma_cpy_L2S(p->scale + 4ull * first, scale[block % 2], &single, NULL, NULL, DT_FP32);
      }
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(quantise)
