// Softmax of every row of a matrix; a row fits into an NPU.
#include "ppl.h"
#include "ppl_wrapper_func.h"
using namespace ppl;

__KERNEL__ void softmax(fp32* output, fp32* input, int rows, int columns, const int block) {
  dim4 shape = {1, rows, 1, columns};
  auto in = gtensor<fp32>(shape, GLOBAL, input), out = gtensor<fp32>(shape, GLOBAL, output);
  dim4 most = {1, block, 1, columns}, one = {1, block, 1, 1};
  for (int row = 0; row < rows; row += block) {
    enable_pipeline();
    const int count = min(block, rows - row);
    dim4 real = {1, count, 1, columns}, real_one = {1, count, 1, 1}, offset = {0, row, 0, 0};
    auto x = make_tensor<fp32>(most, real);
    dma::load(x, in.sub_view(real, offset));
    auto largest = make_tensor<fp32>(one, real_one);
    quick_pooling(largest, x, &most, &real, 0, 0);
    auto shifted = make_tensor<fp32>(most, real);
    tiu::fsub(shifted, x, largest);
    auto power = make_tensor<fp32>(most, real);
    exp_no_overflow(power, shifted, &most, &real);
    auto sum = make_tensor<fp32>(one, real_one);
    quick_pooling(sum, power, &most, &real, 0, 1);
    tiu::fdiv(sum, 1.f, sum, 3);
    auto result = make_tensor<fp32>(most, real);
    tiu::fmul(result, power, sum);
    dma::store(out.sub_view(real, offset), result);
  }
}

__TEST__ void softmax_test() {
  dim4 shape = {1, 100, 1, 77};
  auto output = malloc<fp32>(&shape);
  auto input = rand<fp32>(&shape, -4, 4);
  softmax(output, input, 100, 77, 64);
}
