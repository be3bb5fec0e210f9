#include <algorithm>
#include <numeric>

#include "../common/host.h"
#include "args.h"

int main() {
  const int rows = 70, cols = 300, k = 5;
  const std::vector<float> input = whole_numbers(rows * cols);  // with many equal ones
  std::vector<float> ranks, values, indices;
  for (int i = 0; i < cols; ++i) ranks.push_back(static_cast<float>(cols - i));
  for (int row = 0; row < rows; ++row) {
    const float* x = &input[row * cols];
    std::vector<int> order(cols);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[a] > x[b]; });
    for (int i = 0; i < k; ++i) {
      values.push_back(x[order[i]]);
      indices.push_back(static_cast<float>(order[i]));
    }
  }

  Device device;
  const Buffer<float> from(device, input), rank(device, ranks), to(device, values.size());
  const Buffer<int> at(device, indices.size());
  device.launch("topk",
                args_t{rows, cols, k, to.address(), at.address(), from.address(), rank.address()});
  const std::vector<int> got = at.read();
  int wrong = compare("values", to.read(), values);
  wrong += compare("indices", std::vector<float>(got.begin(), got.end()), indices);
  return wrong;
}
