// Networks in small: blocks, groups, running sums, what the processor adds.
#include <string.h>

#include "corpus.h"

static const dim4 kPage = {1, 64, 1, 16};
static const dim4 kTile = {1, 64, 8, 8};
static const Padding kNone = {0, 0, 0, 0};
static const dim2 kOne = {1, 1};

// A residual block: two convolutions of 1x1, a sum, a relu; buffers used again in turn.
// SILENT
// RUN in=16384 in2=32768 out=16384
void residual(const void* args) {
  const args_t* a = args;
  const dim4 pairs = {32, 64, 1, 1};
  dim4 strides, words;
  okk_initialize();
  okk_compact_stride(&strides, 0, &pairs);
  okk_compact_stride(&words, 0, &(dim4){32, 64, 1, 2});
  okk_gdma_32bit_cpy_S2L(0, a->in, &kTile, 0, 0);
  okk_gdma_32bit_cpy_S2L(65536, a->in2, &(dim4){32, 64, 1, 2}, &words, 0);
  okk_bdc_conv2d(256, 0, 65536, 0, &kTile, 64, 1, 1, 0, &strides, false, false, &kNone, &kOne,
                 &kOne);
  okk_bdc_relu(256, 256, &kTile, 0, 0);
  okk_gdma_32bit_cpy_S2L(65536, a->in2 + 16384, &(dim4){32, 64, 1, 2}, &words, 0);
  okk_bdc_conv2d(512, 256, 65536, 0, &kTile, 64, 1, 1, 0, &strides, false, false, &kNone, &kOne,
                 &kOne);
  okk_bdc_add(512, 512, 0, &kTile, 0, 0, 0);
  okk_bdc_relu(0, 512, &kTile, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kTile, 0, 0);
  okk_poll();
}
KERNEL(residual)

// The second weights come over the first while the first convolution runs.
// EXPECT TL-RACE-001 error @conv_one @weights_two
// MAY TL-LINT-001 warning @weights_two
// RUN in=16384 in2=32768 out=16384
void weights_too_soon(const void* args) {
  const args_t* a = args;
  const dim4 pairs = {32, 64, 1, 1};
  dim4 strides, words;
  okk_initialize();
  okk_compact_stride(&strides, 0, &pairs);
  okk_compact_stride(&words, 0, &(dim4){32, 64, 1, 2});
  okk_gdma_32bit_cpy_S2L(0, a->in, &kTile, 0, 0);
  okk_gdma_32bit_cpy_S2L(65536, a->in2, &(dim4){32, 64, 1, 2}, &words, 0);
  okk_parallel_start();
  okk_bdc_conv2d(256, 0, 65536, 0, &kTile, 64, 1, 1, 0, &strides, false, false, &kNone, &kOne,
                 &kOne);                                                            // @conv_one
  okk_gdma_32bit_cpy_S2L(65536, a->in2 + 16384, &(dim4){32, 64, 1, 2}, &words, 0);  // @weights_two
  okk_parallel_end();
  okk_bdc_conv2d(512, 256, 65536, 0, &kTile, 64, 1, 1, 0, &strides, false, false, &kNone, &kOne,
                 &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, 512, &kTile, 0, 0);
  okk_poll();
}
KERNEL(weights_too_soon)

// Products of a batch loop: outputs lie one behind the other, with 16 bytes between.
// SILENT
// RUN in=6400 in2=2560 out=10240
void products_in_a_loop(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(65536, a->in2, 20, 32, 8, 32);
  for (int b = 0; b < 4; ++b) {
    okk_gdma_32bit_matrix_S2L(b % 2 * 4096, a->in + b * 1600, 20, 20, 5, 20);
    okk_bdc_matmul(131072 + b * 4096, b % 2 * 4096, 65536, 0, 20, 20, 32, 5, 8, false, false);
  }
  for (int b = 0; b < 4; ++b)
    okk_gdma_32bit_matrix_L2S(a->out + b * 2560, 131072 + b * 4096, 20, 32, 8, 32);
  okk_poll();
}
KERNEL(products_in_a_loop)

// The product has 20 rows of 32; 21 rows are stored.
// EXPECT TL-INIT-001 error @row_too_many
// RUN in=1600 in2=2560 out=2688
void one_row_too_many(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(65536, a->in2, 20, 32, 8, 32);
  okk_gdma_32bit_matrix_S2L(0, a->in, 20, 20, 5, 20);
  okk_bdc_matmul(131072, 0, 65536, 0, 20, 20, 32, 5, 8, false, false);
  okk_gdma_32bit_matrix_L2S(a->out, 131072, 21, 32, 8, 32);  // @row_too_many
  okk_poll();
}
KERNEL(one_row_too_many)

// Channels per NPU of the left matrix differ from how it was loaded: 4 instead of 5.
// EXPECT TL-INIT-001 error @other_channels
// MAY TL-LINT-006 warning @other_channels
// RUN in=1600 in2=2560 out=2560
void left_read_otherwise(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(65536, a->in2, 20, 32, 8, 32);
  okk_gdma_32bit_matrix_S2L(0, a->in, 20, 20, 5, 20);
  okk_bdc_matmul(131072, 0, 65536, 0, 20, 20, 32, 4, 8, false, false);  // @other_channels
  okk_gdma_32bit_matrix_L2S(a->out, 131072, 20, 32, 8, 32);
  okk_poll();
}
KERNEL(left_read_otherwise)

// A histogram by the processor, in L2, between two copies.
// SILENT
// RUN in=4096 out=28
void histogram_in_l2(const void* args) {
  const args_t* a = args;
  const unsigned l2 = okk_l2_sram_start_addr();
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(l2, a->in, &kPage, 0, 0);
  okk_poll();
  const float* values = (const float*)okk_l2_sram_addr(l2);
  unsigned* counts = (unsigned*)okk_l2_sram_addr(l2 + 8192);
  memset(counts, 0, 28);
  for (int i = 0; i < 1024; ++i) ++counts[(int)values[i]];
  okk_gdma_32bit_cpy_S2S(a->out, l2 + 8192, &(dim4){1, 1, 1, 7}, 0, 0);
  okk_poll();
}
KERNEL(histogram_in_l2)

// Nobody clears the counters.
// EXPECT TL-INIT-005 error @count
// RUN in=4096 out=28
void histogram_not_cleared(const void* args) {
  const args_t* a = args;
  const unsigned l2 = okk_l2_sram_start_addr();
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(l2, a->in, &kPage, 0, 0);
  okk_poll();
  const float* values = (const float*)okk_l2_sram_addr(l2);
  unsigned* counts = (unsigned*)okk_l2_sram_addr(l2 + 8192);
  for (int i = 0; i < 1024; ++i) ++counts[(int)values[i]];  // @count
  okk_gdma_32bit_cpy_S2S(a->out, l2 + 8192, &(dim4){1, 1, 1, 7}, 0, 0);
  okk_poll();
}
KERNEL(histogram_not_cleared)

// The processor looks before the copy has come.
// EXPECT TL-SYNC-006 error @looks @copies_there
// RUN in=4096 out=4096
void looks_too_early(const void* args) {
  const args_t* a = args;
  const unsigned l2 = okk_l2_sram_start_addr();
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(l2, a->in, &kPage, 0, 0);  // @copies_there
  const volatile float* values = (const float*)okk_l2_sram_addr(l2);
  float scale = values[1023] + 1;  // @looks
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  okk_bdc_mul_C(1024, 0, scale, &kPage, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kPage, 0, 0);
  okk_poll();
}
KERNEL(looks_too_early)

// It writes its result where the store still reads: through memcpy.
// EXPECT TL-SYNC-006 error @copied_over
// RUN in=4096 out=4096
void copies_over_what_is_stored(const void* args) {
  const args_t* a = args;
  static const float zeros[16];
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  okk_poll();
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kPage, 0, 0);
  memcpy(okk_local_mem_addr(5, 0), zeros, sizeof zeros);  // @copied_over
  okk_poll();
}
KERNEL(copies_over_what_is_stored)

// Sixteen tiles in one region: loads ahead by one, all in the right buffers.
// SILENT
// RUN in=65536 out=65536
void ahead_by_one(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  for (int i = 0; i < 16; ++i) {
    okk_parallel_start();
    if (i + 1 < 16) okk_gdma_32bit_cpy_S2L((i + 1) % 2 * 64, a->in + (i + 1) * 4096, &kPage, 0, 0);
    if (i > 0)
      okk_gdma_32bit_cpy_L2S(a->out + (i - 1) * 4096, 128 + (i - 1) % 2 * 64, &kPage, 0, 0);
    okk_bdc_add_C(128 + i % 2 * 64, i % 2 * 64, 1.0f, &kPage, 0, 0);
    okk_parallel_end();
  }
  okk_gdma_32bit_cpy_L2S(a->out + 15 * 4096, 128 + 64, &kPage, 0, 0);
  okk_poll();
}
KERNEL(ahead_by_one)

// The host reads no more than what was stored: the last tile is left out.
// SILENT
// RUN in=65536 out=61440
void ahead_by_one_last_left_out(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  for (int i = 0; i < 16; ++i) {
    okk_parallel_start();
    if (i + 1 < 16) okk_gdma_32bit_cpy_S2L((i + 1) % 2 * 64, a->in + (i + 1) * 4096, &kPage, 0, 0);
    if (i > 0)
      okk_gdma_32bit_cpy_L2S(a->out + (i - 1) * 4096, 128 + (i - 1) % 2 * 64, &kPage, 0, 0);
    okk_bdc_add_C(128 + i % 2 * 64, i % 2 * 64, 1.0f, &kPage, 0, 0);
    okk_parallel_end();
  }
  okk_poll();
}
KERNEL(ahead_by_one_last_left_out)

// int8 in 4N to floats: a work tensor that ends where the result begins.
// SILENT
// RUN in=16384 out=65536
void bytes_to_floats(const void* args) {
  const args_t* a = args;
  const dim4 four = {4, 64, 8, 8}, words = {1, 64, 8, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &words, 0, 0);
  okk_bdc_4N_int8_to_fp32(2048, 0, 256, &four, true, true);
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &four, 0, 0);
  okk_poll();
}
KERNEL(bytes_to_floats)

// The work tensor lies over the result.
// EXPECT TL-ARGS-002 error @work_over
// MAY TL-INIT-003 error @work_over
// RUN in=16384 out=65536
void bytes_to_floats_work_over_result(const void* args) {
  const args_t* a = args;
  const dim4 four = {4, 64, 8, 8}, words = {1, 64, 8, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &words, 0, 0);
  okk_bdc_4N_int8_to_fp32(2048, 0, 2048 + 512, &four, true, true);  // @work_over
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &four, 0, 0);
  okk_poll();
}
KERNEL(bytes_to_floats_work_over_result)

// Average over windows at the border: padding takes part, what lies beside the picture does not.
// SILENT
// RUN in=25344 out=25344
void averages_at_the_border(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 9, 11};
  const Padding all = {1, 1, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  okk_bdc_avg_pool2d(1024, 0, &in, 3, 3, &all, &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &in, 0, 0);
  okk_poll();
}
KERNEL(averages_at_the_border)

// A shape that is NULL.
// EXPECT TL-ARGS-001 error @null_shape
// RUN in=4096 out=4096
void no_shape(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, 0, 0, 0);  // @null_shape
  okk_poll();
}
KERNEL(no_shape)

// A shape on the heap of the kernel, changed after the call: it was read.
// SILENT
// RUN in=4096 out=4096
void shape_changed_after_the_call(const void* args) {
  const args_t* a = args;
  dim4 shape = kPage;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, a->in, &shape, 0, 0);
  shape.n = -1;
  okk_parallel_end();
  shape = kPage;
  okk_gdma_32bit_cpy_L2S(a->out, 0, &shape, 0, 0);
  okk_poll();
}
KERNEL(shape_changed_after_the_call)

// A batch of 3 in global memory with a hole between batches that nobody fills or reads.
// SILENT
// RUN in=12288 out=16384 read=4096
void holes_between_batches(const void* args) {
  const args_t* a = args;
  const dim4 three = {3, 64, 1, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &three, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &three, &(dim4){1280, 16, 16, 1}, 0);
  okk_poll();
}
KERNEL(holes_between_batches)

// Upsampling by 2: every element four times, by strides of 0 on the source.
// SILENT
// RUN in=16384 out=65536
void upsampled(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 8, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  // (h, 2, w, 2) as batches of rows: for each row its two copies of doubled elements.
  for (int h = 0; h < 8; ++h)
    okk_bdc_32bit_cpy(4096 + (local_addr_t)h * 128, (local_addr_t)h * 32, &(dim4){2, 64, 8, 2},
                      &(dim4){16, 256, 2, 1}, &(dim4){0, 64, 1, 0});
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &(dim4){1, 64, 16, 16}, 0, 0);
  okk_poll();
}
KERNEL(upsampled)

// One row of the copies is left out.
// EXPECT TL-INIT-001 error
// RUN in=16384 out=65536
void upsampled_but_one_row(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 8, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  for (int h = 0; h < 8; ++h)
    okk_bdc_32bit_cpy(4096 + (local_addr_t)h * 128, (local_addr_t)h * 32,
                      &(dim4){h == 5 ? 1 : 2, 64, 8, 2}, &(dim4){16, 256, 2, 1},
                      &(dim4){0, 64, 1, 0});
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &(dim4){1, 64, 16, 16}, 0, 0);
  okk_poll();
}
KERNEL(upsampled_but_one_row)

// A grouped convolution: 4 groups of 16 channels, each from its own NPU on.
// SILENT
// RUN in=16384 in2=4096 out=16384
void grouped(const void* args) {
  const args_t* a = args;
  const local_addr_t npu = okk_local_mem_size_per_npu();
  const dim4 group = {1, 16, 8, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &(dim4){1, 64, 8, 8}, 0, 0);
  for (int g = 0; g < 4; ++g) {
    const local_addr_t at = (local_addr_t)g * 16 * npu;
    dim4 pairs, words;
    okk_compact_stride(&pairs, g * 16, &(dim4){8, 16, 1, 1});
    okk_compact_stride(&words, g * 16, &(dim4){8, 16, 1, 2});
    okk_gdma_32bit_cpy_S2L(at + 4096, a->in2 + (unsigned)g * 1024, &(dim4){8, 16, 1, 2}, &words, 0);
    okk_bdc_conv2d(at + 8192, at, at + 4096, 0, &group, 16, 1, 1, 0, &pairs, false, false, &kNone,
                   &kOne, &kOne);
  }
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &(dim4){1, 64, 8, 8}, 0, 0);
  okk_poll();
}
KERNEL(grouped)

// The last group is left out.
// EXPECT TL-INIT-001 error
// RUN in=16384 in2=4096 out=16384
void grouped_without_the_last(const void* args) {
  const args_t* a = args;
  const local_addr_t npu = okk_local_mem_size_per_npu();
  const dim4 group = {1, 16, 8, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &(dim4){1, 64, 8, 8}, 0, 0);
  for (int g = 0; g < 3; ++g) {
    const local_addr_t at = (local_addr_t)g * 16 * npu;
    dim4 pairs, words;
    okk_compact_stride(&pairs, g * 16, &(dim4){8, 16, 1, 1});
    okk_compact_stride(&words, g * 16, &(dim4){8, 16, 1, 2});
    okk_gdma_32bit_cpy_S2L(at + 4096, a->in2 + (unsigned)g * 1024, &(dim4){8, 16, 1, 2}, &words, 0);
    okk_bdc_conv2d(at + 8192, at, at + 4096, 0, &group, 16, 1, 1, 0, &pairs, false, false, &kNone,
                   &kOne, &kOne);
  }
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &(dim4){1, 64, 8, 8}, 0, 0);
  okk_poll();
}
KERNEL(grouped_without_the_last)

// Two inputs side by side along c: 40 and 30 channels, stored as 70.
// SILENT
// RUN in=10240 in2=7680 out=17920
void concatenated(const void* args) {
  const args_t* a = args;
  const local_addr_t npu = okk_local_mem_size_per_npu();
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &(dim4){1, 40, 8, 8}, 0, 0);
  // 24 channels fill up the first row of NPUs, 6 more begin the second.
  okk_gdma_32bit_cpy_S2L(40 * npu, a->in2, &(dim4){1, 24, 8, 8}, 0, 0);
  okk_gdma_32bit_cpy_S2L(256, a->in2 + 24 * 256, &(dim4){1, 6, 8, 8}, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &(dim4){1, 70, 8, 8}, 0, 0);
  okk_poll();
}
KERNEL(concatenated)

// Running sums along w, each column from the one before.
// SILENT
// RUN in=4096 out=4096
void running_sums(const void* args) {
  const args_t* a = args;
  const dim4 column = {1, 64, 1, 1}, strides = {0, 32, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  for (local_addr_t w = 1; w < 16; ++w)
    okk_bdc_add(w * 4, w * 4, w * 4 - 4, &column, &strides, &strides, &strides);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kPage, 0, 0);
  okk_poll();
}
KERNEL(running_sums)

// The same at once: each column is overwritten before the next reads it.
// EXPECT TL-ARGS-002 error @sums_at_once
// RUN in=4096 out=4096
void running_sums_at_once(const void* args) {
  const args_t* a = args;
  const dim4 columns = {1, 64, 1, 15}, strides = {0, 32, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  okk_bdc_add(4, 4, 0, &columns, &strides, &strides, &strides);  // @sums_at_once
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kPage, 0, 0);
  okk_poll();
}
KERNEL(running_sums_at_once)

// A launch without work, then one with: nothing of the first is needed.
// SILENT
// RUN in=4096 out=4096 launches=2
void work_in_the_second_launch(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int i = 0; i < a->launch; ++i) {
    okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out, 0, &kPage, 0, 0);
  }
  okk_poll();
}
KERNEL(work_in_the_second_launch)

// The output of the first launch is the input of the second, in place.
// SILENT
// RUN in=4096 out=4096 launches=3
void in_place_over_launches(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->launch == 0 ? a->in : a->out, &kPage, 0, 0);
  okk_bdc_add_C(0, 0, 1.0f, &kPage, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kPage, 0, 0);
  okk_poll();
}
KERNEL(in_place_over_launches)

// Loaded and stored in one region: the copies keep their order; the sum uses the tile before.
// SILENT
// RUN in=32768 out=32768
void copies_in_order_sums_beside(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_bdc_32bit_set_C(1024, (x32){.fp32 = 0}, &kPage, 0);
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  for (int i = 0; i < 8; ++i) {
    okk_parallel_start();
    okk_gdma_32bit_cpy_L2S(a->out + (unsigned)i * 4096, (i & 1) * 64, &kPage, 0, 0);
    okk_bdc_add(1024, 1024, (i & 1) * 64, &kPage, 0, 0, 0);
    if (i < 7)
      okk_gdma_32bit_cpy_S2L(((i + 1) & 1) * 64, a->in + (unsigned)(i + 1) * 4096, &kPage, 0, 0);
    okk_parallel_end();
  }
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kPage, 0, 0);
  okk_poll();
}
KERNEL(copies_in_order_sums_beside)

// The last tile is loaded with the size of a whole one, and the allocation ends.
// EXPECT TL-MEMORY-002 error @load_past
// MAY TL-INIT-002 error @load_past
// RUN in=10000 out=10000
void tail_not_cut(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int i = 0; i * 4096 < 10000; ++i) {
    okk_gdma_32bit_cpy_S2L(0, a->in + (unsigned)i * 4096, &kPage, 0, 0);  // @load_past
    const int rest = 2500 - i * 1024;
    okk_gdma_32bit_cpy_L2S(a->out + (unsigned)i * 4096, 0,
                           &(dim4){1, rest >= 1024 ? 64 : rest / 16, 1, 16}, 0, 0);
    if (rest < 1024)
      okk_gdma_32bit_cpy_L2S(a->out + (unsigned)i * 4096 + rest / 16 * 64u,
                             (unsigned)(rest / 16) * okk_local_mem_size_per_npu(),
                             &(dim4){1, 1, 1, rest % 16}, 0, 0);
  }
  okk_poll();
}
KERNEL(tail_not_cut)
