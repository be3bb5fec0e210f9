#include "../common/host.h"
#include "args.h"

static int test(Device& device, int n, int c, int h, int w) {
  const std::vector<float> input = whole_numbers(static_cast<std::size_t>(n) * c * h * w);
  std::vector<float> want;
  for (float x : input) want.push_back(x + 1);
  const Buffer<float> from(device, input), to(device, input.size());
  device.launch("plus_one", args_t{n, c, h, w, to.address(), from.address()});
  char name[64];
  std::snprintf(name, sizeof name, "%d,%d,%d,%d", n, c, h, w);
  return compare(name, to.read(), want);
}

int main() {
  Device device;
  int wrong = test(device, 2, 70, 5, 7);    // one part
  wrong += test(device, 33, 64, 112, 112);  // cut along N, the last part is smaller
  wrong += test(device, 1, 3, 700, 900);    // cut along H
  return wrong;
}
