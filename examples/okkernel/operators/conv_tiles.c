// Tiles of a convolution. One step of the pipeline takes a block of every axis:
//
//   images, output rows, output columns    a piece of the output ...
//   output channels                        ... spread over the NPUs
//   input channels                         summed over consecutive steps of the same piece
//
// Input, weight and output live in two buffers each. Output channels are the slowest axis, so that
// one weight block serves all pieces; input channels are the fastest, so that an output piece stays
// in its buffer until it is complete.
#include "conv_tiles.h"

#include "conv_weight.h"

enum { kImages, kRows, kColumns, kOut, kIn, kAxes };

enum { kMaxChannels = 4032, kMaxSide = 2047, kMaxCopy = 65535 };

typedef struct {
  const conv_problem* problem;
  int kernel_rows, taps;  // of the engine's convolution
  int total[kAxes];
  int block[kAxes];
  int blocks[kAxes];
  local_addr_t input[2], weight[2], output[2];
} conv_plan;

// First element and number of elements of every axis in one step.
typedef struct {
  int first[kAxes], count[kAxes];
  int piece;         // index of the output piece
  int weight_block;  // index of the weight block
  bool first_in, last_in, new_weight;
} conv_step;

static conv_step find_step(const conv_plan* plan, int step) {
  static const int fastest_first[kAxes] = {kIn, kColumns, kRows, kImages, kOut};
  conv_step s;
  int index[kAxes];
  int rest = step;
  for (int k = 0; k < kAxes; ++k) {
    const int a = fastest_first[k];
    index[a] = rest % plan->blocks[a];
    rest /= plan->blocks[a];
    s.first[a] = index[a] * plan->block[a];
    s.count[a] = min_int(plan->block[a], plan->total[a] - s.first[a]);
  }
  s.first_in = index[kIn] == 0;
  s.last_in = index[kIn] == plan->blocks[kIn] - 1;
  s.piece = step / plan->blocks[kIn];
  const bool streamed = plan->blocks[kIn] > 1;  // the weight changes with every step
  s.weight_block = streamed ? step : index[kOut];
  s.new_weight = streamed || (index[kColumns] == 0 && index[kRows] == 0 && index[kImages] == 0);
  return s;
}

static bool rows_are_channels(const conv_plan* plan) {
  return plan->problem->row_taps > 1;
}

// The input of one step as the engine sees it, and the padding around it.
static dim4 input_shape(const conv_plan* plan, const conv_step* s, Padding* padding) {
  const conv_problem* p = plan->problem;
  const window_part x = window_input(&p->columns, s->first[kColumns], s->count[kColumns]);
  dim4 shape = {.n = s->count[kImages], .c = s->count[kIn], .h = s->count[kRows], .w = x.size};
  Padding around = {.top = 0, .bottom = 0, .left = x.before, .right = x.after};
  if (!rows_are_channels(plan)) {
    const window_part y = window_input(&p->rows, s->first[kRows], s->count[kRows]);
    shape.h = y.size;
    around.top = y.before;
    around.bottom = y.after;
  }
  if (padding != NULL) *padding = around;
  return shape;
}

// ---- Stages -------------------------------------------------------------------------------------

static void load_plain(const conv_plan* plan, const conv_step* s, local_addr_t to) {
  const conv_problem* p = plan->problem;
  const dim4 shape = input_shape(plan, s, NULL);
  const window_part y = window_input(&p->rows, s->first[kRows], s->count[kRows]);
  const window_part x = window_input(&p->columns, s->first[kColumns], s->count[kColumns]);
  OKKERNEL_ASSERT(y.size > 0 && x.size > 0);
  const system_addr_t skip = (system_addr_t)s->first[kImages] * p->input_stride.n +
                             (system_addr_t)s->first[kIn] * p->input_stride.c +
                             (system_addr_t)y.start * p->input_stride.h + x.start;
  okk_gdma_32bit_cpy_S2L(to, p->input + skip * kWord, &shape, NULL, &p->input_stride);
}

// Every kernel row of every channel is a channel of its own. One transfer per channel, or one per
// kernel row with the rows that lie in padding set to zero.
static void load_rows_as_channels(const conv_plan* plan, const conv_step* s, local_addr_t to) {
  const conv_problem* p = plan->problem;
  const window* rows = &p->rows;
  dim4 shape = input_shape(plan, s, NULL);
  dim4 local, system = p->input_stride;
  okk_128_byte_aligned_stride_for_32bit(&local, 0, &shape);
  system.h = rows->step * p->input_stride.h;
  const system_addr_t input =
      p->input + ((system_addr_t)s->first[kImages] * p->input_stride.n +
                  window_input(&p->columns, s->first[kColumns], s->count[kColumns]).start) *
                     kWord;
  const int transfers = p->channel_major ? p->channels : p->row_taps;
  const int channels = shape.c / transfers;
  const int npus = okk_npu_num();
  shape.c = channels;
  for (int t = 0; t < transfers; ++t) {
    const int channel = t * channels;
    const local_addr_t at = to + (local_addr_t)(channel % npus) * okk_local_mem_size_per_npu() +
                            (local_addr_t)(channel / npus * local.c) * kWord;
    if (p->channel_major) {
      system.c = rows->dilation * p->input_stride.h;
      okk_gdma_32bit_cpy_S2L(
          at,
          input + ((system_addr_t)t * p->input_stride.c +
                   (system_addr_t)s->first[kRows] * rows->step * p->input_stride.h) *
                      kWord,
          &shape, &local, &system);
      continue;
    }
    // Output rows [from, to_row) of this step take input rows inside the image.
    const int shift = rows->before - t * rows->dilation;
    const int end = s->first[kRows] + s->count[kRows];
    int from = shift > 0 ? ceil_div(shift, rows->step) : 0;
    int until = rows->size - 1 + shift < 0 ? 0 : (rows->size - 1 + shift) / rows->step + 1;
    from = min_int(max_int(from, s->first[kRows]), end);
    until = max_int(min_int(until, end), from);
    const x32 zero = {.u32 = 0};
    dim4 part = shape;
    part.h = from - s->first[kRows];
    if (part.h > 0) okk_gdma_32bit_set_C_local(at, zero, &part, &local);
    part.h = end - until;
    if (part.h > 0)
      okk_gdma_32bit_set_C_local(at + (local_addr_t)((until - s->first[kRows]) * local.h) * kWord,
                                 zero, &part, &local);
    part.h = until - from;
    if (part.h > 0)
      okk_gdma_32bit_cpy_S2L(
          at + (local_addr_t)((from - s->first[kRows]) * local.h) * kWord,
          input + (system_addr_t)(from * rows->step - shift) * p->input_stride.h * kWord, &part,
          &local, &system);
  }
}

// Words of one output channel's weight in one step, in local memory.
static int weight_row(const conv_plan* plan, int in_channels) {
  return ceil_div(in_channels, 2) * 2 * plan->taps;
}

static void load_weight(const conv_plan* plan, const conv_step* s) {
  const conv_problem* p = plan->problem;
  const int row = weight_row(plan, s->count[kIn]);
  const int skip = s->first[kIn] * plan->taps;
  dim4 shape = {.n = 1, .c = s->count[kOut], .h = 1, .w = min_int(row, p->weight_words - skip)};
  dim4 local = {.n = 0, .c = row, .h = row, .w = 1};
  dim4 system = {.n = 0, .c = p->weight_words, .h = p->weight_words, .w = 1};
  okk_gdma_32bit_cpy_S2L(
      plan->weight[s->weight_block % 2],
      p->weight + ((system_addr_t)s->first[kOut] * p->weight_words + skip) * kWord, &shape, &local,
      &system);
}

static void load(const void* context, int step) {
  const conv_plan* plan = context;
  const conv_step s = find_step(plan, step);
  if (s.new_weight) load_weight(plan, &s);
  if (rows_are_channels(plan)) {
    load_rows_as_channels(plan, &s, plan->input[step % 2]);
  } else {
    load_plain(plan, &s, plan->input[step % 2]);
  }
}

static void compute(const void* context, int step) {
  const conv_plan* plan = context;
  const conv_problem* p = plan->problem;
  const conv_step s = find_step(plan, step);
  Padding padding;
  const dim4 shape = input_shape(plan, &s, &padding);
  const int kernel_w = p->columns.kernel;
  const int pairs = ceil_div(shape.c, 2);
  dim4 kernel_stride = {.n = plan->taps, .c = pairs * plan->taps, .h = kernel_w, .w = 1};
  dim2 stride = {.h = rows_are_channels(plan) ? 1 : p->rows.step, .w = p->columns.step};
  dim2 dilation = {.h = rows_are_channels(plan) ? 1 : p->rows.dilation, .w = p->columns.dilation};
  okk_bdc_conv2d(plan->output[s.piece % 2], plan->input[step % 2], plan->weight[s.weight_block % 2],
                 0, &shape, s.count[kOut], plan->kernel_rows, kernel_w, NULL, &kernel_stride, false,
                 !s.first_in, &padding, &stride, &dilation);
}

static void store(const void* context, int step) {
  const conv_plan* plan = context;
  const conv_problem* p = plan->problem;
  const conv_step s = find_step(plan, step);
  if (!s.last_in) return;
  dim4 shape = {
      .n = s.count[kImages], .c = s.count[kOut], .h = s.count[kRows], .w = s.count[kColumns]};
  const system_addr_t skip = (system_addr_t)s.first[kImages] * p->output_stride.n +
                             (system_addr_t)s.first[kOut] * p->output_stride.c +
                             (system_addr_t)s.first[kRows] * p->output_stride.h + s.first[kColumns];
  okk_gdma_32bit_cpy_L2S(p->output + skip * kWord, plan->output[s.piece % 2], &shape,
                         &p->output_stride, NULL);
}

// ---- Choosing the blocks ------------------------------------------------------------------------

// Largest input block along one window axis.
static int input_side(const window* axis, int outputs) {
  return min_int(axis->size, (outputs - 1) * axis->step + window_extent(axis));
}

// Words per NPU of the three buffers. False when a limit of the engine is exceeded.
static bool buffer_words(const conv_plan* plan, int* input, int* weight, int* output) {
  const conv_problem* p = plan->problem;
  const int* b = plan->block;
  const int npus = okk_npu_num();
  const int in_w = input_side(&p->columns, b[kColumns]);
  const int in_h = rows_are_channels(plan) ? b[kRows] : input_side(&p->rows, b[kRows]);
  const int padded_h =
      rows_are_channels(plan) ? b[kRows] : (b[kRows] - 1) * p->rows.step + window_extent(&p->rows);
  const int padded_w = (b[kColumns] - 1) * p->columns.step + window_extent(&p->columns);
  if (padded_h > kMaxSide || padded_w > kMaxSide) return false;
  if (weight_row(plan, b[kIn]) > kMaxCopy) return false;
  const long long in = (long long)b[kImages] * ceil_div(b[kIn], npus) * align_up(in_h * in_w, 32);
  const long long wt = (long long)ceil_div(b[kOut], npus) * weight_row(plan, b[kIn]);
  const long long out =
      (long long)b[kImages] * ceil_div(b[kOut], npus) * align_up(b[kRows] * b[kColumns], 32);
  if (in > local_words() || wt > local_words() || out > local_words()) return false;
  *input = (int)in;
  *weight = align_up((int)wt, 32);
  *output = (int)out;
  return true;
}

static int weight_slots(const conv_plan* plan) {
  return plan->blocks[kOut] * plan->blocks[kIn] > 1 ? 2 : 1;
}

// Gives the buffers their addresses. False when they do not fit.
static bool place_buffers(conv_plan* plan) {
  int input, weight, output;
  if (!buffer_words(plan, &input, &weight, &output)) return false;
  const int slots = weight_slots(plan);
  if ((long long)2 * input + (long long)slots * weight + (long long)2 * output > local_words())
    return false;
  local_addr_t next = 0;
  for (int k = 0; k < 2; ++k) {
    plan->output[k] = next;
    next += (local_addr_t)output * kWord;
    plan->input[k] = next;
    next += (local_addr_t)input * kWord;
    plan->weight[k] = k < slots ? next : plan->weight[0];
    next += k < slots ? (local_addr_t)weight * kWord : 0;
  }
  return true;
}

static float plan_time(const conv_plan* plan) {
  const conv_problem* p = plan->problem;
  const int* b = plan->block;
  float steps = 1.0f;
  for (int a = 0; a < kAxes; ++a) steps *= plan->blocks[a];
  const int in_w = input_side(&p->columns, b[kColumns]);
  const int in_h = rows_are_channels(plan) ? b[kRows] : input_side(&p->rows, b[kRows]);
  const bool dense = in_w == p->input_stride.h && !(rows_are_channels(plan) && p->rows.step > 1);
  const float planes = (float)b[kImages] * b[kIn];
  const float in = dma_time(planes * in_h * in_w, dense ? planes : planes * in_h);
  const float weight = dma_time((float)b[kOut] * weight_row(plan, b[kIn]), b[kOut]);
  const bool dense_out = b[kColumns] == p->output_stride.h;
  const float out_planes = (float)b[kImages] * b[kOut];
  const float out =
      dma_time(out_planes * b[kRows] * b[kColumns], dense_out ? out_planes : out_planes * b[kRows]);
  const bool sums = plan->blocks[kIn] > 1;
  const float groups =
      (float)b[kImages] * ceil_div(b[kOut], okk_npu_num()) * ceil_div(b[kRows] * b[kColumns], 16);
  const float cycles =
      groups *
      (conv_cycles(plan->taps, b[kIn], p->columns.step, p->columns.kernel) + (sums ? 4 : 0));
  const float bdc = cycles / kCyclesPerMicrosecond;
  const float weight_loads = sums ? steps : plan->blocks[kOut];
  const int loads = !rows_are_channels(plan) ? 1 : p->channel_major ? p->channels : p->row_taps;
  const float first_load = weight * (1 - weight_loads / steps);
  return first_load + pipeline_time(steps, in + weight * weight_loads / steps, bdc,
                                    out / plan->blocks[kIn], (float)(loads + 2));
}

// The largest block to try for channels: multiples of the NPU number, below the engine's limit.
static int channel_block(int asked, int total, int index) {
  const int block = block_to_try(asked, total, index);
  if (block == 0 || block == total) return min_int(block, kMaxChannels);
  return min_int(min_int(align_up(block, okk_npu_num()), total), kMaxChannels);
}

static void choose_plan(conv_plan* best) {
  conv_plan plan = *best;
  float best_time = -1.0f;
  int* b = plan.block;
  const int columns = plan.total[kColumns];
  const int in_channels = plan.total[kIn], out_channels = plan.total[kOut];
  const conv_tile* ask = &plan.problem->asked;
  for (int o = 0; (b[kOut] = channel_block(ask->out_channels, out_channels, o)) > 0; ++o) {
    if (o > 0 && b[kOut] == channel_block(0, out_channels, o - 1)) continue;
    for (int i = 0; (b[kIn] = channel_block(ask->in_channels, in_channels, i)) > 0; ++i) {
      if (i > 0 && b[kIn] == channel_block(0, in_channels, i - 1)) continue;
      if (rows_are_channels(&plan) && b[kIn] < in_channels) continue;
      for (int c = 0; (b[kColumns] = block_to_try(ask->columns, columns, c)) > 0; ++c) {
        if (c > 0) b[kColumns] = min_int(align_up(b[kColumns], 32), columns);
        if (c > 0 && (columns <= 1024 || b[kColumns] < 64)) break;
        for (int r = 0; (b[kRows] = block_to_try(ask->rows, plan.total[kRows], r)) > 0; ++r) {
          for (int n = 0; (b[kImages] = block_to_try(ask->images, plan.total[kImages], n)) > 0;
               ++n) {
            for (int a = 0; a < kAxes; ++a) plan.blocks[a] = ceil_div(plan.total[a], b[a]);
            if (!place_buffers(&plan)) continue;
            const float time = plan_time(&plan);
            if (best_time < 0 || time < best_time) {
              best_time = time;
              *best = plan;
            }
          }
        }
      }
    }
  }
  OKKERNEL_ASSERT(best_time >= 0);
}

void conv_tiles_run(const conv_problem* problem) {
  conv_plan plan = {.problem = problem};
  plan.kernel_rows = problem->row_taps > 1 ? 1 : problem->rows.kernel;
  plan.taps = plan.kernel_rows * problem->columns.kernel;
  plan.total[kImages] = problem->images;
  plan.total[kRows] = problem->rows.outputs;
  plan.total[kColumns] = problem->columns.outputs;
  plan.total[kOut] = problem->out_channels;
  plan.total[kIn] = problem->channels * problem->row_taps;
  choose_plan(&plan);
  int steps = 1;
  for (int a = 0; a < kAxes; ++a) steps *= plan.blocks[a];
  run_pipeline(&plan, steps, load, compute, store);
}
