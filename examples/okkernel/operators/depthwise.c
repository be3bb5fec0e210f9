// Depthwise convolution of any size. The weight of up to 4032 channels stays in local memory.
//
// When there are fewer channels than NPUs, batches become channels too, and so do bands of rows,
// with a copy of the weight for each: 4 x 3 planes in 5 bands keep 60 NPUs busy instead of 3.
#include "operators.h"
#include "window_tiles.h"

enum { kMaxChannels = 4032 };

typedef struct {
  const depthwise_args* args;
  int channels;  // of the weight
  int copies;    // of the weight: batches that are channels
  system_addr_t weight;
  const window_problem* problem;
} depthwise_state;

static int taps(const depthwise_args* args) {
  return args->kernel_h * args->kernel_w;
}

static void compute(void* user, const window_tile* tile) {
  const depthwise_state* state = user;
  const depthwise_args* args = state->args;
  const int channel_row = tile->first_channel / okk_npu_num();
  const local_addr_t weight = (local_addr_t)(channel_row * taps(args)) * kWord;
  dim2 stride = {.h = args->stride_h, .w = args->stride_w};
  dim2 dilation = {.h = args->dilation_h, .w = args->dilation_w};
  okk_bdc_depthwise2d(tile->output, tile->input, weight, 0, &tile->input_shape, args->kernel_h,
                      args->kernel_w, false, &tile->padding, &stride, &dilation);
}

// Brings the weight to local address 0, compact, once per copy and band: first from memory, then
// from NPUs that have it, twice as many channels each time.
static void load_weight(void* user) {
  const depthwise_state* state = user;
  const depthwise_args* args = state->args;
  const int all = state->channels * state->copies * state->problem->bands;
  dim4 shape = {.n = 1, .c = state->channels, .h = args->kernel_h, .w = args->kernel_w};
  dim4 stride;
  okk_compact_stride(&stride, 0, &shape);
  okk_gdma_32bit_cpy_S2L(0, state->weight, &shape, &stride, NULL);
  for (int done = state->channels; done < all; done += shape.c) {
    shape.c = min_int(done, all - done);
    okk_gdma_32bit_cpy_L2L((local_addr_t)done * okk_local_mem_size_per_npu(), 0, &shape, &stride,
                           &stride);
  }
}

// The largest divisor of N that lets the copies of C channels share the NPUs.
static int batches_as_channels(const depthwise_args* args) {
  int copies = 1;
  for (int f = 2; f <= min_int(args->N, okk_npu_num() / args->C); ++f)
    if (args->N % f == 0) copies = f;
  return copies;
}

void operator_depthwise(const void* context) {
  const depthwise_args* args = context;
  window_problem problem = {.compute = compute, .thinning = {1, 1}, .asked = args->tile};
  problem.rows = make_window(args->H, args->kernel_h, args->pad_top, args->pad_bottom,
                             args->stride_h, args->dilation_h);
  problem.columns = make_window(args->W, args->kernel_w, args->pad_left, args->pad_right,
                                args->stride_w, args->dilation_w);
  problem.cycles = (float)(taps(args) * (args->stride_w + 1) - args->kernel_h);
  const int input_plane = args->H * args->W;
  const int output_plane = problem.rows.outputs * problem.columns.outputs;

  okk_initialize();
  if (args->C <= kMaxChannels) {
    depthwise_state state = {args, args->C, batches_as_channels(args), args->weight_addr, &problem};
    problem.images = args->N / state.copies;
    problem.channels = args->C * state.copies;
    problem.reserved_words = ceil_div(problem.channels, okk_npu_num()) * taps(args);
    problem.input = args->input_addr;
    problem.output = args->output_addr;
    problem.user = &state;
    problem.max_bands = okk_npu_num() / problem.channels;
    window_tiles_run(&problem, load_weight);
  } else {  // image by image, 4032 channels at a time
    for (int n = 0; n < args->N; ++n) {
      for (int c = 0; c < args->C; c += kMaxChannels) {
        depthwise_state state = {args, min_int(kMaxChannels, args->C - c), 1,
                                 args->weight_addr + (system_addr_t)c * taps(args) * kWord,
                                 &problem};
        const long long plane = (long long)n * args->C + c;
        problem.images = 1;
        problem.channels = state.channels;
        problem.reserved_words = ceil_div(problem.channels, okk_npu_num()) * taps(args);
        problem.input = args->input_addr + (system_addr_t)plane * input_plane * kWord;
        problem.output = args->output_addr + (system_addr_t)plane * output_plane * kWord;
        problem.user = &state;
        window_tiles_run(&problem, load_weight);
      }
    }
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_depthwise)
