// Products of the BM1690's published kernels: tiles of a matrix product, and a feed-forward layer
// whose weights stream through.
#define TENSORLANE_KERNEL
#include "later_kernels.h"

// One tile of a product of tiles: both operands of a step are loaded while the step before is
// multiplied, fp32 ones are cast to fp16 first.
static void product_tile(const void* args) {
  const later_args* p = (const later_args*)args;
  const int rows = p->rows, columns = p->columns, step = p->block, bytes = bytes_of(p);
  const local_addr_t sum = 0, out = 0x4000, left[2] = {0x8000, 0xc000},
                     right[2] = {0x10000, 0x14000};
  const local_addr_t cast_left = 0x18000, cast_right = 0x1c000;
  const dim4 result = {1, rows, 1, columns}, left_shape = {1, rows, 1, step};
  const dim4 right_shape = {1, step, 1, columns};
  const int steps = p->depth / step;
  tpu_initialize();
  fill(sum, result, DT_FP32);
  for (int k = 0; k <= steps; ++k) {
    if (k > 0 && k < steps) tpu_parallel_start();
    if (k < steps) {
      load_block(left[k % 2], p, (unsigned long long)k * step * bytes, rows, step, p->pitch);
      load_block(right[k % 2], p, (unsigned long long)k * step * p->pitch * bytes, step, columns,
                 p->pitch);
    }
    if (k > 0) {
      local_addr_t a = left[(k + 1) % 2], b = right[(k + 1) % 2];
      if (p->fp32) {
        cast_block(cast_left, a, left_shape, DT_FP16, DT_FP32);
        cast_block(cast_right, b, right_shape, DT_FP16, DT_FP32);
        a = cast_left;
        b = cast_right;
      }
      tpu_bdc_fp_mm(sum, a, b, rows, step, columns, DT_FP32, p->bf16 ? DT_BFP16 : DT_FP16, true);
    }
    if (k > 0 && k < steps) tpu_parallel_end();
  }
  if (p->fp32) {
    if (p->ppl) tpu_bdc_cpy(out, sum, &result, NULL, NULL, DT_FP32);
  } else {
    cast_block(out, sum, result, type_of(p), DT_FP32);
  }
  store_block(p, 0, p->fp32 && !p->ppl ? sum : out, rows, columns, p->pitch);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(product_tile)

enum {
  kInput = 0,
  kGate = 0x4000,
  kUp = 0x4800,
  kAct = 0x5000,
  kGateWide = 0x5800,
  kWork0 = 0x6000,
  kWork1 = 0x6800,
  kCoefficients = 0x7000,
  kTable = 0x7100,
  kSum = 0x8000,
  kTerm = 0xf000,
  kOut = 0x16000,
  kGateWeights = 0x1a000,
  kUpWeights = 0x21000,
  kDownWeights = 0x28000
};

// Gate and up of `block` columns, SiLU, and their share of the down projection, as TileLang does
// it.
static void gated_block(const later_args* p) {
  const dim4 middle = {1, p->rows, 1, p->block}, result = {1, p->rows, 1, p->columns};
  tpu_bdc_fp_mm_R_trans(kGate, kInput, kGateWeights, p->rows, p->columns, p->block, DT_FP16,
                        DT_FP16);
  tpu_bdc_fp_mm_R_trans(kUp, kInput, kUpWeights, p->rows, p->columns, p->block, DT_FP16, DT_FP16);
  cast_block(kGateWide, kGate, middle, DT_FP32, DT_FP16);
  tpu_bdc_fp32_sigmoid(kWork0, kGateWide, kWork1, kAct, kCoefficients, kTable, &middle);
  cast_block(kAct, kWork0, middle, DT_FP16, DT_FP32);
  tpu_bdc_fp_mul(kGate, kGate, kAct, &middle, NULL, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mul(kAct, kGate, kUp, &middle, NULL, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm_R_trans(kTerm, kAct, kDownWeights, p->rows, p->block, p->columns, DT_FP32, DT_FP16);
  tpu_bdc_fp_add(kSum, kSum, kTerm, &result, NULL, NULL, NULL, DT_FP32);
}

// The same as PPL does it: weights as columns, the exponential of fp32 in its own commands.
static void gated_block_ppl(const later_args* p) {
  const dim4 middle = {1, p->rows, 1, p->block};
  tpu_bdc_fp_mm(kGate, kInput, kGateWeights, p->rows, p->columns, p->block, DT_FP16, DT_FP16,
                false);
  const scalar_t minus = {.u32 = 0xbc00}, unit = {.u32 = 0x3f800000};
  tpu_bdc_fp_mul_C(kAct, kGate, minus, &middle, NULL, NULL, DT_FP16);
  cast_block(kWork0, kAct, middle, DT_FP32, DT_FP16);
  tpu_bdc_fp32_exp(kWork0, kWork0, kWork1, kGateWide, kCoefficients, kTable, &middle);
  tpu_bdc_fp_add_C(kWork0, kWork0, unit, &middle, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_reciprocal(kWork0, kWork0, &middle, NULL, NULL);
  cast_block(kAct, kWork0, middle, DT_FP16, DT_FP32);
  tpu_bdc_fp_mul(kGate, kGate, kAct, &middle, NULL, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm(kUp, kInput, kUpWeights, p->rows, p->columns, p->block, DT_FP16, DT_FP16, false);
  tpu_bdc_fp_mul(kGate, kGate, kUp, &middle, NULL, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm(kSum, kGate, kDownWeights, p->rows, p->block, p->columns, DT_FP32, DT_FP16, true);
}

// The weights of a block: `pitch` is the width of the inner layer.
static void load_weights(const later_args* p) {
  if (p->ppl) {
    load_block(kGateWeights, p, 0, p->columns, p->block, p->pitch);
    load_block(kUpWeights, p, 256, p->columns, p->block, p->pitch);
    load_block(kDownWeights, p, 512, p->block, p->columns, p->columns);
  } else {
    load_block(kInput, p, 0, p->rows, p->columns, p->columns);
    load_block(kGateWeights, p, 0, p->block, p->columns, p->columns);
    load_block(kUpWeights, p, 256, p->block, p->columns, p->columns);
  }
}

// A feed-forward layer of `rows` x `columns` with `depth` inner columns, `block` at a time. Where
// it is pipelined the weights of a block are loaded while the one before is computed.
static void feed_forward(const void* args) {
  const later_args* p = (const later_args*)args;
  const dim4 result = {1, p->rows, 1, p->columns};
  const int blocks = p->depth / p->block;
  tpu_initialize();
  if (p->ppl) load_block(kInput, p, 0, p->rows, p->columns, p->columns);
  fill(kSum, result, DT_FP32);
  for (int k = 0; k <= blocks; ++k) {
    const bool region = p->pipelined && k > 0 && k < blocks;
    if (region) tpu_parallel_start();
    if (p->pipelined ? k < blocks : k > 0) {
      load_weights(p);
      if (!p->ppl) load_block(kDownWeights, p, 512, p->columns, p->block, p->pitch);
    }
    if (k > 0) p->ppl ? gated_block_ppl(p) : gated_block(p);
    if (region) tpu_parallel_end();
  }
  cast_block(kOut, kSum, result, DT_FP16, DT_FP32);
  store_block(p, 0, kOut, p->rows, p->columns, p->columns);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(feed_forward)
