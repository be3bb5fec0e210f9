// Parallel regions of the BM1684: what shares bytes, and what only looks as if it did.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};  // 1024 bytes in every NPU

// The addition may begin before the copy has arrived.
// EXPECT TL-RACE-001 error @load_add_r @load_add_w
// MAY TL-INIT-001 error @load_add_r
void race_load_add(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);  // @load_add_w
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);      // @load_add_r
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(race_load_add)

// The copy to the outside may begin before the result is there.
// EXPECT TL-RACE-002 error @add_store_r @add_store_w
// MAY TL-INIT-001 error @add_store_r
void race_add_store(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_start();
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);          // @add_store_w
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);  // @add_store_r
  okk_parallel_end();
  okk_poll();
}
KERNEL(race_add_store)

// The next input goes where the result goes.
// EXPECT TL-RACE-003 error @both_load @both_add
void race_both_write(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(1024, a->in, &kAll, 0, 0);  // @both_load
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);         // @both_add
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(race_both_write)

// The buffer that is being read is loaded anew; here the copy is issued second.
// EXPECT TL-RACE-001 error @anew_add @anew_load
void race_write_after_read(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_start();
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);      // @anew_add
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);  // @anew_load
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(race_write_after_read)

// Work memory is written like a result: the copy destroys it.
// EXPECT TL-RACE-003 error @work_load @work_exp
void race_work_memory(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_start();
  okk_bdc_exp(1024, 0, 2048, &kAll);                 // @work_exp
  okk_gdma_32bit_cpy_S2L(2048, a->in, &kAll, 0, 0);  // @work_load
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(race_work_memory)

// One element of one channel is shared: the last of NPU 63.
// EXPECT TL-RACE-001 error @corner_add @corner_load
void race_one_element(const void* args) {
  const args_t* a = args;
  const dim4 one = {1, 1, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_start();
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);  // @corner_add
  okk_gdma_32bit_cpy_S2L(63 * okk_local_mem_size_per_npu() + 1020, a->in, &one, 0,
                         0);  // @corner_load
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(race_one_element)

// The bias of the next convolution arrives while this one adds it.
// EXPECT TL-RACE-001 error @bias_use @bias_load
// RUN in2=4096
void race_bias(const void* args) {
  const args_t* a = args;
  const dim4 vector = {1, 64, 1, 1};
  dim4 compact;
  okk_initialize();
  okk_compact_stride(&compact, 0, &vector);
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &vector, &compact, 0);
  okk_parallel_start();
  okk_bdc_bias(1024, 0, 4096, &kAll, 0, 0);                          // @bias_use
  okk_gdma_32bit_cpy_S2L(4096, a->in2 + 256, &vector, &compact, 0);  // @bias_load
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(race_bias)

enum { kTile = 16384, kTileSide = 4096 };
static const dim4 kTileShape = {1, 64, 1, 64};  // 256 bytes in every NPU, 16384 in all

// A pipeline over n tiles: load i, compute i - 1, store i - 2. `result_of` says where tile i is
// computed to.
static void pipeline(const args_t* a, int n, int inputs, int (*result_of)(int)) {
  for (int i = 0; i < n + 2; ++i) {
    okk_parallel_start();
    if (i < n)
      okk_gdma_32bit_cpy_S2L(i % inputs * 1024, a->in + i * kTile, &kTileShape, 0,
                             0);  // @pipe_load
    if (i >= 1 && i <= n)
      okk_bdc_add_C(result_of(i - 1), (i - 1) % inputs * 1024, 1.0f, &kTileShape, 0,
                    0);  // @pipe_add
    if (i >= 2)
      okk_gdma_32bit_cpy_L2S(a->out + (i - 2) * kTile, result_of(i - 2), &kTileShape, 0,
                             0);  // @pipe_store
    okk_parallel_end();
  }
}
static int two_results(int i) {
  return kTileSide + i % 2 * 1024;
}
static int one_result(int i) {
  return kTileSide + i / 2 % 2 * 1024;
}

// Two inputs, two results, swapped in every step.
// SILENT
void ping_pong(const void* args) {
  okk_initialize();
  pipeline(args, 4, 2, two_results);
  okk_poll();
}
KERNEL(ping_pong)

// Three inputs where two would do.
// SILENT
void three_inputs(const void* args) {
  okk_initialize();
  pipeline(args, 4, 3, two_results);
  okk_poll();
}
KERNEL(three_inputs)

// Results swap in every second step only: tile 0 is stored while tile 1 is computed over it.
// EXPECT TL-RACE-002 error @pipe_store @pipe_add
void race_slow_swap(const void* args) {
  okk_initialize();
  pipeline(args, 4, 2, one_result);
  okk_poll();
}
KERNEL(race_slow_swap)

// One input buffer: every tile is loaded over the one being computed on.
// EXPECT TL-RACE-001 error @pipe_add @pipe_load
void race_one_input(const void* args) {
  okk_initialize();
  pipeline(args, 4, 1, two_results);
  okk_poll();
}
KERNEL(race_one_input)

// A pipeline of one tile: first, middle and last step in three regions of one or two commands.
// SILENT
// RUN in=16384 out=16384
void ping_pong_of_one(const void* args) {
  okk_initialize();
  pipeline(args, 1, 2, two_results);
  okk_poll();
}
KERNEL(ping_pong_of_one)

// Commands of one engine keep their order inside a region: the store follows the load.
// SILENT
void one_engine_in_order(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_end();
  okk_poll();
}
KERNEL(one_engine_in_order)

// Both engines read the same tensor.
// SILENT
// RUN out=131072
void shared_reads(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_bdc_mul(1024, 0, 0, &kAll, 0, 0, 0);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out + 65536, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(shared_reads)

// The copy fills the alignment gap behind the rows that are being computed on.
// SILENT
// RUN out=8192
void copy_into_gap(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 1, 24}, rest = {1, 64, 1, 8};  // 96 of 128 bytes, and the 32 behind
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &odd, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(96, a->in, &rest, 0, 0);
  okk_bdc_add_C(1024, 0, 1.0f, &odd, 0, 0);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &odd, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 6144, 96, &rest, 0, 0);
  okk_poll();
}
KERNEL(copy_into_gap)

// NPUs 0 to 31 compute what NPUs 32 to 63 are being loaded with, at the same offsets.
// SILENT
// RUN in=65536 out=65536
void halves_of_the_npus(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 32, 16, 16};
  const local_addr_t upper = 32 * okk_local_mem_size_per_npu();
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &half, 0, 0);
  okk_parallel_start();
  okk_bdc_add_C(0, 0, 1.0f, &half, 0, 0);
  okk_gdma_32bit_cpy_S2L(upper, a->in + 32768, &half, 0, 0);
  okk_parallel_end();
  okk_parallel_start();
  okk_gdma_32bit_cpy_L2S(a->out, 0, &half, 0, 0);
  okk_bdc_add_C(upper, upper, 2.0f, &half, 0, 0);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out + 32768, upper, &half, 0, 0);
  okk_poll();
}
KERNEL(halves_of_the_npus)

// Even channels of a tensor (of two rows of channels) are stored while odd rows are computed: rows
// of channels interleave in every NPU.
// SILENT
// RUN in=32768 out=32768
void rows_of_channels(const void* args) {
  const args_t* a = args;
  const dim4 both = {1, 128, 1, 64}, row = {1, 64, 1, 64};  // 2 rows of 256 bytes
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &both, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_cpy_L2S(a->out, 0, &row, 0, 0);
  okk_bdc_add_C(256, 256, 1.0f, &row, 0, 0);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out + 16384, 256, &row, 0, 0);
  okk_poll();
}
KERNEL(rows_of_channels)

// Two regions that touch the same bytes, one after the other.
// SILENT
void one_region_after_the_other(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_parallel_end();
  okk_parallel_start();
  okk_bdc_add_C(0, 0, 1.0f, &kAll, 0, 0);
  okk_parallel_end();
  okk_parallel_start();
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(one_region_after_the_other)
