#include "../common/host.h"
#include "args.h"

static int test(Device& device, const char* kernel, int n, int c, int h, int w) {
  const std::vector<float> input = whole_numbers(static_cast<std::size_t>(n) * c * h * w);
  std::vector<float> want;
  for (float x : input) want.push_back(x + 1);
  const Buffer<float> from(device, input), to(device, input.size());
  device.launch(kernel, args_t{n, c, h, w, to.address(), from.address()});
  return compare(kernel, to.read(), want);
}

int main() {
  Device device;
  int wrong = test(device, "as_it_is", 1, 3, 640, 480);
  wrong += test(device, "as_a_line", 1, 3, 640, 480);
  wrong += test(device, "as_a_line", 1, 3, 331, 409);  // a multiple of nothing
  wrong += test(device, "as_a_line", 1, 1, 1, 37);     // fewer elements than NPUs
  return wrong;
}
