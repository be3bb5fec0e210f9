#include "tensorlane/chip/static_memory.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "tensorlane/compute/special/series.h"

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

template <std::size_t kTerms>
void copy(std::vector<std::byte>& memory, const StaticTable& table,
          const std::array<float, kTerms>& series) {
  std::memcpy(memory.data() + table.offset, series.data(), sizeof series);
}

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

double arcsin_series(int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value *= (2.0 * i - 1) / (2.0 * i);
  return value / (2 * k + 1);
}

std::vector<std::byte> make() {
  std::vector<std::byte> memory(kBytes);
  fill<float>(memory, kExpTable, [](int i) { return static_cast<float>(std::exp(i - 103.0)); });
  fill<float>(memory, kExpSeries, [](int i) { return static_cast<float>(1 / factorial(i)); });
  fill<float>(memory, kLogSeries, [](int i) {
    return i == 0 ? 0.0F : static_cast<float>((i % 2 == 1 ? 1.0 : -1.0) / i);
  });
  copy(memory, tensorlane::kErfSeries, special::kErfSeries);
  fill<int>(memory, kNumbers, [](int i) { return i; });
  copy(memory, kSinSeries, special::kSineSeries<special::Fp32>);
  copy(memory, kCosSeries, special::kCosineSeries<special::Fp32>);
  copy(memory, kTanSeries, special::kTangentSeries);
  fill<float>(memory, kArcsinSeries, [](int k) { return static_cast<float>(arcsin_series(k)); });
  return memory;
}

}  // namespace

std::span<const std::byte> tpukernel_static_memory() {
  static const std::vector<std::byte>* const memory = new std::vector<std::byte>(make());
  return *memory;
}

}  // namespace tensorlane
