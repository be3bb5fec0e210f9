// Results of the BM1684X that depend on bytes nobody wrote, and those that only seem to.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};
static const dim2 kOne = {1, 1};
static const padding_t kNone = {0, 0, 0, 0};
static const scalar_t kHalf = {.f32 = 0.5f};
static const scalar_t kLowest = {.u32 = 0xff7fffffu};

// Pooling over the channels as columns: 35 columns were loaded, 48 are pooled (rounded up), 35 are
// stored.
// SILENT
// RUN in=4200 out=420
void columns_rounded_up(const void* args) {
  const args_t* a = args;
  const dim4 in = {10, 3, 35, 1}, as_rows = {1, 3, 10, 48}, result = {1, 3, 35, 1};
  const dim2 window = {10, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(65536, 0, &as_rows, &window, &kNone, &kOne, &kOne, DT_FP32, kLowest);
  tpu_gdma_cpy_L2S(a->out, 65536, &result, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(columns_rounded_up)

// All 48 are stored.
// EXPECT TL-INIT-001 error @columns_pool
// RUN in=4200 out=576
void columns_rounded_up_and_stored(const void* args) {
  const args_t* a = args;
  const dim4 in = {10, 3, 35, 1}, as_rows = {1, 3, 10, 48}, result = {1, 3, 48, 1};
  const dim2 window = {10, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(65536, 0, &as_rows, &window, &kNone, &kOne, &kOne, DT_FP32,
                        kLowest);  // @columns_pool
  tpu_gdma_cpy_L2S(a->out, 65536, &result, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(columns_rounded_up_and_stored)

// A product with 8 rows declared, 5 loaded, 5 stored; and one with columns of padding on the right.
// SILENT
// RUN in=4096 in2=4096 out=240
void product_with_padding(const void* args) {
  const args_t* a = args;
  const dim4 left = {1, 5, 1, 16}, right = {1, 16, 1, 24}, result = {1, 5, 1, 24};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &left, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(32768, a->in2, &right, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm(65536, 0, 32768, 8, 16, 32, DT_FP16, DT_FP16, false);
  tpu_gdma_cpy_L2S(a->out, 65536, &result, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(product_with_padding)

// The sum goes over 16 terms, 15 of which were loaded.
// EXPECT TL-INIT-001 error @product_short
// RUN in=4096 in2=4096 out=512
void product_of_too_few_terms(const void* args) {
  const args_t* a = args;
  const dim4 left = {1, 8, 1, 16}, right = {1, 15, 1, 32}, result = {1, 8, 1, 32};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &left, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(32768, a->in2, &right, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm(65536, 0, 32768, 8, 16, 32, DT_FP16, DT_FP16, false);  // @product_short
  tpu_gdma_cpy_L2S(a->out, 65536, &result, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(product_of_too_few_terms)

// fp16 weights keep 32 input channels together; of 3 there are 29 slots that hold nothing.
// SILENT
// RUN in=1536 in2=4096 out=32768
void three_of_32_input_channels(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 3, 16, 16}, weights = {1, 64, 1, 32};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_FP16);
  tpu_gdma_compact_S2L(4096, a->in2, &weights, DT_FP16);
  tpu_bdc_fp_conv2d(8192, 0, 4096, 0, &in, NULL, 64, &kOne, &kNone, &kOne, &kOne, DT_FP16, DT_FP16,
                    false, false);
  tpu_gdma_cpy_L2S(a->out, 8192, &kAll, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(three_of_32_input_channels)

// Weights of 60 of 64 output channels.
// EXPECT TL-INIT-001 error @sixty_conv
// RUN in=65536 in2=32768
void weights_of_sixty_channels(const void* args) {
  const args_t* a = args;
  const dim4 weights = {1, 60, 64, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_gdma_compact_S2L(4096, a->in2, &weights, DT_FP32);
  tpu_bdc_fp_conv2d(8192, 0, 4096, 0, &kAll, NULL, 64, &kOne, &kNone, &kOne, &kOne, DT_FP32,
                    DT_FP32,  // @sixty_conv
                    false, false);
  tpu_gdma_cpy_L2S(a->out, 8192, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(weights_of_sixty_channels)

// The same, of 60 output channels stored.
// SILENT
// RUN in=65536 in2=32768 out=61440
void sixty_channels_stored(const void* args) {
  const args_t* a = args;
  const dim4 weights = {1, 60, 64, 1}, result = {1, 60, 16, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_gdma_compact_S2L(4096, a->in2, &weights, DT_FP32);
  tpu_bdc_fp_conv2d(8192, 0, 4096, 0, &kAll, NULL, 64, &kOne, &kNone, &kOne, &kOne, DT_FP32,
                    DT_FP32, false, false);
  tpu_gdma_cpy_L2S(a->out, 8192, &result, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(sixty_channels_stored)

// Padding supplies rows above; a row below is never reached because of the stride.
// SILENT
// RUN in=65536 in2=2304 out=14336
void stride_skips_the_last_row(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 16, 16}, most = {1, 64, 15, 16}, kernels = {1, 64, 3, 3};
  const dim2 three = {3, 3}, two = {2, 2};
  const padding_t above = {1, 0, 1, 0};
  dim4 strides;
  tpu_initialize();
  tpu_aligned_stride(&strides, 0, &in, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &most, &strides, NULL, DT_FP32);
  tpu_gdma_compact_S2L(4096, a->in2, &kernels, DT_FP32);
  tpu_bdc_fp_depthwise2d(8192, 0, 4096, 0, &(dim4){1, 64, 16, 16}, &three, &above, &two, &kOne,
                         DT_FP32, false);
  tpu_gdma_cpy_L2S(a->out, 8192, &(dim4){1, 64, 7, 8}, NULL, &(dim4){64, 64, 8, 1}, DT_FP32);
  tpu_poll();
}
KERNEL(stride_skips_the_last_row)

// A dilation of 2 skips every other row; only those in between are missing.
// SILENT
// RUN in=65536 out=3584
void dilation_skips_rows(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 16}, result = {1, 64, 1, 14};
  const dim2 window = {8, 2}, holes = {2, 2}, far = {15, 1};
  tpu_initialize();
  for (int h = 0; h < 16; h += 2)
    tpu_gdma_cpy_S2L(h * 64, a->in + h * 64, &row, NULL, &(dim4){0, 256, 16, 1}, DT_FP32);
  tpu_bdc_fp_avg_pool2d(8192, 0, &kAll, &window, &kNone, &far, &holes, DT_FP32, kHalf);
  tpu_gdma_cpy_L2S(a->out, 8192, &result, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(dilation_skips_rows)

// One of the rows between is in a window.
// EXPECT TL-INIT-001 error @dense_pool
// RUN in=65536 out=3840
void dense_window_over_missing_rows(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 16}, result = {1, 64, 1, 15};
  const dim2 window = {8, 2}, far = {15, 1};
  tpu_initialize();
  for (int h = 0; h < 16; h += 2)
    tpu_gdma_cpy_S2L(h * 64, a->in + h * 64, &row, NULL, &(dim4){0, 256, 16, 1}, DT_FP32);
  tpu_bdc_fp_avg_pool2d(8192, 0, &kAll, &window, &kNone, &far, &kOne, DT_FP32,
                        kHalf);  // @dense_pool
  tpu_gdma_cpy_L2S(a->out, 8192, &result, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(dense_window_over_missing_rows)

// The scale of each channel; the bias was forgotten.
// EXPECT TL-INIT-001 error @no_bias
// RUN in2=256
void scale_without_bias(const void* args) {
  const args_t* a = args;
  const dim4 vector = {1, 64, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_gdma_compact_S2L(4096, a->in2, &vector, DT_FP32);
  tpu_bdc_fp_scale_bias(8192, 0, 4096, 4160, &kAll, DT_FP32);  // @no_bias
  tpu_gdma_cpy_L2S(a->out, 8192, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(scale_without_bias)

// The coefficients of exp are not loaded.
// EXPECT TL-INIT-001 error @exp_bare
void exp_without_coefficients(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_fp_exp(32768, 0, 49152, 65536, 16384, &kAll, DT_FP32);  // @exp_bare
  tpu_gdma_cpy_L2S(a->out, 32768, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(exp_without_coefficients)

// Loaded once, used by three functions over the same work memory.
// SILENT
void coefficients_used_often(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_bdc_load_fp32_exp_coeff(16384);
  tpu_bdc_load_fp32_exp_table(20480);
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_sigmoid(32768, 0, 49152, 65536, 16384, 20480, &kAll);
  tpu_bdc_fp32_exp(81920, 32768, 49152, 65536, 16384, 20480, &kAll);
  tpu_bdc_fp32_sigmoid(32768, 81920, 49152, 65536, 16384, 20480, &kAll);
  tpu_gdma_cpy_L2S(a->out, 32768, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(coefficients_used_often)

// In the next launch they are gone.
// EXPECT TL-INIT-001 error @exp_again
// RUN launches=2
void coefficients_of_the_last_launch(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  if (a->launch == 0) tpu_bdc_load_fp_exp_coeff(16384, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_fp_exp(32768, 0, 49152, 65536, 16384, &kAll, DT_FP32);  // @exp_again
  tpu_gdma_cpy_L2S(a->out, 32768, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(coefficients_of_the_last_launch)

// Cast of one half to wider elements, then all used.
// EXPECT TL-INIT-001 error @half_cast
// RUN in=16384
void half_of_a_cast(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 32, 16, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &half, NULL, NULL, DT_FP16);
  tpu_bdc_cast(4096, 0, &kAll, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);  // @half_cast
  tpu_gdma_cpy_L2S(a->out, 4096, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(half_of_a_cast)

// Each row is summed up by a product with ones; the sum of an unwritten row is not stored.
// SILENT
// RUN in=1280 out=40
void sums_by_ones(const void* args) {
  const args_t* a = args;
  const dim4 left = {1, 10, 1, 32}, sums = {1, 10, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &left, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm_R_const(65536, 0, (scalar_t){.u16 = FP_ONE(DT_FP16)}, 16, 32, 1, DT_FP32, DT_FP16,
                        false);
  tpu_gdma_cpy_L2S(a->out, 65536, &sums, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(sums_by_ones)

// Line-aligned and compact layouts, converted into each other: gaps move, data stays.
// SILENT
// RUN in=53248 out=53248
void between_layouts(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 16, 13};
  dim4 lines, dense, aligned;
  tpu_initialize();
  tpu_line_aligned_stride(&lines, 0, &odd, DT_FP32);
  tpu_compact_stride(&dense, 0, &odd);
  tpu_aligned_stride(&aligned, 0, &odd, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &odd, &lines, NULL, DT_FP32);
  tpu_bdc_cpy(8192, 0, &odd, &dense, &lines, DT_FP32);
  tpu_bdc_fp_add_C(16384, 8192, kHalf, &odd, &aligned, &dense, DT_FP32);
  tpu_bdc_fp_add(32768, 16384, 0, &odd, &lines, &aligned, &lines, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 32768, &odd, NULL, &lines, DT_FP32);
  tpu_poll();
}
KERNEL(between_layouts)

// The reader takes the strides of the wrong one of them.
// EXPECT TL-INIT-001 error @mixed_up
// RUN in=53248 out=53248
void layouts_mixed_up(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 16, 13};
  dim4 lines, dense;
  tpu_initialize();
  tpu_line_aligned_stride(&lines, 0, &odd, DT_FP32);
  tpu_compact_stride(&dense, 0, &odd);
  tpu_gdma_cpy_S2L(0, a->in, &odd, &dense, NULL, DT_FP32);
  tpu_bdc_fp_add_C(16384, 0, kHalf, &odd, &lines, &lines, DT_FP32);  // @mixed_up
  tpu_gdma_cpy_L2S(a->out, 16384, &odd, NULL, &lines, DT_FP32);
  tpu_poll();
}
KERNEL(layouts_mixed_up)
