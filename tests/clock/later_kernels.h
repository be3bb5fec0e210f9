// What the kernels of later_rows get, and the pieces that they are made of.
//
// Each does once what a turn of the outermost loop of a kernel whose time on a BM1690 was published
// does: a tile of a product, a block of rows. Shapes, tiles and the order of commands are those of
// the public sources; how often the turn is repeated stands in the row. "TileLang" and "PPL" differ
// in what one statement becomes. The code is ours.
#ifndef TENSORLANE_TESTS_CLOCK_LATER_KERNELS_H_
#define TENSORLANE_TESTS_CLOCK_LATER_KERNELS_H_

#include <stdbool.h>

typedef struct {
  unsigned long long in, out;  // device memory of 16 MiB each
  int rows, columns, depth;    // of the turn: of the result, and terms of a product
  int pitch, heads;            // elements between rows of the whole tensor; heads of a turn
  int block;                   // columns of a step along a row, or rows of a step of keys
  bool fp32, bf16;             // the type of tensors in memory: one of these, else fp16
  bool ppl, pipelined, reload;
  bool first;  // the coefficients of exp are loaded once, not every step
} later_args;

#ifdef TENSORLANE_KERNEL
#include "tpu_kernel.h"

static inline data_type_t type_of(const later_args* p) {
  return p->fp32 ? DT_FP32 : p->bf16 ? DT_BFP16 : DT_FP16;
}
static inline int bytes_of(const later_args* p) {
  return p->fp32 ? 4 : 2;
}

// rows x columns of a tensor in memory with rows `pitch` apart, in and out.
static inline void load_block(local_addr_t to, const later_args* p, unsigned long long offset,
                              int rows, int columns, int pitch) {
  const dim4 shape = {1, rows, 1, columns}, stride = {0, pitch, pitch, 1};
  tpu_gdma_cpy_S2L(to, p->in + offset, &shape, NULL, &stride, type_of(p));
}
static inline void store_block(const later_args* p, unsigned long long offset, local_addr_t from,
                               int rows, int columns, int pitch) {
  const dim4 shape = {1, rows, 1, columns}, stride = {0, pitch, pitch, 1};
  tpu_gdma_cpy_L2S(p->out + offset, from, &shape, &stride, NULL, type_of(p));
}

static inline void fill(local_addr_t at, dim4 shape, data_type_t type) {
  const scalar_t zero = {.u32 = 0};
  tpu_bdc_set_C(at, zero, &shape, NULL, type);
}
static inline void cast_block(local_addr_t to, local_addr_t from, dim4 shape, data_type_t to_type,
                              data_type_t from_type) {
  tpu_bdc_cast(to, from, &shape, NULL, NULL, to_type, from_type, RM_HALF_TO_EVEN);
}

// The largest of a row or its sum: first over groups of neighbouring elements, then over a group.
enum { kGroup = 32 };
static inline void reduce(local_addr_t to, local_addr_t from, local_addr_t work, dim4 shape,
                          bool largest, data_type_t type) {
  const int groups = (shape.w + kGroup - 1) / kGroup;
  const scalar_t value = {.u32 = 0};
  const padding_t none = {0, 0, 0, 0};
  const dim2 one = {1, 1}, high = {groups, 1}, wide = {1, kGroup};
  const dim4 grouped = {shape.n, shape.c, groups, kGroup}, group = {shape.n, shape.c, 1, kGroup};
  if (groups * kGroup > shape.w) {
    const dim4 rest = {shape.n, shape.c, 1, groups * kGroup - shape.w};
    const dim4 stride = {kGroup, kGroup, kGroup, 1};
    tpu_bdc_set_C(from + (local_addr_t)((shape.w * 4 + 63) / 64 * 64 - 64), value, &rest, &stride,
                  type);
  }
  if (largest) {
    tpu_bdc_fp_max_pool2d(work, from, &grouped, &high, &none, &one, &one, type, value);
    tpu_bdc_fp_max_pool2d(to, work, &group, &wide, &none, &one, &one, type, value);
  } else {
    tpu_bdc_fp_avg_pool2d(work, from, &grouped, &high, &none, &one, &one, type, value);
    tpu_bdc_fp_avg_pool2d(to, work, &group, &wide, &none, &one, &one, type, value);
  }
}

// Every row with its own value.
static inline dim4 per_row(dim4 shape, data_type_t type) {
  const dim4 column = {shape.n, shape.c, 1, 1};
  dim4 stride;
  tpu_aligned_stride(&stride, 0, &column, type);
  stride.w = 0;
  return stride;
}
#endif

#endif  // TENSORLANE_TESTS_CLOCK_LATER_KERNELS_H_
