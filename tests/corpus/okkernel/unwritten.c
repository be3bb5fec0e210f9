// Results of the BM1684 that depend on bytes nobody wrote, and those that only seem to.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};
static const dim2 kOne = {1, 1};
static const Padding kNone = {0, 0, 0, 0};

// The second operand is never loaded.
// EXPECT TL-INIT-001 error @sum
void second_operand(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_add(2048, 0, 1024, &kAll, 0, 0, 0);  // @sum
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(second_operand)

// Sixteen products are summed up onto what was there.
// EXPECT TL-INIT-001 error @mac
void sum_not_cleared(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  for (int i = 0; i < 16; ++i) okk_bdc_mac_C(1024, 0, 0.5f, &kAll, 0, 0);  // @mac
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(sum_not_cleared)

// The same, cleared, and cleared by a mul of the first term.
// SILENT
// RUN out=131072
void sums_cleared(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_32bit_set_C(1024, (x32){.fp32 = 0}, &kAll, 0);
  okk_bdc_mul_C(2048, 0, 0.5f, &kAll, 0, 0);
  for (int i = 0; i < 16; ++i) {
    okk_bdc_mac_C(1024, 0, 0.5f, &kAll, 0, 0);
    okk_bdc_mac(2048, 0, 0, &kAll, 0, 0, 0);
  }
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 65536, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(sums_cleared)

// The last of 64 channels is missing.
// EXPECT TL-INIT-001 error @one_channel_load
void one_channel_short(const void* args) {
  const args_t* a = args;
  const dim4 most = {1, 63, 16, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &most, 0, 0);  // @one_channel_load
  okk_bdc_relu(0, 0, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(one_channel_short)

// Weights of a convolution for 63 of 64 output channels.
// EXPECT TL-INIT-001 error @short_weights_conv
// RUN in2=32768
void short_weights(const void* args) {
  const args_t* a = args;
  const dim4 pairs = {32, 63, 1, 2};  // 64 input channels in 2IC
  dim4 compact, in_pairs;
  okk_initialize();
  okk_compact_stride(&compact, 0, &pairs);
  okk_compact_stride(&in_pairs, 0, &(dim4){32, 64, 1, 1});
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &pairs, &compact, 0);
  okk_bdc_conv2d(1024, 0, 4096, 0, &kAll, 64, 1, 1, 0, &in_pairs, false, false, &kNone,
                 &kOne,  // @short_weights_conv
                 &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(short_weights)

// Three input channels in pairs of two: the fourth slot is dummy.
// SILENT
// RUN in=3072 in2=1024 out=65536
void odd_input_channels(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 3, 16, 16}, pairs = {2, 64, 1, 1}, first = {1, 64, 1, 2}, one = {1, 64, 1, 1};
  const dim4 two_pairs = {4, 4, 2, 1};
  dim4 of_pairs;
  okk_initialize();
  okk_compact_stride(&of_pairs, 0, &pairs);
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &first, &two_pairs, 0);
  okk_gdma_32bit_cpy_S2L(4096 + 8, a->in2 + 512, &one, &two_pairs, 0);
  okk_bdc_conv2d(8192, 0, 4096, 0, &in, 64, 1, 1, 0, &of_pairs, false, false, &kNone, &kOne, &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &kAll, 0, 0);
  okk_poll();
}
KERNEL(odd_input_channels)

// The convolution adds to an output that has no first term.
// EXPECT TL-INIT-001 error @onto_nothing
// RUN in2=32768
void result_add_onto_nothing(const void* args) {
  const args_t* a = args;
  const dim4 pairs = {32, 64, 1, 2};
  dim4 compact, in_pairs;
  okk_initialize();
  okk_compact_stride(&compact, 0, &pairs);
  okk_compact_stride(&in_pairs, 0, &(dim4){32, 64, 1, 1});
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &pairs, &compact, 0);
  okk_bdc_conv2d(1024, 0, 4096, 0, &kAll, 64, 1, 1, 0, &in_pairs, false, true, &kNone,
                 &kOne,  // @onto_nothing
                 &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(result_add_onto_nothing)

// Convolution over 128 input channels in two halves: the first sets, the second adds.
// SILENT
// RUN in=131072 in2=32768
void result_add_in_two_halves(const void* args) {
  const args_t* a = args;
  const dim4 pairs = {32, 64, 1, 2};
  dim4 compact, in_pairs;
  okk_initialize();
  okk_compact_stride(&compact, 0, &pairs);
  okk_compact_stride(&in_pairs, 0, &(dim4){32, 64, 1, 1});
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &pairs, &compact, 0);
  for (int half = 0; half < 2; ++half) {
    okk_gdma_32bit_cpy_S2L(0, a->in + half * 65536, &kAll, 0, 0);
    okk_bdc_conv2d(1024, 0, 4096, 0, &kAll, 64, 1, 1, 0, &in_pairs, false, half == 1, 0, 0, 0);
  }
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(result_add_in_two_halves)

// using_bias is false: the bias that is not there is not read.
// SILENT
// RUN in2=2304
void no_bias_no_matter(const void* args) {
  const args_t* a = args;
  const dim4 kernels = {1, 64, 3, 3};
  const Padding around = {1, 1, 1, 1};
  dim4 compact;
  okk_initialize();
  okk_compact_stride(&compact, 0, &kernels);
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &kernels, &compact, 0);
  okk_bdc_depthwise2d(1024, 0, 4096, 8192, &kAll, 3, 3, false, &around, &kOne, &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(no_bias_no_matter)

// using_bias is true: it is.
// EXPECT TL-INIT-001 error @bias_missing
// RUN in2=2304
void bias_not_loaded(const void* args) {
  const args_t* a = args;
  const dim4 kernels = {1, 64, 3, 3};
  const Padding around = {1, 1, 1, 1};
  dim4 compact;
  okk_initialize();
  okk_compact_stride(&compact, 0, &kernels);
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &kernels, &compact, 0);
  okk_bdc_depthwise2d(1024, 0, 4096, 8192, &kAll, 3, 3, true, &around, &kOne,
                      &kOne);  // @bias_missing
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(bias_not_loaded)

// Windows of 2 rows, 3 apart: every third row is in none of them and was never loaded.
// SILENT
// RUN in=65536 out=20480
void rows_between_the_windows(const void* args) {
  const args_t* a = args;
  const dim4 two = {1, 64, 2, 16}, pooled = {1, 64, 5, 16};
  const dim2 step = {3, 1};
  dim4 rows, of_in;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&rows, 0, &kAll);
  okk_continuous_stride(&of_in, &kAll);
  for (int i = 0; i < 5; ++i) okk_gdma_32bit_cpy_S2L(i * 192, a->in + i * 192, &two, &rows, &of_in);
  okk_bdc_max_pool2d(4096, 0, &kAll, 2, 1, &kNone, &step);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &pooled, 0, 0);
  okk_poll();
}
KERNEL(rows_between_the_windows)

// The last of them is missing too, and that one is needed.
// EXPECT TL-INIT-001 error @pool_of_missing
// RUN in=65536 out=20480
void row_in_a_window(const void* args) {
  const args_t* a = args;
  const dim4 two = {1, 64, 2, 16}, pooled = {1, 64, 5, 16};
  const dim2 step = {3, 1};
  dim4 rows, of_in;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&rows, 0, &kAll);
  okk_continuous_stride(&of_in, &kAll);
  for (int i = 0; i < 4; ++i) okk_gdma_32bit_cpy_S2L(i * 192, a->in + i * 192, &two, &rows, &of_in);
  okk_bdc_avg_pool2d(4096, 0, &kAll, 2, 1, &kNone, &step);  // @pool_of_missing
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &pooled, 0, 0);
  okk_poll();
}
KERNEL(row_in_a_window)

// 13 rows are loaded, 16 pooled (rounded up), the 6 rows of results that depend on the 13 stored.
// SILENT
// RUN in=53248 out=12288
void rows_rounded_up(const void* args) {
  const args_t* a = args;
  const dim4 loaded = {1, 64, 13, 16}, results = {1, 64, 6, 8};
  const dim2 step = {2, 2};
  dim4 rows, pooled;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&rows, 0, &kAll);
  okk_128_byte_aligned_stride_for_32bit(&pooled, 0, &(dim4){1, 64, 8, 8});
  okk_gdma_32bit_cpy_S2L(0, a->in, &loaded, &rows, 0);
  okk_bdc_avg_pool2d(4096, 0, &kAll, 2, 2, &kNone, &step);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &results, 0, &pooled);
  okk_poll();
}
KERNEL(rows_rounded_up)

// The seventh row of results needs row 13, which is not there.
// EXPECT TL-INIT-001 error @seventh_pool
// RUN in=53248 out=14336
void rows_rounded_up_too_far(const void* args) {
  const args_t* a = args;
  const dim4 loaded = {1, 64, 13, 16}, results = {1, 64, 7, 8};
  const dim2 step = {2, 2};
  dim4 rows, pooled;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&rows, 0, &kAll);
  okk_128_byte_aligned_stride_for_32bit(&pooled, 0, &(dim4){1, 64, 8, 8});
  okk_gdma_32bit_cpy_S2L(0, a->in, &loaded, &rows, 0);
  okk_bdc_avg_pool2d(4096, 0, &kAll, 2, 2, &kNone, &step);  // @seventh_pool
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &results, 0, &pooled);
  okk_poll();
}
KERNEL(rows_rounded_up_too_far)

// A product of matrices: rows of the left one are missing, and so are those of the result.
// SILENT
// RUN in=1280 in2=4096 out=1280
void matmul_of_fewer_rows(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(0, a->in, 10, 32, 8, 32);
  okk_gdma_32bit_matrix_S2L(8192, a->in2, 32, 32, 8, 32);
  okk_bdc_matmul(16384, 0, 8192, 0, 16, 32, 32, 8, 8, false, false);
  okk_gdma_32bit_matrix_L2S(a->out, 16384, 10, 32, 8, 32);
  okk_poll();
}
KERNEL(matmul_of_fewer_rows)

// A row of the right one is missing, which every result needs.
// EXPECT TL-INIT-001 error @matmul_short
// RUN in=2048 in2=4096 out=2048
void matmul_of_fewer_terms(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(0, a->in, 16, 32, 8, 32);
  okk_gdma_32bit_matrix_S2L(8192, a->in2, 31, 32, 8, 32);
  okk_bdc_matmul(16384, 0, 8192, 0, 16, 32, 32, 8, 8, false, false);  // @matmul_short
  okk_gdma_32bit_matrix_L2S(a->out, 16384, 16, 32, 8, 32);
  okk_poll();
}
KERNEL(matmul_of_fewer_terms)

// 30 columns with 8 per channel: the last channel has two slots that hold nothing.
// SILENT
// RUN in=1920 in2=3840 out=1920
void last_channel_of_a_matrix(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(0, a->in, 16, 30, 8, 30);
  okk_gdma_32bit_matrix_S2L(8192, a->in2, 30, 30, 8, 30);
  okk_bdc_matmul(16384, 0, 8192, 0, 16, 30, 30, 8, 8, false, false);
  okk_bdc_relu(16384, 16384, &(dim4){16, 4, 1, 8}, 0, 0);
  okk_gdma_32bit_matrix_L2S(a->out, 16384, 16, 30, 8, 30);
  okk_poll();
}
KERNEL(last_channel_of_a_matrix)

// A selection whose other branch was never loaded, and is taken for some elements.
// EXPECT TL-INIT-001 error @select
void branch_of_a_selection(const void* args) {
  const args_t* a = args;
  const fp32_or_addr_t source = {true, {.addr = 0}}, three = {false, {.val = 3.0f}};
  const x32_or_addr_t yes = {true, {.addr = 0}}, no = {true, {.addr = 1024}};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_greater_select(2048, &source, &three, &yes, &no, &kAll);  // @select
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(branch_of_a_selection)

// What exp leaves in its work memory is nobody's result.
// EXPECT TL-INIT-003 error @exp_work
void work_memory_stored(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_exp(1024, 0, 2048, &kAll);  // @exp_work
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(work_memory_stored)

// Work memory of one function is the result of the next.
// SILENT
void work_memory_again(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_sigmoid(1024, 0, 2048, &kAll);
  okk_bdc_exp(2048, 1024, 3072, &kAll);
  okk_bdc_sigmoid(3072, 2048, 1024, &kAll);
  okk_gdma_32bit_cpy_L2S(a->out, 3072, &kAll, 0, 0);
  okk_poll();
}
KERNEL(work_memory_again)

// The second launch counts on what the first one loaded.
// EXPECT TL-INIT-001 error @second_launch
// RUN launches=2
void left_by_the_last_launch(const void* args) {
  const args_t* a = args;
  okk_initialize();
  if (a->launch == 0) okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);  // @second_launch
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(left_by_the_last_launch)

// L2 holds what was written to it, and nothing else.
// EXPECT TL-INIT-001 error @l2_load
void half_of_l2(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 64, 8, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(okk_l2_sram_start_addr(), a->in, &half, 0, 0);
  okk_gdma_32bit_cpy_S2L(0, okk_l2_sram_start_addr(), &kAll, 0, 0);  // @l2_load
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(half_of_l2)

// A buffer that neither host nor kernel wrote.
// EXPECT TL-INIT-002 error @never_filled
void output_read_as_input(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->out, &kAll, 0, 0);  // @never_filled
  okk_bdc_relu(0, 0, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(output_read_as_input)

// One row, loaded once, spread over all rows by strides of 0; the rest of the tensor is not there.
// SILENT
void one_row_spread(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 16}, spread = {0, 0, 0, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in, &row, 0, 0);
  okk_bdc_mul(1024, 0, 4096, &kAll, 0, 0, &spread);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(one_row_spread)

// A tensor put together of four quarters, two of them from the same rows of the input.
// SILENT
void four_quarters(const void* args) {
  const args_t* a = args;
  const dim4 quarter = {1, 64, 8, 8};
  dim4 local, global;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&local, 0, &kAll);
  okk_continuous_stride(&global, &kAll);
  for (int i = 0; i < 4; ++i)
    okk_gdma_32bit_cpy_S2L(i / 2 * 512 + i % 2 * 32, a->in + i % 2 * 32, &quarter, &local, &global);
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(four_quarters)

// Three of the four.
// EXPECT TL-INIT-001 error @three_add
void three_quarters(const void* args) {
  const args_t* a = args;
  const dim4 quarter = {1, 64, 8, 8};
  dim4 local, global;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&local, 0, &kAll);
  okk_continuous_stride(&global, &kAll);
  for (int i = 0; i < 3; ++i)
    okk_gdma_32bit_cpy_S2L(i / 2 * 512 + i % 2 * 32, a->in + i % 2 * 32, &quarter, &local, &global);
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);  // @three_add
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(three_quarters)

// Three batches of bytes in words of four: the dummy lane is computed, not stored.
// SILENT
// RUN in=24576 out=24576
void three_lanes_of_four(const void* args) {
  const args_t* a = args;
  const dim4 three = {3, 64, 8, 16}, one = {1, 64, 128, 1}, lanes = {0, 512, 4, 1};
  okk_initialize();
  for (int n = 0; n < 3; ++n) okk_gdma_8bit_cpy_S2L(n, a->in + n * 8192, &one, &lanes, 0);
  okk_bdc_fixed_point_packed_mul_C(4096, 0, 3, &three, 0, 0, S8_OP_S8_TO_S8, 1);
  for (int n = 0; n < 3; ++n) okk_gdma_8bit_cpy_L2S(a->out + n * 8192, 4096 + n, &one, 0, &lanes);
  okk_poll();
}
KERNEL(three_lanes_of_four)

// All four lanes are stored.
// EXPECT TL-INIT-001 error @dummy_mul
// RUN in=24576 out=32768
void fourth_lane_stored(const void* args) {
  const args_t* a = args;
  const dim4 four = {4, 64, 8, 16}, one = {1, 64, 128, 1}, lanes = {0, 512, 4, 1};
  okk_initialize();
  for (int n = 0; n < 3; ++n) okk_gdma_8bit_cpy_S2L(n, a->in + n * 8192, &one, &lanes, 0);
  okk_bdc_fixed_point_packed_mul_C(4096, 0, 3, &four, 0, 0, S8_OP_S8_TO_S8, 1);  // @dummy_mul
  for (int n = 0; n < 4; ++n) okk_gdma_8bit_cpy_L2S(a->out + n * 8192, 4096 + n, &one, 0, &lanes);
  okk_poll();
}
KERNEL(fourth_lane_stored)
