// Limits of the BM1684 under --strict and --keep-going, and without.
#include "corpus.h"

static const dim4 kHalf = {1, 64, 16, 8};

// Every other column by the stride of the copy: against the document, but the model does not look.
static void every_other_column(const args_t* a) {
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kHalf, 0, &(dim4){0, 256, 16, 2});  // @every_other
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kHalf, 0, 0);
  okk_poll();
}

// EXPECT TL-ARGS-006 warning @every_other
// RUN out=32768
void columns_against_the_document(const void* args) {
  every_other_column(args);
}
KERNEL(columns_against_the_document)

// A stride of 2 of a single column says nothing.
// SILENT
// OPTIONS --strict
// RUN out=4096
void stride_of_one_column(const void* args) {
  const args_t* a = args;
  const dim4 column = {1, 64, 16, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &column, 0, &(dim4){0, 16, 1, 2});
  okk_gdma_32bit_cpy_L2S(a->out, 0, &column, 0, 0);
  okk_poll();
}
KERNEL(stride_of_one_column)

// 8 columns in channels of 16: more columns per channel than there are.
static void wide_channels(const args_t* a) {
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(0, a->in, 4, 8, 8, 8);
  okk_gdma_32bit_matrix_S2L(4096, a->in2, 8, 12, 12, 12);
  okk_bdc_matmul(8192, 0, 4096, 0, 4, 8, 12, 16, 12, false, false);
  okk_gdma_32bit_matrix_L2S(a->out, 8192, 4, 12, 12, 12);
  okk_poll();
}

// Kernels that ran on boards do it.
// SILENT
// RUN in=128 in2=384 out=192
void product_of_wide_channels(const void* args) {
  wide_channels(args);
}
KERNEL(product_of_wide_channels)

// 5,000 channels, of which the document allows 4,095.
static void many_channels(const args_t* a, const dim4* loaded) {
  const dim4 all = {1, 5000, 2, 2};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, loaded, 0, 0);
  okk_bdc_mul_C(16384, 0, 2.0f, &all, 0, 0);  // @many_channels
  okk_gdma_32bit_cpy_L2S(a->out, 16384, &all, 0, 0);
  okk_poll();
}

// EXPECT TL-ARGS-001 error @many_channels
// OPTIONS --keep-going
// RUN in=80000 out=80000
void many_channels_all_the_same(const void* args) {
  many_channels(args, &(dim4){1, 5000, 2, 2});
}
KERNEL(many_channels_all_the_same)

// What follows from the computed call is judged like everything else.
// EXPECT TL-ARGS-001 error @many_channels
// EXPECT TL-INIT-001 error @many_channels
// FAULTS 2
// OPTIONS --keep-going
// RUN in=80000 out=80000
void many_channels_one_missing(const void* args) {
  many_channels(args, &(dim4){1, 4999, 2, 2});
}
KERNEL(many_channels_one_missing)

// Nothing could be computed of a tensor that leaves its NPUs.
// EXPECT TL-MEMORY-001 error @kept_past
// OPTIONS --keep-going
void past_the_npu_all_the_same(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(okk_local_mem_size_per_npu() - 256, a->in, &kHalf, 0, 0);  // @kept_past
  okk_poll();
}
KERNEL(past_the_npu_all_the_same)
