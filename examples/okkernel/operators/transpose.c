// Any permutation of N, C, H, W.
//
// Axes of size 1 vanish and axes that stay neighbours become one, which leaves at most four. Then
// there are two cases:
//
//  * The innermost axis stays innermost: runs stay runs, and strided copies inside global memory
//  do.
//  * It does not: the plane of the innermost input axis (called i) and the innermost output axis
//    (called o) is transposed in local memory. Loads are runs along i, stores runs along o, and BDC
//    swaps the two in between, so GDMA never moves single elements.
//
// Which axis the NPUs share, and how large the tiles are, is found by trying candidates against a
// time estimate.
#include "operators.h"
#include "tile.h"

enum { kMaxAxes = 4, kMaxExtent = 65535 };

typedef struct {
  int size;
  int in;   // stride in the input, elements
  int out;  // stride in the output
} axis;

// Moves words as they are. A bitwise or of a value with itself rather than okk_bdc_32bit_cpy, which
// exchanges its two strides on the vendor's model.
static void copy_words(local_addr_t to, local_addr_t from, const dim4* shape, const dim4* to_stride,
                       const dim4* from_stride) {
  okk_bdc_32bit_or(to, from, from, shape, to_stride, from_stride, from_stride);
}

// Axes in the order of the output, without those of size 1, neighbours merged. Returns their
// number.
static int find_axes(const transpose_args* args, axis axes[kMaxAxes]) {
  const int sizes[4] = {args->N, args->C, args->H, args->W};
  const int strides[4] = {args->C * args->H * args->W, args->H * args->W, args->W, 1};
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    int size = sizes[args->order[i]], stride = strides[args->order[i]];
    if (size == 1) continue;
    if (count > 0 && axes[count - 1].in == size * stride) {
      axes[count - 1].size *= size;
      axes[count - 1].in = stride;
    } else {
      axes[count].size = size;
      axes[count].in = stride;
      ++count;
    }
  }
  for (int i = count - 1, stride = 1; i >= 0; stride *= axes[i].size, --i) axes[i].out = stride;
  return count;
}

// ---- Copies inside global memory ----------------------------------------------------------------

// The four axes are n, c, h, w of the copies. GDMA takes c, h and w up to 65535: cut where needed.
static void copy_axes(system_addr_t output, system_addr_t input, axis axes[kMaxAxes]) {
  for (int i = 1; i < 4; ++i) {
    if (axes[i].size <= kMaxExtent) continue;
    axis whole = axes[i];
    for (int first = 0; first < whole.size; first += kMaxExtent) {
      axes[i].size = min_int(kMaxExtent, whole.size - first);
      copy_axes(output + (system_addr_t)first * whole.out * kWord,
                input + (system_addr_t)first * whole.in * kWord, axes);
    }
    axes[i] = whole;
    return;
  }
  dim4 shape = {.n = axes[0].size, .c = axes[1].size, .h = axes[2].size, .w = axes[3].size};
  dim4 from = {.n = axes[0].in, .c = axes[1].in, .h = axes[2].in, .w = axes[3].in};
  dim4 to = {.n = axes[0].out, .c = axes[1].out, .h = axes[2].out, .w = axes[3].out};
  okk_gdma_32bit_cpy_S2S(output, input, &shape, &to, &from);
}

static void copy_in_global_memory(const transpose_args* args, const axis* axes, int count) {
  enum { kRow = 16384 };
  const int run = count == 0 ? 1 : axes[count - 1].size;
  axis padded[kMaxAxes];
  for (int i = 0; i < 4; ++i) {
    axis unit = {1, 1, 1};
    padded[i] = i < 4 - count ? unit : axes[i - (4 - count)];
  }
  int tail = 0;
  if (count <= 3 && run > kMaxExtent) {  // a long run: rows of kRow and a tail
    for (int i = 0; i < 2; ++i) padded[i] = padded[i + 1];
    axis rows = {run / kRow, kRow, kRow};
    axis row = {kRow, 1, 1};
    padded[2] = rows;
    padded[3] = row;
    tail = run % kRow;
  }
  copy_axes(args->output_addr, args->input_addr, padded);
  if (tail > 0) {
    system_addr_t done = (system_addr_t)(run - tail) * kWord;
    axis none = {1, 1, 1};
    axis rest = {tail, 1, 1};
    padded[2] = none;
    padded[3] = rest;
    copy_axes(args->output_addr + done, args->input_addr + done, padded);
  }
}

// ---- Transposition through local memory ---------------------------------------------------------

enum { kLoopX, kLoopY, kAxisI, kAxisO, kAxes };

typedef struct {
  const transpose_args* args;
  axis axes[kAxes];
  int block[kAxes];  // elements of each axis in one tile
  int tiles[kAxes];
  int lane_axis;   // the axis the NPUs share
  int lanes;       // NPUs at work
  int row[kAxes];  // elements of each axis in one NPU: block, or block / lanes for lane_axis
  local_addr_t input[2], output[2];
} transpose_plan;

// Estimated microseconds of a plan.
static float plan_time(const transpose_plan* plan) {
  const axis* i = &plan->axes[kAxisI];
  const axis* o = &plan->axes[kAxisO];
  float tiles = 1.0f, words = 1.0f;
  for (int k = 0; k < kAxes; ++k) {
    tiles *= plan->tiles[k];
    words *= plan->block[k];
  }
  const int ib = plan->row[kAxisI], ob = plan->row[kAxisO];
  const float planes = words / ((float)ib * ob);
  const bool whole_load = ib == i->size && o->in == i->size;
  const bool whole_store = ob == o->size && i->out == o->size;
  const float load = dma_time(words, planes * (whole_load ? 1 : ob));
  const float store = dma_time(words, planes * (whole_store ? 1 : ib));
  const float swap = words / plan->lanes / 16 * 2 / kCyclesPerMicrosecond;
  return pipeline_time(tiles, load, swap, store, 3);
}

// Completes a plan whose rows and lane axis are chosen. False when it is not possible.
static bool complete_plan(transpose_plan* plan, int max_words) {
  int words = 1;
  for (int k = 0; k < kAxes; ++k) words *= plan->row[k];
  if (words > max_words) return false;
  const int lane = plan->lane_axis;
  if (plan->row[kLoopX] > 1 && plan->row[kLoopY] > 1) return false;  // n carries one loop axis
  plan->lanes = balanced_lanes(plan->axes[lane].size, plan->row[lane]);
  for (int k = 0; k < kAxes; ++k) {
    plan->block[k] = plan->row[k] * (k == lane ? plan->lanes : 1);
    plan->tiles[k] = ceil_div(plan->axes[k].size, plan->block[k]);
  }
  return true;
}

static void choose_plan(transpose_plan* best) {
  const int max_words = local_words() / 4;
  float best_time = -1.0f;
  transpose_plan plan = *best;
  const transpose_tile* ask = &plan.args->tile;
  for (plan.lane_axis = 0; plan.lane_axis < kAxes; ++plan.lane_axis) {
    if (ask->shared != 0 && ask->shared != plan.lane_axis + 1) continue;
    const int batch_axis = plan.lane_axis == kLoopX ? kLoopY : kLoopX;
    for (int a = 0; (plan.row[kAxisI] = block_to_try(ask->input, plan.axes[kAxisI].size, a)) > 0;
         ++a) {
      for (int b = 0; (plan.row[kAxisO] = block_to_try(ask->output, plan.axes[kAxisO].size, b)) > 0;
           ++b) {
        if ((long long)plan.row[kAxisI] * plan.row[kAxisO] > max_words) continue;
        for (int d = 0;; ++d) {
          plan.row[kLoopX] = plan.row[kLoopY] = 1;
          plan.row[batch_axis] = block_to_try(ask->around, plan.axes[batch_axis].size, d);
          if (plan.row[batch_axis] == 0) break;
          if (plan.row[batch_axis] > max_words) continue;
          if (!complete_plan(&plan, max_words)) continue;
          float time = plan_time(&plan);
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

// Byte offsets of a tile in the input and in the output.
static void tile_offsets(const transpose_plan* plan, int step, system_addr_t* in,
                         system_addr_t* out) {
  *in = *out = 0;
  for (int k = kAxes - 1; k >= 0; --k) {
    int first = overlapped_start(step % plan->tiles[k], plan->block[k], plan->axes[k].size);
    step /= plan->tiles[k];
    *in += (system_addr_t)first * plan->axes[k].in * kWord;
    *out += (system_addr_t)first * plan->axes[k].out * kWord;
  }
}

// The loop axis that n runs over.
static const axis* batch(const transpose_plan* plan) {
  return &plan->axes[plan->lane_axis == kLoopX ? kLoopY : kLoopX];
}

static int batches(const transpose_plan* plan) {
  return plan->row[plan->lane_axis == kLoopX ? kLoopY : kLoopX];
}

static void load(const void* context, int step) {
  const transpose_plan* plan = context;
  const int i = plan->row[kAxisI], o = plan->row[kAxisO], lane = plan->lane_axis;
  system_addr_t in, out;
  tile_offsets(plan, step, &in, &out);
  dim4 shape = {.n = batches(plan), .c = plan->lanes, .h = o, .w = i};
  dim4 local = {.n = i * o, .c = i * o, .h = i, .w = 1};
  dim4 system = {.n = batch(plan)->in,
                 .c = plan->axes[lane].in * plan->row[lane],
                 .h = plan->axes[kAxisO].in,
                 .w = 1};
  okk_gdma_32bit_cpy_S2L(plan->input[step % 2], plan->args->input_addr + in, &shape, &local,
                         &system);
}

static void compute(const void* context, int step) {
  const transpose_plan* plan = context;
  const int i = plan->row[kAxisI], o = plan->row[kAxisO];
  dim4 shape = {.n = batches(plan), .c = plan->lanes, .h = i, .w = o};
  dim4 to = {.n = i * o, .c = i * o, .h = o, .w = 1};
  dim4 from = {.n = i * o, .c = i * o, .h = 1, .w = i};
  copy_words(plan->output[step % 2], plan->input[step % 2], &shape, &to, &from);
}

static void store(const void* context, int step) {
  const transpose_plan* plan = context;
  const int i = plan->row[kAxisI], o = plan->row[kAxisO], lane = plan->lane_axis;
  system_addr_t in, out;
  tile_offsets(plan, step, &in, &out);
  dim4 shape = {.n = batches(plan), .c = plan->lanes, .h = i, .w = o};
  dim4 local = {.n = i * o, .c = i * o, .h = o, .w = 1};
  dim4 system = {.n = batch(plan)->out,
                 .c = plan->axes[lane].out * plan->row[lane],
                 .h = plan->axes[kAxisI].out,
                 .w = 1};
  okk_gdma_32bit_cpy_L2S(plan->args->output_addr + out, plan->output[step % 2], &shape, &system,
                         &local);
}

static void transpose_in_local_memory(const transpose_args* args, const axis* axes, int count) {
  const axis none = {1, 0, 0};
  transpose_plan plan = {.args = args, .axes = {none, none, none, none}};
  plan.axes[kAxisO] = axes[count - 1];
  int loops = 0;
  for (int k = 0; k < count - 1; ++k) {
    if (axes[k].in == 1)
      plan.axes[kAxisI] = axes[k];
    else
      plan.axes[loops++] = axes[k];
  }
  choose_plan(&plan);
  const unsigned int quarter = okk_local_mem_size_per_npu() / 4;
  for (unsigned int k = 0; k < 2; ++k) {
    plan.input[k] = k * quarter;
    plan.output[k] = (2 + k) * quarter;
  }
  int steps = 1;
  for (int k = 0; k < kAxes; ++k) steps *= plan.tiles[k];
  run_pipeline(&plan, steps, load, compute, store);
}

void operator_transpose(const void* context) {
  const transpose_args* args = context;
  axis axes[kMaxAxes];
  const int count = find_axes(args, axes);
  okk_initialize();
  if (count == 0 || axes[count - 1].in == 1) {
    copy_in_global_memory(args, axes, count);
  } else {
    transpose_in_local_memory(args, axes, count);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_transpose)
