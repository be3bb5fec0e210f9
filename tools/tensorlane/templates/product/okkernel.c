// output = left * right, matrices of any size.
//
// The result is computed tile by tile: a tile's products are added up over pieces of the inner
// dimension. A matrix lies with a few of its columns in each NPU; limits of the sizes of tiles are
// local memory and the 128 columns that a channel may have.
//
// 结果一块一块地算：每块沿内维分段累加。矩阵的列分在各 NPU 里；块的大小受本地内存和每通道至多 128
// 列的限制。
#include "my_kernel.h"

#include "okk.h"

enum { kRows = 128, kInner = 512, kCols = 1024 };  // of a tile 一块的大小

static int least(int a, int b) {
  return a < b ? a : b;
}

// Columns of a matrix for each channel, so that all NPUs have some.
// 矩阵每个通道的列数，使每个 NPU 都分到一些。
static int spread(int cols) {
  return (cols + okk_npu_num() - 1) / okk_npu_num();
}

static system_addr_t element(system_addr_t matrix, int row, int col, int cols) {
  return matrix + ((long long)row * cols + col) * sizeof(float);
}

void my_kernel(const void* args) {
  const my_kernel_args* a = (const my_kernel_args*)args;
  // A row of a tile takes 128 bytes of each NPU. 一块的每一行在每个 NPU 里占 128 字节。
  const local_addr_t left = 0, right = left + kRows * 128, output = right + kInner * 128;

  okk_initialize();
  for (int row = 0; row < a->rows; row += kRows) {
    const int rows = least(kRows, a->rows - row);
    for (int col = 0; col < a->cols; col += kCols) {
      const int cols = least(kCols, a->cols - col), right_width = spread(cols);
      for (int k = 0; k < a->inner; k += kInner) {
        const int inner = least(kInner, a->inner - k), left_width = spread(inner);
        okk_gdma_32bit_matrix_S2L(left, element(a->left_addr, row, k, a->inner), rows, inner,
                                  left_width, a->inner);
        okk_gdma_32bit_matrix_S2L(right, element(a->right_addr, k, col, a->cols), inner, cols,
                                  right_width, a->cols);
        // The first piece sets the tile, the others are added. 第一段写入，其余累加。
        okk_bdc_matmul(output, left, right, 0, rows, inner, cols, left_width, right_width, false,
                       k > 0);
      }
      okk_gdma_32bit_matrix_L2S(element(a->output_addr, row, col, a->cols), output, rows, cols,
                                right_width, a->cols);
    }
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(my_kernel)
