// What others ran on boards of the BM1690 and the SG2260E and published hashes of: element-wise
// operations of fp16 and matrix products.
#include "tpu_kernel.h"

typedef struct {
  unsigned long long output, left, right;  // fp16, 64 rows of `columns`
  int operation;                           // 0 + - * /
  int columns;
} binary_args;

void binary(const void* args) {
  const binary_args* p = (const binary_args*)args;
  const dim4 shape = {1, 64, 1, p->columns};
  const local_addr_t a = 0, b = p->columns * 2, c = p->columns * 4;
  tpu_initialize();
  tpu_gdma_cpy_S2L(a, p->left, &shape, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(b, p->right, &shape, NULL, NULL, DT_FP16);
  if (p->operation == 0) tpu_bdc_fp_add(c, a, b, &shape, NULL, NULL, NULL, DT_FP16);
  if (p->operation == 1) tpu_bdc_fp_sub(c, a, b, &shape, NULL, NULL, NULL, DT_FP16);
  if (p->operation == 2) tpu_bdc_fp_mul(c, a, b, &shape, NULL, NULL, NULL, DT_FP16);
  if (p->operation == 3) tpu_bdc_fp_div(c, a, b, &shape, NULL, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_L2S(p->output, c, &shape, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(binary)

typedef struct {
  unsigned long long output, left, right;  // fp32 or fp16, rows x columns; 16 bits, x inner
  int rows, inner, columns;
  int is_bf16, transposed;  // right is stored as columns x inner
  int half_output;          // fp16 in place of fp32
  float start;              // of the sums
} product_args;

static int bytes_of(int rows, int columns, data_type_t dtype) {
  return DIV_UP(rows, NPU_NUM) * tpu_aligned_feature_size(1, columns, dtype);
}

void product(const void* args) {
  const product_args* p = (const product_args*)args;
  const data_type_t dtype = p->is_bf16 ? DT_BFP16 : DT_FP16;
  const dim4 left = {1, p->rows, 1, p->inner};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->left, &left, NULL, NULL, dtype);
  for (int first = 0; first < p->columns; first += 256) {
    const int columns = MIN(256, p->columns - first);
    const dim4 right = {1, p->transposed ? columns : p->inner, 1,
                        p->transposed ? p->inner : columns};
    const dim4 output = {1, p->rows, 1, columns};
    const int step = p->transposed ? p->inner : p->columns;
    const dim4 right_stride = {right.c * step, step, step, 1};
    const dim4 output_stride = {p->rows * p->columns, p->columns, p->columns, 1};
    const local_addr_t right_at = bytes_of(p->rows, p->inner, dtype);
    const local_addr_t sums = right_at + bytes_of(right.c, right.w, dtype);
    const local_addr_t halves = sums + bytes_of(p->rows, columns, DT_FP32);
    const scalar_t start = {.f32 = p->start};
    const unsigned long long to = p->output + (unsigned long long)first * (p->half_output ? 2 : 4);
    tpu_gdma_cpy_S2L(right_at, p->right + first * (p->transposed ? p->inner * 2LL : 2), &right,
                     NULL, &right_stride, dtype);
    if (p->transposed) {
      tpu_bdc_fp_mm_R_trans(sums, 0, right_at, p->rows, p->inner, columns, DT_FP32, dtype);
    } else {
      tpu_bdc_set_C(sums, start, &output, NULL, DT_FP32);
      tpu_bdc_fp_mm(sums, 0, right_at, p->rows, p->inner, columns, DT_FP32, dtype, true);
    }
    if (p->half_output) {
      tpu_bdc_cast(halves, sums, &output, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
      tpu_gdma_cpy_L2S(to, halves, &output, &output_stride, NULL, DT_FP16);
    } else {
      tpu_gdma_cpy_L2S(to, sums, &output, &output_stride, NULL, DT_FP32);
    }
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(product)
