// Tiles of a long row that the cores take in turn: while a core computes one tile, its SDMA brings
// the next into L2, into the buffer of two that the tile does not come from.
#include "cores.h"

enum { kFine, kLoadBeside, kOneBuffer, kSameBuffers };

// in, out: n fp32, tiles of 64 x 16; out = in * in + in.
void prefetch(const void* args) {
  const cores_args* a = (const cores_args*)args;
  const int core = tpu_core_index(), cores = tpu_core_num(), tile = 64 * 16, tiles = a->n / tile;
  const local_addr_t x = 0, y = 16384;
  const dim4 shape = matrix(64, 16);
  const unsigned long long bytes = tile * 4;
  const int place = a->broken == kSameBuffers && core == 1 ? 0 : core;
  const system_addr_t buffers = L2_SRAM_START_ADDR + place * 2 * bytes;

  tpu_initialize();
  tpu_sdma_cpy_S2S(buffers, a->in + core * bytes, &shape, NULL, NULL, DT_FP32);  // @first
  for (int k = core, turn = 0; k < tiles; k += cores, ++turn) {
    const int next = a->broken == kOneBuffer ? 0 : (turn + 1) % 2;
    const system_addr_t from = buffers + (a->broken == kOneBuffer ? 0 : turn % 2) * bytes;
    if (a->broken != kLoadBeside) tpu_gdma_cpy_S2L(x, from, &shape, NULL, NULL, DT_FP32);
    tpu_parallel_start();
    if (k + cores < tiles)
      tpu_sdma_cpy_S2S(buffers + next * bytes, a->in + (k + cores) * bytes, &shape, NULL,  // @next
                       NULL, DT_FP32);
    if (a->broken == kLoadBeside || a->broken == kOneBuffer) {
      const local_addr_t to = a->broken == kLoadBeside ? x : 32768;
      tpu_gdma_cpy_S2L(to, from, &shape, NULL, NULL, DT_FP32);  // @load
    }
    tpu_bdc_fp_mul(y, x, x, &shape, NULL, NULL, NULL, DT_FP32);  // @square
    tpu_parallel_end();
    tpu_bdc_fp_add(y, y, x, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + k * bytes, y, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(prefetch)
