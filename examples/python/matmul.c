// fp16 matrix product in tiles, for a tuner to choose: -DTILE_ROWS=M -DTILE_COLS=N.
//
// A tile of the result is TILE_ROWS x TILE_COLS; its rows of the left and columns of the right
// matrix lie in local memory whole. While a tile is computed, the operands of the next come and the
// one before goes.
#include "tpu_kernel.h"

#if TILE_ROWS < 1 || TILE_COLS < 1
#error "TILE_ROWS and TILE_COLS are at least 1"
#endif

typedef struct {
  unsigned long long output, left, right;  // fp16: rows x cols, rows x inner, inner x cols
  int rows, inner, cols;
} matmul_args;

typedef struct {
  int row, col, rows, cols;
} tile_t;

static tile_t tile(const matmul_args* p, int i) {
  const int across = DIV_UP(p->cols, TILE_COLS);
  tile_t t = {.row = i / across * TILE_ROWS, .col = i % across * TILE_COLS};
  t.rows = MIN(TILE_ROWS, p->rows - t.row);
  t.cols = MIN(TILE_COLS, p->cols - t.col);
  return t;
}

static unsigned bytes(int rows, int cols) {  // of a matrix in local memory, in whole banks
  const dim4 shape = {.n = 1, .c = rows, .h = 1, .w = cols};
  return ALIGN(tpu_get_local_size(&shape, DT_FP16, 0, true), BANK_SIZE);
}

void matmul(const void* args) {
  const matmul_args* p = (const matmul_args*)args;
  const unsigned left_bytes = bytes(TILE_ROWS, p->inner), right_bytes = bytes(p->inner, TILE_COLS);
  const unsigned output_bytes = bytes(TILE_ROWS, TILE_COLS);
  const local_addr_t left[2] = {0, left_bytes};
  const local_addr_t right[2] = {2 * left_bytes, 2 * left_bytes + right_bytes};
  const local_addr_t first = 2 * (left_bytes + right_bytes),
                     output[2] = {first, first + output_bytes};
  TPUKERNEL_ASSERT(first + 2 * output_bytes <= (unsigned)LOCAL_MEM_SIZE);

  tpu_initialize();
  const int tiles = DIV_UP(p->rows, TILE_ROWS) * DIV_UP(p->cols, TILE_COLS);
  for (int step = 0; step < tiles + 2; ++step) {
    tpu_parallel_start();
    if (step < tiles) {
      const tile_t t = tile(p, step);
      const dim4 left_shape = {.n = 1, .c = t.rows, .h = 1, .w = p->inner};
      const dim4 right_shape = {.n = 1, .c = p->inner, .h = 1, .w = t.cols};
      const dim4 right_stride = {.n = 1, .c = p->cols, .h = p->cols, .w = 1};
      tpu_gdma_cpy_S2L(left[step % 2], p->left + 2ull * t.row * p->inner, &left_shape, NULL, NULL,
                       DT_FP16);
      tpu_gdma_cpy_S2L(right[step % 2], p->right + 2ull * t.col, &right_shape, NULL, &right_stride,
                       DT_FP16);
    }
    if (step >= 2) {
      const tile_t t = tile(p, step - 2);
      const dim4 shape = {.n = 1, .c = t.rows, .h = 1, .w = t.cols};
      const dim4 stride = {.n = 1, .c = p->cols, .h = p->cols, .w = 1};
      tpu_gdma_cpy_L2S(p->output + 2 * ((unsigned long long)t.row * p->cols + t.col),
                       output[step % 2], &shape, &stride, NULL, DT_FP16);
    }
    if (step >= 1 && step <= tiles) {
      const tile_t t = tile(p, step - 1);
      const int half = (step - 1) % 2;
      tpu_bdc_fp_mm(output[half], left[half], right[half], t.rows, p->inner, t.cols, DT_FP16,
                    DT_FP16, false);
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)
