// The largest elements of the rows of a matrix, with many equal ones.
#include <algorithm>
#include <numeric>

#include "../common/host.h"
#include "topk.h"

static int run(example::Device& device, int rows, int cols, int k) {
  std::vector<float> input;
  for (const int x : example::random_integers<int>(static_cast<std::size_t>(rows) * cols, -50, 50))
    input.push_back(static_cast<float>(x) / 4);
  std::vector<double> values, indices;
  for (int r = 0; r < rows; ++r) {
    std::vector<int> order(static_cast<std::size_t>(cols));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return input[r * cols + a] > input[r * cols + b]; });
    for (int i = 0; i < k; ++i) {
      indices.push_back(order[static_cast<std::size_t>(i)]);
      values.push_back(input[r * cols + order[static_cast<std::size_t>(i)]]);
    }
  }
  const example::Buffer<float> input_memory(device, input), values_memory(device, values.size());
  const example::Buffer<std::int32_t> indices_memory(device, indices.size());
  const topk_args args = {
      values_memory.address(), indices_memory.address(), input_memory.address(), rows, cols, k};
  device.launch("topk", args);
  return example::report("topk values", values_memory.download(), values, 0) +
         example::report("topk indices", indices_memory.download(), indices, 0);
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, 1, 1, 1);
  failures += run(device, 7, 1000, 5);
  failures += run(device, 2, 20000, 100);
  return failures == 0 ? 0 : 1;
}
