#include "tensorlane/chip/static_memory.h"

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

namespace tensorlane {
namespace {

constexpr int kBytes = 4096;

template <class T, class F>
void fill(std::vector<std::byte>& memory, const StaticTable& table, F f) {
  for (int i = 0; i < table.words; ++i) {
    const T value = f(i);
    std::memcpy(memory.data() + table.offset + i * sizeof value, &value, sizeof value);
  }
}

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

// The k-th term's coefficient of a series in x / (2 pi), where x^power / power! is the series.
double turn_series(int power, int k) {
  double value = k % 2 == 0 ? 1.0 : -1.0;
  for (int i = 1; i <= power; ++i) value *= 2 * std::numbers::pi / i;
  return value;
}

double arcsin_series(int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value *= (2.0 * i - 1) / (2.0 * i);
  return value / (2 * k + 1);
}

constexpr float kErf[] = {-1.26551223F, 1.00002368F,  0.37409196F, 0.09678418F,  -0.18628806F,
                          0.27886807F,  -1.13520398F, 1.48851587F, -0.82215223F, 0.17087277F};

std::vector<std::byte> make() {
  std::vector<std::byte> memory(kBytes);
  fill<float>(memory, kExpTable, [](int i) { return static_cast<float>(std::exp(i - 103.0)); });
  fill<float>(memory, kExpSeries, [](int i) { return static_cast<float>(1 / factorial(i)); });
  fill<float>(memory, kLogSeries, [](int i) {
    return i == 0 ? 0.0F : static_cast<float>((i % 2 == 1 ? 1.0 : -1.0) / i);
  });
  fill<float>(memory, kErfSeries, [](int i) { return i < 10 ? kErf[i] : 0.0F; });
  fill<int>(memory, kNumbers, [](int i) { return i; });
  fill<float>(memory, kSinSeries,
              [](int k) { return static_cast<float>(turn_series(2 * k + 1, k)); });
  fill<float>(memory, kCosSeries, [](int k) { return static_cast<float>(turn_series(2 * k, k)); });
  fill<float>(memory, kArcsinSeries, [](int k) { return static_cast<float>(arcsin_series(k)); });
  return memory;
}

}  // namespace

std::span<const std::byte> bm1684x_static_memory() {
  static const std::vector<std::byte>* const memory = new std::vector<std::byte>(make());
  return *memory;
}

}  // namespace tensorlane
