// Networks in small: norms, caches, products by halves, rotary embeddings, sums by the processor.
#include "corpus.h"

static const dim4 kPage = {1, 64, 1, 16};
static const dim2 kUnit = {1, 1};
static const padding_t kNo = {0, 0, 0, 0};

// RMS norm of rows of 48 with a weight that is broadcast.
// SILENT
// RUN in=12288 in2=192 out=12288
void rms_norm(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 1, 48}, one = {1, 64, 1, 1};
  dim4 st;
  tpu_initialize();
  tpu_aligned_stride(&st, 0, &one, DT_FP32);
  const dim4 spread = {st.n, st.c, 1, 0};
  tpu_gdma_cpy_S2L(0, a->in, &rows, NULL, NULL, DT_FP32);
  tpu_gdma_channel_bcast_S2L(4096, a->in2, &rows, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(8192, 0, 0, &rows, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(12288, 8192, &rows, &(dim2){1, 48}, &kNo, &kUnit, &kUnit, DT_FP32,
                        (scalar_t){.f32 = 1.0f / 48});
  tpu_bdc_fp_add_C(12288, 12288, (scalar_t){.f32 = 1e-5f}, &one, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_rsqrt(12416, 12288, &one);
  tpu_bdc_fp_mul(8192, 0, 12416, &rows, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_fp_mul(8192, 8192, 4096, &rows, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 8192, &rows, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(rms_norm)

// The weight is loaded for one channel only.
// EXPECT TL-INIT-001 error @weighted
// RUN in=12288 in2=192 out=12288
void rms_norm_weight_not_spread(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 1, 48}, one = {1, 1, 1, 48};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &rows, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(4096, a->in2, &one, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(8192, 0, 4096, &rows, NULL, NULL, NULL, DT_FP32);  // @weighted
  tpu_gdma_cpy_L2S(a->out, 8192, &rows, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(rms_norm_weight_not_spread)

// Keys in a cache of pages: two of eight pages are filled and named.
// SILENT
// RUN in=4096 in2=8 kind2=u32 out=2048
void cache_of_pages(const void* args) {
  const args_t* a = args;
  const unsigned long long cache = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  tpu_gdma_system_cpy(cache, a->in, 512, DT_FP32);  // pages 0 and 1 of 256 floats
  tpu_gdma_h_gather_S2S(a->out, cache, a->in2, false, (scalar_t){.u32 = 0}, &(dim4){1, 1, 2, 256},
                        8, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(cache_of_pages)

// The third page is named and not there.
// EXPECT TL-INIT-001 error @pages
// RUN in=4096 in2=12 kind2=u32 out=3072
void cache_page_missing(const void* args) {
  const args_t* a = args;
  const unsigned long long cache = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  tpu_gdma_system_cpy(cache, a->in, 512, DT_FP32);
  tpu_gdma_h_gather_S2S(a->out, cache, a->in2, false, (scalar_t){.u32 = 0}, &(dim4){1, 1, 3, 256},
                        8, NULL, NULL, NULL, DT_FP32);  // @pages
  tpu_poll();
}
KERNEL(cache_page_missing)

// bf16 products, one row per channel; sums in fp32 add up over two halves of the inner size.
static void halves_of_a_product(const args_t* a, bool first_adds) {
  const dim4 left = {1, 40, 1, 32}, right = {1, 32, 1, 40}, sums = {1, 40, 1, 40};
  tpu_initialize();
  for (int half = 0; half < 2; ++half) {
    tpu_gdma_cpy_S2L(0, a->in + (unsigned)half * 64, &left, NULL, &(dim4){2560, 64, 64, 1},
                     DT_BFP16);
    tpu_gdma_cpy_S2L(4096, a->in2 + (unsigned)half * 2560, &right, NULL, NULL, DT_BFP16);
    tpu_bdc_fp_mm(8192, 0, 4096, 40, 32, 40, DT_FP32, DT_BFP16,
                  first_adds || half == 1);  // @half_product
  }
  tpu_gdma_cpy_L2S(a->out, 8192, &sums, NULL, NULL, DT_FP32);
  tpu_poll();
}

// SILENT
// RUN in=5120 in2=5120 out=6400
void product_in_halves(const void* args) {
  halves_of_a_product(args, false);
}
KERNEL(product_in_halves)

// The first half adds too, to nothing.
// EXPECT TL-INIT-001 error @half_product
// RUN in=5120 in2=5120 out=6400
void product_adds_to_nothing(const void* args) {
  halves_of_a_product(args, true);
}
KERNEL(product_adds_to_nothing)

// Quantised: floats to bytes, with the nearest even, and back.
// SILENT
// RUN in=4096 out=4096
void quantised_and_back(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(1024, 0, (scalar_t){.f32 = 10.0f}, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_cast(2048, 1024, &kPage, NULL, NULL, DT_INT8, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_cast(3072, 2048, &kPage, NULL, NULL, DT_FP32, DT_INT8, RM_HALF_TO_EVEN);
  tpu_bdc_fp_mul_C(4096, 3072, (scalar_t){.f32 = 0.1f}, &kPage, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 4096, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(quantised_and_back)

// The bytes are read as half-words.
// EXPECT TL-INIT-001 error @as_halfwords
// MAY TL-LINT-006 warning @as_halfwords
// RUN in=4096 out=4096
void bytes_read_as_half_words(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_cast(2048, 0, &kPage, NULL, NULL, DT_INT8, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_cast(3072, 2048, &kPage, NULL, NULL, DT_FP32, DT_INT16,
               RM_HALF_TO_EVEN);  // @as_halfwords
  tpu_gdma_cpy_L2S(a->out, 3072, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(bytes_read_as_half_words)

// NHWC to NCHW by copies that exchange c and w.
// SILENT
// RUN in=7680 out=7680
void channels_last(const void* args) {
  const args_t* a = args;
  const dim4 planes = {1, 3, 20, 32};
  tpu_initialize();
  tpu_gdma_cpy_cw_trans_S2L(0, a->in, &planes, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(8192, 0, (scalar_t){.f32 = 1.0f}, &planes, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_cw_trans_L2S(a->out, 8192, &(dim4){1, 32, 20, 3}, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(channels_last)

// The shape is that of the source: twelve channels too many. And nothing is stored.
// EXPECT TL-MEMORY-002 error @wrong_shape
// EXPECT TL-COVERAGE-001 error
// FAULTS 2
// RUN in=1920 out=7680
void channels_last_by_rows(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_cw_trans_S2L(0, a->in, &(dim4){1, 3, 20, 32}, NULL, NULL, DT_FP32);  // @wrong_shape
  tpu_poll();
}
KERNEL(channels_last_by_rows)

// Ring of two in L2 between two regions, with the sorter in a third.
// SILENT
// RUN in=8192 out=8192
void sorts_in_a_ring(const void* args) {
  const args_t* a = args;
  const unsigned long long l2 = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  for (int i = 0; i <= 4; ++i) {
    tpu_parallel_start();
    if (i < 4) tpu_hau_sort(l2 + i % 2 * 2048, a->in + i * 2048, 512, 512, true, DT_FP32);
    if (i > 0)
      tpu_gdma_cpy_S2S(a->out + (i - 1) * 2048, l2 + (i - 1) % 2 * 2048, &(dim4){1, 1, 1, 512},
                       NULL, NULL, DT_FP32);
    tpu_parallel_end();
  }
  tpu_poll();
}
KERNEL(sorts_in_a_ring)

// The ring has one place.
// EXPECT TL-RACE-002 error @sort_ring @copy_ring
// MAY TL-INIT-001 error @copy_ring
// RUN in=8192 out=8192
void sorts_in_one_place(const void* args) {
  const args_t* a = args;
  const unsigned long long l2 = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  for (int i = 0; i <= 4; ++i) {
    tpu_parallel_start();
    if (i < 4) tpu_hau_sort(l2, a->in + i * 2048, 512, 512, true, DT_FP32);  // @sort_ring
    if (i > 0)
      tpu_gdma_cpy_S2S(a->out + (i - 1) * 2048, l2, &(dim4){1, 1, 1, 512}, NULL, NULL,
                       DT_FP32);  // @copy_ring
    tpu_parallel_end();
  }
  tpu_poll();
}
KERNEL(sorts_in_one_place)

// A window that leaves out what was not loaded, by its dilation and step.
// SILENT
// RUN in=16384 in2=1024 out=4096
void every_other_row(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 8, 8}, odd = {1, 64, 4, 8}, w = {1, 64, 1, 1};
  dim4 st;
  tpu_initialize();
  tpu_aligned_stride(&st, 0, &in, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &odd, &(dim4){st.n, st.c, 16, 1}, &(dim4){4096, 64, 16, 1}, DT_FP32);
  tpu_gdma_compact_S2L(4096, a->in2, &w, DT_FP32);
  tpu_bdc_fp_depthwise2d(8192, 0, 4096, 0, &in, &kUnit, &kNo, &(dim2){2, 2}, &kUnit, DT_FP32,
                         false);
  tpu_gdma_cpy_L2S(a->out, 8192, &(dim4){1, 64, 4, 4}, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(every_other_row)

// The step is 1 in one direction: rows between are read.
// EXPECT TL-INIT-001 error @rows_between
// RUN in=16384 in2=1024 out=8192
void every_row(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 8, 8}, odd = {1, 64, 4, 8}, w = {1, 64, 1, 1};
  dim4 st;
  tpu_initialize();
  tpu_aligned_stride(&st, 0, &in, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &odd, &(dim4){st.n, st.c, 16, 1}, &(dim4){4096, 64, 16, 1}, DT_FP32);
  tpu_gdma_compact_S2L(4096, a->in2, &w, DT_FP32);
  tpu_bdc_fp_depthwise2d(8192, 0, 4096, 0, &in, &kUnit, &kNo, &(dim2){1, 2}, &kUnit, DT_FP32,
                         false);  // @rows_between
  tpu_gdma_cpy_L2S(a->out, 8192, &(dim4){1, 64, 8, 4}, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(every_row)

// The table of exp is loaded in the first launch only.
// EXPECT TL-INIT-001 error @second_exp
// RUN in=4096 out=4096 launches=2
void coefficients_loaded_once(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  if (a->launch == 0) tpu_bdc_load_fp_exp_coeff(4096, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_fp_exp(8192, 0, 12288, 16384, 4096, &kPage, DT_FP32);  // @second_exp
  tpu_gdma_cpy_L2S(a->out, 8192, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(coefficients_loaded_once)

// A mask as a tensor of bytes selects between floats.
// SILENT
// RUN in=4096 in2=1024 kind2=mask out=4096
void masked_by_bytes(const void* args) {
  const args_t* a = args;
  variable_t mask = {.type = TENSOR, .context.addr = 4096},
             one = {.type = SCALAR, .context.scalar.u8 = 1};
  variable_t x = {.type = TENSOR, .context.addr = 0},
             zero = {.type = SCALAR, .context.scalar.f32 = 0};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(4096, a->in2, &kPage, NULL, NULL, DT_UINT8);
  tpu_bdc_equal_select(8192, &mask, &one, &x, &zero, &kPage, DT_UINT8, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 8192, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(masked_by_bytes)

// int8 convolution with 70 output channels, a shift, a bias of 16 bits.
// SILENT
// RUN in=4096 in2=8192 out=4480
void convolution_of_bytes(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 8, 8};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_INT8);
  tpu_gdma_compact_S2L(4096, a->in2, &(dim4){1, 70, 1, 64}, DT_INT8);
  tpu_gdma_compact_S2L(8192, a->in2 + 4480, &(dim4){1, 70, 1, 1}, DT_INT16);
  tpu_bdc_int8_sym_quant_conv2d(12288, 0, 4096, 8192, &in, NULL, 70, &kUnit, &kNo, &kUnit, &kUnit,
                                DT_INT8, DT_INT8, DT_INT8, DT_INT16, 3, true, false);
  tpu_gdma_cpy_L2S(a->out, 12288, &(dim4){1, 70, 8, 8}, NULL, NULL, DT_INT8);
  tpu_poll();
}
KERNEL(convolution_of_bytes)

// The bias has 64 values.
// EXPECT TL-INIT-001 error @conv_bytes
// RUN in=4096 in2=8192 out=4480
void convolution_of_bytes_bias_short(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 8, 8};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_INT8);
  tpu_gdma_compact_S2L(4096, a->in2, &(dim4){1, 70, 1, 64}, DT_INT8);
  tpu_gdma_compact_S2L(8192, a->in2 + 4480, &(dim4){1, 64, 1, 1}, DT_INT16);
  tpu_bdc_int8_sym_quant_conv2d(12288, 0, 4096, 8192, &in, NULL, 70, &kUnit, &kNo, &kUnit, &kUnit,
                                DT_INT8, DT_INT8, DT_INT8, DT_INT16, 3, true,
                                false);  // @conv_bytes
  tpu_gdma_cpy_L2S(a->out, 12288, &(dim4){1, 70, 8, 8}, NULL, NULL, DT_INT8);
  tpu_poll();
}
KERNEL(convolution_of_bytes_bias_short)

// Layer norm of fp16 in fp32: cast, mean, difference, variance, back.
// SILENT
// RUN in=4096 out=4096
void layer_norm_of_halves(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 1, 32}, one = {1, 64, 1, 1};
  const dim2 window = {1, 32};
  dim4 st;
  tpu_initialize();
  tpu_aligned_stride(&st, 0, &one, DT_FP32);
  const dim4 spread = {st.n, st.c, 1, 0};
  tpu_gdma_cpy_S2L(0, a->in, &rows, NULL, NULL, DT_FP16);
  tpu_bdc_cast(1024, 0, &rows, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
  tpu_bdc_fp_avg_pool2d(2048, 1024, &rows, &window, &kNo, &kUnit, &kUnit, DT_FP32,
                        (scalar_t){.f32 = 1.0f / 32});
  tpu_bdc_fp_sub(1024, 1024, 2048, &rows, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_fp_square(3072, 1024, &rows, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(2112, 3072, &rows, &window, &kNo, &kUnit, &kUnit, DT_FP32,
                        (scalar_t){.f32 = 1.0f / 32});
  tpu_bdc_fp_add_C(2112, 2112, (scalar_t){.f32 = 1e-5f}, &one, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_rsqrt(2176, 2112, &one);
  tpu_bdc_fp_mul(1024, 1024, 2176, &rows, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_cast(0, 1024, &rows, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(a->out, 0, &rows, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(layer_norm_of_halves)

// An index of the largest by sorting with natural indices; only the first index is used.
// SILENT
// RUN in=4096 out=4
void index_of_the_largest(const void* args) {
  const args_t* a = args;
  const unsigned long long l2 = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  tpu_hau_sort_natural_index(l2, l2 + 4096, a->in, 1024, 1, true, DT_FP32);
  tpu_poll();
  tpu_gdma_system_cpy(a->out, l2 + 4096, 1, DT_INT32);
  tpu_poll();
}
KERNEL(index_of_the_largest)

// The second index too, though one was asked for.
// EXPECT TL-INIT-001 error @second_index
// RUN in=4096 out=8
void second_index_too(const void* args) {
  const args_t* a = args;
  const unsigned long long l2 = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  tpu_hau_sort_natural_index(l2, l2 + 4096, a->in, 1024, 1, true, DT_FP32);
  tpu_poll();
  tpu_gdma_system_cpy(a->out, l2 + 4096, 2, DT_INT32);  // @second_index
  tpu_poll();
}
KERNEL(second_index_too)

// Rotary embedding: halves exchanged by two copies, a sign, two products, a sum.
// SILENT
// RUN in=8192 in2=8192 out=4096
void rotary(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 64, 1, 8};
  dim4 st;
  tpu_initialize();
  tpu_aligned_stride(&st, 0, &kPage, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(1024, a->in2, &kPage, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(2048, a->in2 + 4096, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_neg(3072, 32, &half, &st, &st, DT_FP32);
  tpu_bdc_cpy(3072 + 32, 0, &half, &st, &st, DT_FP32);
  tpu_bdc_fp_mul(0, 0, 1024, &kPage, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(3072, 3072, 2048, &kPage, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(0, 0, 3072, &kPage, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(rotary)

// One half is not exchanged.
// EXPECT TL-INIT-001 error @half_missing
// RUN in=8192 in2=8192 out=4096
void rotary_half_missing(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 64, 1, 8};
  dim4 st;
  tpu_initialize();
  tpu_aligned_stride(&st, 0, &kPage, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(2048, a->in2 + 4096, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_neg(3072, 32, &half, &st, &st, DT_FP32);
  tpu_bdc_fp_mul(3072, 3072, 2048, &kPage, NULL, NULL, NULL, DT_FP32);  // @half_missing
  tpu_bdc_fp_add(0, 0, 3072, &kPage, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(rotary_half_missing)

// Partial sums of the processor over what all NPUs hold, after the poll.
// SILENT
// RUN in=4096 out=4
void summed_by_the_processor(const void* args) {
  const args_t* a = args;
  float sum = 0;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_fp_square(1024, 0, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
  for (int npu = 0; npu < 64; ++npu) {
    const float* x = (const float*)tpu_local_mem_addr(npu, 1024);
    for (int i = 0; i < 16; ++i) sum += x[i];
  }
  tpu_gdma_set_C_system(a->out, (scalar_t){.f32 = sum}, &(dim4){1, 1, 1, 1}, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(summed_by_the_processor)

// It goes one element further than was computed.
// EXPECT TL-INIT-005 error @one_further
// RUN in=4096 out=4
void summed_one_too_far(const void* args) {
  const args_t* a = args;
  float sum = 0;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kPage, NULL, NULL, DT_FP32);
  tpu_bdc_fp_square(1024, 0, &kPage, NULL, NULL, DT_FP32);
  tpu_poll();
  for (int npu = 0; npu < 64; ++npu) {
    const float* x = (const float*)tpu_local_mem_addr(npu, 1024);
    for (int i = 0; i <= 16; ++i) sum += x[i];  // @one_further
  }
  tpu_gdma_set_C_system(a->out, (scalar_t){.f32 = sum}, &(dim4){1, 1, 1, 1}, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(summed_one_too_far)
