#include "../common/host.h"
#include "args.h"

int main() {
  const int heads = 12, tokens = 10, dim = 64, half = dim / 2;
  const std::vector<float> input = whole_numbers(heads * tokens * dim);
  std::vector<float> cosine, sine, rotated(input.size());
  for (int i = 0; i < tokens * half; ++i) {
    const double angle = i / half * std::pow(10000.0, -(i % half) / static_cast<double>(half));
    cosine.push_back(static_cast<float>(std::cos(angle)));
    sine.push_back(static_cast<float>(std::sin(angle)));
  }
  for (int row = 0; row < heads * tokens; ++row) {
    for (int i = 0; i < half; ++i) {
      const int at = row * dim + i, angle = row % tokens * half + i;
      rotated[at] = input[at] * cosine[angle] - input[at + half] * sine[angle];
      rotated[at + half] = input[at + half] * cosine[angle] + input[at] * sine[angle];
    }
  }

  Device device;
  const Buffer<float> from(device, input), to(device, input.size()), cosines(device, cosine),
      sines(device, sine);
  const args_t args = {heads,          tokens, dim, to.address(), from.address(), cosines.address(),
                       sines.address()};
  device.launch("rope", args);
  return compare("rope", to.read(), rotated, 1e-5f);
}
