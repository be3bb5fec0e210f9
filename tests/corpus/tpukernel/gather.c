// Gathers, scatters, masks and sorts of the BM1684X: what they read and write depends on values.
#include "corpus.h"

static const dim4 kRow = {1, 64, 1, 16};  // fp32: 64 bytes in every NPU, 4096 in all
static const scalar_t kOne = {.f32 = 1.0f};

// Indices 0 to 7 into rows of 16.
static void load_indices(const args_t* a, local_addr_t to, int count) {
  const dim4 index = {1, count, 1, 1};
  tpu_gdma_compact_S2L(to, a->in2, &index, DT_UINT16);
}

// SILENT
// RUN in=4096 in2=32 kind2=u16 out=4096
void gathers(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kRow, NULL, NULL, DT_FP32);
  load_indices(a, 16384, 16);
  tpu_bdc_w_gather(32768, 0, 16384, &kRow, 16, DT_FP32, DT_UINT16);
  tpu_gdma_cpy_L2S(a->out, 32768, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(gathers)

// The indices reach elements 0 to 7 only; the others were never loaded.
// SILENT
// RUN in=4096 in2=32 kind2=u16 out=4096
void gathers_what_was_loaded(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 64, 1, 8};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &half, NULL, NULL, DT_FP32);
  load_indices(a, 16384, 16);
  tpu_bdc_w_gather(32768, 0, 16384, &kRow, 16, DT_FP32, DT_UINT16);
  tpu_gdma_cpy_L2S(a->out, 32768, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(gathers_what_was_loaded)

// Elements 0 to 6 were loaded, index 7 is used.
// EXPECT TL-INIT-001 error @seventh_gather
// RUN in=4096 in2=32 kind2=u16 out=4096
void gathers_one_too_far(const void* args) {
  const args_t* a = args;
  const dim4 most = {1, 64, 1, 7};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &most, NULL, NULL, DT_FP32);
  load_indices(a, 16384, 16);
  tpu_bdc_w_gather(32768, 0, 16384, &kRow, 16, DT_FP32, DT_UINT16);  // @seventh_gather
  tpu_gdma_cpy_L2S(a->out, 32768, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(gathers_one_too_far)

// The indices are not there.
// EXPECT TL-INIT-001 error @no_index
// RUN in=4096 in2=32 kind2=u16 out=4096
void gathers_by_nothing(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kRow, NULL, NULL, DT_FP32);
  load_indices(a, 16384, 15);
  tpu_bdc_w_gather(32768, 0, 16384, &kRow, 16, DT_FP32, DT_UINT16);  // @no_index
  tpu_gdma_cpy_L2S(a->out, 32768, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(gathers_by_nothing)

// Index 7 of a tensor of 7 elements.
// EXPECT TL-LAUNCH-001 error @beyond_gather
// RUN in=4096 in2=32 kind2=u16 out=4096
void gathers_beyond_the_tensor(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kRow, NULL, NULL, DT_FP32);
  load_indices(a, 16384, 16);
  tpu_bdc_w_gather(32768, 0, 16384, &kRow, 7, DT_FP32, DT_UINT16);  // @beyond_gather
  tpu_gdma_cpy_L2S(a->out, 32768, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(gathers_beyond_the_tensor)

// Rows are scattered to places 0 to 7; the other eight stay as they were: set before.
// SILENT
// RUN in=4096 in2=32 kind2=u16 out=4096
void scatters_over_a_fill(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kRow, NULL, NULL, DT_FP32);
  load_indices(a, 16384, 16);
  tpu_bdc_set_C(32768, kOne, &kRow, NULL, DT_FP32);
  tpu_bdc_w_scatter(32768, 0, 16384, &kRow, 16, DT_FP32, DT_UINT16);
  tpu_gdma_cpy_L2S(a->out, 32768, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(scatters_over_a_fill)

// Not set before: places 8 to 15 hold nothing.
// EXPECT TL-INIT-001 error
// RUN in=4096 in2=32 kind2=u16 out=4096
void scatters_with_holes(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kRow, NULL, NULL, DT_FP32);
  load_indices(a, 16384, 16);
  tpu_bdc_w_scatter(32768, 0, 16384, &kRow, 16, DT_FP32, DT_UINT16);
  tpu_gdma_cpy_L2S(a->out, 32768, &kRow, NULL, NULL, DT_FP32);  // @holes_store
  tpu_poll();
}
KERNEL(scatters_with_holes)

// The same to global memory: rows 0 to 7 of 16 are written, all 16 read by the host.
// EXPECT TL-COVERAGE-001 error
// RUN in=4096 in2=64 kind2=u32 out=4096
void scatters_rows_with_holes(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 1, 16, 64};
  tpu_initialize();
  tpu_gdma_h_scatter_S2S(a->out, a->in, a->in2, false, &rows, 16, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(scatters_rows_with_holes)

// Every channel goes to the rows that its indices name, all in one place; the rows differ.
// SILENT
// RUN in=2048 in2=32 kind2=u32 out=2048
void scatters_channels_to_rows_of_one_table(const void* args) {
  const args_t* a = args;
  const dim4 table = {1, 2, 8, 64}, of_one_place = {0, 0, 64, 1};
  const dim4 rows = {1, 2, 4, 64}, indices = {0, 4, 1, 1};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, (scalar_t){.f32 = 0.0f}, &(dim4){1, 1, 8, 64}, NULL, DT_FP32);
  tpu_gdma_h_scatter_S2S(a->out, a->in, a->in2, false, &table, rows.h, &of_one_place, NULL,
                         &indices, DT_FP32);
  tpu_poll();
}
KERNEL(scatters_channels_to_rows_of_one_table)

// The same from local memory, where every channel is on an NPU of its own.
// SILENT
// RUN in=2048 in2=32 kind2=u32 out=2048
void scatters_local_channels_to_rows_of_one_table(const void* args) {
  const args_t* a = args;
  const dim4 table = {1, 2, 8, 64}, of_one_place = {0, 0, 64, 1};
  const dim4 rows = {1, 2, 4, 64}, indices = {0, 4, 1, 1};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, (scalar_t){.f32 = 0.0f}, &(dim4){1, 1, 8, 64}, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &rows, NULL, NULL, DT_FP32);
  tpu_gdma_h_scatter_L2S(a->out, 0, a->in2, false, &table, rows.h, &of_one_place, NULL, &indices,
                         DT_FP32);
  tpu_poll();
}
KERNEL(scatters_local_channels_to_rows_of_one_table)

// Two channels go to the same rows: who comes last decides.
// EXPECT TL-ARGS-004 error @same_rows
// RUN in=2048 in2=32 kind2=u32 out=2048
void scatters_channels_to_the_same_rows(const void* args) {
  const args_t* a = args;
  const dim4 table = {1, 2, 8, 64}, of_one_place = {0, 0, 64, 1}, indices = {0, 0, 1, 1};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, (scalar_t){.f32 = 0.0f}, &(dim4){1, 1, 8, 64}, NULL, DT_FP32);
  tpu_gdma_h_scatter_S2S(a->out, a->in, a->in2, false, &table, 4, &of_one_place, NULL, &indices,
                         DT_FP32);  // @same_rows
  tpu_poll();
}
KERNEL(scatters_channels_to_the_same_rows)

// The host reads those that are.
// SILENT
// RUN in=4096 in2=64 kind2=u32 out=4096 read=2048
void scatters_rows_that_are_read(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 1, 16, 64};
  tpu_initialize();
  tpu_gdma_h_scatter_S2S(a->out, a->in, a->in2, false, &rows, 16, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(scatters_rows_that_are_read)

// Indices beyond the tensor write the constant: allowed, and all of the result is written.
// SILENT
// RUN in=1024 in2=64 kind2=u32 out=4096
void rows_out_of_range_are_constant(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 1, 16, 64};
  tpu_initialize();
  tpu_gdma_h_gather_S2S(a->out, a->in, a->in2, false, kOne, &rows, 4, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(rows_out_of_range_are_constant)

// 128 of 256 are selected; the host reads 128.
// SILENT
// RUN in=1024 in2=256 kind2=mask out=1024 read=512
void selects_half(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 256};
  tpu_initialize();
  tpu_gdma_mask_select_S2S(a->out, a->in, a->in2, 0, &row, DT_FP32, DT_UINT8);
  tpu_poll();
}
KERNEL(selects_half)

// It reads all.
// EXPECT TL-COVERAGE-001 error
// RUN in=1024 in2=256 kind2=mask out=1024
void selects_half_and_reads_all(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 256};
  tpu_initialize();
  tpu_gdma_mask_select_S2S(a->out, a->in, a->in2, 0, &row, DT_FP32, DT_UINT8);
  tpu_poll();
}
KERNEL(selects_half_and_reads_all)

// Half of the mask was never written.
// EXPECT TL-INIT-002 error @mask_select
// RUN in=1024 in2=0 out=1280 read=256
void selects_by_half_a_mask(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 256}, half = {1, 1, 1, 128};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out + 1024, (scalar_t){.u8 = 1}, &half, NULL, DT_UINT8);
  tpu_gdma_mask_select_S2S(a->out, a->in, a->out + 1024, 0, &row, DT_FP32,
                           DT_UINT8);  // @mask_select
  tpu_poll();
}
KERNEL(selects_by_half_a_mask)

// A selection between two tensors; each is only there where it is taken.
// SILENT
// RUN in=4096 out=4096
void selects_what_is_there(const void* args) {
  const args_t* a = args;
  const dim4 lower = {1, 32, 1, 16}, upper = {1, 32, 1, 16};
  const local_addr_t half_way = 32 * LOCAL_MEM_SIZE;
  const variable_t mask = {TENSOR, {.addr = 0}}, limit = {SCALAR, {.scalar = {.f32 = 0.5f}}};
  const variable_t yes = {TENSOR, {.addr = 4096}}, no = {TENSOR, {.addr = 8192}};
  tpu_initialize();
  tpu_bdc_set_C(0, kOne, &lower, NULL, DT_FP32);
  tpu_bdc_set_C(half_way, (scalar_t){.f32 = 0}, &upper, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(4096, a->in, &lower, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(half_way + 8192, a->in + 2048, &upper, NULL, NULL, DT_FP32);
  tpu_bdc_greater_select(16384, &mask, &limit, &yes, &no, &kRow, DT_FP32, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 16384, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(selects_what_is_there)

// Taken where it is not.
// EXPECT TL-INIT-001 error @selects_missing
// RUN in=4096 out=4096
void selects_what_is_missing(const void* args) {
  const args_t* a = args;
  const dim4 most = {1, 63, 1, 16};
  const variable_t mask = {TENSOR, {.addr = 0}}, limit = {SCALAR, {.scalar = {.f32 = 0.5f}}};
  const variable_t yes = {TENSOR, {.addr = 4096}}, no = {SCALAR, {.scalar = {.f32 = 2.0f}}};
  tpu_initialize();
  tpu_bdc_set_C(0, kOne, &kRow, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(4096, a->in, &most, NULL, NULL, DT_FP32);
  tpu_bdc_greater_select(16384, &mask, &limit, &yes, &no, &kRow, DT_FP32,
                         DT_FP32);  // @selects_missing
  tpu_gdma_cpy_L2S(a->out, 16384, &kRow, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(selects_what_is_missing)

// Of 1000 sorted the first 10 are written; the rest of the output was set before.
// SILENT
// RUN in=4000 out=8000
void sorts_the_first_ten(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 1, 1, 2000};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, kOne, &all, NULL, DT_FP32);
  tpu_hau_sort_natural_index(a->out, a->out + 4000, a->in, 1000, 10, true, DT_FP32);
  tpu_poll();
}
KERNEL(sorts_the_first_ten)

// The indices of the sort are missing from the result.
// EXPECT TL-COVERAGE-001 error
// RUN in=4000 out=8000
void sorts_without_indices(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 1000, 1000, true, DT_FP32);
  tpu_poll();
}
KERNEL(sorts_without_indices)
