// The same on the other chip; see remedies_okkernel.c.
#include "kernels.h"

#include "tpu_kernel.h"

#define PARTS 12
#define BANK 0x4000

static const dim4 part = {1, 64, 1, 2048};
static const unsigned long long part_bytes = 4ull * 64 * 2048;
static const scalar_t three = {.f32 = 3.0f};

typedef void (*compute_fn)(int);

static void load(local_addr_t to, const kernel_args* p, int k) {
  tpu_gdma_cpy_S2L(to, p->in + k * part_bytes, &part, NULL, NULL, DT_FP32);
}
static void store(const kernel_args* p, local_addr_t from, int k) {
  tpu_gdma_cpy_L2S(p->out + k * part_bytes, from, &part, NULL, NULL, DT_FP32);
}
// One part after the other, and the same in regions: what comes in, what is computed, what goes
// out.
static void in_turn(const kernel_args* p, compute_fn compute) {
  tpu_initialize();
  for (int k = 0; k < PARTS; ++k) {
    load(0, p, k);
    compute(0);
    store(p, 2 * BANK, k);
  }
  tpu_poll();
}
static void in_parallel(const kernel_args* p, compute_fn compute) {
  tpu_initialize();
  for (int step = 0; step < PARTS + 2; ++step) {
    tpu_parallel_start();
    if (step < PARTS) load(step % 2 * BANK, p, step);
    if (step >= 1 && step - 1 < PARTS) compute((step - 1) % 2 * BANK);
    if (step >= 2) store(p, 2 * BANK + step % 2 * BANK, step - 2);
    tpu_parallel_end();
  }
  tpu_poll();
}

// From 0 or BANK to 2 or 3 * BANK.
static void one_function(int at) {
  tpu_bdc_fp_div(at + 2 * BANK, at, at, &part, NULL, NULL, NULL, DT_FP32);
}
static void six_commands(int at) {
  const local_addr_t to = at + 2 * BANK;
  tpu_bdc_fp_mul_C(to, at, three, &part, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(to, to, three, &part, NULL, NULL, DT_FP32);
  tpu_bdc_fp_div(4 * BANK, at, to, &part, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(to, 4 * BANK, to, &part, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_neg(to, to, &part, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(to, at, to, &part, NULL, NULL, NULL, DT_FP32);
}
static void two_divisions(int at) {
  const local_addr_t to = at + 2 * BANK;
  tpu_bdc_fp_div(to, at, at, &part, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_div(to, at, to, &part, NULL, NULL, NULL, DT_FP32);
}

// remedy: serial engines
static void overlap(const void* args) {
  in_turn((const kernel_args*)args, one_function);
}
TPUKERNEL_FUNC_REGISTER(overlap)
static void overlap_cured(const void* args) {
  in_parallel((const kernel_args*)args, one_function);
}
TPUKERNEL_FUNC_REGISTER(overlap_cured)

// remedy: serial engines
static void overlap_six(const void* args) {
  in_turn((const kernel_args*)args, six_commands);
}
TPUKERNEL_FUNC_REGISTER(overlap_six)
static void overlap_six_cured(const void* args) {
  in_parallel((const kernel_args*)args, six_commands);
}
TPUKERNEL_FUNC_REGISTER(overlap_six_cured)

// Everything in, everything computed, everything out.
// remedy: serial engines
static void phases(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  tpu_initialize();
  for (int k = 0; k < PARTS; ++k) load(k * 0x2000, p, k);
  for (int k = 0; k < PARTS; ++k)
    tpu_bdc_fp_div(k * 0x2000, k * 0x2000, k * 0x2000, &part, NULL, NULL, NULL, DT_FP32);
  for (int k = 0; k < PARTS; ++k) store(p, k * 0x2000, k);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(phases)
static void phases_cured(const void* args) {
  in_parallel((const kernel_args*)args, one_function);
}
TPUKERNEL_FUNC_REGISTER(phases_cured)

// Only loads run beside the computation.
// remedy: serial engines
static void half_parallel(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  tpu_initialize();
  load(0, p, 0);
  for (int k = 0; k < PARTS; ++k) {
    tpu_parallel_start();
    if (k + 1 < PARTS) load((k + 1) % 2 * BANK, p, k + 1);
    two_divisions(k % 2 * BANK);
    tpu_parallel_end();
    store(p, 2 * BANK + k % 2 * BANK, k);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(half_parallel)
static void half_parallel_cured(const void* args) {
  in_parallel((const kernel_args*)args, two_divisions);
}
TPUKERNEL_FUNC_REGISTER(half_parallel_cured)

// A product over slices of its inner dimension, added up in place.
static void products(const kernel_args* p, int buffers) {
  const dim4 left = {1, 256, 1, 256}, right = {1, 256, 1, 512}, result = {1, 256, 1, 512};
  const local_addr_t lefts[2] = {0, 0x2000}, rights[2] = {0x8000, 0xc000}, sum = 0x10000;
  tpu_initialize();
  tpu_bdc_set_C(sum, (scalar_t){.f32 = 0}, &result, NULL, DT_FP32);
  for (int step = 0; step < 8 + buffers - 1; ++step) {
    if (buffers == 2) tpu_parallel_start();
    if (step < 8) {
      tpu_gdma_cpy_S2L(lefts[step % buffers], p->in + step * 0x20000, &left, NULL, NULL, DT_FP16);
      tpu_gdma_cpy_S2L(rights[step % buffers], p->in + 0x400000 + step * 0x40000, &right, NULL,
                       NULL, DT_FP16);
    }
    const int now = step - (buffers - 1);
    if (now >= 0)
      tpu_bdc_fp_mm(sum, lefts[now % buffers], rights[now % buffers], 256, 256, 512, DT_FP32,
                    DT_FP16, true);
    if (buffers == 2) tpu_parallel_end();
  }
  tpu_gdma_cpy_L2S(p->out, sum, &result, NULL, NULL, DT_FP32);
  tpu_poll();
}
// remedy: serial engines
static void slices(const void* args) {
  products((const kernel_args*)args, 1);
}
TPUKERNEL_FUNC_REGISTER(slices)
static void slices_cured(const void* args) {
  products((const kernel_args*)args, 2);
}
TPUKERNEL_FUNC_REGISTER(slices_cured)

// Row by row, where one strided copy does.
static void rows(const kernel_args* p, int copies) {
  const dim4 row = {1, 64, 32 / copies, 64}, stride = {64 * 32 * 256, 32 * 256, 256, 1};
  const dim4 local = {32 * 64, 32 * 64, 64, 1};
  tpu_initialize();
  for (int k = 0; k < copies; ++k)
    tpu_gdma_cpy_S2L(4 * 64 * k, p->in + 4 * 256 * k, &row, &local, &stride, DT_FP32);
  tpu_poll();
}
// remedy: commands in a row, not first
static void row_copies(const void* args) {
  rows((const kernel_args*)args, 32);
}
TPUKERNEL_FUNC_REGISTER(row_copies)
static void row_copies_cured(const void* args) {
  rows((const kernel_args*)args, 1);
}
TPUKERNEL_FUNC_REGISTER(row_copies_cured)

// Tiles of 16 KiB, each moved in, worked on and moved out; the cured one has 32 of them at a time.
static void tiles(const kernel_args* p, int count, int width) {
  const dim4 tile = {1, 64, 1, width};
  const unsigned long long bytes = 4ull * 64 * width;
  tpu_initialize();
  for (int k = 0; k < count; ++k) {
    tpu_gdma_cpy_S2L(0, p->in + k * bytes, &tile, NULL, NULL, DT_FP32);
    tpu_bdc_neg(BANK, 0, &tile, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->out + k * bytes, BANK, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
// remedy: small transfers
static void small_copies(const void* args) {
  tiles((const kernel_args*)args, 64, 64);
}
TPUKERNEL_FUNC_REGISTER(small_copies)
static void small_copies_cured(const void* args) {
  tiles((const kernel_args*)args, 2, 2048);
}
TPUKERNEL_FUNC_REGISTER(small_copies_cured)

// remedy: small commands
static void many_commands(const void* args) {
  (void)args;
  tpu_initialize();
  for (int k = 0; k < 100; ++k)
    tpu_bdc_fp_add_C(0, 0, three, &(dim4){1, 64, 1, 64}, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(many_commands)
static void many_commands_cured(const void* args) {
  (void)args;
  tpu_initialize();
  for (int k = 0; k < 2; ++k)
    tpu_bdc_fp_add_C(0, 0, three, &(dim4){1, 64, 1, 50 * 64}, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(many_commands_cured)

static void divide_parts(const dim4* shape) {
  tpu_initialize();
  for (int k = 0; k < 4; ++k) tpu_bdc_fp_div(0x20000, 0, 0x10000, shape, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
}
// remedy: idle NPUs
static void few_channels(const void* args) {
  (void)args;
  divide_parts(&(dim4){1, 4, 64, 128});
}
TPUKERNEL_FUNC_REGISTER(few_channels)
static void few_channels_cured(const void* args) {
  (void)args;
  divide_parts(&(dim4){1, 64, 8, 64});
}
TPUKERNEL_FUNC_REGISTER(few_channels_cured)

// remedy: idle units
static void small_planes(const void* args) {
  (void)args;
  divide_parts(&(dim4){256, 64, 1, 2});
}
TPUKERNEL_FUNC_REGISTER(small_planes)
static void small_planes_cured(const void* args) {
  (void)args;
  divide_parts(&(dim4){1, 64, 8, 64});
}
TPUKERNEL_FUNC_REGISTER(small_planes_cured)

// A plane is read column by column, where its rows would do.
static void planes(const kernel_args* p, const dim4* stride) {
  const dim4 shape = {1, 64, 32, 32};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &shape, NULL, stride, DT_FP32);
  tpu_bdc_neg(0, 0, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->out, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
// remedy: short runs
static void columns(const void* args) {
  planes((const kernel_args*)args, &(dim4){64 * 1024, 1024, 1, 32});
}
TPUKERNEL_FUNC_REGISTER(columns)
static void columns_cured(const void* args) {
  planes((const kernel_args*)args, NULL);
}
TPUKERNEL_FUNC_REGISTER(columns_cured)

// remedy: cheaper function
static void division(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 8192};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &part, NULL, NULL, DT_FP32);
  tpu_bdc_fp_div_C(0, 0, three, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->out, 0, &part, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(division)
static void division_cured(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 8192};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &part, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(0, 0, (scalar_t){.f32 = 1 / 3.0f}, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->out, 0, &part, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(division_cured)

// Each plane is divided by one number, as a softmax does.
// remedy: cheaper function
static void quotients(const void* args) {
  (void)args;
  const dim4 shape = {4, 64, 16, 64}, one = {16, 16, 0, 0};
  tpu_initialize();
  tpu_bdc_fp_div(0x10000, 0, 0x8000, &shape, NULL, NULL, &one, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(quotients)
static void quotients_cured(const void* args) {
  (void)args;
  const dim4 shape = {4, 64, 16, 64}, few = {4, 64, 1, 1}, one = {16, 16, 0, 0};
  tpu_initialize();
  tpu_bdc_fp_reciprocal(0x8000, 0x8000, &few, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(0x10000, 0, 0x8000, &shape, NULL, NULL, &one, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(quotients_cured)
