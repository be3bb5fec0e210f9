#include "../common/host.h"
#include "args.h"

int main() {
  const int parts = 8, width = 2048;
  std::vector<float> input = whole_numbers(64 * parts * width), want;
  for (float x : input) want.push_back(1 / (1 + std::exp(-x)));

  Device device;
  int wrong = 0;
  for (const char* kernel : {"in_turn", "pingpong"}) {
    const Buffer<float> from(device, input), to(device, input.size());
    device.launch(kernel, args_t{parts, width, to.address(), from.address()});
    wrong += compare(kernel, to.read(), want, 1e-6f);
  }
  return wrong;
}
