// Ends of memories and of allocations of the BM1684X.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};
static const scalar_t kOne = {.f32 = 1.0f};

// Half an NPU's memory is 131072 bytes here, not 262144 as on the BM1684.
// EXPECT TL-MEMORY-001 error @half_npu
void sizes_of_the_other_chip(const void* args) {
  const args_t* a = args;
  const dim4 large = {1, 64, 256, 128};
  tpu_initialize();
  tpu_bdc_set_C(0, kOne, &large, NULL, DT_FP32);
  tpu_bdc_fp_add_C(196608, 0, kOne, &large, NULL, NULL, DT_FP32);  // @half_npu
  tpu_gdma_cpy_L2S(a->out, 196608, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(sizes_of_the_other_chip)

// fp16 data loaded as fp32: twice as much as there is.
// EXPECT TL-MEMORY-002 error @as_fp32
// MAY TL-INIT-002 error @as_fp32
// RUN in=32768
void loaded_as_wider_elements(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);  // @as_fp32
  tpu_gdma_cpy_L2S(a->out, 0, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(loaded_as_wider_elements)

// One index too many is sorted.
// EXPECT TL-MEMORY-002 error @sort_input
// RUN in=4000 out=40
void sorts_one_too_many(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 1001, 10, true, DT_FP32);  // @sort_input
  tpu_poll();
}
KERNEL(sorts_one_too_many)

// Room for 10, 11 come out.
// EXPECT TL-MEMORY-002 error @sort_output
// RUN in=4000 out=40
void sorter_writes_one_too_many(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 1000, 11, true, DT_FP32);  // @sort_output
  tpu_poll();
}
KERNEL(sorter_writes_one_too_many)

// The matrix ends where its last row ends, not where another row stride would.
// SILENT
// RUN in=3880 out=1600
void rows_of_a_wider_matrix(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_matrix_S2L(0, a->in, 20, 20, 5, 50, DT_FP32);  // last element at 19 * 50 + 19
  tpu_gdma_matrix_L2S(a->out, 0, 20, 20, 5, 20, DT_FP32);
  tpu_poll();
}
KERNEL(rows_of_a_wider_matrix)

// One row stride more, and it does not.
// EXPECT TL-MEMORY-002 error @wide_matrix
// RUN in=3880 out=1600
void rows_of_a_matrix_too_wide(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_matrix_S2L(0, a->in, 20, 20, 5, 51, DT_FP32);  // @wide_matrix
  tpu_gdma_matrix_L2S(a->out, 0, 20, 20, 5, 20, DT_FP32);
  tpu_poll();
}
KERNEL(rows_of_a_matrix_too_wide)

// A transposed store needs rows of the other length.
// EXPECT TL-MEMORY-002 error @transposed
// MAY TL-COVERAGE-001 error
// RUN in=8192 out=8192
void transposed_with_the_old_stride(const void* args) {
  const args_t* a = args;
  const dim4 turned = {1, 32, 1, 64}, strides = {0, 128, 64, 1};
  tpu_initialize();
  tpu_gdma_cpy_cw_trans_S2S(a->out, a->in, &turned, &strides, NULL, DT_FP32);  // @transposed
  tpu_poll();
}
KERNEL(transposed_with_the_old_stride)

// EXPECT TL-MEMORY-001 error @past_l2
// RUN out=0
void past_l2(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2S(L2_SRAM_START_ADDR + L2_SRAM_SIZE - 4096, a->in, &kAll, NULL, NULL,
                   DT_FP32);  // @past_l2
  tpu_poll();
}
KERNEL(past_l2)

// All of L2, to the last byte, and all of an NPU.
// SILENT
// RUN in=0
void all_of_l2(const void* args) {
  const args_t* a = args;
  const dim4 l2 = {1, 1, L2_SRAM_SIZE / 2048, 512}, npus = {1, 64, 256, 256};
  tpu_initialize();
  tpu_gdma_set_C_system(L2_SRAM_START_ADDR, kOne, &l2, NULL, DT_FP32);
  tpu_gdma_set_C_local(0, kOne, &npus, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(LOCAL_MEM_SIZE - 1024, L2_SRAM_START_ADDR + L2_SRAM_SIZE - 65536, &kAll, NULL,
                   NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, LOCAL_MEM_SIZE - 1024, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(all_of_l2)

// 65 channels, the last of them on NPU 0 again, at the very end of its memory.
// SILENT
// RUN in=4160 out=4160
void second_row_of_channels_at_the_end(const void* args) {
  const args_t* a = args;
  const dim4 tall = {1, 65, 1, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(LOCAL_MEM_SIZE - 128, a->in, &tall, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, LOCAL_MEM_SIZE - 128, &tall, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(second_row_of_channels_at_the_end)

// Starts at NPU 60 and wraps around to NPU 3, in the second row.
// SILENT
// RUN in=512 out=512
void wraps_around_the_npus(const void* args) {
  const args_t* a = args;
  const dim4 eight = {1, 8, 1, 16};
  const local_addr_t at = 60 * LOCAL_MEM_SIZE + 64;
  tpu_initialize();
  tpu_gdma_cpy_S2L(at, a->in, &eight, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(at, at, kOne, &eight, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, at, &eight, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(wraps_around_the_npus)

// Tiles of 7 channels over 64, the last of 1; fp16.
// SILENT
// RUN in=32768 out=32768
void tiles_of_seven_channels(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  for (int c = 0; c < 64; c += 7) {
    const dim4 part = {1, MIN(7, 64 - c), 16, 16};
    tpu_gdma_cpy_S2L(0, a->in + c * 512, &part, NULL, NULL, DT_FP16);
    tpu_bdc_relu(0, 0, &part, NULL, NULL, DT_FP16);
    tpu_gdma_cpy_L2S(a->out + c * 512, 0, &part, NULL, NULL, DT_FP16);
  }
  tpu_poll();
}
KERNEL(tiles_of_seven_channels)

// They are counted up, the last one is not cut.
// EXPECT TL-MEMORY-002 error @seven_load
// EXPECT TL-MEMORY-002 error @seven_store
// FINDINGS 2
// RUN in=32768 out=32768
void tiles_of_seven_channels_rounded_up(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 7, 16, 16};
  tpu_initialize();
  for (int c = 0; c < 64; c += 7) {
    tpu_gdma_cpy_S2L(0, a->in + c * 512, &part, NULL, NULL, DT_FP16);  // @seven_load
    tpu_bdc_relu(0, 0, &part, NULL, NULL, DT_FP16);
    tpu_gdma_cpy_L2S(a->out + c * 512, 0, &part, NULL, NULL, DT_FP16);  // @seven_store
  }
  tpu_poll();
}
KERNEL(tiles_of_seven_channels_rounded_up)
