// Sums over any set of axes.
//
// Axes of size 1 vanish and neighbours of the same kind (summed or kept) become one. What is left
// is done one summed axis at a time, as outer x length x inner -> outer x inner, through scratch
// memory when there are two of them.
//
// The engine sums by average pooling: a window over the whole axis, times its length. Pooling takes
// sides up to 2047. A longer axis without inner elements is first cut into rows of 1024, which are
// summed element by element; that leaves an axis of 1024 and the tail.
#include "operators.h"
#include "tile.h"

enum { kOuter, kLength, kInner, kAxes };

enum { kMaxSide = 2047, kRow = 1024 };

static const column_tile kAny = {0, 0, 0, 0};

typedef struct {
  system_addr_t input, output;
  int input_pitch, output_pitch;  // from one outer index to the next
  column_tile asked;
  int total[kAxes];
  int row[kAxes];    // of each axis in one NPU
  int block[kAxes];  // of each axis in one tile
  int blocks[kAxes];
  int lane_axis;  // kOuter or kInner: the axis the NPUs share
  int lanes;
  local_addr_t in[2], out[2], sum;
} sum_plan;

typedef struct {
  int first[kAxes];
  int length;  // elements of the summed axis in this step
  int piece;
  bool first_part, last_part;
} sum_step;

static sum_step find_step(const sum_plan* plan, int step) {
  sum_step s;
  const int part = step % plan->blocks[kLength];
  s.piece = step / plan->blocks[kLength];
  s.first[kLength] = part * plan->block[kLength];
  s.length = min_int(plan->block[kLength], plan->total[kLength] - s.first[kLength]);
  s.first_part = part == 0;
  s.last_part = part == plan->blocks[kLength] - 1;
  s.first[kInner] =
      overlapped_start(s.piece % plan->blocks[kInner], plan->block[kInner], plan->total[kInner]);
  s.first[kOuter] =
      overlapped_start(s.piece / plan->blocks[kInner], plan->block[kOuter], plan->total[kOuter]);
  return s;
}

// Without inner elements the outer ones lie along h and the sum runs along w; with them the outer
// ones lie along n, the sum runs along h and the inner ones along w.
static bool sums_along_w(const sum_plan* plan) {
  return plan->total[kInner] == 1;
}

static dim4 input_shape(const sum_plan* plan, int length) {
  dim4 shape = {.n = 1, .c = plan->lanes, .h = plan->row[kOuter], .w = length};
  if (!sums_along_w(plan)) {
    shape.n = plan->row[kOuter];
    shape.h = length;
    shape.w = plan->row[kInner];
  }
  return shape;
}

static dim4 output_shape(const sum_plan* plan) {
  dim4 shape = input_shape(plan, 1);
  return shape;
}

static void load(const void* context, int step) {
  const sum_plan* plan = context;
  const sum_step s = find_step(plan, step);
  const int inner = plan->total[kInner];
  const dim4 shape = input_shape(plan, s.length);
  dim4 stride = {
      .n = plan->input_pitch,
      .c = plan->lane_axis == kOuter ? plan->row[kOuter] * plan->input_pitch : plan->row[kInner],
      .h = sums_along_w(plan) ? plan->input_pitch : inner,
      .w = 1};
  const system_addr_t skip = (system_addr_t)s.first[kOuter] * plan->input_pitch +
                             (system_addr_t)s.first[kLength] * inner + s.first[kInner];
  okk_gdma_32bit_cpy_S2L(plan->in[step % 2], plan->input + skip * kWord, &shape, NULL, &stride);
}

static void compute(const void* context, int step) {
  const sum_plan* plan = context;
  const sum_step s = find_step(plan, step);
  const dim4 shape = input_shape(plan, s.length);
  const dim4 result = output_shape(plan);
  const local_addr_t out = plan->out[s.piece % 2];
  const bool along_w = sums_along_w(plan);
  okk_bdc_avg_pool2d(plan->sum, plan->in[step % 2], &shape, along_w ? 1 : s.length,
                     along_w ? s.length : 1, NULL, NULL);
  if (s.first_part) {
    okk_bdc_mul_C(out, plan->sum, (float)s.length, &result, NULL, NULL);
  } else {
    okk_bdc_mac_C(out, plan->sum, (float)s.length, &result, NULL, NULL);
  }
}

static void store(const void* context, int step) {
  const sum_plan* plan = context;
  const sum_step s = find_step(plan, step);
  if (!s.last_part) return;
  dim4 shape = output_shape(plan);
  dim4 stride = {
      .n = plan->output_pitch,
      .c = plan->lane_axis == kOuter ? plan->row[kOuter] * plan->output_pitch : plan->row[kInner],
      .h = plan->output_pitch,
      .w = 1};
  const system_addr_t skip = (system_addr_t)s.first[kOuter] * plan->output_pitch + s.first[kInner];
  okk_gdma_32bit_cpy_L2S(plan->output + skip * kWord, plan->out[s.piece % 2], &shape, &stride,
                         NULL);
}

// ---- Choosing the blocks ------------------------------------------------------------------------

// False when the blocks exceed the engine or local memory.
static bool complete_plan(sum_plan* plan) {
  const dim4 in = input_shape(plan, plan->row[kLength]);
  const dim4 out = output_shape(plan);
  if (in.h > kMaxSide || in.w > kMaxSide) return false;
  const int in_words = in.n * align_up(in.h * in.w, 32);
  const int out_words = out.n * align_up(out.h * out.w, 32);
  if ((long long)2 * in_words + (long long)3 * out_words > local_words()) return false;
  plan->lanes = balanced_lanes(plan->total[plan->lane_axis], plan->row[plan->lane_axis]);
  for (int a = 0; a < kAxes; ++a) {
    plan->block[a] = plan->row[a] * (a == plan->lane_axis ? plan->lanes : 1);
    plan->blocks[a] = ceil_div(plan->total[a], plan->block[a]);
  }
  for (int k = 0; k < 2; ++k) {
    plan->in[k] = (local_addr_t)(k * in_words) * kWord;
    plan->out[k] = (local_addr_t)(2 * in_words + k * out_words) * kWord;
  }
  plan->sum = (local_addr_t)(2 * in_words + 2 * out_words) * kWord;
  return true;
}

static float plan_time(const sum_plan* plan) {
  float steps = 1.0f, words = 1.0f;
  for (int a = 0; a < kAxes; ++a) {
    steps *= plan->blocks[a];
    words *= plan->block[a];
  }
  const int length = plan->row[kLength];
  const float planes = (float)plan->lanes * plan->row[kOuter];
  // Without inner elements an NPU's whole columns follow each other, as its results do.
  const bool whole = sums_along_w(plan) && length == plan->total[kLength];
  const bool dense = plan->row[kInner] == plan->total[kInner];
  const float runs = whole ? plan->lanes : dense ? planes : planes * length;
  const float in = dma_time(words, runs);
  const float out =
      dma_time(words / length, sums_along_w(plan) ? plan->lanes : planes) / plan->blocks[kLength];
  const dim4 result = output_shape(plan);
  const float bdc =
      (float)result.n * ceil_div(result.h * result.w, 16) * (length + 3) / kCyclesPerMicrosecond;
  return pipeline_time(steps, in, bdc, out, 4);
}

static void choose_plan(sum_plan* best) {
  sum_plan plan = *best;
  float best_time = -1.0f;
  int* row = plan.row;
  const column_tile* ask = &plan.asked;
  for (plan.lane_axis = kOuter; plan.lane_axis <= kInner; plan.lane_axis += kInner - kOuter) {
    if (ask->shared != 0 && ask->shared != (plan.lane_axis == kOuter ? 1 : 2)) continue;
    for (int a = 0; (row[kOuter] = block_to_try(ask->outer, plan.total[kOuter], a)) > 0; ++a) {
      for (int b = 0; (row[kLength] = block_to_try(ask->length, plan.total[kLength], b)) > 0; ++b) {
        for (int d = 0; (row[kInner] = block_to_try(ask->inner, plan.total[kInner], d)) > 0; ++d) {
          if ((long long)row[kOuter] * row[kLength] * row[kInner] > local_words()) continue;
          if (!complete_plan(&plan)) continue;
          const float time = plan_time(&plan);
          if (best_time < 0 || time < best_time) {
            best_time = time;
            *best = plan;
          }
        }
      }
    }
  }
  OKKERNEL_ASSERT(best_time >= 0);
}

// ---- One summed axis ----------------------------------------------------------------------------

static void sum_pass(system_addr_t output, int output_pitch, system_addr_t input, int input_pitch,
                     int outer, int length, int inner, column_tile asked) {
  sum_plan plan = {.asked = asked,
                   .input = input,
                   .output = output,
                   .input_pitch = input_pitch,
                   .output_pitch = output_pitch,
                   .total = {outer, length, inner}};
  choose_plan(&plan);
  run_pipeline(&plan, plan.blocks[kOuter] * plan.blocks[kInner] * plan.blocks[kLength], load,
               compute, store);
}

static void copy(system_addr_t output, int output_pitch, system_addr_t input, int input_pitch,
                 int rows, int row) {
  dim4 shape = {.n = rows, .c = 1, .h = 1, .w = row};
  dim4 to = {.n = output_pitch, .c = 0, .h = 0, .w = 1};
  dim4 from = {.n = input_pitch, .c = 0, .h = 0, .w = 1};
  okk_gdma_32bit_cpy_S2S(output, input, &shape, &to, &from);
}

// Sums the middle axis of a dense outer x length x inner tensor.
static void sum_axis(system_addr_t output, system_addr_t input, system_addr_t scratch, int outer,
                     int length, int inner, column_tile asked) {
  if (inner > 1 || length <= kMaxSide) {
    sum_pass(output, inner, input, length * inner, outer, length, inner, asked);
    return;
  }
  const int tail = length % kRow, short_length = kRow + tail;
  sum_pass(scratch, short_length, input, length, outer, length / kRow, kRow, asked);
  if (tail > 0)
    copy(scratch + kRow * kWord, short_length, input + (system_addr_t)(length - tail) * kWord,
         length, outer, tail);
  sum_pass(output, 1, scratch, short_length, outer, short_length, 1, kAny);
}

// ---- Any axes -----------------------------------------------------------------------------------

typedef struct {
  int size;
  bool summed;
} axis;

static int find_axes(const reducesum_args* args, axis axes[4]) {
  const int sizes[4] = {args->N, args->C, args->H, args->W};
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    bool summed = false;
    for (int k = 0; k < args->axis_num; ++k) summed = summed || args->axis_list[k] == i;
    if (sizes[i] == 1) continue;
    if (count > 0 && axes[count - 1].summed == summed) {
      axes[count - 1].size *= sizes[i];
    } else {
      axes[count].size = sizes[i];
      axes[count].summed = summed;
      ++count;
    }
  }
  return count;
}

void operator_reducesum(const void* context) {
  const reducesum_args* args = context;
  axis axes[4];
  const int count = find_axes(args, axes);
  const system_addr_t intermediate = args->scratch_addr;
  const system_addr_t scratch =
      args->scratch_addr + (system_addr_t)args->N * args->C * args->H * args->W * kWord;
  int sums = 0;
  for (int i = 0; i < count; ++i) sums += axes[i].summed;

  okk_initialize();
  system_addr_t input = args->input_addr;
  column_tile asked = args->tile;
  if (sums == 0)  // nothing to sum but axes of size 1
    sum_axis(args->output_addr, input, scratch, args->N * args->C, 1, args->H * args->W, asked);
  for (int i = count - 1; i >= 0; --i) {
    if (!axes[i].summed) continue;
    int outer = 1, inner = 1;
    for (int k = 0; k < i; ++k) outer *= axes[k].size;
    for (int k = i + 1; k < count; ++k) inner *= axes[k].summed ? 1 : axes[k].size;
    const system_addr_t output = --sums == 0 ? args->output_addr : intermediate;
    sum_axis(output, input, scratch, outer, axes[i].size, inner, asked);
    input = output;
    asked = kAny;
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_reducesum)
