// output = a + b, n numbers. A block is one row of every NPU.
#include "ppl.h"
using namespace ppl;

template <typename T>
void add(T* output, T* a, T* b, int n, const int block) {
  const int lanes = n >= LANE_NUM ? LANE_NUM : n;
  const int width = n / lanes;  // what is left over is added below
  auto blocks = [&](int channels, int length, int first) {
    dim4 shape = {1, channels, 1, length};
    auto a_all = gtensor<T>(shape, GLOBAL, a + first), b_all = gtensor<T>(shape, GLOBAL, b + first);
    auto out_all = gtensor<T>(shape, GLOBAL, output + first);
    dim4 most = {1, channels, 1, block};
    for (int at = 0; at < length; at += block) {
      enable_pipeline();
      dim4 real = {1, channels, 1, min(block, length - at)}, offset = {0, 0, 0, at};
      auto x = make_tensor<T>(most, real), y = make_tensor<T>(most, real);
      auto sum = make_tensor<T>(most, real);
      dma::load(x, a_all.sub_view(real, offset));
      dma::load(y, b_all.sub_view(real, offset));
      tiu::fadd(sum, x, y);
      dma::store(out_all.sub_view(real, offset), sum);
    }
  };
  blocks(lanes, width, 0);
  if (n % lanes != 0) blocks(1, n % lanes, lanes * width);
}

__KERNEL__ void add_fp32(fp32* output, fp32* a, fp32* b, int n, const int block) {
  add(output, a, b, n, block);
}
__KERNEL__ void add_fp16(fp16* output, fp16* a, fp16* b, int n, const int block) {
  add(output, a, b, n, block);
}
