// output = left * right (+ bias) for matrices that fit local memory together.
//
// The columns of a matrix are cut into channels of `cols_per_channel` columns, which the NPUs
// share. Every NPU computes its own channels of the output, so right, bias and output are cut
// alike, into as many channels as there are NPUs where possible; at most 128 columns per channel
// are allowed.
#include "matmul.h"

#include "okk.h"

static int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

static int columns_per_channel(int columns) {
  int per_channel = ceil_div(columns, okk_npu_num());
  return per_channel < 128 ? per_channel : 128;
}

// Bytes per NPU of a matrix that starts at NPU 0.
static unsigned int matrix_bytes(int rows, int columns, int per_channel) {
  dim4 shape = {.n = rows, .c = ceil_div(columns, per_channel), .h = 1, .w = per_channel};
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  return (unsigned int)(rows * stride.n) * sizeof(float);
}

void matmul(const void* args) {
  const matmul_args* p = (const matmul_args*)args;
  const int left_per_channel = columns_per_channel(p->left_cols);
  const int right_per_channel = columns_per_channel(p->right_cols);
  local_addr_t left_at = 0;
  local_addr_t right_at = left_at + matrix_bytes(p->left_rows, p->left_cols, left_per_channel);
  local_addr_t bias_at = right_at + matrix_bytes(p->left_cols, p->right_cols, right_per_channel);
  local_addr_t output_at = bias_at + matrix_bytes(1, p->right_cols, right_per_channel);
  OKKERNEL_ASSERT(output_at + matrix_bytes(p->left_rows, p->right_cols, right_per_channel) <=
                  okk_local_mem_size_per_npu());

  okk_initialize();
  okk_gdma_32bit_matrix_S2L(left_at, p->left_addr, p->left_rows, p->left_cols, left_per_channel,
                            p->left_cols);
  okk_gdma_32bit_matrix_S2L(right_at, p->right_addr, p->left_cols, p->right_cols, right_per_channel,
                            p->right_cols);
  if (p->using_bias)
    okk_gdma_32bit_matrix_S2L(bias_at, p->bias_addr, 1, p->right_cols, right_per_channel,
                              p->right_cols);
  okk_bdc_matmul(output_at, left_at, right_at, bias_at, p->left_rows, p->left_cols, p->right_cols,
                 left_per_channel, right_per_channel, p->using_bias, false);
  okk_gdma_32bit_matrix_L2S(p->output_addr, output_at, p->left_rows, p->right_cols,
                            right_per_channel, p->right_cols);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(matmul)
