// Limits of the BM1684X under --strict and --keep-going, and without.
#include "corpus.h"

static const dim4 kHalves = {1, 64, 16, 32};

// The model of 2024 has no division of 16 bits; the early one computes it.
static void half_division(const args_t* a) {
  const scalar_t two = {.f16 = {.bits = 0x4000}};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kHalves, NULL, NULL, DT_FP16);
  tpu_bdc_fp_div_C(4096, 0, two, &kHalves, NULL, NULL, DT_FP16);  // @half_division
  tpu_gdma_cpy_L2S(a->out, 4096, &kHalves, NULL, NULL, DT_FP16);
  tpu_poll();
}

// EXPECT TL-ARGS-005 warning @half_division
void halves_divided(const void* args) {
  half_division(args);
}
KERNEL(halves_divided)

// EXPECT TL-ARGS-001 error @half_division
// OPTIONS --strict
void halves_not_divided(const void* args) {
  half_division(args);
}
KERNEL(halves_not_divided)

// The same in fp32 is a function of both models.
// SILENT
// OPTIONS --strict
void floats_divided(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &all, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_div_C(4096, 0, 2.0f, &all, NULL, NULL);
  tpu_gdma_cpy_L2S(a->out, 4096, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(floats_divided)

// An aligned tensor begins at a multiple of 64 bytes; at 32 the engine would compute all the same.
static void at_32_bytes(const args_t* a, const dim4* loaded) {
  const dim4 all = {1, 64, 16, 16};
  dim4 strides;
  tpu_initialize();
  tpu_aligned_stride(&strides, 0, &all, DT_FP32);
  tpu_gdma_cpy_S2L(32, a->in, loaded, &strides, NULL, DT_FP32);
  tpu_bdc_fp_add_C(4096, 32, (scalar_t){.f32 = 1.0f}, &all, NULL, NULL, DT_FP32);  // @at_32
  tpu_gdma_cpy_L2S(a->out, 4096, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}

// EXPECT TL-ARGS-001 error @at_32
// OPTIONS --keep-going
void tensor_at_32_bytes_all_the_same(const void* args) {
  at_32_bytes(args, &(dim4){1, 64, 16, 16});
}
KERNEL(tensor_at_32_bytes_all_the_same)

// EXPECT TL-ARGS-001 error @at_32
// EXPECT TL-INIT-001 error @at_32
// FAULTS 2
// OPTIONS --keep-going
void tensor_at_32_bytes_not_whole(const void* args) {
  at_32_bytes(args, &(dim4){1, 64, 15, 16});
}
KERNEL(tensor_at_32_bytes_not_whole)

// A function of a later chip computes nothing, whoever keeps going.
// EXPECT TL-ARGS-001 error @later_chip
// OPTIONS --keep-going
void later_chip_all_the_same(const void* args) {
  const args_t* a = args;
  const dim4 page = {1, 64, 1, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &page, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_reduce_L12L2(tpu_l2_sram_get_start_addr(), 0, &page, NULL, NULL, DT_FP32, 0,
                            0);  // @later_chip
  tpu_poll();
}
KERNEL(later_chip_all_the_same)
