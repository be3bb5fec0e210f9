// Whole kernels: rings of buffers, work lists, trees, products by parts.
#include "corpus.h"

static const dim4 kPage = {1, 64, 1, 16};  // 4096 bytes
static const dim4 kTile = {1, 64, 8, 8};   // 16384 bytes
static const dim2 kOne = {1, 1};

// Three buffers in turn; the drain of the pipeline is right.
// SILENT
// RUN in=98304 out=98304
void ring_of_three(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int i = 0; i < 6 + 2; ++i) {
    okk_parallel_start();
    if (i < 6) okk_gdma_32bit_cpy_S2L(i % 3 * 256, a->in + i * 16384, &kTile, 0, 0);
    if (i >= 1 && i < 7)
      okk_bdc_mul_C(4096 + (i - 1) % 3 * 256, (i - 1) % 3 * 256, 3.0f, &kTile, 0, 0);
    if (i >= 2)
      okk_gdma_32bit_cpy_L2S(a->out + (i - 2) * 16384, 4096 + (i - 2) % 3 * 256, &kTile, 0, 0);
    okk_parallel_end();
  }
  okk_poll();
}
KERNEL(ring_of_three)

// The same, and the results share two buffers as if they were one.
// EXPECT TL-RACE-002 error @ring_mul @ring_store
// MAY TL-LINT-001 warning @ring_mul
// MAY TL-LINT-001 warning @ring_store
// RUN in=98304 out=98304
void ring_of_one_result(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int i = 0; i < 6 + 2; ++i) {
    okk_parallel_start();
    if (i < 6) okk_gdma_32bit_cpy_S2L(i % 3 * 256, a->in + i * 16384, &kTile, 0, 0);
    if (i >= 1 && i < 7) okk_bdc_mul_C(4096, (i - 1) % 3 * 256, 3.0f, &kTile, 0, 0);  // @ring_mul
    if (i >= 2)
      okk_gdma_32bit_cpy_L2S(a->out + (i - 2) * 16384, 4096, &kTile, 0, 0);  // @ring_store
    okk_parallel_end();
  }
  okk_poll();
}
KERNEL(ring_of_one_result)

// The pipeline stops one step early: the last tile is never stored.
// EXPECT TL-COVERAGE-001 error
// RUN in=98304 out=98304
void ring_not_drained(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int i = 0; i < 6 + 1; ++i) {
    okk_parallel_start();
    if (i < 6) okk_gdma_32bit_cpy_S2L(i % 3 * 256, a->in + i * 16384, &kTile, 0, 0);
    if (i >= 1) okk_bdc_mul_C(4096 + (i - 1) % 3 * 256, (i - 1) % 3 * 256, 3.0f, &kTile, 0, 0);
    if (i >= 2)
      okk_gdma_32bit_cpy_L2S(a->out + (i - 2) * 16384, 4096 + (i - 2) % 3 * 256, &kTile, 0, 0);
    okk_parallel_end();
  }
  okk_poll();
}
KERNEL(ring_not_drained)

// A transposition of h and w in place.
// EXPECT TL-ARGS-002 error @transposed
// RUN in=16384 out=16384
void transposed_in_itself(const void* args) {
  const args_t* a = args;
  const dim4 turned = {64, 64, 1, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kTile, 0, 0);
  okk_bdc_32bit_cpy(0, 0, &kTile, &turned, 0);  // @transposed
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kTile, 0, 0);
  okk_poll();
}
KERNEL(transposed_in_itself)

// A region in every other launch.
// SILENT
// RUN in=4096 out=4096 launches=4
void region_in_odd_launches(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  if (a->launch % 2) okk_parallel_start();
  okk_bdc_mul_C(2048, 0, 2.0f, &kPage, 0, 0);
  if (a->launch % 2) okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kPage, 0, 0);
  okk_poll();
}
KERNEL(region_in_odd_launches)

// A matrix of 10 columns in channels of 4: the last channel holds 2, but 4 are stored.
// EXPECT TL-INIT-001 error @stored_whole
// RUN in=200 out=240
void whole_channels_of_a_matrix(const void* args) {
  const args_t* a = args;
  const dim4 all = {5, 3, 1, 4};
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(0, a->in, 5, 10, 4, 10);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &all, 0, 0);  // @stored_whole
  okk_poll();
}
KERNEL(whole_channels_of_a_matrix)

// The processor finds in global memory which pages are to be stored: 0 to 6.
// SILENT
// RUN in=28672 in2=28 kind2=u32 out=28672
void work_list_in_memory(const void* args) {
  const args_t* a = args;
  const unsigned* list = (const unsigned*)okk_global_mem_addr(a->in2);
  okk_initialize();
  for (int i = 0; i < 7; ++i) {
    okk_gdma_32bit_cpy_S2L(0, a->in + list[i] * 4096, &kPage, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out + list[i] * 4096, 0, &kPage, 0, 0);
  }
  okk_poll();
}
KERNEL(work_list_in_memory)

// The list is one entry longer than what the host wrote.
// EXPECT TL-MEMORY-003 error @entry
// RUN in=4096 in2=28 kind2=u32 out=4096
void work_list_too_long(const void* args) {
  const args_t* a = args;
  const volatile unsigned* list = (const unsigned*)okk_global_mem_addr(a->in2);
  unsigned sum = 0;
  okk_initialize();
  for (int i = 0; i < 8; ++i) sum += list[i];  // @entry
  okk_gdma_32bit_set_C_system(a->out, (x32){.u32 = sum & 0}, &kPage, 0);
  okk_poll();
}
KERNEL(work_list_too_long)

// Weights stay in L2 from the first launch on, it is hoped.
// EXPECT TL-INIT-001 error @weights_again
// RUN in=4096 out=4096 launches=3
void weights_kept_in_l2(const void* args) {
  const args_t* a = args;
  okk_initialize();
  if (a->launch == 0) okk_gdma_32bit_cpy_S2S(okk_l2_sram_start_addr(), a->in, &kPage, 0, 0);
  okk_gdma_32bit_cpy_S2L(0, okk_l2_sram_start_addr(), &kPage, 0, 0);  // @weights_again
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kPage, 0, 0);
  okk_poll();
}
KERNEL(weights_kept_in_l2)

// The place of the largest, by comparison and a table that the processor made.
// SILENT
// RUN in=4096 out=4096
void place_of_the_largest(const void* args) {
  const args_t* a = args;
  const dim4 spread = {0, 32, 0, 0};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  okk_bdc_max_pool2d(1024, 0, &kPage, 1, 16, 0, &kOne);
  for (int npu = 0; npu < 64; ++npu) {
    float* table = (float*)okk_local_mem_addr(npu, 2048);
    for (int i = 0; i < 16; ++i) table[i] = (float)i;
  }
  okk_bdc_32bit_cpy(3072, 1024, &kPage, 0, &spread);
  okk_bdc_equal_select(4096, &(fp32_or_addr_t){true, {.addr = 0}},
                       &(fp32_or_addr_t){true, {.addr = 3072}},
                       &(x32_or_addr_t){true, {.addr = 2048}},
                       &(x32_or_addr_t){false, {.val = {.fp32 = 99}}}, &kPage);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &kPage, 0, 0);
  okk_poll();
}
KERNEL(place_of_the_largest)

// The table is one number short in one NPU.
// EXPECT TL-INIT-001 error @search
// RUN in=4096 out=4096
void place_with_a_short_table(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  for (int npu = 0; npu < 64; ++npu) {
    float* table = (float*)okk_local_mem_addr(npu, 2048);
    for (int i = 0; i < 16 - (npu == 63); ++i) table[i] = (float)i;
  }
  okk_bdc_add(4096, 0, 2048, &kPage, 0, 0, 0);  // @search
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &kPage, 0, 0);
  okk_poll();
}
KERNEL(place_with_a_short_table)

// A fill by the GDMA and a computation on it in one region.
// EXPECT TL-RACE-001 error @fill @on_fill
// MAY TL-INIT-001 error @on_fill
// RUN in=4096 out=4096
void filled_in_the_same_region(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_set_C_local(0, (x32){.fp32 = 1.0f}, &kPage, 0);  // @fill
  okk_bdc_add_C(1024, 0, 2.0f, &kPage, 0, 0);                     // @on_fill
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kPage, 0, 0);
  okk_poll();
}
KERNEL(filled_in_the_same_region)

// Offsets in int: 3 GB become negative.
// EXPECT TL-MEMORY-001 error @below
// RUN in=65536 out=65536
void offset_in_int(const void* args) {
  const args_t* a = args;
  volatile int tile = 49152;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in + (int)((unsigned)tile * 65536u * 2u), &kPage, 0, 0);  // @below
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kPage, 0, 0);
  okk_poll();
}
KERNEL(offset_in_int)

// A convolution whose padding makes up for rows that are missing.
// SILENT
// RUN in=65536 in2=147456 out=8192
void convolution_by_halves(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 9, 16}, pairs = {32, 64, 1, 1}, words = {32, 64, 3, 6};
  const Padding top = {1, 0, 1, 1};
  const dim2 two = {2, 2};
  dim4 strides, aligned;
  okk_initialize();
  okk_compact_stride(&strides, 0, &pairs);
  okk_compact_stride(&aligned, 0, &words);
  okk_gdma_32bit_cpy_S2L(0, a->in, &rows, 0, &(dim4){16384, 256, 16, 1});
  okk_gdma_32bit_cpy_S2L(65536, a->in2, &words, &aligned, 0);
  // Rows -1 to 8, every second: 5 rows of results need rows up to 9, 4 need rows up to 7.
  okk_bdc_conv2d(131072, 0, 65536, 0, &(dim4){1, 64, 8, 16}, 64, 3, 3, &(dim4){144, 144, 16, 1},
                 &(dim4){9, 576, 3, 1}, false, false, &top, &two, &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, 131072, &(dim4){1, 64, 4, 8}, 0, 0);
  okk_poll();
}
KERNEL(convolution_by_halves)

// Depthwise with a bias for 64 of 65 channels.
// EXPECT TL-INIT-001 error @depthwise
// RUN in=16640 in2=4096 out=16640
void depthwise_bias_for_the_first(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 65, 8, 8}, w = {1, 65, 3, 3}, b = {1, 64, 1, 1};
  const Padding all = {1, 1, 1, 1};
  dim4 ws, bs;
  okk_initialize();
  okk_compact_stride(&ws, 0, &w);
  okk_compact_stride(&bs, 0, &b);
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &w, &ws, 0);
  okk_gdma_32bit_cpy_S2L(5120, a->in2 + 2340, &b, &bs, 0);
  okk_bdc_depthwise2d(8192, 0, 4096, 5120, &in, 3, 3, true, &all, &kOne, &kOne);  // @depthwise
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &in, 0, 0);
  okk_poll();
}
KERNEL(depthwise_bias_for_the_first)

// Two batches of 100 channels, the sum in place of the first.
// SILENT
// RUN in=51200 out=25600
void sums_over_batches(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 100, 8, 8}, both = {2, 100, 8, 8};
  dim4 strides;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&strides, 0, &both);
  okk_gdma_32bit_cpy_S2L(0, a->in, &both, 0, 0);
  okk_bdc_add(0, 0, (local_addr_t)strides.n * 4, &half, 0, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &half, 0, 0);
  okk_poll();
}
KERNEL(sums_over_batches)

// Every value of bytes through the table; above 255 it has none.
// EXPECT TL-ARGS-009 error @looked_up
// RUN in=4096 out=4096
void looks_up_floats(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kPage, 0, 0);
  okk_bdc_lookup_int32_to_fp32(1024, 0, &kPage);  // @looked_up
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kPage, 0, 0);
  okk_poll();
}
KERNEL(looks_up_floats)

static void reduce(local_addr_t at, int rows, const dim4* row) {
  if (rows == 1) return;
  const int half = rows / 2;
  reduce(at, half, row);
  reduce(at + (local_addr_t)half * 128, rows - half, row);
  okk_bdc_add(at, at, at + (local_addr_t)half * 128, row, 0, 0, 0);  // @tree
}
// A sum by a tree.
// SILENT
// RUN in=69632 out=8192
void tree_of_sums(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 17, 16}, one = {1, 64, 1, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &rows, &(dim4){0, 544, 32, 1}, 0);
  reduce(0, 17, &one);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &one, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 4096, 0, &one, 0, 0);
  okk_poll();
}
KERNEL(tree_of_sums)

// One row of the tree is missing; found below the calls.
// EXPECT TL-INIT-001 error @tree
// RUN in=69632 out=4096
void tree_without_a_leaf(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 16, 16}, one = {1, 64, 1, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &rows, &(dim4){0, 512, 32, 1}, 0);
  reduce(0, 17, &one);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &one, 0, 0);
  okk_poll();
}
KERNEL(tree_without_a_leaf)

// Bytes in 4N: 6 batches are a word and a half, the words hold the rest of the buffer too.
// SILENT
// RUN in=32768 out=24576
void six_batches_of_bytes(const void* args) {
  const args_t* a = args;
  const dim4 six = {6, 64, 8, 8}, words = {2, 64, 8, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &words, 0, 0);
  okk_bdc_fixed_point_packed_add_C(8192, 0, 1, &six, 0, 0, U8_OP_U8_TO_U8, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &(dim4){1, 64, 8, 8}, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 16384, 8192 + 256, &(dim4){1, 32, 8, 8}, 0, 0);
  okk_poll();
}
KERNEL(six_batches_of_bytes)
