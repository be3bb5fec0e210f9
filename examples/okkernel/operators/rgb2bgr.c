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
  int tiles;
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

// ---- Choosing the rows --------------------------------------------------------------------------

// False when the rows exceed local memory.
static bool complete_plan(rgb2bgr_plan* plan) {
  const int pixels = plan->args->pixels, words = align_up(3 * plan->row, 32);
  if (4 * words > local_words()) return false;
  plan->lanes = min_int(okk_npu_num(), pixels / plan->row);
  plan->tiles = ceil_div(pixels, plan->lanes * plan->row);
  for (int i = 0; i < 2; ++i) {
    plan->input[i] = (local_addr_t)(i * words) * kWord;
    plan->output[i] = (local_addr_t)((2 + i) * words) * kWord;
  }
  return true;
}

static float plan_time(const rgb2bgr_plan* plan) {
  const float lanes = (float)plan->lanes;
  const float transfer = dma_time(3 * lanes * plan->row, lanes);
  const float copies = 3.0f * ceil_div(plan->row, 16) / kCyclesPerMicrosecond;
  return pipeline_time(plan->tiles, transfer, copies, transfer, 5);
}

static void choose_plan(rgb2bgr_plan* best) {
  rgb2bgr_plan plan = *best;
  float best_time = -1.0f;
  const int most = ceil_div(plan.args->pixels, okk_npu_num());
  for (int i = 0; (plan.row = block_to_try(plan.args->tile_row, most, i)) > 0; ++i) {
    if (!complete_plan(&plan)) continue;
    const float time = plan_time(&plan);
    if (best_time < 0 || time < best_time) {
      best_time = time;
      *best = plan;
    }
  }
  OKKERNEL_ASSERT(best_time >= 0);
}

void operator_rgb2bgr(const void* context) {
  const rgb2bgr_args* args = context;
  okk_initialize();
  if (args->pixels <= 512) {
    swap_in_global_memory(args);
  } else {
    rgb2bgr_plan plan = {.args = args};
    choose_plan(&plan);
    run_pipeline(&plan, plan.tiles, load, compute, store);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_rgb2bgr)
