// What the kernels of a transformer layer share: arguments, and how local memory is divided.
#ifndef LAYER_H_
#define LAYER_H_

#include "tpu_kernel.h"

#ifndef TYPE
#define TYPE DT_FP16  // of all elements that are not said to be of another type; or DT_BFP16
#endif

typedef unsigned long long address;

// Rows of a matrix divided by the root of their mean square, times gamma.
typedef struct {
  address output, input;  // rows x cols
  address gamma;          // cols
  int rows, cols;
  float epsilon;
} norm_args;

// Rows in 8 bits: input = output * scale, the largest element of a row at 127.
typedef struct {
  address output;  // int8, rows x cols
  address scale;   // fp32, rows
  address input;   // rows x cols
  int rows, cols;
} quantise_args;

// What the right matrix of a product is made of.
enum {
  KIND_FLOAT,  // elements of TYPE
  KIND_W8A16,  // int8, with a scale for each column
  KIND_W4A16,  // 4 bits, with a scale for each column of a group of 128 rows
  KIND_W8A8,   // int8 as KIND_W8A16; left is what quantise made
};

// output = left * right + addend
typedef struct {
  address output;      // rows x cols
  address left;        // rows x inner
  address right;       // inner x cols; 4 bits: inner / 2 x cols bytes, as product.c says
  address scale;       // fp32, cols; KIND_W4A16: of TYPE, inner / 128 x cols
  address left_scale;  // fp32, rows: of KIND_W8A8
  address addend;      // rows x cols, or 0
  int rows, inner, cols, kind;
} product_args;

// Heads of queries and keys turned by the angles of their positions; keys and values into caches.
typedef struct {
  address query;         // tokens x heads x dim
  address key, value;    // caches: heads x capacity x dim
  address input;         // tokens x (queries, keys, values) x heads x dim
  address cosine, sine;  // fp32, tokens x dim / 2
  int tokens, first;     // the first one's position
  int heads, dim, capacity;
} rope_args;

// Queries look at the keys of their own and of all earlier positions.
typedef struct {
  address output, query;  // queries x heads x dim
  address key, value;     // caches: heads x capacity x dim
  int queries, first;     // the first one's position
  int heads, dim, capacity;
  float scale;  // of products of queries and keys
} attention_args;

// output = silu(gate) * up
typedef struct {
  address output;  // rows x cols
  address input;   // rows x (gate, up) x cols
  int rows, cols;
} gate_args;

// The first address of a bank of local memory, on all NPUs.
static inline local_addr_t bank(int i) {
  return i * BANK_SIZE;
}

// The stride of one element that stands for all of its channel.
static inline dim4 spread_stride(int channels) {
  const dim4 single = {.n = 1, .c = channels, .h = 1, .w = 1};
  dim4 stride;
  tpu_aligned_stride(&stride, 0, &single, DT_FP32);
  stride.h = stride.w = 0;
  return stride;
}

// One number for each row of `shape`: the largest element, or the sum of factor * element.
static inline void row_maximum(local_addr_t to, local_addr_t rows, const dim4* shape) {
  const dim2 one = {.h = 1, .w = 1}, whole = {.h = 1, .w = shape->w};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t lowest = {.u32 = FP_NEG_MAX(DT_FP32)};
  tpu_bdc_fp_max_pool2d(to, rows, shape, &whole, &none, &one, &one, DT_FP32, lowest);
}
static inline void row_sum(local_addr_t to, local_addr_t rows, const dim4* shape, float factor) {
  const dim2 one = {.h = 1, .w = 1}, whole = {.h = 1, .w = shape->w};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t scale = {.f32 = factor};
  tpu_bdc_fp_avg_pool2d(to, rows, shape, &whole, &none, &one, &one, DT_FP32, scale);
}

#endif  // LAYER_H_
