#include "../common/host.h"
#include "args.h"

int main() {
  const int n = 2, c = 70, h = 5, w = 40;
  const std::vector<float> input = whole_numbers(n * c * h * w);
  std::vector<float> last(input.size()), first(input.size()), turned(input.size());
  for (int i = 0; i < n * c * h * w; ++i) {
    const int x = i % w, y = i / w % h, channel = i / (w * h) % c, image = i / (w * h * c);
    last[((image * h + y) * w + x) * c + channel] = input[i];
    first[((channel * n + image) * h + y) * w + x] = input[i];
    turned[((image * w + x) * h + y) * c + channel] = input[i];
  }

  Device device;
  const Buffer<float> from(device, input), to(device, input.size());
  const args_t args = {n, c, h, w, to.address(), from.address()};
  device.launch("channels_last", args);
  int wrong = compare("channels_last", to.read(), last);
  device.launch("channels_first", args);
  wrong += compare("channels_first", to.read(), first);
#ifdef BACKEND_1684X
  device.launch("channels_with_width", args);
  wrong += compare("channels_with_width", to.read(), turned);
#endif
  return wrong;
}
