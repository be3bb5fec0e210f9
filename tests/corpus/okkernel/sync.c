// Regions, polls and pointers of the BM1684.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};

static void load_add_store(const args_t* a) {
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_add_C(1024, 0, 1.0f, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);  // @last_store
}

// EXPECT TL-SYNC-005 error @last_store
void no_poll(const void* args) {
  okk_initialize();
  load_add_store(args);
}
KERNEL(no_poll)

// The wait stands before the last copy instead of behind it.
// EXPECT TL-SYNC-005 error @late_store
void poll_too_early(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_poll();
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);  // @late_store
}
KERNEL(poll_too_early)

// One of two ways out forgets to wait.
// EXPECT TL-SYNC-005 error @way_out
void no_poll_on_one_way(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &kAll, 0, 0);  // @way_out
  if (a->n == 5) return;
  okk_poll();
}
KERNEL(no_poll_on_one_way)

// EXPECT TL-SYNC-001 error @nested
void nested_regions(const void* args) {
  okk_initialize();
  okk_parallel_start();
  okk_parallel_start();  // @nested
  load_add_store(args);
  okk_parallel_end();
  okk_parallel_end();
  okk_poll();
}
KERNEL(nested_regions)

// EXPECT TL-SYNC-002 error @second_end
void ends_twice(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &kAll, 0, 0);
  okk_parallel_end();
  okk_parallel_end();  // @second_end
  okk_poll();
}
KERNEL(ends_twice)

// EXPECT TL-SYNC-003 error @poll_inside
void polls_inside(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &kAll, 0, 0);
  okk_poll();  // @poll_inside
  okk_parallel_end();
}
KERNEL(polls_inside)

// A `continue` jumps over the end of the region in the last step.
// EXPECT TL-SYNC-004 error @left_open
void leaves_a_region_open(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  okk_initialize();
  for (int i = 0; i < 4; ++i) {
    okk_parallel_start();  // @left_open
    okk_gdma_32bit_cpy_S2S(a->out + i * 16384, a->in + i * 16384, &part, 0, 0);
    if (i == 3) continue;
    okk_parallel_end();
  }
}
KERNEL(leaves_a_region_open)

// EXPECT TL-SYNC-007 error @initialised_again
void initialises_inside(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &kAll, 0, 0);
  okk_initialize();  // @initialised_again
  okk_poll();
}
KERNEL(initialises_inside)

// The processor scales by an element that is still on its way.
// EXPECT TL-SYNC-006 error @scalar_read @scalar_load
void scalar_before_poll(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);  // @scalar_load
  const volatile float* const first = (const float*)okk_local_mem_addr(0, 4);
  const float scale = *first;  // @scalar_read
  okk_bdc_mul_C(1024, 0, scale, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(scalar_before_poll)

// The same in global memory: the copy to it is not done.
// EXPECT TL-SYNC-006 error @global_read @global_store
void global_scalar_before_poll(const void* args) {
  const args_t* a = args;
  okk_initialize();
  const float* const result = (const float*)okk_global_mem_addr(a->out);
  okk_gdma_32bit_cpy_S2S(a->out, a->in, &kAll, 0, 0);  // @global_store
  const float scale = result[1];                       // @global_read
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_mul_C(0, 0, scale, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(global_scalar_before_poll)

// The pointer is taken before anything is in flight, read after the poll.
// SILENT
void pointer_taken_early(const void* args) {
  const args_t* a = args;
  okk_initialize();
  const float* const first = (const float*)okk_local_mem_addr(0, 4);
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_poll();
  okk_bdc_mul_C(1024, 0, *first, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(pointer_taken_early)

// The pointer is taken while the copy is in flight, but nothing is read before the poll.
// SILENT
void pointer_taken_in_flight(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  const float* const first = (const float*)okk_local_mem_addr(0, 4);
  okk_poll();
  okk_bdc_mul_C(1024, 0, *first, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &kAll, 0, 0);
  okk_poll();
}
KERNEL(pointer_taken_in_flight)

// The processor works on one NPU while the engines work on others.
// SILENT
// RUN out=32768
void other_npu_in_flight(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 32, 16, 16};
  okk_initialize();
  float* const table = (float*)okk_local_mem_addr(63, 0);
  okk_gdma_32bit_cpy_S2L(0, a->in, &half, 0, 0);
  table[0] = 3.0f;
  table[1] = table[0] * 2;
  okk_bdc_mul_C(0, 0, table[1], &half, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &half, 0, 0);
  okk_poll();
}
KERNEL(other_npu_in_flight)

// A table made by the processor, element by element, is a tensor like any other.
// SILENT
// RUN in=0 out=256
void table_by_the_processor(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 64};
  okk_initialize();
  float* const table = (float*)okk_local_mem_addr(0, 0);
  for (int i = 0; i < 64; ++i) table[i] = (float)i * 0.5f;
  okk_bdc_add_C(1024, 0, 1.0f, &row, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &row, 0, 0);
  okk_poll();
}
KERNEL(table_by_the_processor)

// The processor reads a result and writes the corrected one back; all of it polled.
// SILENT
void processor_in_the_middle(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_add_C(0, 0, 1.0f, &kAll, 0, 0);
  okk_poll();
  float* const first = (float*)okk_local_mem_addr(3, 8);
  *first = *first + 1.0f;
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(processor_in_the_middle)

// Nothing to do: returns before the first command, without a poll.
// SILENT
// RUN n=0 fill=1
void nothing_to_do(const void* args) {
  const args_t* a = args;
  if (a->n == 0) return;
  okk_initialize();
  load_add_store(a);
}
KERNEL(nothing_to_do)

// Polls more often than needed, initialises between two parts.
// SILENT
void polls_a_lot(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_poll();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_poll();
  okk_poll();
  okk_initialize();
  okk_bdc_add_C(0, 0, 1.0f, &kAll, 0, 0);
  okk_poll();
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(polls_a_lot)

// Asks whether a region is open and ends it, as generic helpers do.
// SILENT
void ends_what_is_open(const void* args) {
  okk_initialize();
  for (int i = 0; i < 2; ++i) {
    if (okk_is_parallel_state()) okk_parallel_end();
    load_add_store(args);
    if (i == 0) okk_parallel_start();
  }
  okk_poll();
}
KERNEL(ends_what_is_open)
