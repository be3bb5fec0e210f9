// The series of the BM1684X: the coefficients that tpu_bdc_load_*_coeff copies, lowest first.
//
// Where the chip sums fewer terms than its table holds, the number of terms stands beside the
// table. [observed]
#ifndef TENSORLANE_COMPUTE_SPECIAL_SERIES_H_
#define TENSORLANE_COMPUTE_SPECIAL_SERIES_H_

#include <array>
#include <cstddef>
#include <numbers>

#include "tensorlane/compute/special/formats.h"

namespace tensorlane::special {

template <class Format>
inline constexpr float kLog2E = nearest<Format>(std::numbers::log2e);
template <class Format>
inline constexpr float kLn2 = nearest<Format>(std::numbers::ln2);
template <class Format>
inline constexpr float kTurnsPerRadian = nearest<Format>(std::numbers::inv_pi / 2);
template <class Format>
inline constexpr float kTwoThirds = nearest<Format>(2.0 / 3);

template <class Format>
inline constexpr float kSixth = nearest<Format>(1.0 / 6);

// e^x: 1 / i!
template <class Format>
inline constexpr auto kExpSeries = [] {
  std::array<float, Format::kExpTerms> c{};
  double factorial = 1;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (i > 0) factorial *= static_cast<double>(i);
    c[i] = nearest<Format>(1 / factorial);
  }
  return c;
}();

// ln(1 + t): 0, 1, -1/2, 1/3, ...
template <class Format>
inline constexpr auto kLogSeries = [] {
  std::array<float, Format::kLogTerms> c{};
  for (std::size_t i = 1; i < c.size(); ++i)
    c[i] = nearest<Format>((i % 2 == 0 ? -1.0 : 1.0) / static_cast<double>(i));
  return c;
}();

// sin(2 pi f) / f and cos(2 pi f) in powers of f^2. For |f| <= 1/2 the first terms give the bits of
// all: 10 in 16 bits, 13 in fp32. [tried with every operand]
template <class Format>
constexpr auto turn_series(double first, int lowest_power) {
  std::array<float, Format::kTurnTable> c{};
  constexpr double kTurn = 2 * std::numbers::pi;
  double exact = first;
  for (std::size_t i = 0; i < c.size(); ++i) {
    c[i] = nearest<Format>(exact);
    const double power = static_cast<double>(lowest_power) + 2 * static_cast<double>(i);
    exact *= -kTurn * kTurn / ((power + 1) * (power + 2));
  }
  return c;
}
template <class Format>
inline constexpr auto kSineSeries = turn_series<Format>(2 * std::numbers::pi, 1);
template <class Format>
inline constexpr auto kCosineSeries = turn_series<Format>(1, 0);

// tan(pi f) / f in powers of f^2: coefficient n - 1 is 2 * 4^n * s(2n) / pi, s(k) the sum of i^-k
// over the odd i.
inline constexpr std::size_t kTangentTerms = 16, kTangentTable = 32;
inline constexpr auto kTangentSeries = [] {
  constexpr double kSquare = std::numbers::pi * std::numbers::pi;
  std::array<float, kTangentTable> c{};
  // The first sums converge slowly; their values are known.
  const std::array<double, 3> known = {kSquare / 8, kSquare * kSquare / 96,
                                       kSquare * kSquare * kSquare / 960};
  double power = 1;  // 4^n
  for (std::size_t n = 1; n <= c.size(); ++n) {
    power *= 4;
    double sum = 0;
    for (int i = 15; i >= 1; i -= 2) {
      double term = 1;
      for (std::size_t j = 0; j < n; ++j) term /= i * i;
      sum += term;
    }
    if (n <= known.size()) sum = known[n - 1];
    c[n - 1] = static_cast<float>(2 * power * sum / std::numbers::pi);
  }
  return c;
}();

// arcsin(v) / v in powers of v^2: (2i)! / (4^i i!^2 (2i + 1))
inline constexpr std::size_t kArcsineTerms = 16, kArcsineTable = 32;
inline constexpr auto kArcsineSeries = [] {
  std::array<float, kArcsineTable> c{};
  double binomial = 1;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const auto n = static_cast<double>(i);
    if (i > 0) binomial *= (2 * n - 1) / (2 * n);
    c[i] = static_cast<float>(binomial / (2 * n + 1));
  }
  return c;
}();

// erfc(z) = t * e^(series(t) - z^2) with t = 1 / (1 + z / 2): the fit of Numerical Recipes.
inline constexpr std::array<float, 10> kErfSeries = {
    -1.26551223F, 1.00002368F,  0.37409196F, 0.09678418F,  -0.18628806F,
    0.27886807F,  -1.13520398F, 1.48851587F, -0.82215223F, 0.17087277F};

}  // namespace tensorlane::special

#endif  // TENSORLANE_COMPUTE_SPECIAL_SERIES_H_
