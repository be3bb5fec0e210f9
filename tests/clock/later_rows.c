// Row by row kernels of the BM1690: sums of two tensors, and root-mean-square norms; and single
// commands that a recorder of the SG2260E timed.
#define TENSORLANE_KERNEL
#include "later_kernels.h"

// The sum of two tensors tile by tile, each loaded, added and stored in turn or, pipelined, while
// its neighbours are. `depth` is how many tiles one turn has.
static void sum_tiles(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 tile = {1, p->rows, 1, p->columns};
  const int ahead = p->pipelined ? 1 : 0;
  tpu_initialize();
  for (int k = 0; k < p->depth + 2 * ahead; ++k) {
    const bool region = p->pipelined && k > 0 && k <= p->depth;
    const local_addr_t half = k % 2 * 0x20000, other = 0x20000 - half;
    if (region) tpu_parallel_start();
    if (k < p->depth) {
      load_block(half, p, 0, p->rows, p->columns, p->pitch);
      load_block(half + 0x8000, p, 64, p->rows, p->columns, p->pitch);
    }
    const local_addr_t at = p->pipelined ? other : half;
    if (k >= ahead && k < p->depth + ahead)
      tpu_bdc_fp_add(at + 0x10000, at, at + 0x8000, &tile, NULL, NULL, NULL, type_of(p));
    if (k >= 2 * ahead && k < p->depth + 2 * ahead)
      store_block(p, 0, half + 0x10000, p->rows, p->columns, p->pitch);
    if (region) tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(sum_tiles)

enum {
  kIn = 0,
  kWide = 0x8000,
  kSquares = 0x18000,
  kSums = 0x28000,
  kPart = 0x2a000,
  kGroups = 0x2c000
};

static void root(const later_args* p) {
  const dim4 sums = {1, p->rows, 1, 1};
  const scalar_t share = {.u32 = 0x3b000000}, little = {.u32 = 0x2b8cbccc};
  if (!p->ppl) tpu_bdc_fp_mul_C(kSums, kSums, share, &sums, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(kSums, kSums, little, &sums, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_rsqrt(kSums, kSums, &sums);
}

// A block of whole rows: the squares kept apart, or, `reload`, made in place and the rows loaded
// again.
static void norm_block(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 rows = {1, p->rows, 1, p->columns}, spread = per_row(rows, DT_FP32);
  const local_addr_t wide = p->fp32 ? kIn : kWide, squares = p->reload ? wide : kSquares;
  tpu_initialize();
  load_block(kIn, p, 0, p->rows, p->columns, p->pitch);
  if (!p->fp32) cast_block(wide, kIn, rows, DT_FP32, type_of(p));
  tpu_bdc_fp_mul(squares, wide, wide, &rows, NULL, NULL, NULL, DT_FP32);
  reduce(kSums, squares, kGroups, rows, false, DT_FP32);
  root(p);
  if (p->reload) {
    load_block(kIn, p, 0, p->rows, p->columns, p->pitch);
    if (!p->fp32) cast_block(wide, kIn, rows, DT_FP32, type_of(p));
  }
  tpu_bdc_fp_mul(wide, wide, kSums, &rows, NULL, NULL, &spread, DT_FP32);
  if (!p->fp32) cast_block(kIn, wide, rows, type_of(p), DT_FP32);
  store_block(p, 0, kIn, p->rows, p->columns, p->pitch);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(norm_block)

// A block of rows in steps of `block` columns: once for the sums, once for the results.
static void norm_steps(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 step = {1, p->rows, 1, p->block}, sums = {1, p->rows, 1, 1};
  const dim4 spread = per_row(step, DT_FP32);
  const local_addr_t wide = p->fp32 ? kIn : kWide;
  tpu_initialize();
  fill(kSums, sums, DT_FP32);
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < p->columns / p->block; ++k) {
      const unsigned long long offset = (unsigned long long)k * p->block * bytes_of(p);
      load_block(kIn, p, offset, p->rows, p->block, p->pitch);
      if (!p->fp32) cast_block(wide, kIn, step, DT_FP32, type_of(p));
      if (pass == 0) {
        tpu_bdc_fp_mul(kSquares, wide, wide, &step, NULL, NULL, NULL, DT_FP32);
        reduce(kPart, kSquares, kGroups, step, false, DT_FP32);
        tpu_bdc_fp_add(kSums, kSums, kPart, &sums, NULL, NULL, NULL, DT_FP32);
        continue;
      }
      tpu_bdc_fp_mul(wide, wide, kSums, &step, NULL, NULL, &spread, DT_FP32);
      if (!p->fp32) cast_block(kIn, wide, step, type_of(p), DT_FP32);
      store_block(p, offset, kIn, p->rows, p->block, p->pitch);
    }
    if (pass == 0) root(p);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(norm_steps)

// One command each, on one tile.
static void one_sum(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 tile = {1, p->rows, 1, p->columns};
  tpu_initialize();
  tpu_bdc_fp_add(0x8000, 0, 0x4000, &tile, NULL, NULL, NULL, type_of(p));
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(one_sum)
static void one_quotient(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 tile = {1, p->rows, 1, p->columns};
  tpu_initialize();
  tpu_bdc_fp_div(0x8000, 0, 0x4000, &tile, NULL, NULL, NULL, type_of(p));
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(one_quotient)
static void one_cast(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 tile = {1, p->rows, 1, p->columns};
  tpu_initialize();
  cast_block(0x8000, 0, tile, DT_FP16, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(one_cast)
static void one_product(const void* args) {
  const later_args* p = (const later_args*)args;
  tpu_initialize();
  tpu_bdc_fp_mm(0x8000, 0, 0x4000, p->rows, p->depth, p->columns, DT_FP32, DT_FP16, true);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(one_product)
static void one_copy(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 tile = {1, p->rows, 1, p->columns};
  tpu_initialize();
  tpu_gdma_cpy_S2S(p->out, p->in, &tile, NULL, NULL, type_of(p));
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(one_copy)
