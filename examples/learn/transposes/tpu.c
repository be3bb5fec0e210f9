#include "args.h"
#include "tpu_kernel.h"

// NCHW becomes NHWC. In local memory rows lie side by side (W), in global memory channels do. A
// copy wants W in one piece on both sides: the row goes as its H, with a W of one element, and the
// rows of an image as its N.
void channels_last(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 image = {.n = 1, .c = a->c, .h = a->h, .w = a->w},
             columns = {.n = a->h, .c = a->c, .h = a->w, .w = 1};
  const dim4 to = {.n = a->w * a->c, .c = 1, .h = a->c, .w = 1};
  dim4 from;
  tpu_aligned_stride(&from, 0, &image, DT_FP32);
  TPUKERNEL_ASSERT(from.n * (int)sizeof(float) <= tpu_local_mem_size_per_npu());
  from.n = a->w;  // from one row to the next
  from.h = 1;

  tpu_initialize();
  for (int n = 0; n < a->n; ++n) {
    const unsigned long long at = 4ull * n * a->c * a->h * a->w;
    tpu_gdma_cpy_S2L(0, a->input_addr + at, &image, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(a->output_addr + at, 0, &columns, &to, &from, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(channels_last)

// NCHW becomes CNHW: a copy of its own exchanges N and C.
void channels_first(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 turned = {.n = a->c, .c = a->n, .h = a->h, .w = a->w};
  TPUKERNEL_ASSERT(tpu_get_local_size(&turned, DT_FP32, 0, true) <= tpu_local_mem_size_per_npu());
  tpu_initialize();
  tpu_gdma_cpy_nc_trans_S2L(0, a->input_addr, &turned, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output_addr, 0, &turned, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(channels_first)

// NCHW becomes NWHC: the BDC exchanges C and W within local memory, and the copies move whole rows.
void channels_with_width(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = a->n, .c = a->c, .h = a->h, .w = a->w},
             turned = {.n = a->n, .c = a->w, .h = a->h, .w = a->c};
  dim4 lines;  // the result's: every row begins at a multiple of 64 bytes
  tpu_line_aligned_stride(&lines, 0, &turned, DT_FP32);
  const int half = tpu_local_mem_size_per_npu() / 2;
  TPUKERNEL_ASSERT(tpu_get_local_size(&shape, DT_FP32, 0, true) <= half);
  TPUKERNEL_ASSERT(turned.n * lines.n * (int)sizeof(float) <= half);
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_cw_trans(half, 0, &turned, DT_FP32);
  tpu_gdma_cpy_L2S(a->output_addr, half, &turned, NULL, &lines, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(channels_with_width)
