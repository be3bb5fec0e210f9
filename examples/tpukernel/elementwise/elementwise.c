// int8 = round(relu(uint8 * scale + offset)), computed in fp16: what stands in front of a network.
//
// Any number of elements, tile by tile: while one tile is computed, the next is loaded and the one
// before is stored. Every NPU gets a run of neighbouring elements.
#include "elementwise.h"

#include "tpu_kernel.h"

enum { kWidth = 4096 };  // elements of a tile on one NPU

typedef struct {
  dim4 shape;
  long long begin;  // first element
} Tile;

// Tile `i` of `count` elements: whole NPUs while there are enough, then what is left on one.
static Tile tile(const normalize_args* p, int i) {
  const long long size = (long long)NPU_NUM * kWidth;
  const long long whole = p->count / size;
  Tile t = {.shape = {.n = 1, .c = NPU_NUM, .h = 1, .w = kWidth}, .begin = i * size};
  if (i < whole) return t;
  const long long rest = p->count - whole * size;
  const int width = (int)(rest / NPU_NUM);
  if (width > 0 && i == whole) {
    t.shape.w = width;
    return t;
  }
  t.begin = whole * size + (long long)width * NPU_NUM;
  t.shape.c = 1;
  t.shape.w = (int)(p->count - t.begin);
  return t;
}

static int tile_count(const normalize_args* p) {
  const long long size = (long long)NPU_NUM * kWidth;
  const long long rest = p->count % size;
  return (int)(p->count / size) + (rest / NPU_NUM > 0) + (rest % NPU_NUM > 0);
}

void normalize(const void* args) {
  const normalize_args* p = (const normalize_args*)args;
  // Two buffers each for what comes and what goes, in banks of their own.
  const local_addr_t input[2] = {0, BANK_SIZE}, output[2] = {2 * BANK_SIZE, 3 * BANK_SIZE};
  const local_addr_t half = 4 * BANK_SIZE;
  scalar_t scale = {.f32 = p->scale}, offset = {.f32 = p->offset};
  scale = tpu_fp_cast(scale, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  offset = tpu_fp_cast(offset, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);

  tpu_initialize();
  const int tiles = tile_count(p);
  for (int step = 0; step < tiles + 2; ++step) {
    tpu_parallel_start();
    if (step < tiles) {
      const Tile t = tile(p, step);
      tpu_gdma_cpy_S2L(input[step % 2], p->input_addr + t.begin, &t.shape, NULL, NULL, DT_UINT8);
    }
    if (step >= 2) {
      const Tile t = tile(p, step - 2);
      tpu_gdma_cpy_L2S(p->output_addr + t.begin, output[step % 2], &t.shape, NULL, NULL, DT_INT8);
    }
    if (step >= 1 && step <= tiles) {
      const Tile t = tile(p, step - 1);
      const local_addr_t from = input[(step - 1) % 2], to = output[(step - 1) % 2];
      tpu_bdc_cast(half, from, &t.shape, NULL, NULL, DT_FP16, DT_UINT8, RM_HALF_TO_EVEN);
      tpu_bdc_fp_mul_C(half, half, scale, &t.shape, NULL, NULL, DT_FP16);
      tpu_bdc_fp_add_C(half, half, offset, &t.shape, NULL, NULL, DT_FP16);
      tpu_bdc_relu(half, half, &t.shape, NULL, NULL, DT_FP16);
      tpu_bdc_cast(to, half, &t.shape, NULL, NULL, DT_INT8, DT_FP16, RM_HALF_TO_EVEN);
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(normalize)
