// Values of the BM1684 that functions take only in a range: at its ends, and behind them.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};

// From -103 to 88, which is all that exp takes.
// SILENT
void exp_of_its_range(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_mul_C(1024, 0, 31.0f, &kAll, 0, 0);
  okk_bdc_sub_C(1024, 1024, 103.0f, &kAll, 0, 0);
  okk_bdc_min_C(1024, 1024, 88.0f, &kAll, 0, 0);
  okk_bdc_exp(2048, 1024, 3072, &kAll);
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(exp_of_its_range)

// 6 times 15 is 90.
// EXPECT TL-ARGS-009 error @exp_of_ninety
void exp_of_too_much(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_mul_C(1024, 0, 15.0f, &kAll, 0, 0);
  okk_bdc_exp(2048, 1024, 3072, &kAll);  // @exp_of_ninety
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(exp_of_too_much)

// The gap behind 24 of 32 columns holds what it holds; what exp makes of it goes nowhere.
// SILENT
// RUN in=6144 out=6144
void exp_over_a_gap(const void* args) {
  const args_t* a = args;
  const dim4 odd = {1, 64, 1, 24}, wide = {1, 64, 1, 32};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &odd, 0, 0);
  okk_bdc_exp(2048, 0, 3072, &wide);
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &odd, 0, 0);
  okk_poll();
}
KERNEL(exp_over_a_gap)

// Shifts by 0 to 6, and by 32 at most.
// SILENT
void shifts_by_up_to_32(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_fp32_to_int32(1024, 0, &kAll);
  okk_bdc_32bit_logical_shift(2048, 1024, 1024, &kAll, 0, 0, 0);
  okk_bdc_32bit_set_C(1024, (x32){.s32 = -32}, &kAll, 0);
  okk_bdc_32bit_arithmetic_shift(3072, 2048, 1024, &kAll, 0, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 3072, &kAll, 0, 0);
  okk_poll();
}
KERNEL(shifts_by_up_to_32)

// The bits of 1.0f are no number of places.
// EXPECT TL-ARGS-009 error @shift_by_bits
void shifts_by_floats(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &kAll, 0, 0);
  okk_bdc_32bit_logical_shift(2048, 0, 0, &kAll, 0, 0, 0);  // @shift_by_bits
  okk_gdma_32bit_cpy_L2S(a->out, 2048, &kAll, 0, 0);
  okk_poll();
}
KERNEL(shifts_by_floats)
