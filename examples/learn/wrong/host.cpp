#include "../common/host.h"
#include "args.h"

int main() {
  const int n = 4, c = 64, h = 32, w = 32;
  const std::vector<float> input = whole_numbers(n * c * h * w);
  std::vector<float> want;
  for (float x : input) want.push_back(x + 1);

  Device device;
  const Buffer<float> from(device, input), to(device, input.size());
  device.launch("plus_one", args_t{n, c, h, w, to.address(), from.address()});
  return compare("plus_one", to.read(), want);
}
