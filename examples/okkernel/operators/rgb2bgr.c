// Swaps the first and the third of three interleaved channels.
//
// Pixels are dealt to the NPUs in long rows, so that both transfers are contiguous; inside local
// memory three copies with a W stride of 3 pick the channels. Letting GDMA pick them instead would
// move every element as a run of its own, which costs about sixteen times the bandwidth.
#include "operators.h"
#include "tile.h"

typedef struct {
  const rgb2bgr_args* args;
  int lanes, row;  // NPUs per tile and pixels per NPU
  local_addr_t input[2], output[2];
} rgb2bgr_plan;

static system_addr_t tile_offset(const rgb2bgr_plan* plan, int step) {
  int first = overlapped_start(step, plan->lanes * plan->row, plan->args->pixels);
  return (system_addr_t)first * 3 * kWord;
}

static dim4 tile_shape(const rgb2bgr_plan* plan) {
  dim4 shape = {.n = 1, .c = plan->lanes, .h = 1, .w = 3 * plan->row};
  return shape;
}

static void load(const void* context, int step) {
  const rgb2bgr_plan* plan = context;
  dim4 shape = tile_shape(plan);
  okk_gdma_32bit_cpy_S2L(plan->input[step % 2], plan->args->input_addr + tile_offset(plan, step),
                         &shape, NULL, NULL);
}

static void compute(const void* context, int step) {
  const rgb2bgr_plan* plan = context;
  dim4 shape = {.n = 1, .c = plan->lanes, .h = 1, .w = plan->row};
  dim4 stride = {.n = 3 * plan->row, .c = 3 * plan->row, .h = 3 * plan->row, .w = 3};
  for (unsigned int channel = 0; channel < 3; ++channel)
    okk_bdc_32bit_cpy(plan->output[step % 2] + (2 - channel) * kWord,
                      plan->input[step % 2] + channel * kWord, &shape, &stride, &stride);
}

static void store(const void* context, int step) {
  const rgb2bgr_plan* plan = context;
  dim4 shape = tile_shape(plan);
  okk_gdma_32bit_cpy_L2S(plan->args->output_addr + tile_offset(plan, step), plan->output[step % 2],
                         &shape, NULL, NULL);
}

// Few pixels: three strided copies inside global memory take less than a trip to local memory.
static void swap_in_global_memory(const rgb2bgr_args* args) {
  dim4 shape = {.n = 1, .c = 1, .h = args->pixels, .w = 1};
  dim4 stride = {.n = 1, .c = 1, .h = 3, .w = 1};
  for (unsigned int channel = 0; channel < 3; ++channel)
    okk_gdma_32bit_cpy_S2S(args->output_addr + (2 - channel) * kWord,
                           args->input_addr + channel * kWord, &shape, &stride, &stride);
}

void operator_rgb2bgr(const void* context) {
  const rgb2bgr_args* args = context;
  okk_initialize();
  if (args->pixels <= 512) {
    swap_in_global_memory(args);
  } else {
    rgb2bgr_plan plan = {.args = args};
    // About 16 tiles, but not so small that issuing commands dominates nor beyond a quarter of the
    // local memory per buffer.
    plan.row = ceil_div(args->pixels, 16 * okk_npu_num());
    plan.row = min_int(max_int(align_up(plan.row, 32), 384), 4096);
    if (plan.row * okk_npu_num() > args->pixels) plan.row = ceil_div(args->pixels, okk_npu_num());
    if (args->tile_row != 0) plan.row = min_int(args->tile_row, args->pixels);
    OKKERNEL_ASSERT(plan.row > 0);
    plan.lanes = min_int(okk_npu_num(), args->pixels / plan.row);
    unsigned int buffer = (unsigned int)align_up(3 * plan.row, 32) * kWord;
    OKKERNEL_ASSERT(4 * buffer <= okk_local_mem_size_per_npu());
    for (unsigned int i = 0; i < 2; ++i) {
      plan.input[i] = i * buffer;
      plan.output[i] = (2 + i) * buffer;
    }
    run_pipeline(&plan, ceil_div(args->pixels, plan.lanes * plan.row), load, compute, store);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_rgb2bgr)
