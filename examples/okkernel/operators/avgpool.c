// Average pooling of any size. The planes of all batches are alike, so they are one long channel
// axis.
//
// The engine divides by the window size and counts padding as zeros. Where windows reach into
// padding that does not count (count_include_pad = 0, or the columns and rows that ceil_mode adds),
// the result is divided by what the engine makes of a plane of ones: the share of the window that
// counts.
#include "operators.h"
#include "window_tiles.h"

enum { kMaxStride = 15 };

typedef struct {
  const avgpool_args* args;
  const window_problem* problem;
  dim2 kernel, stride;          // that the engine uses
  bool correct;                 // some windows reach into padding that does not count
  int more_rows, more_columns;  // rows and columns that ceil_mode adds
  // The tile whose shares are in problem->output_plane.
  dim4 share_shape;
  Padding share_padding;
} avgpool_state;

// Outputs along one axis as PyTorch counts them: in ceil mode a last window that would start in the
// padding behind the input is dropped.
static window pool_window(int size, int kernel, int before, int after, int step, int ceil_mode,
                          int* more) {
  window axis = make_window(size, kernel, before, after, step, 1);
  *more = 0;
  if (ceil_mode && (size + before + after - kernel) % step != 0 &&
      axis.outputs * step < size + before) {
    ++axis.outputs;
    *more = (axis.outputs - 1) * step + kernel - (size + before + after);
    axis.after += *more;
  }
  return axis;
}

// Pools with the engine's stride, then keeps the rows and columns that the operator's stride asks
// for.
static void pool(const avgpool_state* state, local_addr_t output, const dim4* output_shape,
                 local_addr_t raw, const dim4* raw_shape, local_addr_t input,
                 const dim4* input_shape, const Padding* padding) {
  okk_bdc_avg_pool2d(raw, input, input_shape, state->kernel.h, state->kernel.w, padding,
                     &state->stride);
  if (raw == output) return;
  dim4 stride, from;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, output_shape);
  okk_128_byte_aligned_stride_for_32bit(&from, 0, raw_shape);
  from.h = state->problem->thinning.h * raw_shape->w;
  from.w = state->problem->thinning.w;
  okk_bdc_mul_C(output, raw, 1.0f, output_shape, &stride, &from);
}

// Leaves 1 / share of the windows of a tile in problem->output_plane of every NPU.
static void find_shares(avgpool_state* state, const window_tile* tile) {
  const avgpool_args* args = state->args;
  dim4 ones = tile->input_shape;
  Padding padding = tile->padding;
  if (args->count_include_pad) {  // only what ceil_mode added does not count
    const int bottom = min_int(padding.bottom, args->pad_bottom);
    const int right = min_int(padding.right, args->pad_right);
    ones.h += padding.top + bottom;
    ones.w += padding.left + right;
    padding.top = padding.left = 0;
    padding.bottom -= bottom;
    padding.right -= right;
  }
  ones.n = 1;
  ones.c = okk_npu_num();
  const dim4* old = &state->share_shape;
  const Padding* before = &state->share_padding;
  if (old->h == ones.h && old->w == ones.w && before->top == padding.top &&
      before->bottom == padding.bottom && before->left == padding.left &&
      before->right == padding.right)
    return;
  state->share_shape = ones;
  state->share_padding = padding;
  dim4 shares = {.n = 1, .c = ones.c, .h = tile->output_shape.h, .w = tile->output_shape.w};
  dim4 raw = {.n = 1, .c = ones.c, .h = tile->raw_shape.h, .w = tile->raw_shape.w};
  const local_addr_t at = state->problem->output_plane;
  pool(state, at, &shares, tile->raw == tile->output ? at : tile->raw, &raw,
       state->problem->input_plane, &ones, &padding);
  okk_bdc_reciprocal(at, at, &shares, NULL, NULL);
}

static void compute(void* user, const window_tile* tile) {
  avgpool_state* state = user;
  pool(state, tile->output, &tile->output_shape, tile->raw, &tile->raw_shape, tile->input,
       &tile->input_shape, &tile->padding);
  if (state->correct) {
    find_shares(state, tile);
    dim4 same_for_all = {.n = 0, .c = 0, .h = tile->output_shape.w, .w = 1};
    okk_bdc_mul(tile->output, tile->output, state->problem->output_plane, &tile->output_shape, NULL,
                NULL, &same_for_all);
  }
}

// The plane of ones, spread by BDC from a single one per NPU.
static void prepare(void* user) {
  const avgpool_state* state = user;
  const x32 one = {.fp32 = 1.0f};
  const dim4 seed = {.n = 1, .c = okk_npu_num(), .h = 1, .w = 1};
  const dim4 plane = {.n = 1, .c = seed.c, .h = state->problem->input_plane_words / 32, .w = 32};
  const dim4 repeat = {.n = 0, .c = 0, .h = 0, .w = 0};
  const local_addr_t at = state->problem->output_plane;
  okk_gdma_32bit_set_C_local(at, one, &seed, NULL);
  okk_bdc_mul_C(state->problem->input_plane, at, 1.0f, &plane, NULL, &repeat);
}

static int largest_divisor(int number, int limit) {
  int best = min_int(number, limit);
  while (number % best != 0) --best;
  return best;
}

void operator_avgpool(const void* context) {
  const avgpool_args* args = context;
  avgpool_state state = {.args = args};
  window_problem problem = {.compute = compute, .user = &state, .asked = args->tile};
  state.problem = &problem;
  problem.images = 1;
  problem.channels = args->N * args->C;
  problem.rows = pool_window(args->H, args->kernel_h, args->pad_top, args->pad_bottom,
                             args->stride_h, args->ceil_mode, &state.more_rows);
  problem.columns = pool_window(args->W, args->kernel_w, args->pad_left, args->pad_right,
                                args->stride_w, args->ceil_mode, &state.more_columns);
  state.kernel.h = args->kernel_h;
  state.kernel.w = args->kernel_w;
  state.stride.h = largest_divisor(args->stride_h, kMaxStride);
  state.stride.w = largest_divisor(args->stride_w, kMaxStride);
  problem.thinning.h = args->stride_h / state.stride.h;
  problem.thinning.w = args->stride_w / state.stride.w;
  const bool padded = args->pad_top + args->pad_bottom + args->pad_left + args->pad_right > 0;
  state.correct = state.more_rows + state.more_columns > 0 || (padded && !args->count_include_pad);
  problem.needs_planes = state.correct;
  problem.cycles = (float)(args->kernel_h * args->kernel_w + (state.correct ? 2 : 0));
  problem.input = args->input_addr;
  problem.output = args->output_addr;

  // A window that is the whole plane sums one run of memory: then every NPU takes a share of the
  // planes as the rows of one image, and both transfers are long runs however small the planes are.
  const int plane = args->H * args->W;
  const int lanes = largest_divisor(problem.channels, okk_npu_num());
  if (args->kernel_h == args->H && args->kernel_w == args->W && !padded && plane <= 2047 &&
      2 * lanes > okk_npu_num()) {
    problem.rows = make_window(problem.channels / lanes, 1, 0, 0, 1, 1);
    problem.columns = make_window(plane, plane, 0, 0, 1, 1);
    problem.channels = lanes;
    state.kernel.h = 1;
    state.kernel.w = plane;
    state.stride.h = state.stride.w = 1;
    problem.thinning.h = problem.thinning.w = 1;
  }

  okk_initialize();
  window_tiles_run(&problem, state.correct ? prepare : NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_avgpool)
