// Types, limits, alignments and overlaps of the BM1684X, kept and broken.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};
static const scalar_t kOne = {.f32 = 1.0f};

// EXPECT TL-ARGS-001 error @aligned_wrong
void tensor_at_32_bytes(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(32, a->in, &kAll, NULL, NULL, DT_FP32);  // @aligned_wrong
  tpu_bdc_fp_add_C(4096, 32, kOne, &kAll, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 4096, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(tensor_at_32_bytes)

// With strides of its own any element is a good beginning.
// SILENT
// RUN in=32768 out=32768
void tensor_at_an_odd_element(const void* args) {
  const args_t* a = args;
  dim4 dense;
  tpu_initialize();
  tpu_compact_stride(&dense, 0, &kAll);
  tpu_gdma_cpy_S2L(2, a->in, &kAll, &dense, NULL, DT_FP16);
  tpu_bdc_fp_add_C(8194, 2, (scalar_t){.u16 = FP_ONE(DT_FP16)}, &kAll, &dense, &dense, DT_FP16);
  tpu_gdma_cpy_L2S(a->out, 8194, &kAll, NULL, &dense, DT_FP16);
  tpu_poll();
}
KERNEL(tensor_at_an_odd_element)

// An integer addition of floating point elements.
// EXPECT TL-ARGS-001 error @float_as_int
void integers_that_are_none(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_int_add(4096, 0, 0, &kAll, NULL, NULL, NULL, DT_FP32, DT_FP32, DT_FP32,
                  0,  // @float_as_int
                  RM_HALF_TO_EVEN, true);
  tpu_gdma_cpy_L2S(a->out, 4096, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(integers_that_are_none)

// To wider elements in place.
// EXPECT TL-ARGS-001 error @wider_in_place
// RUN in=32768
void widened_in_place(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP16);
  tpu_bdc_cast(0, 0, &kAll, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);  // @wider_in_place
  tpu_gdma_cpy_L2S(a->out, 0, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(widened_in_place)

// Types of one width, in place: every element over itself.
// SILENT
void types_of_one_width_in_place(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_cast(0, 0, &kAll, NULL, NULL, DT_INT32, DT_FP32, RM_TOWARDS_ZERO);
  tpu_bdc_int_add(0, 0, 0, &kAll, NULL, NULL, NULL, DT_INT32, DT_INT32, DT_INT32, 0,
                  RM_HALF_TO_EVEN, true);
  tpu_bdc_cast(0, 0, &kAll, NULL, NULL, DT_FP32, DT_INT32, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(a->out, 0, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(types_of_one_width_in_place)

// EXPECT TL-ARGS-002 error @shifted_result
void shifted_over_its_source(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(64, 0, kOne, &kAll, NULL, NULL, DT_FP32);  // @shifted_result
  tpu_gdma_cpy_L2S(a->out, 64, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(shifted_over_its_source)

// Result and work memory in one place.
// EXPECT TL-ARGS-001 error @work_is_result
void result_over_work_memory(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(16384, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_fp_exp(32768, 0, 32768, 65536, 16384, &kAll, DT_FP32);  // @work_is_result
  tpu_gdma_cpy_L2S(a->out, 32768, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(result_over_work_memory)

// EXPECT TL-ARGS-001 error @too_wide
// RUN in=262144
void extent_too_large(const void* args) {
  const args_t* a = args;
  const dim4 wide = {1, 1, 1, 65536};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &wide, NULL, NULL, DT_INT8);  // @too_wide
  tpu_poll();
}
KERNEL(extent_too_large)

// SILENT
// RUN in=65535 out=65535
void largest_extent(const void* args) {
  const args_t* a = args;
  const dim4 wide = {1, 1, 1, 65535};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &wide, NULL, NULL, DT_INT8);
  tpu_gdma_cpy_L2S(a->out, 0, &wide, NULL, NULL, DT_INT8);
  tpu_poll();
}
KERNEL(largest_extent)

// Sources at different NPUs.
// EXPECT TL-ARGS-001 error @different_npus
void sources_at_other_npus(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 32, 16, 16};
  const local_addr_t upper = 32 * LOCAL_MEM_SIZE;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &half, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(upper, a->in, &half, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(4096, 0, upper, &half, NULL, NULL, NULL, DT_FP32);  // @different_npus
  tpu_gdma_cpy_L2S(a->out, 4096, &half, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(sources_at_other_npus)

// Moved over first.
// SILENT
// RUN out=32768
void moved_to_the_same_npus(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 32, 16, 16};
  const local_addr_t upper = 32 * LOCAL_MEM_SIZE;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &half, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(upper, a->in + 32768, &half, NULL, NULL, DT_FP32);
  tpu_bdc_cpy_cross_npu(8192, upper, &half, DT_FP32);
  tpu_bdc_fp_add(4096, 0, 8192, &half, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 4096, &half, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(moved_to_the_same_npus)

// A function of a later chip.
// EXPECT TL-ARGS-001 error @later_chip
// MAY TL-LAUNCH-001 error @later_chip
void function_of_a_later_chip(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_sdma_cpy_S2S(a->out, a->in, &kAll, NULL, NULL, DT_FP32);  // @later_chip
  tpu_poll();
}
KERNEL(function_of_a_later_chip)

// A transposition over its own source.
// EXPECT TL-ARGS-002 error @trans_over
// RUN in=16384 out=16384
void transposed_in_place(const void* args) {
  const args_t* a = args;
  const dim4 square = {1, 64, 1, 64};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &square, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_cw_trans_L2L(0, 0, &square, NULL, NULL, DT_FP32);  // @trans_over
  tpu_gdma_cpy_L2S(a->out, 0, &square, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(transposed_in_place)

// Both batches of the result in one place.
// EXPECT TL-ARGS-004 error @one_place
// RUN in=131072
void batches_over_each_other(const void* args) {
  const args_t* a = args;
  const dim4 two = {2, 64, 16, 16}, no_step = {0, 256, 16, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &two, &no_step, NULL, DT_FP32);  // @one_place
  tpu_gdma_cpy_L2S(a->out, 0, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(batches_over_each_other)
