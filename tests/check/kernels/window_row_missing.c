// Row 3 of the input was not loaded; the second row of windows covers it. Nothing covers row 4.
// expect TL-INIT-001 depthwise load | local memory NPUs 0..63 offsets 48..63
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, in = {1, 64, 5, 4}, nine = {1, 64, 3, 3}, out = {1, 64, 2, 2};
  dim4 loaded = {1, 64, 3, 4}, local, global, compact;
  dim2 one = {1, 1}, two = {2, 2};
  Padding top = {1, 0, 1, 1};
  okk_gdma_32bit_cpy_S2L(16384, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 16384, &all, 0, 0);
  okk_compact_stride(&compact, 0, &nine);
  okk_gdma_32bit_cpy_S2L(4096, a->input, &nine, &compact, 0);
  okk_128_byte_aligned_stride_for_32bit(&local, 0, &in);
  okk_continuous_stride(&global, &in);
  okk_gdma_32bit_cpy_S2L(0, a->input, &loaded, &local, &global);              // @load
  okk_bdc_depthwise2d(8192, 0, 4096, 0, &in, 3, 3, false, &top, &two, &one);  // @depthwise
  okk_gdma_32bit_cpy_L2S(a->output, 8192, &out, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
