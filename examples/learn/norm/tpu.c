#include "args.h"
#include "tpu_kernel.h"

// What both kernels share: x becomes (x - mean) / sqrt(variance + epsilon), a mean and a variance
// for each plane of h x w.
static void normalise(local_addr_t x, local_addr_t square, local_addr_t mean, const dim4* shape,
                      float epsilon) {
  const dim4 single = {.n = shape->n, .c = shape->c, .h = 1, .w = 1};
  dim4 spread;  // the stride of one element that stands for a plane
  tpu_aligned_stride(&spread, 0, &single, DT_FP32);
  spread.h = spread.w = 0;
  const padding_t none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1}, plane = {.h = shape->h, .w = shape->w};
  const scalar_t average = {.f32 = 1.0f / (float)(shape->h * shape->w)}, small = {.f32 = epsilon};

  tpu_bdc_fp_avg_pool2d(mean, x, shape, &plane, &none, &one, &one, DT_FP32, average);
  tpu_bdc_fp_sub(x, x, mean, shape, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_fp_mul(square, x, x, shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(mean, square, shape, &plane, &none, &one, &one, DT_FP32, average);
  tpu_bdc_fp_add_C(mean, mean, small, &single, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_rsqrt(mean, mean, &single);
  tpu_bdc_fp_mul(x, x, mean, shape, NULL, NULL, &spread, DT_FP32);
}

// Every channel of every image by its own mean; gamma and beta are one number for a channel.
void instance_norm(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = p->n, .c = p->c, .h = p->h, .w = p->w};
  const dim4 single = {.n = p->n, .c = p->c, .h = 1, .w = 1},
             images = {.n = 0, .c = 1, .h = 1, .w = 1};
  dim4 stride, spread;
  tpu_aligned_stride(&stride, 0, &shape, DT_FP32);
  tpu_aligned_stride(&spread, 0, &single, DT_FP32);
  const int bytes = shape.n * stride.n * sizeof(float), few = shape.n * spread.n * sizeof(float);
  const local_addr_t x = 0, square = x + bytes, mean = square + bytes, gamma = mean + few,
                     beta = gamma + few;
  TPUKERNEL_ASSERT((int)(beta + few) <= tpu_local_mem_size_per_npu());
  spread.h = spread.w = 0;

  tpu_initialize();
  tpu_gdma_cpy_S2L(x, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(gamma, p->gamma_addr, &single, NULL, &images, DT_FP32);
  tpu_gdma_cpy_S2L(beta, p->beta_addr, &single, NULL, &images, DT_FP32);
  normalise(x, square, mean, &shape, p->epsilon);
  tpu_bdc_fp_mul(x, x, gamma, &shape, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_fp_add(x, x, beta, &shape, NULL, NULL, &spread, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, x, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(instance_norm)

// Every row by its own mean: rows lie as channels. gamma and beta are as long as a row, with a copy
// for every one.
void layer_norm(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = p->c, .h = 1, .w = p->w},
             single = {.n = 1, .c = p->c, .h = 1, .w = 1};
  const dim4 copies = {.n = 0, .c = 0, .h = 0, .w = 1};
  dim4 stride, few;
  tpu_aligned_stride(&stride, 0, &shape, DT_FP32);
  tpu_aligned_stride(&few, 0, &single, DT_FP32);
  const int bytes = stride.n * sizeof(float);
  const local_addr_t x = 0, square = x + bytes, gamma = square + bytes, beta = gamma + bytes,
                     mean = beta + bytes;
  TPUKERNEL_ASSERT((int)(mean + few.n * sizeof(float)) <= tpu_local_mem_size_per_npu());

  tpu_initialize();
  tpu_gdma_cpy_S2L(x, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(gamma, p->gamma_addr, &shape, NULL, &copies, DT_FP32);
  tpu_gdma_cpy_S2L(beta, p->beta_addr, &shape, NULL, &copies, DT_FP32);
  normalise(x, square, mean, &shape, p->epsilon);
  tpu_bdc_fp_mul(x, x, gamma, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(x, x, beta, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, x, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(layer_norm)
