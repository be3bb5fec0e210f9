#include "../common/host.h"
#include "args.h"

// (x - mean) / sqrt(variance + epsilon) of every run of `length` elements, in double.
static std::vector<double> normalised(const std::vector<float>& input, int length, double epsilon) {
  std::vector<double> out(input.begin(), input.end());
  for (std::size_t at = 0; at < out.size(); at += length) {
    double mean = 0, variance = 0;
    for (int i = 0; i < length; ++i) mean += out[at + i] / length;
    for (int i = 0; i < length; ++i)
      variance += (out[at + i] - mean) * (out[at + i] - mean) / length;
    for (int i = 0; i < length; ++i)
      out[at + i] = (out[at + i] - mean) / std::sqrt(variance + epsilon);
  }
  return out;
}

int main() {
  const int n = 2, c = 70, h = 5, w = 7, rows = n * c, cols = h * w;
  const float epsilon = 1e-5f;
  const std::vector<float> input = whole_numbers(rows * cols), gamma = whole_numbers(c),
                           beta(gamma.rbegin(), gamma.rend());
  const std::vector<double> x = normalised(input, cols, epsilon);  // a plane here, a row there
  std::vector<float> by_plane, by_row;
  for (int i = 0; i < rows * cols; ++i) {
    by_plane.push_back(static_cast<float>(x[i] * gamma[i / cols % c] + beta[i / cols % c]));
    by_row.push_back(static_cast<float>(x[i] * gamma[i % cols] + beta[i % cols]));
  }

  Device device;
  const Buffer<float> from(device, input), to(device, input.size()), gammas(device, gamma),
      betas(device, beta);
  args_t args = {
      n, c, h, w, epsilon, to.address(), from.address(), gammas.address(), betas.address()};
  device.launch("instance_norm", args);
  int wrong = compare("instance_norm", to.read(), by_plane, 1e-4f);
  args.n = args.h = 1, args.c = rows, args.w = cols;
  device.launch("layer_norm", args);
  wrong += compare("layer_norm", to.read(), by_row, 1e-4f);
  return wrong;
}
