// A sum over all cores by a ring: in each round a core passes on what it got in the last one, and
// tells the next core so by a message. Every round has messages and buffers of its own.
#include "cores.h"

enum { kFine, kNoWait, kTooMany, kTooFew, kSlotAgain, kNobodyWaits };

// in: a block of n fp32 per core; in2: one block per core and round; out: a sum per core.
void ring(const void* args) {
  const cores_args* a = (const cores_args*)args;
  const int core = tpu_core_index(), cores = tpu_core_num(), next = (core + 1) % cores;
  const local_addr_t sum = 0, passed = 16384;
  const dim4 shape = matrix(64, a->n / 64);
  const unsigned long long bytes = a->n * 4ull;

  tpu_initialize();
  tpu_gdma_cpy_S2L(sum, a->in + core * bytes, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(passed, a->in + core * bytes, &shape, NULL, NULL, DT_FP32);
  for (int round = 0; round < cores - 1; ++round) {
    const int first = 64 + (a->broken == kSlotAgain ? 0 : round * cores);
    const unsigned long long buffers = a->in2 + round * cores * bytes;
    tpu_gdma_cpy_L2S(buffers + next * bytes, passed, &shape, NULL, NULL, DT_FP32);  // @pass
    tpu_gdma_send_msg(first + next, a->broken == kTooFew ? 2 : 1);                  // @send
    if (a->broken == kNobodyWaits && round == 0) tpu_gdma_send_msg(500, 1);         // @lost
    if (a->broken != kNoWait)
      tpu_gdma_wait_msg(first + core, a->broken == kTooMany ? 2 : 1);               // @wait
    tpu_gdma_cpy_S2L(passed, buffers + core * bytes, &shape, NULL, NULL, DT_FP32);  // @take
    tpu_bdc_fp_add(sum, sum, passed, &shape, NULL, NULL, NULL, DT_FP32);
  }
  tpu_gdma_cpy_L2S(a->out + core * bytes, sum, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(ring)
