// Attention of the BM1690's published kernels: a block of queries against all keys, the softmax
// kept up to date from block to block of keys.
#define TENSORLANE_KERNEL
#include "later_kernels.h"

// Local memory: tensors of a block of queries, of a block of keys, of scores, and a value per row.
enum {
  kQueries = 0x0,
  kKeys = 0x4000,
  kValues = 0x8000,
  kScores = 0xc000,
  kProbability = 0x14000,
  kWork0 = 0x18000,
  kWork1 = 0x20000,
  kSum = 0x28000,
  kTerm = 0x30000,
  kResult = 0x38000,
  kLargest = 0x3c000,
  kBefore = 0x3c200,
  kOfBlock = 0x3c400,
  kScale = 0x3c600,
  kSumOfBlock = 0x3c800,
  kSumOfAll = 0x3ca00,
  kGroups = 0x3cc00,
  kCoefficients = 0x3e000,
  kTable = 0x3e100
};

// The shapes of a turn.
typedef struct {
  dim4 queries, scores, column;  // heads x rows x dim, x keys, x 1
  data_type_t narrow;
} turn;
static turn turn_of(const later_args* p) {
  const turn t = {{p->heads, p->rows, 1, p->columns},
                  {p->heads, p->rows, 1, p->block},
                  {p->heads, p->rows, 1, 1},
                  type_of(p)};
  return t;
}

// A head at a time: `rows` vectors of every head.
static void load_heads(local_addr_t to, const later_args* p, int rows) {
  for (int head = 0; head < p->heads; ++head)
    load_block(to + (local_addr_t)(head * ((rows + 63) / 64) * p->columns * 2), p,
               (unsigned long long)head * p->columns * 2, rows, p->columns, p->pitch);
}
// All heads in one move.
static void load_all(local_addr_t to, const later_args* p, int rows) {
  const dim4 shape = {p->heads, rows, 1, p->columns}, stride = {p->columns, p->pitch, p->pitch, 1};
  tpu_gdma_cpy_S2L(to, p->in, &shape, NULL, &stride, type_of(p));
}
static void store_heads(const later_args* p) {
  for (int head = 0; head < p->heads; ++head)
    store_block(p, (unsigned long long)head * p->columns * 2,
                kResult + (local_addr_t)(head * ((p->rows + 63) / 64) * p->columns * 2), p->rows,
                p->columns, p->pitch);
}

static void scores_of_heads(const later_args* p, data_type_t result) {
  for (int head = 0; head < p->heads; ++head)
    tpu_bdc_fp_mm_R_trans(kScores, kQueries, kKeys, p->rows, p->columns, p->block, result,
                          type_of(p));
}
static void results_of_heads(const later_args* p, local_addr_t to, data_type_t result, bool add) {
  for (int head = 0; head < p->heads; ++head)
    tpu_bdc_fp_mm(to, kProbability, kValues, p->rows, p->block, p->columns, result, type_of(p),
                  add);
}

static void load_exp(void) {
  tpu_bdc_load_fp32_exp_coeff(kCoefficients);
  tpu_bdc_load_fp32_exp_table(kTable);
}

// Against one block of keys, as TileLang does it: in fp32, with the exponential of the library.
static void against_block(const later_args* p, const turn* t) {
  const data_type_t wide = DT_FP32;
  const dim4 spread = per_row(t->scores, wide), along = per_row(t->queries, wide);
  fill(kScores, t->scores, wide);
  scores_of_heads(p, wide);
  tpu_bdc_cpy(kBefore, kLargest, &t->column, NULL, NULL, wide);
  if (p->first) fill(kLargest, t->column, wide);
  reduce(p->first ? kLargest : kOfBlock, kScores, kGroups, t->scores, true, wide);
  if (!p->first) tpu_bdc_max(kLargest, kBefore, kOfBlock, &t->column, NULL, NULL, NULL, wide);
  tpu_bdc_fp_sub(kScale, kBefore, kLargest, &t->column, NULL, NULL, NULL, wide);
  if (!p->first) load_exp();
  tpu_bdc_fp32_exp(kScale, kScale, kWork0, kWork1, kCoefficients, kTable, &t->column);
  tpu_bdc_fp_sub(kScores, kScores, kLargest, &t->scores, NULL, NULL, &spread, wide);
  if (!p->first) load_exp();
  tpu_bdc_fp32_exp(kScores, kScores, kWork0, kWork1, kCoefficients, kTable, &t->scores);
  reduce(kSumOfBlock, kScores, kGroups, t->scores, false, wide);
  tpu_bdc_fp_mul(kSumOfAll, kSumOfAll, kScale, &t->column, NULL, NULL, NULL, wide);
  tpu_bdc_fp_add(kSumOfAll, kSumOfAll, kSumOfBlock, &t->column, NULL, NULL, NULL, wide);
  cast_block(kProbability, kScores, t->scores, t->narrow, wide);
  tpu_bdc_fp_mul(kSum, kSum, kScale, &t->queries, NULL, NULL, &along, wide);
  results_of_heads(p, kSum, wide, true);
}

// The exponential as PPL's wrapper spells it out.
static void exp_in_steps(local_addr_t to, local_addr_t from, dim4 shape, data_type_t type) {
  const scalar_t low = {.u32 = 0xc6ea}, log2 = {.u32 = 0x3dc5}, ln2 = {.u32 = 0x398c};
  const scalar_t least = {.s8 = -15}, most = {.s8 = 15}, bias = {.s8 = 15};
  tpu_bdc_max_C(kWork0, from, low, &shape, NULL, NULL, type);
  tpu_bdc_cpy(kWork0, kWork0, &shape, NULL, NULL, type);
  tpu_bdc_fp_mul_C(kWork1, kWork0, log2, &shape, NULL, NULL, type);
  tpu_bdc_fp_floor(kWork1, kWork1, &shape, NULL, NULL, type);
  tpu_bdc_fp_mul_C(kTerm, kWork1, ln2, &shape, NULL, NULL, type);
  tpu_bdc_fp_sub(kWork0, kWork0, kTerm, &shape, NULL, NULL, NULL, type);
  cast_block(kTerm, kWork1, shape, DT_INT8, type);
  tpu_bdc_min_C(kTerm, kTerm, most, &shape, NULL, NULL, DT_INT8);
  tpu_bdc_max_C(kTerm, kTerm, least, &shape, NULL, NULL, DT_INT8);
  tpu_bdc_int_add_C(kWork1, kTerm, bias, &shape, NULL, NULL, DT_INT16, DT_INT8, DT_INT8, 7,
                    RM_HALF_AWAY_FROM_ZERO, true);
  tpu_bdc_fp_taylor(kWork0, kWork0, kCoefficients, &shape, 6, type);
  tpu_bdc_fp_mul(to, kWork0, kWork1, &shape, NULL, NULL, NULL, type);
}

// The same as PPL does it: all in the type of the tensors.
static void against_block_ppl(const later_args* p, const turn* t) {
  const data_type_t type = t->narrow;
  const dim4 spread = per_row(t->scores, type), along = per_row(t->queries, type);
  scores_of_heads(p, type);
  reduce(kOfBlock, kScores, kGroups, t->scores, true, type);
  tpu_bdc_max(kBefore, kLargest, kOfBlock, &t->column, NULL, NULL, NULL, type);
  tpu_bdc_fp_sub(kScale, kLargest, kBefore, &t->column, NULL, NULL, NULL, type);
  tpu_bdc_cpy(kLargest, kBefore, &t->column, NULL, NULL, type);
  exp_in_steps(kScale, kScale, t->column, type);
  tpu_bdc_fp_mul(kSum, kSum, kScale, &t->queries, NULL, NULL, &along, type);
  tpu_bdc_fp_mul(kSumOfAll, kSumOfAll, kScale, &t->column, NULL, NULL, NULL, type);
  tpu_bdc_fp_sub(kScores, kScores, kBefore, &t->scores, NULL, NULL, &spread, type);
  exp_in_steps(kProbability, kScores, t->scores, type);
  reduce(kSumOfBlock, kProbability, kGroups, t->scores, false, type);
  tpu_bdc_fp_add(kSumOfAll, kSumOfAll, kSumOfBlock, &t->column, NULL, NULL, NULL, type);
  results_of_heads(p, kTerm, type, false);
  tpu_bdc_fp_add(kSum, kSum, kTerm, &t->queries, NULL, NULL, NULL, type);
}

// `rows` queries of `heads` heads of `columns` elements against `depth` keys, `block` at a time.
static void attention_block(const void* args) {
  const later_args* p = (const later_args*)args;
  const turn t = turn_of(p);
  const data_type_t wide = p->ppl ? t.narrow : DT_FP32;
  const dim4 along = per_row(t.queries, wide);
  const scalar_t scale = {.u32 = 0x2da8}, unit = {.u32 = 0x3f800000};
  const int blocks = p->depth / p->block;
  tpu_initialize();
  p->ppl ? load_all(kQueries, p, p->rows) : load_heads(kQueries, p, p->rows);
  tpu_bdc_fp_mul_C(kQueries, kQueries, scale, &t.queries, NULL, NULL, t.narrow);
  fill(kSum, t.queries, wide);
  fill(kSumOfAll, t.column, wide);
  fill(kLargest, t.column, wide);
  if (p->first) load_exp();
  for (int k = 0; k <= blocks; ++k) {
    const bool region = k > 0 && k < blocks;
    if (region) tpu_parallel_start();
    if (k < blocks) {
      p->ppl ? load_all(kKeys, p, p->block) : load_heads(kKeys, p, p->block);
      p->ppl ? load_all(kValues, p, p->block) : load_heads(kValues, p, p->block);
    }
    if (k > 0) p->ppl ? against_block_ppl(p, &t) : against_block(p, &t);
    if (region) tpu_parallel_end();
  }
  if (p->ppl) {
    cast_block(kWork0, kSumOfAll, t.column, DT_FP32, t.narrow);
    tpu_bdc_fp_C_div(kWork0, kWork0, unit, &t.column, NULL, NULL, DT_FP32);
    cast_block(kSumOfAll, kWork0, t.column, t.narrow, DT_FP32);
    tpu_bdc_fp_mul(kResult, kSum, kSumOfAll, &t.queries, NULL, NULL, &along, t.narrow);
    const dim4 stride = {p->columns, p->pitch, p->pitch, 1};
    tpu_gdma_cpy_L2S(p->out, kResult, &t.queries, &stride, NULL, t.narrow);
  } else {
    tpu_bdc_fp_div(kSum, kSum, kSumOfAll, &t.queries, NULL, NULL, &along, wide);
    cast_block(kResult, kSum, t.queries, t.narrow, wide);
    store_heads(p);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(attention_block)
