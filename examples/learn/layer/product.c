// output = left * right + addend, in tiles of INNER rows by COLS columns of the right matrix. The
// left one stays in local memory, cut into slices of INNER columns. While a tile is multiplied, the
// next one comes, and columns that are done go.
//
// 4 bits: byte r of a group of 128 rows holds row r in its lower half and row r + 64 in its upper
// one, both of the same NPU.
#include "layer.h"

#ifndef INNER
#define INNER 512
#endif
#ifndef COLS
#define COLS 2048
#endif
#define GROUP 128
#define ROWS (2 * NPU_NUM)
#define HALF_BANK (BANK_SIZE / 2)

// Local memory; [2]: one is filled while the other is used.
typedef struct {
  local_addr_t left, raw[2], wide, nibbles, sum, value, output[2], addend[2], scale[2], left_scale;
} places;

static places places_of(void) {
  const places at = {.left = bank(0),
                     .raw = {bank(3), bank(5)},
                     .wide = bank(7),
                     .nibbles = bank(9),
                     .sum = bank(10),
                     .value = bank(11),
                     .output = {bank(12), bank(13)},
                     .addend = {bank(12) + HALF_BANK, bank(13) + HALF_BANK},
                     .scale = {bank(14), bank(15)},
                     .left_scale = bank(9)};
  return at;
}

// Where a step stands: a tile of right, of rows [row, row + rows) of the result.
typedef struct {
  int row, rows, col, cols, inner, length;
  bool begins, ends;  // the columns
  int side;           // of columns that are done
} tile;

static tile tile_of(const product_args* p, int step) {
  const int down = DIV_UP(p->inner, INNER), across = DIV_UP(p->cols, COLS);
  const int k = step % down, columns = step / down, row = columns / across * ROWS,
            col = columns % across * COLS;
  const tile t = {.row = row,
                  .rows = MIN(ROWS, p->rows - row),
                  .col = col,
                  .cols = MIN(COLS, p->cols - col),
                  .inner = k * INNER,
                  .length = MIN(INNER, p->inner - k * INNER),
                  .begins = k == 0,
                  .ends = k == down - 1,
                  .side = columns & 1};
  return t;
}

static data_type_t left_type(const product_args* p) {
  return p->kind == KIND_W8A8 ? DT_INT8 : TYPE;
}

// Where the slice of left from column `inner` on lies.
static local_addr_t slice(const product_args* p, local_addr_t left, int inner) {
  const dim4 whole = {.n = 1, .c = ROWS, .h = 1, .w = INNER};
  return left + inner / INNER * tpu_get_local_size(&whole, left_type(p), 0, true);
}

static void load_left(const product_args* p, const places* at, const tile* t) {
  const data_type_t type = left_type(p);
  const dim4 rows = {.n = 1, .c = p->inner, .h = 1, .w = 1};  // strides
  for (int inner = 0; inner < p->inner; inner += INNER) {
    const dim4 shape = {.n = 1, .c = t->rows, .h = 1, .w = MIN(INNER, p->inner - inner)};
    tpu_gdma_cpy_S2L(slice(p, at->left, inner),
                     p->left + ((address)t->row * p->inner + inner) * tpu_data_type_size(type),
                     &shape, NULL, &rows, type);
  }
  if (p->kind == KIND_W8A8) {
    const dim4 single = {.n = 1, .c = t->rows, .h = 1, .w = 1};
    tpu_gdma_cpy_S2L(at->left_scale, p->left_scale + 4ull * t->row, &single, NULL, NULL, DT_FP32);
  }
}

static void load(const product_args* p, const places* at, const tile* t, int side) {
  const dim4 rows = {.n = 1, .c = p->cols, .h = 1, .w = 1};  // strides
  const bool packed = p->kind == KIND_W4A16;
  const data_type_t type = p->kind == KIND_FLOAT ? TYPE : DT_INT8;
  const dim4 shape = {.n = 1, .c = packed ? t->length / 2 : t->length, .h = 1, .w = t->cols};
  const address first = (address)(packed ? t->inner / 2 : t->inner) * p->cols + t->col;
  tpu_gdma_cpy_S2L(at->raw[side], p->right + first * tpu_data_type_size(type), &shape, NULL, &rows,
                   type);
  if (packed) {
    const dim4 scales = {.n = t->length / GROUP, .c = 1, .h = 1, .w = t->cols};
    const dim4 groups = {.n = p->cols, .c = 1, .h = 1, .w = 1};
    tpu_gdma_cpy_S2L(at->scale[side],
                     p->scale + 2ull * ((address)(t->inner / GROUP) * p->cols + t->col), &scales,
                     NULL, &groups, TYPE);
  } else if (p->kind != KIND_FLOAT && t->begins) {
    const dim4 scales = {.n = 1, .c = 1, .h = 1, .w = t->cols};
    tpu_gdma_cpy_S2L(at->scale[t->side], p->scale + 4ull * t->col, &scales, NULL, NULL, DT_FP32);
  }
  if (p->addend != 0 && t->begins) {
    const dim4 result = {.n = 1, .c = t->rows, .h = 1, .w = t->cols};
    tpu_gdma_cpy_S2L(at->addend[t->side], p->addend + 2ull * ((address)t->row * p->cols + t->col),
                     &result, NULL, &rows, TYPE);
  }
}

// The right operand of the product: as it came, widened, or taken apart, widened and scaled.
static local_addr_t right_of(const product_args* p, const places* at, const tile* t, int side) {
  if (p->kind == KIND_FLOAT || p->kind == KIND_W8A8) return at->raw[side];
  const dim4 shape = {.n = 1, .c = t->length, .h = 1, .w = t->cols};
  if (p->kind == KIND_W8A16) {
    tpu_bdc_cast(at->wide, at->raw[side], &shape, NULL, NULL, TYPE, DT_INT8, RM_HALF_TO_EVEN);
    return at->wide;
  }
  // Two rows of a group in each NPU: h. Those of the lower halves are moved up and down again.
  const int bytes = ALIGN(t->cols, tpu_eu_num(DT_INT8)), wide = ALIGN(t->cols, tpu_eu_num(DT_FP16));
  const dim4 half = {.n = t->length / GROUP, .c = NPU_NUM, .h = 1, .w = t->cols};
  const dim4 whole = {.n = half.n, .c = NPU_NUM, .h = 2, .w = t->cols};
  const dim4 in = {.n = bytes, .c = bytes, .h = bytes, .w = 1};
  const dim4 out = {.n = 2 * bytes, .c = bytes, .h = bytes, .w = 1};
  const dim4 wide_out = {.n = 2 * wide, .c = wide, .h = wide, .w = 1};
  const dim4 scales = {.n = wide, .c = wide, .h = 0, .w = 1};
  tpu_bdc_logical_shift_C(at->nibbles, at->raw[side], 4, &half, &out, &in, DT_UINT8, DT_UINT8,
                          RM_DOWN);
  tpu_bdc_arithmetic_shift_C(at->nibbles, at->nibbles, -4, &half, &out, &out, DT_INT8, DT_INT8,
                             RM_DOWN);
  tpu_bdc_arithmetic_shift_C(at->nibbles + bytes, at->raw[side], -4, &half, &out, &in, DT_INT8,
                             DT_INT8, RM_DOWN);
  tpu_bdc_cast(at->wide, at->nibbles, &whole, &wide_out, &out, TYPE, DT_INT8, RM_HALF_TO_EVEN);
  tpu_bdc_npu_bcast(at->value, at->scale[side], &half, TYPE);
  tpu_bdc_fp_mul(at->wide, at->wide, at->value, &whole, &wide_out, &wide_out, &scales, TYPE);
  return at->wide;
}

static void multiply(const product_args* p, const places* at, const tile* t, int side) {
  const local_addr_t left = slice(p, at->left, t->inner), right = right_of(p, at, t, side);
  const scalar_t zero = {.u32 = 0};
  if (p->kind == KIND_W8A8) {
    tpu_bdc_int8_zp_mm(at->sum, left, right, zero, t->rows, t->length, t->cols, DT_INT8, DT_INT8,
                       !t->begins);
  } else {
    tpu_bdc_fp_mm(at->sum, left, right, t->rows, t->length, t->cols, DT_FP32, TYPE, !t->begins);
  }
}

// Sums become results: scaled, added to, rounded.
static void finish(const product_args* p, const places* at, const tile* t) {
  const dim4 shape = {.n = 1, .c = t->rows, .h = 1, .w = t->cols};
  if (p->kind == KIND_W8A8) {
    const dim4 spread = spread_stride(t->rows);
    tpu_bdc_cast(at->sum, at->sum, &shape, NULL, NULL, DT_FP32, DT_INT32, RM_HALF_TO_EVEN);
    tpu_bdc_fp_mul(at->sum, at->sum, at->left_scale, &shape, NULL, NULL, &spread, DT_FP32);
  }
  if (p->kind == KIND_W8A8 || p->kind == KIND_W8A16) {
    const dim4 everywhere = {.n = 1, .c = NPU_NUM, .h = 1, .w = t->cols};
    const dim4 same = {.n = 0, .c = 0, .h = 0, .w = 1};
    tpu_bdc_npu_bcast(at->value, at->scale[t->side], &everywhere, DT_FP32);
    tpu_bdc_fp_mul(at->sum, at->sum, at->value, &shape, NULL, NULL, &same, DT_FP32);
  }
  if (p->addend != 0) {
    tpu_bdc_cast(at->value, at->addend[t->side], &shape, NULL, NULL, DT_FP32, TYPE,
                 RM_HALF_TO_EVEN);
    tpu_bdc_fp_add(at->sum, at->sum, at->value, &shape, NULL, NULL, NULL, DT_FP32);
  }
  tpu_bdc_cast(at->output[t->side], at->sum, &shape, NULL, NULL, TYPE, DT_FP32, RM_HALF_TO_EVEN);
}

static void store(const product_args* p, const places* at, const tile* t) {
  const dim4 shape = {.n = 1, .c = t->rows, .h = 1, .w = t->cols};
  const dim4 rows = {.n = 1, .c = p->cols, .h = 1, .w = 1};
  tpu_gdma_cpy_L2S(p->output + 2ull * ((address)t->row * p->cols + t->col), at->output[t->side],
                   &shape, &rows, NULL, TYPE);
}

void product(const void* args) {
  const product_args* p = (const product_args*)args;
  const places at = places_of();
  const int each = DIV_UP(p->inner, INNER) * DIV_UP(p->cols, COLS),
            steps = DIV_UP(p->rows, ROWS) * each;
  TPUKERNEL_ASSERT((int)slice(p, at.left, p->inner + INNER - 1) <= (int)at.raw[0]);
  TPUKERNEL_ASSERT(p->kind != KIND_W4A16 || p->inner % GROUP == 0);

  tpu_initialize();
  for (int begin = 0; begin < steps; begin += each) {  // other rows, another left matrix
    const tile first = tile_of(p, begin);
    load_left(p, &at, &first);
    for (int step = begin; step < begin + each + 2; ++step) {
      const tile next = tile_of(p, step), now = tile_of(p, step - 1), done = tile_of(p, step - 2);
      tpu_parallel_start();
      if (step < begin + each) load(p, &at, &next, step & 1);
      if (step > begin && step <= begin + each) {
        multiply(p, &at, &now, (step - 1) & 1);
        if (now.ends) finish(p, &at, &now);
      }
      if (step > begin + 1 && done.ends) store(p, &at, &done);
      tpu_parallel_end();
    }
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(product)
