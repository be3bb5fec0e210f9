#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

// Every row less its mean. A block of rows lies in all NPUs, a row in one.
__KERNEL__ void center(fp32* output, fp32* input, int rows, int columns, const int block) {
  dim4 shape = {1, rows, 1, columns}, most = {1, block, 1, columns}, one = {1, block, 1, 1};
  auto in = gtensor<fp32>(shape, GLOBAL, input), out = gtensor<fp32>(shape, GLOBAL, output);
  for (int row = 0; row < rows; row += block) {
    enable_pipeline();
    const int count = min(block, rows - row);
    dim4 real = {1, count, 1, columns}, real_one = {1, count, 1, 1}, at = {0, row, 0, 0};
    auto x = make_tensor<fp32>(most, real);
    dma::load(x, in.sub_view(real, at));
    auto mean = make_tensor<fp32>(one, real_one);
    quick_pooling(mean, x, &most, &real, 0, 1, 1.f / columns);
    auto y = make_tensor<fp32>(most, real);
    tiu::fsub(y, x, mean);
    dma::store(out.sub_view(real, at), y);
  }
}

__TEST__ void center_test() {
  dim4 shape = {1, 300, 1, 1000};
  auto output = malloc<fp32>(&shape);
  auto input = rand<fp32>(&shape, -1, 1);
  center(output, input, 300, 1000, 64);
}
