#include "../common/host.h"
#include "args.h"

int main() {
  const int n = 2, c = 70, h = 5, w = 7;
  const std::vector<float> input = whole_numbers(n * c * h * w);
  std::vector<float> plus_one, transposed(input.size());
  for (float x : input) plus_one.push_back(x + 1);
  for (int plane = 0; plane < n * c; ++plane) {
    for (int i = 0; i < h * w; ++i)
      transposed[plane * h * w + i % w * h + i / w] = input[plane * h * w + i];
  }

  Device device;
  const Buffer<float> from(device, input), to(device, input.size());
  const args_t args = {n, c, h, w, to.address(), from.address()};
  device.launch("plus_one", args);
  int wrong = compare("plus_one", to.read(), plus_one);
  device.launch("transpose", args);
  wrong += compare("transpose", to.read(), transposed);
  return wrong;
}
