// Kernels before and after their remedy, for check_remedies.py: NAME, and NAME_cured, which does
// the same without what `// remedy: ID` says. With `prebuilt` the remedy is a list built
// beforehand.
#include "kernels.h"

#include "okk.h"

#define PARTS 12
#define BANK 0x10000

static const dim4 part = {1, 64, 1, 2048};
static const unsigned long long part_bytes = 4ull * 64 * 2048;

typedef void (*compute_fn)(int);

// One part after the other, and the same in regions: what comes in, what is computed, what goes
// out.
static void in_turn(const kernel_args* p, compute_fn compute, bool polls) {
  okk_initialize();
  for (int k = 0; k < PARTS; ++k) {
    okk_gdma_32bit_cpy_S2L(0, p->in + k * part_bytes, &part, NULL, NULL);
    compute(0);
    okk_gdma_32bit_cpy_L2S(p->out + k * part_bytes, 2 * BANK, &part, NULL, NULL);
    if (polls) okk_poll();
  }
  okk_poll();
}
static void in_parallel(const kernel_args* p, compute_fn compute) {
  okk_initialize();
  for (int step = 0; step < PARTS + 2; ++step) {
    okk_parallel_start();
    if (step < PARTS)
      okk_gdma_32bit_cpy_S2L(step % 2 * BANK, p->in + step * part_bytes, &part, NULL, NULL);
    if (step >= 1 && step - 1 < PARTS) compute((step - 1) % 2 * BANK);
    if (step >= 2)
      okk_gdma_32bit_cpy_L2S(p->out + (step - 2) * part_bytes, 2 * BANK + step % 2 * BANK, &part,
                             NULL, NULL);
    okk_parallel_end();
  }
  okk_poll();
}

// From 0 or BANK to 2 or 3 * BANK.
static void one_function(int at) {
  okk_bdc_sigmoid_tunable(at + 2 * BANK, at, 4 * BANK, &part, 8);
}
static void three_divisions(int at) {
  const local_addr_t to = at + 2 * BANK;
  okk_bdc_div(to, at, at, &part, NULL, NULL, NULL);
  okk_bdc_div(to, at, to, &part, NULL, NULL, NULL);
  okk_bdc_div(to, to, at, &part, NULL, NULL, NULL);
}
static void six_commands(int at) {
  const local_addr_t to = at + 2 * BANK;
  okk_bdc_mul_C(to, at, 2.0f, &part, NULL, NULL);
  okk_bdc_add_C(to, to, 1.0f, &part, NULL, NULL);
  okk_bdc_div(4 * BANK, at, to, &part, NULL, NULL, NULL);
  okk_bdc_mul(to, 4 * BANK, to, &part, NULL, NULL, NULL);
  okk_bdc_neg(to, to, &part, NULL, NULL);
  okk_bdc_add(to, at, to, &part, NULL, NULL, NULL);
}

// remedy: serial engines
void overlap(const void* args) {
  in_turn((const kernel_args*)args, one_function, false);
}
OKKERNEL_FUNC_REGISTER(overlap);
void overlap_cured(const void* args) {
  in_parallel((const kernel_args*)args, one_function);
}
OKKERNEL_FUNC_REGISTER(overlap_cured);

// remedy: serial engines
void overlap_six(const void* args) {
  in_turn((const kernel_args*)args, six_commands, false);
}
OKKERNEL_FUNC_REGISTER(overlap_six);
void overlap_six_cured(const void* args) {
  in_parallel((const kernel_args*)args, six_commands);
}
OKKERNEL_FUNC_REGISTER(overlap_six_cured);

// Everything in, everything computed, everything out.
// remedy: serial engines
void phases(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  okk_initialize();
  for (int k = 0; k < PARTS; ++k)
    okk_gdma_32bit_cpy_S2L(k * 0x2000, p->in + k * part_bytes, &part, NULL, NULL);
  for (int k = 0; k < PARTS; ++k)
    okk_bdc_div(0x30000 + k * 0x2000, k * 0x2000, k * 0x2000, &part, NULL, NULL, NULL);
  for (int k = 0; k < PARTS; ++k)
    okk_gdma_32bit_cpy_L2S(p->out + k * part_bytes, 0x30000 + k * 0x2000, &part, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(phases);
static void divide(int at) {
  okk_bdc_div(at + 2 * BANK, at, at, &part, NULL, NULL, NULL);
}
void phases_cured(const void* args) {
  in_parallel((const kernel_args*)args, divide);
}
OKKERNEL_FUNC_REGISTER(phases_cured);

// Only loads run beside the computation.
// remedy: serial engines
void half_parallel(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &part, NULL, NULL);
  for (int k = 0; k < PARTS; ++k) {
    okk_parallel_start();
    if (k + 1 < PARTS)
      okk_gdma_32bit_cpy_S2L((k + 1) % 2 * BANK, p->in + (k + 1) * part_bytes, &part, NULL, NULL);
    three_divisions(k % 2 * BANK);
    okk_parallel_end();
    okk_gdma_32bit_cpy_L2S(p->out + k * part_bytes, 2 * BANK + k % 2 * BANK, &part, NULL, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(half_parallel);
void half_parallel_cured(const void* args) {
  in_parallel((const kernel_args*)args, three_divisions);
}
OKKERNEL_FUNC_REGISTER(half_parallel_cured);

// The processor waits after each part and reads nothing.
// remedy: waits, not first
void waits(const void* args) {
  in_turn((const kernel_args*)args, six_commands, true);
}
OKKERNEL_FUNC_REGISTER(waits);
void waits_cured(const void* args) {
  in_turn((const kernel_args*)args, six_commands, false);
}
OKKERNEL_FUNC_REGISTER(waits_cured);

// remedy: issue, prebuilt
void many_commands(const void* args) {
  (void)args;
  const dim4 small = {1, 64, 1, 256};
  okk_initialize();
  for (int k = 0; k < 100; ++k) okk_bdc_add_C(0, 0, 1.0f, &small, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(many_commands);

// Row by row, where one strided copy does.
// remedy: commands in a row, not first
void row_copies(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 row = {1, 64, 1, 64}, stride = {64 * 16 * 256, 16 * 256, 256, 1};
  const dim4 local = {16 * 64, 16 * 64, 64, 1};
  okk_initialize();
  for (int k = 0; k < 16; ++k)
    okk_gdma_32bit_cpy_S2L(4 * 64 * k, p->in + 4 * 256 * k, &row, &local, &stride);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(row_copies);
void row_copies_cured(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 rows = {1, 64, 16, 64}, stride = {64 * 16 * 256, 16 * 256, 256, 1};
  const dim4 local = {16 * 64, 16 * 64, 64, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &rows, &local, &stride);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(row_copies_cured);

static void divide_parts(const dim4* shape) {
  okk_initialize();
  for (int k = 0; k < 4; ++k) okk_bdc_div(0x40000, 0, 0x20000, shape, NULL, NULL, NULL);
  okk_poll();
}
// remedy: idle NPUs
void few_channels(const void* args) {
  (void)args;
  divide_parts(&(dim4){2, 4, 128, 128});
}
OKKERNEL_FUNC_REGISTER(few_channels);
void few_channels_cured(const void* args) {
  (void)args;
  divide_parts(&(dim4){2, 64, 16, 64});
}
OKKERNEL_FUNC_REGISTER(few_channels_cured);

// remedy: idle units
void small_planes(const void* args) {
  (void)args;
  divide_parts(&(dim4){512, 64, 1, 2});
}
OKKERNEL_FUNC_REGISTER(small_planes);
void small_planes_cured(const void* args) {
  (void)args;
  divide_parts(&(dim4){1, 64, 16, 64});
}
OKKERNEL_FUNC_REGISTER(small_planes_cured);

// A plane is read column by column, where its rows would do.
// remedy: short runs
void columns(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 32, 32}, turned = {64 * 1024, 1024, 1, 32};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &shape, NULL, &turned);
  okk_bdc_neg(0, 0, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(columns);
void columns_cured(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 32, 32};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &shape, NULL, NULL);
  okk_bdc_neg(0, 0, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(columns_cured);

static void matrices(const kernel_args* p, int columns_per_channel, int pitch) {
  okk_initialize();
  for (int k = 0; k < 4; ++k)
    okk_gdma_32bit_matrix_S2L(k * BANK, p->in, 256, 1000, columns_per_channel, pitch);
  okk_poll();
}
// remedy: misaligned matrix
void matrix(const void* args) {
  matrices((const kernel_args*)args, 32, 1001);
}
OKKERNEL_FUNC_REGISTER(matrix);
void matrix_cured(const void* args) {
  matrices((const kernel_args*)args, 32, 1008);
}
OKKERNEL_FUNC_REGISTER(matrix_cured);

// remedy: cheaper function
void division(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 16384};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &part, NULL, NULL);
  okk_bdc_div_C(0, 0, 3.0f, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &part, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(division);
void division_cured(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 16384};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &part, NULL, NULL);
  okk_bdc_mul_C(0, 0, 1 / 3.0f, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &part, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(division_cured);

// Each plane is divided by one number, as a softmax does.
// remedy: cheaper function
void quotients(const void* args) {
  (void)args;
  const dim4 shape = {4, 64, 32, 64}, one = {32, 32, 0, 0};
  okk_initialize();
  okk_bdc_div(0x20000, 0, 0x10000, &shape, NULL, NULL, &one);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(quotients);
void quotients_cured(const void* args) {
  (void)args;
  const dim4 shape = {4, 64, 32, 64}, few = {4, 64, 1, 1}, one = {32, 32, 0, 0};
  okk_initialize();
  okk_bdc_reciprocal(0x10000, 0x10000, &few, NULL, NULL);
  okk_bdc_mul(0x20000, 0, 0x10000, &shape, NULL, NULL, &one);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(quotients_cured);
