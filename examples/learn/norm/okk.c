#include "okk.h"
#include "args.h"

// What both kernels share: x becomes (x - mean) / sqrt(variance + epsilon), a mean and a variance
// for each plane of h x w.
static void normalise(local_addr_t x, local_addr_t square, local_addr_t mean, const dim4* shape,
                      float epsilon) {
  const dim4 single = {.n = shape->n, .c = shape->c, .h = 1, .w = 1};
  dim4 spread;  // the stride of one element that stands for a plane
  okk_128_byte_aligned_stride_for_32bit(&spread, 0, &single);
  spread.h = spread.w = 0;
  const Padding none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1};

  okk_bdc_avg_pool2d(mean, x, shape, shape->h, shape->w, &none, &one);
  okk_bdc_sub(x, x, mean, shape, 0, 0, &spread);
  okk_bdc_mul(square, x, x, shape, 0, 0, 0);
  okk_bdc_avg_pool2d(mean, square, shape, shape->h, shape->w, &none, &one);
  okk_bdc_add_C(mean, mean, epsilon, &single, 0, 0);
  okk_bdc_rsqrt(mean, mean, &single);
  okk_bdc_mul(x, x, mean, shape, 0, 0, &spread);
}

// Every channel of every image by its own mean; gamma and beta are one number for a channel.
void instance_norm(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = p->n, .c = p->c, .h = p->h, .w = p->w};
  const dim4 single = {.n = p->n, .c = p->c, .h = 1, .w = 1},
             images = {.n = 0, .c = 1, .h = 1, .w = 1};
  dim4 stride, spread;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  okk_128_byte_aligned_stride_for_32bit(&spread, 0, &single);
  const int bytes = shape.n * stride.n * sizeof(float), few = shape.n * spread.n * sizeof(float);
  const local_addr_t x = 0, square = x + bytes, mean = square + bytes, gamma = mean + few,
                     beta = gamma + few;
  OKKERNEL_ASSERT(beta + few <= okk_local_mem_size_per_npu());
  spread.h = spread.w = 0;

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(x, p->input_addr, &shape, 0, 0);
  okk_gdma_32bit_cpy_S2L(gamma, p->gamma_addr, &single, 0, &images);
  okk_gdma_32bit_cpy_S2L(beta, p->beta_addr, &single, 0, &images);
  normalise(x, square, mean, &shape, p->epsilon);
  okk_bdc_mul(x, x, gamma, &shape, 0, 0, &spread);
  okk_bdc_add(x, x, beta, &shape, 0, 0, &spread);
  okk_gdma_32bit_cpy_L2S(p->output_addr, x, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(instance_norm)

// Every row by its own mean: rows lie as channels. gamma and beta are as long as a row, with a copy
// for every one.
void layer_norm(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = p->c, .h = 1, .w = p->w},
             single = {.n = 1, .c = p->c, .h = 1, .w = 1};
  const dim4 copies = {.n = 0, .c = 0, .h = 0, .w = 1};
  dim4 stride, few;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  okk_128_byte_aligned_stride_for_32bit(&few, 0, &single);
  const int bytes = stride.n * sizeof(float);
  const local_addr_t x = 0, square = x + bytes, gamma = square + bytes, beta = gamma + bytes,
                     mean = beta + bytes;
  OKKERNEL_ASSERT(mean + few.n * sizeof(float) <= okk_local_mem_size_per_npu());

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(x, p->input_addr, &shape, 0, 0);
  okk_gdma_32bit_cpy_S2L(gamma, p->gamma_addr, &shape, 0, &copies);
  okk_gdma_32bit_cpy_S2L(beta, p->beta_addr, &shape, 0, &copies);
  normalise(x, square, mean, &shape, p->epsilon);
  okk_bdc_mul(x, x, gamma, &shape, 0, 0, 0);
  okk_bdc_add(x, x, beta, &shape, 0, 0, 0);
  okk_gdma_32bit_cpy_L2S(p->output_addr, x, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(layer_norm)
