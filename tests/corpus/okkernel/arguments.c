// Limits, alignments, strides and overlaps of operands of the BM1684, kept and broken.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};
static const dim2 kOne = {1, 1};

// EXPECT TL-ARGS-001 error @channels
// RUN in=0 out=0
void too_many_channels(const void* args) {
  const dim4 many = {1, 4096, 1, 1};
  (void)args;
  okk_initialize();
  okk_bdc_32bit_set_C(0, (x32){.fp32 = 1.0f}, &many, 0);  // @channels
  okk_poll();
}
KERNEL(too_many_channels)

// SILENT
// RUN in=0 out=16380
void most_channels(const void* args) {
  const args_t* a = args;
  const dim4 many = {1, 4095, 1, 1};
  okk_initialize();
  okk_bdc_32bit_set_C(0, (x32){.fp32 = 1.0f}, &many, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &many, 0, 0);
  okk_poll();
}
KERNEL(most_channels)

// EXPECT TL-ARGS-001 error @misaligned_pool
void misaligned(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(64, a->in, &kAll, 0, 0);
  okk_bdc_max_pool2d(4096, 64, &kAll, 2, 2, 0, 0);  // @misaligned_pool
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &kAll, 0, 0);
  okk_poll();
}
KERNEL(misaligned)

// Four bytes are enough where strides are given, and for vectors of one value per channel.
// SILENT
// RUN in2=256
void aligned_as_needed(const void* args) {
  const args_t* a = args;
  const dim4 vector = {1, 64, 1, 1};
  dim4 dense, compact;
  okk_initialize();
  okk_compact_stride(&dense, 0, &kAll);
  okk_compact_stride(&compact, 0, &vector);
  okk_gdma_32bit_cpy_S2L(4, a->in, &kAll, &dense, 0);
  okk_gdma_32bit_cpy_S2L(4100, a->in2, &vector, &compact, 0);
  okk_bdc_bias(2052, 4, 4100, &kAll, &dense, &dense);
  okk_gdma_32bit_cpy_L2S(a->out, 2052, &kAll, &(dim4){16384, 256, 16, 1}, &dense);
  okk_poll();
}
KERNEL(aligned_as_needed)

// The sources start at different NPUs.
// EXPECT TL-ARGS-001 error @npus_differ
// RUN out=32768
void other_start_npu(const void* args) {
  const args_t* a = args;
  const local_addr_t next = okk_local_mem_size_per_npu() + 4096;
  const dim4 half = {1, 32, 16, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &half, 0, 0);
  okk_gdma_32bit_cpy_S2L(next, a->in, &half, 0, 0);
  okk_bdc_add(2048, 0, next, &half, 0, 0, 0);  // @npus_differ
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &half, 0, 0);
  okk_poll();
}
KERNEL(other_start_npu)

// The input of a convolution may start elsewhere; a copy may go anywhere.
// SILENT
// RUN in=32768 in2=8192 out=65536
void input_from_another_npu(const void* args) {
  const args_t* a = args;
  const local_addr_t there = 7 * okk_local_mem_size_per_npu() + 2048;
  const dim4 in = {1, 32, 16, 16}, pairs = {16, 64, 1, 2};
  dim4 compact, in_pairs;
  okk_initialize();
  okk_compact_stride(&compact, 0, &pairs);
  okk_compact_stride(&in_pairs, 0, &(dim4){16, 64, 1, 1});
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  okk_gdma_32bit_cpy_L2L(there, 0, &in, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &pairs, &compact, 0);
  okk_bdc_conv2d(8192, there, 4096, 0, &in, 64, 1, 1, 0, &in_pairs, false, false, 0, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &kAll, 0, 0);
  okk_poll();
}
KERNEL(input_from_another_npu)

// The result begins inside the source.
// EXPECT TL-ARGS-002 error @half_over
void overlapping_halves(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_add_C(512, 0, 1.0f, &kAll, 0, 0);  // @half_over
  okk_gdma_32bit_cpy_L2S(a->out, 512, &kAll, 0, 0);
  okk_poll();
}
KERNEL(overlapping_halves)

// exp needs its source until the end.
// EXPECT TL-ARGS-001 error @exp_in_place
void exp_in_place(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_exp(0, 0, 1024, &kAll);  // @exp_in_place
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(exp_in_place)

// Work memory is too small: it reaches into the source.
// EXPECT TL-ARGS-002 error @work_over
void work_over_source(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(1024, a->in, &kAll, 0, 0);
  okk_bdc_sigmoid(2048, 1024, 512, &kAll);  // @work_over
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(work_over_source)

// In place with the same strides on both sides: allowed, with gaps and without, added to itself
// too.
// SILENT
// RUN in=57600 out=57600
void in_place(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 15, 15};
  dim4 dense;
  okk_initialize();
  okk_compact_stride(&dense, 0, &odd);
  okk_gdma_32bit_cpy_S2L(0, a->in, &odd, &dense, 0);
  okk_bdc_add(0, 0, 0, &odd, &dense, &dense, &dense);
  okk_bdc_relu(0, 0, &odd, &dense, &dense);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &odd, 0, &dense);
  okk_poll();
}
KERNEL(in_place)

// Source and result interleave: even columns make odd ones, no element is in both.
// SILENT
// RUN in=32768 out=65536
void interleaved_columns(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 64, 16, 8}, every_second = {256, 256, 16, 2};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(4096, a->in, &half, 0, 0);
  okk_bdc_32bit_cpy(0, 4096, &half, &every_second, 0);
  okk_bdc_add_C(4, 0, 1.0f, &half, &every_second, &every_second);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(interleaved_columns)

// Every batch of the result lies over the other: a stride of 0 where something is written.
// EXPECT TL-ARGS-004 error @over_itself
// RUN in=131072
void result_over_itself(const void* args) {
  const args_t* a = args;
  const dim4 two = {2, 64, 16, 16}, no_step = {0, 256, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(4096, a->in, &two, 0, 0);
  okk_bdc_add_C(0, 4096, 1.0f, &two, &no_step, 0);  // @over_itself
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(result_over_itself)

// EXPECT TL-ARGS-003 error @assertion
// RUN n=5
void assertion_fails(const void* args) {
  const args_t* a = args;
  okk_initialize();
  OKKERNEL_ASSERT(a->n % 4 == 0);  // @assertion
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &kAll, 0, 0);
  okk_poll();
}
KERNEL(assertion_fails)

// EXPECT TL-ARGS-001 error @padding
// RUN in2=2304
void too_much_padding(const void* args) {
  const args_t* a = args;
  const Padding wide = {16, 16, 16, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_avg_pool2d(8192, 0, &kAll, 17, 17, &wide, &kOne);  // @padding
  okk_poll();
}
KERNEL(too_much_padding)

// The most padding there is, and a window as large as the picture.
// SILENT
// RUN out=235776
void padding_and_large_windows(const void* args) {
  const args_t* a = args;
  const Padding wide = {15, 15, 15, 15};
  const dim4 pooled = {1, 64, 31, 31}, one = {1, 64, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_avg_pool2d(8192, 0, &kAll, 16, 16, &wide, &kOne);
  okk_bdc_max_pool2d(16384, 0, &kAll, 16, 16, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &(dim4){1, 64, 30, 30}, 0, &(dim4){0, 992, 31, 1});
  okk_gdma_32bit_cpy_L2S(a->out + 230400, 16384, &one, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 230656, 8192, &(dim4){1, 5, 1, 256}, &(dim4){0, 256, 256, 1}, 0);
  (void)pooled;
  okk_poll();
}
KERNEL(padding_and_large_windows)

// EXPECT TL-ARGS-001 error @no_weights
// RUN in2=2304
void weights_without_strides(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_conv2d(8192, 0, 4096, 0, &kAll, 64, 1, 1, 0, 0, false, false, 0, 0, 0);  // @no_weights
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &kAll, 0, 0);
  okk_poll();
}
KERNEL(weights_without_strides)

// EXPECT TL-ARGS-001 error @window
void window_larger_than_picture(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_max_pool2d(8192, 0, &kAll, 17, 3, 0, 0);  // @window
  okk_poll();
}
KERNEL(window_larger_than_picture)

// EXPECT TL-ARGS-001 error @shift
void shift_out_of_range(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_32bit_arithmetic_shift_C(1024, 0, 33, &kAll, 0, 0);  // @shift
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(shift_out_of_range)

// A loop over batches whose rest is empty.
// EXPECT TL-ARGS-001 error @empty
// RUN out=65536 n=64
void empty_tail(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int at = 0; at <= a->n; at += 16) {
    const dim4 part = {1, a->n - at < 16 ? a->n - at : 16, 16, 16};
    okk_gdma_32bit_cpy_S2S(a->out + at * 1024, a->in + at * 1024, &part, 0, 0);  // @empty
  }
  okk_poll();
}
KERNEL(empty_tail)

// Written out: two copies side by side in one result, one of them with a column stride of 2.
// SILENT
// RUN in=65536 out=131072
void strided_on_both_sides(const void* args) {
  const args_t* a = args;
  const dim4 wide = {1, 64, 16, 32}, left = {0, 512, 32, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_32bit_cpy(4096, 0, &kAll, &left, 0);
  okk_bdc_mul_C(4096 + 64, 0, 2.0f, &kAll, &left, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 4096, &wide, 0, 0);
  okk_poll();
}
KERNEL(strided_on_both_sides)
