// Copies of the BM1684X that turn, spread and reshape: what was not written must not get
// lost in them.
#include "corpus.h"

static const scalar_t kOne = {.f32 = 1.0f};

// {2, 12, 6, 10} through every kind of move and back to global memory.
static void moves(const args_t* a, const dim4* loaded) {
  const dim4 in = {2, 12, 6, 10}, nc = {12, 2, 6, 10}, cw = {12, 10, 6, 2};
  dim4 strides;
  tpu_aligned_stride(&strides, 0, &in, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, loaded, &strides, &(dim4){720, 60, 10, 1}, DT_FP32);  // @move_load
  tpu_gdma_cpy_nc_trans_L2L(16384, 0, &nc, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_cw_trans_L2L(32768, 16384, &cw, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2L(5 * LOCAL_MEM_SIZE + 65536, 32768, &cw, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 5 * LOCAL_MEM_SIZE + 65536, &cw, NULL, NULL, DT_FP32);
}

// SILENT
// RUN in=5760 out=5760
void moved_around(const void* args) {
  const dim4 in = {2, 12, 6, 10};
  tpu_initialize();
  moves(args, &in);
  tpu_poll();
}
KERNEL(moved_around)

// One row of one channel of the second batch less.
// EXPECT TL-INIT-001 error @move_load
// RUN in=5760 out=5760
void moved_around_with_a_hole(const void* args) {
  const dim4 in = {2, 12, 5, 10};
  tpu_initialize();
  moves(args, &in);
  tpu_poll();
}
KERNEL(moved_around_with_a_hole)

// Indices made on the chip: 0, 2, 4 .., spread over the NPUs as a gather wants them.
// SILENT
// RUN in=8192 out=4096
void indices_made_on_the_chip(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 32}, half = {1, 64, 1, 16}, index = {1, 16, 1, 1};
  dim4 compact;
  tpu_initialize();
  tpu_compact_stride(&compact, 0, &index);
  tpu_gdma_cpy_S2L(0, a->in, &row, NULL, NULL, DT_FP32);
  tpu_bdc_arithmetic_sequence_distribute(16384, 0, 2, 16);
  tpu_bdc_cast(20480, 16384, &index, &compact, &compact, DT_UINT16, DT_INT32, RM_TOWARDS_ZERO);
  tpu_bdc_w_gather(32768, 0, 20480, &half, 32, DT_FP32, DT_UINT16);
  tpu_gdma_cpy_L2S(a->out, 32768, &half, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(indices_made_on_the_chip)

// One channel for all: broadcast from global memory and from an NPU.
// SILENT
// RUN in=4096 out=8192
void one_channel_for_all(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 16};
  tpu_initialize();
  tpu_gdma_channel_bcast_S2L(0, a->in, &row, NULL, NULL, DT_FP32);
  tpu_bdc_npu_bcast(4096, 0, &row, DT_FP32);
  tpu_bdc_fp_add(8192, 0, 4096, &row, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 8192, &row, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out + 4096, 4096, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(one_channel_for_all)

// The channel that is broadcast was never there.
// EXPECT TL-INIT-001 error @bcast
// RUN in=4096 out=4096
void nothing_for_all(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 16}, one = {1, 63, 1, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(LOCAL_MEM_SIZE, a->in, &one, NULL, NULL, DT_FP32);
  tpu_bdc_npu_bcast(4096, 0, &row, DT_FP32);  // @bcast
  tpu_gdma_cpy_L2S(a->out, 4096, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(nothing_for_all)

// A transposed matrix in rows of 20 with 7 columns per channel, and back.
// SILENT
// RUN in=2400 out=2400
void matrix_there_and_back(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_matrix_trans_S2L(0, a->in, 30, 20, 7, 20, DT_FP32);
  tpu_gdma_matrix_trans_L2S(a->out, 0, 20, 30, 7, 20, DT_FP32);
  tpu_poll();
}
KERNEL(matrix_there_and_back)

// Zeros made of whatever was there: x ^ x, x & 0.
// SILENT
// RUN in=0 out=131072
void zeros_of_anything(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16};
  tpu_initialize();
  tpu_bdc_xor(0, 0, 0, &all, NULL, NULL, NULL, DT_UINT32);
  tpu_bdc_and_C(4096, 4096, (scalar_t){.u32 = 0}, &all, NULL, NULL, DT_UINT32);
  tpu_gdma_cpy_L2S(a->out, 0, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out + 65536, 4096, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(zeros_of_anything)

// Of integers x - x and x * 0 are zeros too, shifted or not.
// SILENT
// RUN in=0 out=49152
void zeros_of_integers(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 8, 8};
  tpu_initialize();
  tpu_bdc_int_sub(0, 0, 0, &all, NULL, NULL, NULL, DT_INT32, DT_INT32, DT_INT32, 2, RM_HALF_UP,
                  true);
  tpu_bdc_int_mul_C(4096, 4096, (scalar_t){.u32 = 0}, &all, NULL, NULL, DT_INT32, DT_INT32,
                    DT_INT32, 0, RM_HALF_UP, false);
  tpu_gdma_cpy_L2S(a->out, 0, &all, NULL, NULL, DT_INT32);
  tpu_gdma_cpy_L2S(a->out + 16384, 4096, &all, NULL, NULL, DT_INT32);
  tpu_bdc_set_C(0, (scalar_t){.u32 = 1}, &all, NULL, DT_INT32);
  tpu_gdma_cpy_L2S(a->out + 32768, 0, &all, NULL, NULL, DT_INT32);
  tpu_poll();
}
KERNEL(zeros_of_integers)

// Two tensors that overlap are not one.
// EXPECT TL-INIT-001 error @shifted
// RUN in=0 out=16384
void xor_with_a_neighbour(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 8, 8};
  tpu_initialize();
  tpu_bdc_xor(0, 4096, 4224, &all, NULL, NULL, NULL, DT_UINT32);  // @shifted
  tpu_gdma_cpy_L2S(a->out, 0, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(xor_with_a_neighbour)

// 100 channels with scale and bias; NPUs 36 to 63 have one of them.
// SILENT
// RUN in=51200 in2=800 out=51200
void hundred_channels(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 100, 16, 16}, vector = {1, 100, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &in, NULL, NULL, DT_FP16);
  tpu_gdma_compact_S2L(4096, a->in2, &vector, DT_FP16);
  tpu_gdma_compact_S2L(4160, a->in2 + 200, &vector, DT_FP16);
  tpu_bdc_fp_scale_bias(8192, 0, 4096, 4160, &in, DT_FP16);
  tpu_gdma_cpy_L2S(a->out, 8192, &in, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(hundred_channels)

// A softmax over rows of 30 in NPUs of 32: exponentials of the gap are computed, no sum has them.
// SILENT
// RUN in=7680 out=7680
void softmax_of_odd_rows(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 30}, wide = {1, 64, 1, 32}, one = {1, 64, 1, 1},
             spread = {0, 16, 0, 0};
  const dim2 window = {1, 30}, step = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(4096, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &row, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(8192, 0, &row, &window, &none, &step, &step, DT_FP32,
                        (scalar_t){.u32 = FP_NEG_MAX(DT_FP32)});
  tpu_bdc_fp_sub(16384, 0, 8192, &wide, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_fp_exp(32768, 16384, 49152, 65536, 4096, &wide, DT_FP32);
  tpu_bdc_fp_avg_pool2d(81920, 32768, &row, &window, &none, &step, &step, DT_FP32, kOne);
  tpu_bdc_fp32_reciprocal(98304, 81920, &one, NULL, NULL);
  tpu_bdc_fp_mul(114688, 32768, 98304, &wide, NULL, NULL, &spread, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 114688, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(softmax_of_odd_rows)

// The sum goes over all 32.
// EXPECT TL-INIT-001 error
// RUN in=7680 out=7680
void softmax_with_the_gap(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 30}, wide = {1, 64, 1, 32}, one = {1, 64, 1, 1},
             spread = {0, 16, 0, 0};
  const dim2 window = {1, 32}, step = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(4096, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->in, &row, NULL, NULL, DT_FP32);
  tpu_bdc_fp_exp(32768, 0, 49152, 65536, 4096, &wide, DT_FP32);
  tpu_bdc_fp_avg_pool2d(81920, 32768, &wide, &window, &none, &step, &step, DT_FP32, kOne);
  tpu_bdc_fp32_reciprocal(98304, 81920, &one, NULL, NULL);
  tpu_bdc_fp_mul(114688, 32768, 98304, &wide, NULL, NULL, &spread, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 114688, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(softmax_with_the_gap)
