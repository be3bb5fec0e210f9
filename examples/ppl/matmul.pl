// output[m, n] = left[m, k] * right[k, n], fp16 with sums in fp32. The inner dimension is cut, too:
// products of its parts add up in a tensor that lives across turns of the loop.
#include "ppl.h"
using namespace ppl;

__KERNEL__ void matmul(fp16* output, fp16* left, fp16* right, int m, int k, int n, const int block_m,
                       const int block_k, const int block_n) {
  dim4 left_shape = {1, m, 1, k}, right_shape = {1, k, 1, n}, out_shape = {1, m, 1, n};
  auto a = gtensor<fp16>(left_shape, GLOBAL, left), b = gtensor<fp16>(right_shape, GLOBAL, right);
  auto c = gtensor<fp16>(out_shape, GLOBAL, output);
  dim4 most_a = {1, block_m, 1, block_k}, most_b = {1, block_k, 1, block_n};
  dim4 most_c = {1, block_m, 1, block_n};
  for (int row = 0; row < m; row += block_m) {
    const int rows = min(block_m, m - row);
    for (int column = 0; column < n; column += block_n) {
      const int columns = min(block_n, n - column);
      dim4 real_c = {1, rows, 1, columns}, offset_c = {0, row, 0, column};
      auto sum = make_tensor<fp32>(most_c, real_c);
      tiu::zero(sum);
      for (int at = 0; at < k; at += block_k) {
        enable_pipeline();
        const int inner = min(block_k, k - at);
        dim4 real_a = {1, rows, 1, inner}, real_b = {1, inner, 1, columns};
        dim4 offset_a = {0, row, 0, at}, offset_b = {0, at, 0, column};
        auto x = make_tensor<fp16>(most_a, real_a), y = make_tensor<fp16>(most_b, real_b);
        dma::load(x, a.sub_view(real_a, offset_a));
        dma::load(y, b.sub_view(real_b, offset_b));
        tiu::fmm2(sum, x, y, false, false, false, false, true, DT_FP32);
      }
      auto result = make_tensor<fp16>(most_c, real_c);
      tiu::cast(result, sum);
      dma::store(c.sub_view(real_c, offset_c), result);
    }
  }
}
