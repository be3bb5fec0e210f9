// Tiles of a window operator: blocks of images, channels, output rows and output columns. Channels
// go to the NPUs, so blocks of channels are multiples of their number.
//
// With bands, every NPU gets a band of the output rows of its channel. Bands are alike: each brings
// the rows of its padding along as zeros, and the last is moved back to end with the output.
#include "window_tiles.h"

enum { kImages, kChannels, kRows, kColumns, kAxes };

enum { kMaxChannels = 4032, kMaxSide = 2047 };

typedef struct {
  const window_problem* problem;
  int bands;
  int total[kAxes];  // kRows: of one band
  int block[kAxes];
  int blocks[kAxes];
  local_addr_t input[2], output[2], raw;
} window_plan;

typedef struct {
  int first[kAxes], count[kAxes];
  window_part rows, columns;
} window_step;

static int padded_side(const window* axis, int outputs) {
  return (outputs - 1) * axis->step + window_extent(axis);
}

static window_step find_step(const window_plan* plan, int step) {
  window_step s;
  for (int a = kAxes - 1; a >= 0; --a) {
    s.first[a] = step % plan->blocks[a] * plan->block[a];
    s.count[a] = min_int(plan->block[a], plan->total[a] - s.first[a]);
    step /= plan->blocks[a];
  }
  if (plan->bands > 1) {
    const window_part padded = {0, padded_side(&plan->problem->rows, s.count[kRows]), 0, 0};
    s.rows = padded;
  } else {
    s.rows = window_input(&plan->problem->rows, s.first[kRows], s.count[kRows]);
  }
  s.columns = window_input(&plan->problem->columns, s.first[kColumns], s.count[kColumns]);
  OKKERNEL_ASSERT(s.rows.size > 0 && s.columns.size > 0);
  return s;
}

static dim4 input_shape(const window_plan* plan, const window_step* s) {
  dim4 shape = {.n = s->count[kImages],
                .c = s->count[kChannels] * plan->bands,
                .h = s->rows.size,
                .w = s->columns.size};
  return shape;
}

static dim4 output_shape(const window_plan* plan, const window_step* s) {
  dim4 shape = {.n = s->count[kImages],
                .c = s->count[kChannels] * plan->bands,
                .h = s->count[kRows],
                .w = s->count[kColumns]};
  return shape;
}

// What the engine computes: the outputs and, between them, those that are thinned out.
static int raw_side(int outputs, int thinning) {
  return (outputs - 1) * thinning + 1;
}

static bool thins_out(const window_problem* p) {
  return p->thinning.h > 1 || p->thinning.w > 1;
}

// Offset in bytes of element (image, channel, row, column) of a dense tensor.
static system_addr_t offset(const window_plan* plan, const window_step* s, int rows, int columns,
                            int row, int column) {
  const long long plane =
      (long long)s->first[kImages] * plan->total[kChannels] + s->first[kChannels];
  return (system_addr_t)((plane * rows + row) * columns + column) * kWord;
}

static int band_first_row(const window_plan* plan, const window_step* s, int band) {
  return overlapped_start(band, plan->total[kRows], plan->problem->rows.outputs) + s->first[kRows];
}

static local_addr_t band_address(const window_plan* plan, int band) {
  return (local_addr_t)(band * plan->total[kChannels]) * okk_local_mem_size_per_npu();
}

// The rows of one band of the input, and zeros for those in the padding.
static void load_band(const window_plan* plan, const window_step* s, int band, local_addr_t to) {
  const window_problem* p = plan->problem;
  const dim4 whole = {plan->total[kImages], plan->total[kChannels], p->rows.size, p->columns.size};
  const window_part rows = window_input(&p->rows, band_first_row(plan, s, band), s->count[kRows]);
  const int inside = max_int(rows.size, 0);
  const int above = min_int(rows.before, s->rows.size);
  const x32 zero = {.u32 = 0};
  dim4 shape = input_shape(plan, s);
  dim4 local, system;
  okk_128_byte_aligned_stride_for_32bit(&local, 0, &shape);
  okk_continuous_stride(&system, &whole);
  shape.c = plan->total[kChannels];
  shape.h = above;
  if (shape.h > 0) okk_gdma_32bit_set_C_local(to, zero, &shape, &local);
  to += (local_addr_t)(above * local.h) * kWord;
  shape.h = inside;
  if (shape.h > 0)
    okk_gdma_32bit_cpy_S2L(
        to, p->input + offset(plan, s, p->rows.size, p->columns.size, rows.start, s->columns.start),
        &shape, &local, &system);
  to += (local_addr_t)(inside * local.h) * kWord;
  shape.h = s->rows.size - above - inside;
  if (shape.h > 0) okk_gdma_32bit_set_C_local(to, zero, &shape, &local);
}

static void load(const void* context, int step) {
  const window_plan* plan = context;
  const window_problem* p = plan->problem;
  const window_step s = find_step(plan, step);
  const local_addr_t to = plan->input[step % 2];
  if (plan->bands > 1) {
    for (int band = 0; band < plan->bands; ++band)
      load_band(plan, &s, band, to + band_address(plan, band));
    return;
  }
  const dim4 shape = input_shape(plan, &s);
  const dim4 whole = {plan->total[kImages], plan->total[kChannels], p->rows.size, p->columns.size};
  dim4 stride;
  okk_continuous_stride(&stride, &whole);
  okk_gdma_32bit_cpy_S2L(
      to, p->input + offset(plan, &s, p->rows.size, p->columns.size, s.rows.start, s.columns.start),
      &shape, NULL, &stride);
}

static void compute(const void* context, int step) {
  const window_plan* plan = context;
  const window_step s = find_step(plan, step);
  window_tile tile = {.first_channel = s.first[kChannels],
                      .input_shape = input_shape(plan, &s),
                      .output_shape = output_shape(plan, &s),
                      .padding = {.top = s.rows.before,
                                  .bottom = s.rows.after,
                                  .left = s.columns.before,
                                  .right = s.columns.after},
                      .input = plan->input[step % 2],
                      .output = plan->output[step % 2],
                      .raw_shape = output_shape(plan, &s),
                      .raw = plan->output[step % 2]};
  if (thins_out(plan->problem)) {
    tile.raw_shape.h = raw_side(tile.output_shape.h, plan->problem->thinning.h);
    tile.raw_shape.w = raw_side(tile.output_shape.w, plan->problem->thinning.w);
    tile.raw = plan->raw;
  }
  plan->problem->compute(plan->problem->user, &tile);
}

static void store(const void* context, int step) {
  const window_plan* plan = context;
  const window_problem* p = plan->problem;
  const window_step s = find_step(plan, step);
  dim4 shape = output_shape(plan, &s);
  const dim4 whole = {plan->total[kImages], plan->total[kChannels], p->rows.outputs,
                      p->columns.outputs};
  dim4 local, system;
  okk_128_byte_aligned_stride_for_32bit(&local, 0, &shape);
  okk_continuous_stride(&system, &whole);
  shape.c /= plan->bands;
  for (int band = 0; band < plan->bands; ++band) {
    const int row = plan->bands > 1 ? band_first_row(plan, &s, band) : s.first[kRows];
    okk_gdma_32bit_cpy_L2S(
        p->output + offset(plan, &s, p->rows.outputs, p->columns.outputs, row, s.first[kColumns]),
        plan->output[step % 2] + band_address(plan, band), &shape, &system, &local);
  }
}

// ---- Choosing the blocks ------------------------------------------------------------------------

static int input_side(const window* axis, int outputs) {
  return min_int(axis->size, padded_side(axis, outputs));
}

static int input_rows(const window_plan* plan) {
  const window* rows = &plan->problem->rows;
  const int outputs = plan->block[kRows];
  return plan->bands > 1 ? padded_side(rows, outputs) : input_side(rows, outputs);
}

// Gives the buffers their addresses. False when they do not fit.
static bool place_buffers(window_plan* plan, window_problem* p) {
  const int* b = plan->block;
  if (padded_side(&p->rows, b[kRows]) > kMaxSide) return false;
  if (padded_side(&p->columns, b[kColumns]) > kMaxSide) return false;
  const int channel_rows = ceil_div(b[kChannels] * plan->bands, okk_npu_num());
  const long long in = (long long)b[kImages] * channel_rows *
                       align_up(input_rows(plan) * input_side(&p->columns, b[kColumns]), 32);
  const long long out = (long long)b[kImages] * channel_rows * align_up(b[kRows] * b[kColumns], 32);
  const long long plane =
      align_up(padded_side(&p->rows, b[kRows]) * padded_side(&p->columns, b[kColumns]), 32);
  const long long out_plane = align_up(b[kRows] * b[kColumns], 32);
  const long long reserved = align_up(p->reserved_words, 32);
  const long long planes = p->needs_planes ? plane + out_plane : 0;
  const int raw_plane = raw_side(b[kRows], p->thinning.h) * raw_side(b[kColumns], p->thinning.w);
  const long long raw =
      thins_out(p) ? (long long)b[kImages] * channel_rows * align_up(raw_plane, 32) : 0;
  if (reserved + planes + raw + 2 * in + 2 * out > local_words()) return false;
  local_addr_t next = (local_addr_t)reserved * kWord;
  if (p->needs_planes) {
    p->input_plane = next;
    p->input_plane_words = (int)plane;
    p->output_plane = next + (local_addr_t)plane * kWord;
    next += (local_addr_t)planes * kWord;
  }
  plan->raw = next;
  next += (local_addr_t)raw * kWord;
  for (int k = 0; k < 2; ++k) {
    plan->input[k] = next + (local_addr_t)(k * in) * kWord;
    plan->output[k] = next + (local_addr_t)(2 * in + k * out) * kWord;
  }
  return true;
}

static float plan_time(const window_plan* plan) {
  const window_problem* p = plan->problem;
  const int* b = plan->block;
  float steps = 1.0f;
  for (int a = 0; a < kAxes; ++a) steps *= plan->blocks[a];
  const int in_h = input_rows(plan), in_w = input_side(&p->columns, b[kColumns]);
  const float planes = (float)b[kImages] * b[kChannels] * plan->bands;
  const float in = dma_time(planes * in_h * in_w, in_w == p->columns.size ? planes : planes * in_h);
  const float out = dma_time(planes * b[kRows] * b[kColumns],
                             b[kColumns] == p->columns.outputs ? planes : planes * b[kRows]);
  const int raw_plane = raw_side(b[kRows], p->thinning.h) * raw_side(b[kColumns], p->thinning.w);
  const float groups = (float)b[kImages] * ceil_div(b[kChannels] * plan->bands, okk_npu_num()) *
                       ceil_div(raw_plane, 16);
  const float bdc = groups * p->cycles / kCyclesPerMicrosecond;
  return pipeline_time(steps, in, bdc, out, 2.0f * plan->bands + 1);
}

// Tries all blocks for a number of bands; keeps the best plan in *best and its time in *best_time.
static void try_blocks(window_plan plan, window_problem* problem, window_plan* best,
                       float* best_time) {
  int* b = plan.block;
  const int columns = plan.total[kColumns];
  const window_blocks* ask = &problem->asked;
  for (int c = 0; (b[kChannels] = block_to_try(ask->channels, plan.total[kChannels], c)) > 0; ++c) {
    if (plan.bands > 1 && b[kChannels] < plan.total[kChannels]) break;  // bands need all channels
    if (b[kChannels] < plan.total[kChannels])
      b[kChannels] = min_int(align_up(b[kChannels], okk_npu_num()), plan.total[kChannels]);
    b[kChannels] = min_int(b[kChannels], kMaxChannels);
    for (int x = 0; (b[kColumns] = block_to_try(ask->columns, columns, x)) > 0; ++x) {
      if (x > 0) b[kColumns] = min_int(align_up(b[kColumns], 32), columns);
      if (x > 0 && (columns <= 512 || b[kColumns] < 64)) break;
      for (int y = 0; (b[kRows] = block_to_try(ask->rows, plan.total[kRows], y)) > 0; ++y) {
        for (int n = 0; (b[kImages] = block_to_try(ask->images, plan.total[kImages], n)) > 0; ++n) {
          for (int a = 0; a < kAxes; ++a) plan.blocks[a] = ceil_div(plan.total[a], b[a]);
          if (!place_buffers(&plan, problem)) continue;
          const float time = plan_time(&plan);
          if (*best_time < 0 || time < *best_time) {
            *best_time = time;
            *best = plan;
          }
        }
      }
    }
  }
}

static window_plan choose_plan(window_problem* problem) {
  window_plan plan = {.problem = problem}, best = plan;
  float best_time = -1.0f;
  plan.total[kImages] = problem->images;
  plan.total[kChannels] = problem->channels;
  plan.total[kColumns] = problem->columns.outputs;
  for (plan.bands = 1; plan.bands <= max_int(problem->max_bands, 1); ++plan.bands) {
    if (problem->asked.bands != 0 && problem->asked.bands != plan.bands) continue;
    plan.total[kRows] = ceil_div(problem->rows.outputs, plan.bands);
    try_blocks(plan, problem, &best, &best_time);
  }
  OKKERNEL_ASSERT(best_time >= 0);
  place_buffers(&best, problem);
  problem->bands = best.bands;
  return best;
}

void window_tiles_run(window_problem* problem, void (*prepare)(void* user)) {
  const window_plan plan = choose_plan(problem);
  if (prepare != NULL) prepare(problem->user);
  int steps = 1;
  for (int a = 0; a < kAxes; ++a) steps *= plan.blocks[a];
  run_pipeline(&plan, steps, load, compute, store);
}
