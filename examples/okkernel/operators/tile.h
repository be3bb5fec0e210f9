// What every tiled kernel needs: small arithmetic, a time estimate to choose tiles by, the part of
// a sliding window that belongs to a tile, and the load/compute/store pipeline.
#ifndef EXAMPLES_OKKERNEL_OPERATORS_TILE_H_
#define EXAMPLES_OKKERNEL_OPERATORS_TILE_H_

#include "okk.h"

#ifndef NULL
#define NULL 0
#endif

enum { kWord = 4 };  // bytes of an fp32 element

static inline int min_int(int a, int b) {
  return a < b ? a : b;
}
static inline int max_int(int a, int b) {
  return a > b ? a : b;
}
static inline int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}
static inline int align_up(int a, int unit) {
  return ceil_div(a, unit) * unit;
}
static inline float max_float(float a, float b) {
  return a > b ? a : b;
}

static inline int local_words(void) {
  return (int)okk_local_mem_size_per_npu() / kWord;
}

// First element of tile `index` of `tiles` tiles of `block` elements. The last tile is moved back
// so that it ends with the data: it repeats some elements instead of being shorter. Only for
// kernels that may compute an element twice.
static inline int overlapped_start(int index, int block, int total) {
  return min_int(index * block, total - block);
}

// ---- Block sizes to try -------------------------------------------------------------------------

static inline int candidate_parts(int index) {
  if (index < 16) return index + 1;
  const int quarter = 4 << (index / 4 - 4);
  return quarter * (index % 4 + 5);
}

// The `index`-th largest block to try for an axis: the axis cut into 1 to 16, then 20, 24, 28, 32,
// 40, 48, ... parts. 0 after the block of 1.
static inline int candidate_block(int total, int index) {
  if (index > 0 && ceil_div(total, candidate_parts(index - 1)) == 1) return 0;
  return ceil_div(total, candidate_parts(index));
}

// The same, or only the block that somebody asks for (operators.h); 0 asks for none.
static inline int block_to_try(int asked, int total, int index) {
  if (asked == 0) return candidate_block(total, index);
  return index == 0 ? min_int(asked, total) : 0;
}

// The NPUs that share an axis of `total` elements, `row` elements each: as many as there are, but
// no more than needed for an even share of every tile. Their tile never exceeds the axis.
static inline int balanced_lanes(int total, int row) {
  const int rows = ceil_div(total, row);
  const int tiles = ceil_div(rows, okk_npu_num());
  return min_int(total / row, ceil_div(rows, tiles));
}

// ---- Time estimate in microseconds --------------------------------------------------------------
// Rough figures of a BM1684: enough to prefer one tiling over another.

static const float kIssueMicroseconds = 4.0f;        // one command
static const float kCyclesPerMicrosecond = 550.0f;   // BDC
static const float kBytesPerMicrosecond = 27400.0f;  // GDMA, long runs
static const float kMicrosecondsPerRun = 0.00234f;   // GDMA, short runs

static inline float dma_time(float words, float runs) {
  return max_float(words * kWord / kBytesPerMicrosecond, runs * kMicrosecondsPerRun);
}

// Time of run_pipeline below: every region takes as long as the slower engine, and the whole never
// less than it takes to issue the commands.
static inline float pipeline_time(float steps, float load, float compute, float store,
                                  float commands_per_step) {
  float time = load + compute + store;
  if (steps > 1)
    time = load + max_float(load, compute) + (steps - 2) * max_float(load + store, compute) +
           max_float(compute, store) + store;
  return max_float(time, (steps * commands_per_step + 1) * kIssueMicroseconds);
}

// ---- Sliding windows ----------------------------------------------------------------------------

// One axis of a convolution or pooling.
typedef struct {
  int size;  // input elements
  int kernel;
  int before;  // padding
  int after;
  int step;
  int dilation;
  int outputs;
} window;

static inline int window_extent(const window* axis) {
  return (axis->kernel - 1) * axis->dilation + 1;
}

static inline window make_window(int size, int kernel, int before, int after, int step,
                                 int dilation) {
  window axis = {size, kernel, before, after, step, dilation, 0};
  axis.outputs = (size + before + after - window_extent(&axis)) / step + 1;
  return axis;
}

// The input behind outputs [first, first + count): elements [start, start + size) and the padding
// that remains around them.
typedef struct {
  int start, size, before, after;
} window_part;

static inline window_part window_input(const window* axis, int first, int count) {
  int from = first * axis->step - axis->before;
  int to = (first + count - 1) * axis->step - axis->before + window_extent(axis);
  window_part part;
  part.start = max_int(from, 0);
  part.size = min_int(to, axis->size) - part.start;
  part.before = part.start - from;
  part.after = to - part.start - part.size;
  return part;
}

// ---- Pipeline -----------------------------------------------------------------------------------

typedef void (*pipeline_stage)(const void* plan, int step);

// Runs load, compute and store for steps 0 .. steps - 1. In every region the engines work on
// different steps: while step k is loaded, step k - 1 is computed and step k - 2 is stored. A
// buffer that one stage fills for the next must therefore alternate with the parity of the step.
static inline void run_pipeline(const void* plan, int steps, pipeline_stage load,
                                pipeline_stage compute, pipeline_stage store) {
  for (int step = 0; step < steps + 2; ++step) {
    okk_parallel_start();
    if (step < steps) load(plan, step);
    if (step >= 1 && step - 1 < steps) compute(plan, step - 1);
    if (step >= 2) store(plan, step - 2);
    okk_parallel_end();
  }
}

#endif  // EXAMPLES_OKKERNEL_OPERATORS_TILE_H_
