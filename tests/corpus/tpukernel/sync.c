// Waits and pointers of the BM1684X, and its several ways to wait.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};

// The wait for the sorter is none for the copies.
// EXPECT TL-SYNC-005 error @unpolled_copy
// RUN out=70000 read=65536
void hau_poll_is_not_enough(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort(a->out + 65536, a->in, 1000, 10, true, DT_FP32);
  tpu_gdma_cpy_S2S(a->out, a->in, &kAll, NULL, NULL, DT_FP32);  // @unpolled_copy
  tpu_hau_poll();
}
KERNEL(hau_poll_is_not_enough)

// For a sorter alone it is.
// SILENT
// RUN out=40
void hau_poll_is_enough(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 1000, 10, true, DT_FP32);
  tpu_hau_poll();
}
KERNEL(hau_poll_is_enough)

// EXPECT TL-SYNC-005 error @unpolled_sort
// RUN out=40
void sorter_not_waited_for(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 1000, 10, true, DT_FP32);  // @unpolled_sort
}
KERNEL(sorter_not_waited_for)

// The largest is read by the processor while the pooling runs.
// EXPECT TL-SYNC-006 error @largest_read @largest_pool
void maximum_before_poll(const void* args) {
  const args_t* a = args;
  const dim2 window = {16, 16}, step = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(4096, 0, &kAll, &window, &none, &step, &step, DT_FP32,  // @largest_pool
                        (scalar_t){.u32 = FP_NEG_MAX(DT_FP32)});
  const scalar_t* const most = tpu_local_mem_addr(0, 4096);
  const scalar_t largest = *most;  // @largest_read
  tpu_bdc_fp_sub_C(8192, 0, largest, &kAll, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 8192, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(maximum_before_poll)

// SILENT
void maximum_after_poll(const void* args) {
  const args_t* a = args;
  const dim2 window = {16, 16}, step = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_initialize();
  const scalar_t* const most = tpu_local_mem_addr_unified(5 * LOCAL_MEM_SIZE + 4096);
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(4096, 0, &kAll, &window, &none, &step, &step, DT_FP32,
                        (scalar_t){.u32 = FP_NEG_MAX(DT_FP32)});
  tpu_poll();
  tpu_bdc_fp_sub_C(8192, 0, *most, &kAll, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 8192, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(maximum_after_poll)

// The number of elements selected is a result that the function waits for.
// SILENT
// RUN in2=256 kind2=mask out=512 read=512
void number_selected(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 256};
  tpu_initialize();
  const unsigned count =
      tpu_gdma_mask_select_S2S_with_ret(a->out, a->in, a->in2, 0, &row, DT_FP32, DT_UINT8);
  const dim4 rest = {1, 1, 1, 128};
  if (count != 128) tpu_gdma_set_C_system(a->out, (scalar_t){.u32 = count}, &rest, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(number_selected)

// Of 256 elements 128 are selected, for whom there is no room by one.
// EXPECT TL-MEMORY-002 error @selected
// RUN in2=256 kind2=mask out=508 read=508
void more_selected_than_fit(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 256};
  tpu_initialize();
  tpu_gdma_mask_select_S2S(a->out, a->in, a->in2, 0, &row, DT_FP32, DT_UINT8);  // @selected
  tpu_poll();
}
KERNEL(more_selected_than_fit)

// A row written by the processor, the cache flushed, then copied by the engine.
// SILENT
// RUN in=0 out=512
void processor_writes_global_memory(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 64};
  tpu_initialize();
  float* const values = tpu_global_mem_addr(a->out);
  for (int i = 0; i < 64; ++i) values[i] = (float)(i * i);
  tpu_flush_cache(a->out, 256);
  tpu_gdma_cpy_S2S(a->out + 256, a->out, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(processor_writes_global_memory)

// Only half of it is written.
// EXPECT TL-INIT-002 error @half_table
// MAY TL-COVERAGE-001 error
// RUN in=0 out=512
void processor_writes_half(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 64};
  tpu_initialize();
  float* const values = tpu_global_mem_addr(a->out);
  for (int i = 0; i < 32; ++i) values[i] = (float)(i * i);
  tpu_gdma_cpy_S2S(a->out + 256, a->out, &row, NULL, NULL, DT_FP32);  // @half_table
  tpu_poll();
}
KERNEL(processor_writes_half)

// EXPECT TL-SYNC-004 error @never_ended
void region_left_open(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_parallel_start();  // @never_ended
  tpu_gdma_cpy_S2S(a->out, a->in, &kAll, NULL, NULL, DT_FP32);
}
KERNEL(region_left_open)

// EXPECT TL-SYNC-001 error @twice_started
void region_started_twice(const void* args) {
  (void)args;
  tpu_initialize();
  for (int i = 0; i < 2; ++i) tpu_parallel_start();  // @twice_started
  tpu_parallel_end();
  tpu_poll();
}
KERNEL(region_started_twice)

// EXPECT TL-ARGS-003 error @asserted
void asserts_the_chip(const void* args) {
  (void)args;
  TPUKERNEL_ASSERT(NPU_NUM == 32);  // @asserted
}
KERNEL(asserts_the_chip)
