// Whole kernels: tables, selections, sorts, products and casts, put together.
#include "corpus.h"

static const dim4 kPage = {1, 64, 1, 16};  // fp32: 4096 bytes
static const dim2 kUnit = {1, 1};
static const padding_t kNo = {0, 0, 0, 0};

// Coefficients loaded for fp16 and used for fp32.
// EXPECT TL-INIT-001 error @exp_wide
// MAY TL-LINT-006 warning @exp_wide
// RUN in=4096 out=4096
void coefficients_of_another_type(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(4096, DT_FP16);
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_fp_exp(8192, 0, 12288, 16384, 4096, &kPage, DT_FP32);  // @exp_wide
  tpu_gdma_cpy_L2S(a->out, 8192, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(coefficients_of_another_type)

// The places of what is not zero, of which the host reads no more than there are.
// EXPECT TL-ARGS-005 warning @nz
// RUN in=4096 out=4096 read=3500
void places_of_nonzero(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_nonzero_S2S(a->out, a->in, &(dim4){1, 1, 1, 1024}, DT_FP32, 0);  // @nz
  tpu_poll();
}
KERNEL(places_of_nonzero)

// 877 of 1024 are not zero; the host reads all places.
// EXPECT TL-COVERAGE-001 error
// EXPECT TL-ARGS-005 warning @nonzero
// FAULTS 2
// RUN in=4096 out=4096
void places_of_all(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_nonzero_S2S(a->out, a->in, &(dim4){1, 1, 1, 1024}, DT_FP32, 1);  // @nonzero
  tpu_poll();
}
KERNEL(places_of_all)

// The count of what was selected decides what is copied on.
// SILENT
// RUN in=4096 in2=1024 kind2=mask out=4096
void selected_and_copied(const void* args) {
  const args_t* a = args;
  const dim4 list = {1, 1, 1, 1024};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, (scalar_t){.f32 = -1.0f}, &list, NULL, DT_FP32);
  unsigned n = tpu_gdma_mask_select_S2S_with_ret(tpu_l2_sram_get_start_addr(), a->in, a->in2, 0,
                                                 &list, DT_FP32, DT_UINT8);
  tpu_gdma_system_cpy(a->out, tpu_l2_sram_get_start_addr(), n, DT_FP32);
  tpu_poll();
}
KERNEL(selected_and_copied)

// All of the scratch is copied, though half of it was selected.
// EXPECT TL-INIT-001 error @copied_all
// RUN in=4096 in2=1024 kind2=mask out=4096
void selected_and_all_copied(const void* args) {
  const args_t* a = args;
  const dim4 list = {1, 1, 1, 1024};
  tpu_initialize();
  tpu_gdma_mask_select_S2S(tpu_l2_sram_get_start_addr(), a->in, a->in2, 0, &list, DT_FP32,
                           DT_UINT8);
  tpu_gdma_system_cpy(a->out, tpu_l2_sram_get_start_addr(), 1024, DT_FP32);  // @copied_all
  tpu_poll();
}
KERNEL(selected_and_all_copied)

// fp16 widened next to the next buffer, which it overwrites.
// EXPECT TL-LINT-001 warning @widen
// RUN in=8192 in2=8192 out=8192
void widened_into_the_next(const void* args) {
  const args_t* a = args;
  const dim4 halves = {1, 64, 4, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &halves, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(1024 + 128, a->in2, &halves, NULL, NULL, DT_FP16);
  tpu_bdc_cast(1024, 0, &halves, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);  // @widen
  tpu_bdc_fp_add(4096, 1152, 0, &halves, NULL, NULL, NULL, DT_FP16);
  tpu_bdc_cast(8192, 1024, &halves, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_fp_add(4096, 4096, 8192, &halves, NULL, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_L2S(a->out, 4096, &halves, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(widened_into_the_next)

// A vector of 100 in channels of 7: the last channel has 2.
// SILENT
// RUN in=400 out=400
void vector_with_a_tail(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_vector_S2L(0, a->in, 100, 7, DT_FP32);
  tpu_bdc_fp_mul_C(4096, 0, (scalar_t){.f32 = 2.0f}, &(dim4){1, 15, 1, 7}, NULL, NULL, DT_FP32);
  tpu_gdma_vector_L2S(a->out, 4096, 100, 7, DT_FP32);
  tpu_poll();
}
KERNEL(vector_with_a_tail)

// The tail summed up with the rest.
// EXPECT TL-INIT-001 error @tail_sum
// RUN in=400 out=60
void vector_tail_summed(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 15, 1, 7}, one = {1, 15, 1, 1};
  tpu_initialize();
  tpu_gdma_vector_S2L(0, a->in, 100, 7, DT_FP32);
  tpu_bdc_fp_avg_pool2d(4096, 0, &all, &(dim2){1, 7}, &kNo, &kUnit, &kUnit, DT_FP32,
                        (scalar_t){.f32 = 1.0f});  // @tail_sum
  tpu_gdma_cpy_L2S(a->out, 4096, &one, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(vector_tail_summed)

// The outer sum of two vectors of odd lengths, per channel of odd parts.
// SILENT
// RUN in=100 in2=64 out=1600
void outer_sum(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_vector_S2L(0, a->in, 25, 8, DT_FP32);
  tpu_gdma_vector_S2L(4096, a->in2, 16, 5, DT_FP32);
  tpu_bdc_fp_vc_add(8192, 0, 4096, 25, 16, 8, 5, DT_FP32);
  tpu_gdma_matrix_L2S(a->out, 8192, 25, 16, 5, 16, DT_FP32);
  tpu_poll();
}
KERNEL(outer_sum)

// A selection in which the branch that nobody loaded is never taken.
// SILENT
// RUN in=4096 out=4096
void branch_never_taken(const void* args) {
  const args_t* a = args;
  variable_t x = {.type = TENSOR, .context.addr = 0},
             limit = {.type = SCALAR, .context.scalar.f32 = -1.0f};
  variable_t none = {.type = TENSOR, .context.addr = 8192};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_greater_select(4096, &x, &limit, &x, &none, &kPage, DT_FP32, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 4096, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(branch_never_taken)

// For zeros it is.
// EXPECT TL-INIT-001 error @branch
// RUN in=4096 out=4096
void branch_taken_for_zeros(const void* args) {
  const args_t* a = args;
  variable_t x = {.type = TENSOR, .context.addr = 0},
             limit = {.type = SCALAR, .context.scalar.f32 = 0.0f};
  variable_t none = {.type = TENSOR, .context.addr = 8192};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_greater_select(4096, &x, &limit, &x, &none, &kPage, DT_FP32, DT_FP32);  // @branch
  tpu_gdma_cpy_L2S(a->out, 4096, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(branch_taken_for_zeros)

// A half in fp16, written as fp32.
// EXPECT TL-ARGS-008 warning @half
// RUN in=4096 out=4096
void half_as_a_float(const void* args) {
  const args_t* a = args;
  const dim4 halves = {1, 64, 2, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &halves, NULL, NULL, DT_FP16);
  tpu_bdc_fp_max_pool2d(4096, 0, &halves, &kUnit, &kNo, &kUnit, &kUnit, DT_FP16,
                        (scalar_t){.u32 = 0});
  tpu_bdc_max_C(8192, 4096, (scalar_t){.f32 = 0.5f}, &halves, NULL, NULL, DT_FP16);  // @half
  tpu_gdma_cpy_L2S(a->out, 8192, &halves, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(half_as_a_float)

// Sorted with its own indices, the first ten of each used to fetch lines.
// SILENT
// RUN in=4096 out=4096
void lines_of_the_largest(const void* args) {
  const args_t* a = args;
  const global_addr_t keys = a->out + 2048, places = a->out + 3072;
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, (scalar_t){.u32 = 0}, &kPage, NULL, DT_FP32);
  tpu_poll();
  tpu_hau_sort_natural_index(keys, places, a->in, 100, 10, true, DT_FP32);
  tpu_hau_poll();
  tpu_gdma_h_gather_S2S(a->out, a->in, places, false, (scalar_t){.u32 = 0}, &(dim4){1, 1, 10, 8},
                        128, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(lines_of_the_largest)

// The same without waiting for the sort.
// EXPECT TL-RACE-002 error @sort_places @use_places
// MAY TL-INIT-002 error @use_places
// RUN in=4096 out=4096
void lines_before_the_sort_ends(const void* args) {
  const args_t* a = args;
  const global_addr_t keys = a->out + 2048, places = a->out + 3072;
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, (scalar_t){.u32 = 0}, &kPage, NULL, DT_FP32);
  tpu_poll();
  tpu_parallel_start();
  tpu_hau_sort_natural_index(keys, places, a->in, 100, 10, true, DT_FP32);  // @sort_places
  tpu_gdma_h_gather_S2S(a->out, a->in, places, false, (scalar_t){.u32 = 0}, &(dim4){1, 1, 10, 8},
                        128, NULL, NULL, NULL, DT_FP32);  // @use_places
  tpu_parallel_end();
  tpu_poll();
}
KERNEL(lines_before_the_sort_ends)

// int8 products with 30 rows in 2 NPUs: sum of 4 terms, output 16 bits.
// SILENT
// RUN in=480 in2=320 out=1200
void product_of_bytes(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_matrix_S2L(0, a->in, 30, 16, 5, 16, DT_INT8);
  tpu_gdma_matrix_S2L(4096, a->in2, 16, 20, 7, 20, DT_INT8);
  tpu_bdc_int_mm(8192, 0, 4096, 30, 16, 20, 5, 7, DT_INT8, DT_INT8, 0, RM_HALF_UP);
  tpu_gdma_matrix_L2S(a->out, 8192, 30, 20, 7, 20, DT_INT16);
  tpu_poll();
}
KERNEL(product_of_bytes)

// Requantised to bytes, and stored as words: three quarters are nothing.
// EXPECT TL-INIT-001 error @stored_wide
// MAY TL-LINT-006 warning @stored_wide
// RUN in=4096 out=4096
void bytes_stored_as_words(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_INT32);
  tpu_bdc_int_requant(4096, 0, &kPage, 1 << 30, -31, (scalar_t){.s16 = 0}, DT_INT8, DT_INT32,
                      RM_HALF_UP);
  tpu_gdma_cpy_L2S(a->out, 4096, &kPage, NULL, NULL, DT_INT32);  // @stored_wide
  tpu_poll();
}
KERNEL(bytes_stored_as_words)

// An attention step: scores, exponentials, sums, quotients of 5 heads of 9 keys.
// SILENT
// RUN in=3600 in2=3600 out=1620
void attention_of_nine_keys(const void* args) {
  const args_t* a = args;
  const dim4 scores = {5, 9, 1, 9}, one = {5, 9, 1, 1};
  dim4 st, os;
  const dim2 window = {1, 9};
  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(1024, DT_FP32);
  tpu_aligned_stride(&st, 0, &scores, DT_FP32);
  tpu_aligned_stride(&os, 0, &one, DT_FP32);
  const dim4 spread = {os.n, os.c, 1, 0};
  for (int head = 0; head < 5; ++head) {
    tpu_gdma_matrix_S2L(2048, a->in + head * 720, 9, 20, 3, 20, DT_FP32);
    tpu_gdma_matrix_trans_S2L(4096, a->in2 + head * 720, 9, 20, 9, 20, DT_FP32);
    tpu_bdc_fp32_mm(8192, 2048, 4096, 0, 9, 20, 9, 3, 9, false, false);
    tpu_gdma_cpy_nc_trans_L2L(16384 + (local_addr_t)head * (local_addr_t)st.n * 4, 8192,
                              &(dim4){1, 9, 1, 9}, NULL, NULL, DT_FP32);
  }
  tpu_bdc_fp_max_pool2d(20480, 16384, &scores, &window, &kNo, &kUnit, &kUnit, DT_FP32,
                        (scalar_t){.u32 = FP_NEG_MAX(DT_FP32)});
  tpu_bdc_fp_sub(24576, 16384, 20480, &scores, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_fp_mul_C(24576, 24576, (scalar_t){.f32 = 0.01f}, &scores, NULL, NULL, DT_FP32);
  tpu_bdc_fp_exp(28672, 24576, 32768, 36864, 1024, &scores, DT_FP32);
  tpu_bdc_fp_avg_pool2d(40960, 28672, &scores, &window, &kNo, &kUnit, &kUnit, DT_FP32,
                        (scalar_t){.f32 = 1.0f});
  tpu_bdc_fp32_div(45056, 28672, 40960, &scores, NULL, NULL, &spread);
  tpu_gdma_cpy_L2S(a->out, 45056, &scores, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(attention_of_nine_keys)

// fp16 depthwise over 66 channels, weights compact, rows padded to the bus.
// SILENT
// RUN in=16896 in2=1188 out=16896
void depthwise_of_halves(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 66, 8, 16}, w = {1, 66, 3, 3};
  const padding_t same = {1, 1, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_FP16);
  tpu_gdma_compact_S2L(8192, a->in2, &w, DT_FP16);
  tpu_bdc_fp_depthwise2d(16384, 0, 8192, 0, &in, &(dim2){3, 3}, &same, &kUnit, &kUnit, DT_FP16,
                         false);
  tpu_gdma_cpy_L2S(a->out, 16384, &in, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(depthwise_of_halves)

// The weights are aligned instead of compact.
// EXPECT TL-INIT-001 error @aligned_weights
// MAY TL-LINT-006 warning @aligned_weights
// RUN in=16896 in2=1188 out=16896
void depthwise_of_aligned_weights(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 66, 8, 16}, w = {1, 66, 3, 3};
  const padding_t same = {1, 1, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(8192, a->in2, &w, NULL, NULL, DT_FP16);
  tpu_bdc_fp_depthwise2d(16384, 0, 8192, 0, &in, &(dim2){3, 3}, &same, &kUnit, &kUnit, DT_FP16,
                         false);  // @aligned_weights
  tpu_gdma_cpy_L2S(a->out, 16384, &in, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(depthwise_of_aligned_weights)

// A table of 256 for bytes.
// SILENT
// RUN in=4096 in2=256 kind2=u8 out=4096
void table_of_bytes(const void* args) {
  const args_t* a = args;
  const dim4 bytes = {1, 64, 4, 16}, table = {1, 64, 1, 256};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &bytes, NULL, NULL, DT_UINT8);
  tpu_gdma_channel_bcast_S2L(4096, a->in2, &table, NULL, NULL, DT_UINT8);
  tpu_bdc_table_lookup(8192, 0, 4096, &bytes, 256, DT_UINT8, DT_UINT8);
  tpu_gdma_cpy_L2S(a->out, 8192, &bytes, NULL, NULL, DT_UINT8);
  tpu_poll();
}
KERNEL(table_of_bytes)

// The table is in NPU 0 alone.
// EXPECT TL-INIT-001 error @lookup
// RUN in=4096 in2=256 kind2=u8 out=4096
void table_in_one_npu(const void* args) {
  const args_t* a = args;
  const dim4 bytes = {1, 64, 4, 16}, table = {1, 1, 1, 256};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &bytes, NULL, NULL, DT_UINT8);
  tpu_gdma_cpy_S2L(4096, a->in2, &table, NULL, NULL, DT_UINT8);
  tpu_bdc_table_lookup(8192, 0, 4096, &bytes, 256, DT_UINT8, DT_UINT8);  // @lookup
  tpu_gdma_cpy_L2S(a->out, 8192, &bytes, NULL, NULL, DT_UINT8);
  tpu_poll();
}
KERNEL(table_in_one_npu)

// Reshaped on the way: general copies of equal counts.
// SILENT
// RUN in=7200 out=7200
void reshaped_by_copies(const void* args) {
  const args_t* a = args;
  const dim4 in = {2, 30, 6, 5}, out = {1, 18, 10, 10};
  tpu_initialize();
  tpu_gdma_general_cpy_S2L(0, a->in, &in, &(dim4){1, 1, 1, 1800}, NULL, NULL, DT_FP32);
  tpu_gdma_general_cpy_L2L(8192, 0, &out, &in, NULL, NULL, DT_FP32);
  tpu_gdma_general_cpy_L2S(a->out, 8192, &(dim4){1, 1, 1, 1800}, &out, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(reshaped_by_copies)

// A constant of the right type.
// SILENT
// RUN in=4096 out=4096
void biased_halves(const void* args) {
  const args_t* a = args;
  const dim4 halves = {1, 64, 2, 16};
  const scalar_t one = tpu_cast((scalar_t){.f32 = 1.0f}, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &halves, NULL, NULL, DT_FP16);
  tpu_bdc_fp_add_C(4096, 0, one, &halves, NULL, NULL, DT_FP16);
  tpu_bdc_greater_equal_C(8192, 4096, one, one, &halves, NULL, NULL, DT_FP16, DT_FP16);
  tpu_bdc_fp_mul(12288, 8192, 4096, &halves, NULL, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_L2S(a->out, 12288, &halves, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(biased_halves)
