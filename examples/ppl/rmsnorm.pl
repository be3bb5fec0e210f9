// x / sqrt(mean(x ^ 2) + eps) * weight, row by row. Rows are cut: the sum of squares goes over all
// parts of a row before its first part is scaled.
#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

__KERNEL__ void rmsnorm(fp16* output, fp16* input, fp16* weight, float eps, int rows, int columns,
                        const int block) {
  dim4 shape = {1, rows, 1, columns}, row_shape = {1, 1, 1, columns};
  auto in = gtensor<fp16>(shape, GLOBAL, input), out = gtensor<fp16>(shape, GLOBAL, output);
  auto scale = gtensor<fp16>(row_shape, GLOBAL, weight);
  dim4 most = {1, LANE_NUM, 1, block}, one = {1, LANE_NUM, 1, 1};
  for (int row = 0; row < rows; row += LANE_NUM) {
    const int count = min(LANE_NUM, rows - row);
    dim4 real_one = {1, count, 1, 1};
    auto mean = make_tensor<fp32>(one, real_one);
    tiu::fill(mean, eps);
    for (int at = 0; at < columns; at += block) {
      enable_pipeline();
      const int width = min(block, columns - at);
      dim4 real = {1, count, 1, width}, offset = {0, row, 0, at};
      auto x = make_tensor<fp16>(most, real);
      dma::load(x, in.sub_view(real, offset));
      auto wide = make_tensor<fp32>(most, real);
      tiu::cast(wide, x);
      tiu::fmul(wide, wide, wide);
      auto part = make_tensor<fp32>(one, real_one);
      quick_pooling(part, wide, &most, &real, 0, 1, 1.f / columns);
      tiu::fadd(mean, mean, part);
    }
    auto factor = make_tensor<fp32>(one, real_one);
    tiu::frsqrt(factor, mean, 4);
    for (int at = 0; at < columns; at += block) {
      enable_pipeline();
      const int width = min(block, columns - at);
      dim4 real = {1, count, 1, width}, offset = {0, row, 0, at};
      auto x = make_tensor<fp16>(most, real), w = make_tensor<fp16>(most, real);
      dma::load(x, in.sub_view(real, offset));
      dim4 w_shape = {1, 1, 1, width}, w_offset = {0, 0, 0, at};
      dma::load_broadcast(w, scale.sub_view(w_shape, w_offset));
      auto wide = make_tensor<fp32>(most, real), wide_w = make_tensor<fp32>(most, real);
      tiu::cast(wide, x);
      tiu::cast(wide_w, w);
      tiu::fmul(wide, wide, factor);
      tiu::fmul(wide, wide, wide_w);
      auto result = make_tensor<fp16>(most, real);
      tiu::cast(result, wide);
      dma::store(out.sub_view(real, offset), result);
    }
  }
}
