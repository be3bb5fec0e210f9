// Softmax along C: exp(x - max) / sum(exp(x - max)), safe for inputs of any size. When the caller
// promises small inputs, the maximum is left out.
//
// The tensor is outer x C x inner with inner = H * W. NPUs share outer or inner elements, so that
// every NPU has whole columns and can reduce alone. With inner = 1 the columns are runs in memory
// and lie along w in local memory; otherwise they lie along h.
//
// A block that holds whole columns needs one sweep over the data. When C is too long for that,
// three sweeps over blocks of C: find the maximum, sum the exponentials, write the quotients.
//
// The exponential is a Taylor series, because the exp functions of the SDK are seven commands each.
// There are three ways to get an argument small enough for it (see exponentials).
#include "operators.h"
#include "tile.h"

enum { kOuter, kLength, kInner, kAxes };

enum { kMaxSide = 2047, kTailRow = 1024 };

// How the exponentials are computed: Taylor terms, commands, and cycles per group of 16 elements
// besides those of the terms.
typedef enum { kBounded, kReciprocal, kSquared, kMethods } method;
typedef struct {
  int terms, commands;
  float cycles;
} method_cost;
static const method_cost kCosts[kMethods] = {{9, 1, 2}, {36, 3, 34}, {12, 7, 14}};

// kSquared: exp(y) = exp(y / 16)^16. Less than exp(-48) of the maximum counts as that.
enum { kSquarings = 4 };
static const float kScale = 1.0f / 16, kLowest = -3.0f;

typedef struct {
  const softmax_args* args;
  int total[kAxes];
  int row[kAxes];    // of each axis in one NPU
  int block[kAxes];  // of each axis in one tile
  int blocks[kAxes];
  int lane_axis;  // kOuter or kInner: the axis the NPUs share
  int lanes;
  method method;
  local_addr_t in[2], out[2];
  local_addr_t largest, sum, part[2];  // one element per column
} softmax_plan;

typedef enum { kFindMax, kSum, kWrite, kAtOnce } sweep;

typedef struct {
  int first[kAxes];
  int length;  // elements of every column in this step
  sweep sweep;
  bool first_part, last_part;
} softmax_step;

static int sweeps(const softmax_plan* plan) {
  if (plan->blocks[kLength] == 1) return 1;
  return plan->method == kBounded ? 2 : 3;
}

static softmax_step find_step(const softmax_plan* plan, int step) {
  softmax_step s;
  const int parts = plan->blocks[kLength];
  const int part = step % parts;
  const int piece = step / parts / sweeps(plan);
  s.sweep =
      parts == 1 ? kAtOnce : (sweep)(kWrite - (sweeps(plan) - 1 - step / parts % sweeps(plan)));
  s.first[kLength] = part * plan->block[kLength];
  s.length = min_int(plan->block[kLength], plan->total[kLength] - s.first[kLength]);
  s.first_part = part == 0;
  s.last_part = part == parts - 1;
  s.first[kInner] =
      overlapped_start(piece % plan->blocks[kInner], plan->block[kInner], plan->total[kInner]);
  s.first[kOuter] =
      overlapped_start(piece / plan->blocks[kInner], plan->block[kOuter], plan->total[kOuter]);
  return s;
}

static bool along_w(const softmax_plan* plan) {
  return plan->total[kInner] == 1;
}

static dim4 block_shape(const softmax_plan* plan, int length) {
  dim4 shape = {.n = 1, .c = plan->lanes, .h = plan->row[kOuter], .w = length};
  if (!along_w(plan)) {
    shape.n = plan->row[kOuter];
    shape.h = length;
    shape.w = plan->row[kInner];
  }
  return shape;
}

static dim4 system_stride(const softmax_plan* plan) {
  const int length = plan->total[kLength], inner = plan->total[kInner];
  const int pitch = length * inner;
  dim4 stride = {.n = pitch,
                 .c = plan->lane_axis == kOuter ? plan->row[kOuter] * pitch : plan->row[kInner],
                 .h = along_w(plan) ? pitch : inner,
                 .w = 1};
  return stride;
}

static system_addr_t system_offset(const softmax_plan* plan, const softmax_step* s) {
  const system_addr_t inner = plan->total[kInner];
  return ((system_addr_t)s->first[kOuter] * plan->total[kLength] * inner +
          (system_addr_t)s->first[kLength] * inner + s->first[kInner]) *
         kWord;
}

// ---- Reductions along the columns of a block ----------------------------------------------------

// A column along w longer than pooling takes is a rectangle, or a rectangle of 1024 wide rows and a
// tail if its length has no fitting divisor.
static void split_column(int length, int* rows, int* width, int* tail) {
  for (*rows = ceil_div(length, kMaxSide); *rows <= 64; ++*rows) {
    *width = length / *rows;
    *tail = 0;
    if (*rows * *width == length) return;
  }
  *width = kTailRow;
  *rows = length / kTailRow;
  *tail = length % kTailRow;
}

// A long column is pooled in two commands where that saves more than issuing one: rows of a
// rectangle first, then their results. Only with few other commands: with more, issuing is what a
// tile waits for. Returns the number of rows, 1 for one command.
enum { kMostRows = 32, kWorthACommand = 2200 };  // cycles

static int rows_of_column(const softmax_plan* plan, int length) {
  if (plan->method != kBounded || length <= kWorthACommand) return 1;
  for (int rows = kMostRows; rows > 1; --rows) {
    if (length % rows == 0) return length / rows <= kMaxSide ? rows : 1;
  }
  return 1;
}

static int pool_cycles(const softmax_plan* plan, int length) {
  const int rows = rows_of_column(plan, length);
  return rows > 1 ? length / rows + rows + kWorthACommand : length;
}

typedef void (*pool)(local_addr_t, local_addr_t, const dim4*, int, int, const Padding*,
                     const dim2*);

// to = pool of `block` along its columns. Returns false when the column had to be cut into
// `count[0]` elements pooled to `to` and `count[1]` elements pooled to `rest`.
static bool pool_columns(const softmax_plan* plan, pool function, local_addr_t to,
                         local_addr_t rest, local_addr_t block, int length, int count[2]) {
  dim4 shape = block_shape(plan, length);
  count[0] = length;
  count[1] = 0;
  const int rows = along_w(plan) && shape.h == 1 ? rows_of_column(plan, length) : 1;
  if (!along_w(plan)) {
    function(to, block, &shape, length, 1, NULL, NULL);
  } else if (rows > 1) {
    shape.h = rows;
    shape.w = length / rows;
    const dim4 row_results = {.n = 1, .c = shape.c, .h = 1, .w = rows};
    function(rest, block, &shape, 1, shape.w, NULL, NULL);
    function(to, rest, &row_results, 1, rows, NULL, NULL);
  } else if (length <= kMaxSide) {
    function(to, block, &shape, 1, length, NULL, NULL);
  } else {
    OKKERNEL_ASSERT(shape.h == 1);
    split_column(length, &shape.h, &shape.w, &count[1]);
    count[0] = shape.h * shape.w;
    function(to, block, &shape, shape.h, shape.w, NULL, NULL);
    if (count[1] > 0) {
      dim4 tail = {.n = 1, .c = shape.c, .h = 1, .w = count[1]};
      function(rest, block + (local_addr_t)count[0] * kWord, &tail, 1, count[1], NULL, NULL);
    }
  }
  return count[1] == 0;
}

// largest = max(largest unless first, columns of block)
static void find_max(const softmax_plan* plan, local_addr_t block, int length, bool first) {
  const dim4 columns = block_shape(plan, 1);
  const local_addr_t part = first ? plan->largest : plan->part[0];
  int count[2];
  const bool whole =
      pool_columns(plan, okk_bdc_max_pool2d, part, plan->part[1], block, length, count);
  if (!whole) okk_bdc_max(part, part, plan->part[1], &columns, NULL, NULL, NULL);
  if (!first) okk_bdc_max(plan->largest, plan->largest, part, &columns, NULL, NULL, NULL);
}

// sum = (sum unless first) + columns of block, and finally the reciprocal of that.
static void add_sum(const softmax_plan* plan, local_addr_t block, int length, bool first,
                    bool last) {
  const dim4 columns = block_shape(plan, 1);
  int count[2];
  const bool whole =
      pool_columns(plan, okk_bdc_avg_pool2d, plan->part[0], plan->part[1], block, length, count);
  if (first && last && whole) {  // one command instead of two
    okk_bdc_C_div(plan->sum, plan->part[0], 1.0f / (float)length, &columns, NULL, NULL);
    return;
  }
  if (first) {
    okk_bdc_mul_C(plan->sum, plan->part[0], (float)count[0], &columns, NULL, NULL);
  } else {
    okk_bdc_mac_C(plan->sum, plan->part[0], (float)count[0], &columns, NULL, NULL);
  }
  if (!whole) okk_bdc_mac_C(plan->sum, plan->part[1], (float)count[1], &columns, NULL, NULL);
  if (last) okk_bdc_C_div(plan->sum, plan->sum, 1.0f, &columns, NULL, NULL);
}

// ---- Stages -------------------------------------------------------------------------------------

// The stride that repeats one element per column over a block.
static dim4 repeat_stride(const softmax_plan* plan) {
  const dim4 columns = block_shape(plan, 1);
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &columns);
  if (along_w(plan)) {
    stride.w = 0;
  } else {
    stride.h = 0;
  }
  return stride;
}

// out = exp(in - largest), or exp(in) when the inputs are bounded; may overwrite in.
//
// kReciprocal: 1 / exp(largest - in). All terms of that series are positive, so nothing cancels;
// far below the maximum, where the series is too short, the result is still next to nothing. Three
// commands, but many terms: for small blocks, where issuing dominates.
// kSquared: the argument is divided by 16 and the result squared four times.
static void exponentials(const softmax_plan* plan, local_addr_t out, local_addr_t in, int length) {
  const dim4 shape = block_shape(plan, length);
  const dim4 repeat = repeat_stride(plan);
  const int terms = kCosts[plan->method].terms;
  switch (plan->method) {
    case kReciprocal:
      okk_bdc_sub(in, plan->largest, in, &shape, NULL, &repeat, NULL);
      okk_bdc_taylor_exp(out, in, &shape, terms);
      okk_bdc_C_div(out, out, 1.0f, &shape, NULL, NULL);
      break;
    case kSquared:
      okk_bdc_sub(in, in, plan->largest, &shape, NULL, NULL, &repeat);
      okk_bdc_mul_C(in, in, kScale, &shape, NULL, NULL);
      okk_bdc_max_C(in, in, kLowest, &shape, NULL, NULL);
      okk_bdc_taylor_exp(out, in, &shape, terms);
      for (int k = 0; k < kSquarings; ++k) okk_bdc_mul(out, out, out, &shape, NULL, NULL, NULL);
      break;
    default:
      okk_bdc_taylor_exp(out, in, &shape, terms);
  }
}

static void scale(const softmax_plan* plan, local_addr_t out, int length) {
  const dim4 shape = block_shape(plan, length);
  const dim4 repeat = repeat_stride(plan);
  okk_bdc_mul(out, out, plan->sum, &shape, NULL, NULL, &repeat);
}

static void load(const void* context, int step) {
  const softmax_plan* plan = context;
  const softmax_step s = find_step(plan, step);
  const dim4 shape = block_shape(plan, s.length);
  const dim4 stride = system_stride(plan);
  okk_gdma_32bit_cpy_S2L(plan->in[step % 2], plan->args->input_addr + system_offset(plan, &s),
                         &shape, NULL, &stride);
}

static void compute(const void* context, int step) {
  const softmax_plan* plan = context;
  const softmax_step s = find_step(plan, step);
  const local_addr_t in = plan->in[step % 2], out = plan->out[step % 2];
  if (s.sweep == kFindMax || (s.sweep == kAtOnce && plan->method != kBounded))
    find_max(plan, in, s.length, s.first_part);
  if (s.sweep == kFindMax) return;
  exponentials(plan, out, in, s.length);
  if (s.sweep == kSum || s.sweep == kAtOnce)
    add_sum(plan, out, s.length, s.first_part, s.last_part);
  if (s.sweep == kWrite || s.sweep == kAtOnce) scale(plan, out, s.length);
}

static void store(const void* context, int step) {
  const softmax_plan* plan = context;
  const softmax_step s = find_step(plan, step);
  if (s.sweep != kWrite && s.sweep != kAtOnce) return;
  const dim4 shape = block_shape(plan, s.length);
  const dim4 stride = system_stride(plan);
  okk_gdma_32bit_cpy_L2S(plan->args->output_addr + system_offset(plan, &s), plan->out[step % 2],
                         &shape, &stride, NULL);
}

// ---- Choosing the blocks ------------------------------------------------------------------------

// False when the blocks exceed the engine or local memory.
static bool complete_plan(softmax_plan* plan) {
  const int length = plan->row[kLength];
  const dim4 shape = block_shape(plan, length);
  const dim4 columns = block_shape(plan, 1);
  if (along_w(plan)) {
    if (shape.h > kMaxSide || (length > kMaxSide && shape.h > 1)) return false;
  } else if (shape.h > kMaxSide || shape.w > kMaxSide) {
    return false;
  }
  const long long big = (long long)shape.n * align_up(shape.h * shape.w, 32);
  const long long small = (long long)columns.n * align_up(columns.h * columns.w, 32);
  if (4 * big + 4 * small > local_words()) return false;
  plan->lanes = balanced_lanes(plan->total[plan->lane_axis], plan->row[plan->lane_axis]);
  for (int a = 0; a < kAxes; ++a) {
    plan->block[a] = plan->row[a] * (a == plan->lane_axis ? plan->lanes : 1);
    plan->blocks[a] = ceil_div(plan->total[a], plan->block[a]);
  }
  const local_addr_t big_bytes = (local_addr_t)big * kWord,
                     small_bytes = (local_addr_t)small * kWord;
  for (int k = 0; k < 2; ++k) {
    plan->in[k] = (local_addr_t)k * big_bytes;
    plan->out[k] = (local_addr_t)(2 + k) * big_bytes;
    plan->part[k] = 4 * big_bytes + (local_addr_t)(2 + k) * small_bytes;
  }
  plan->largest = 4 * big_bytes;
  plan->sum = 4 * big_bytes + small_bytes;
  return true;
}

static float plan_time(const softmax_plan* plan) {
  float pieces = 1.0f, words = 1.0f;
  for (int a = 0; a < kAxes; ++a) {
    pieces *= plan->blocks[a];
    words *= plan->block[a];
  }
  const int length = plan->row[kLength];
  const dim4 shape = block_shape(plan, length), columns = block_shape(plan, 1);
  const float planes = (float)plan->lanes * plan->row[kOuter];
  // Without inner elements an NPU's whole columns follow each other.
  const bool whole = along_w(plan) && length == plan->total[kLength];
  const bool dense = plan->row[kInner] == plan->total[kInner];
  const float runs = whole ? plan->lanes : dense ? planes : planes * length;
  const float transfer = dma_time(words, runs);
  const float groups = (float)shape.n * ceil_div(shape.h * shape.w, 16);
  const float column_groups = (float)columns.n * ceil_div(columns.h * columns.w, 16);
  const method_cost cost = kCosts[plan->method];
  // Besides the exponentials: the maximum and the sum along the columns, the reciprocal and
  // scaling.
  const int pools = plan->method == kBounded ? 1 : 2;
  const float bdc = (groups * (4 * cost.terms + cost.cycles + 2) +
                     column_groups * (pools * pool_cycles(plan, length) + 40)) /
                    kCyclesPerMicrosecond;
  const int commands = cost.commands + pools + 2;
  return pipeline_time(pieces * sweeps(plan), transfer,
                       max_float(bdc, commands * kIssueMicroseconds), transfer, commands + 2);
}

static void choose_plan(softmax_plan* best) {
  softmax_plan plan = *best;
  float best_time = -1.0f;
  int* row = plan.row;
  const column_tile* ask = &plan.args->tile;
  const bool bounded = plan.args->bounded != 0;
  const int ways = bounded ? 1 : 2;  // ways to compute the exponentials
  for (int k = 0; k < 2 * ways; ++k) {
    plan.lane_axis = k % 2 == 0 ? kOuter : kInner;
    if (ask->shared != 0 && ask->shared != k % 2 + 1) continue;
    plan.method = bounded ? kBounded : k < 2 ? kReciprocal : kSquared;
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

void operator_softmax(const void* context) {
  const softmax_args* args = context;
  softmax_plan plan = {.args = args, .total = {args->N, args->C, args->H * args->W}};
  choose_plan(&plan);
  int steps = sweeps(&plan);
  for (int a = 0; a < kAxes; ++a) steps *= plan.blocks[a];
  okk_initialize();
  run_pipeline(&plan, steps, load, compute, store);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(operator_softmax)
