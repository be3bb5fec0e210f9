#include "tensorlane/observe/why/plain_number.h"

#include <cmath>

namespace tensorlane::why {

std::optional<double> plain_number(double value, double precision) {
  if (value == 0 || !std::isfinite(value)) return std::nullopt;
  const auto whole = [&](double x) -> std::optional<double> {
    if (std::fabs(x) < 0.5 || std::fabs(x) > 65536) return std::nullopt;
    const double round = std::round(x);
    if (std::fabs(x - round) > precision * std::fabs(x)) return std::nullopt;
    return round;
  };
  if (const auto n = whole(value); n && std::fabs(*n) < 1024) return n;
  if (const auto n = whole(1 / value)) return 1 / *n;
  for (const double scale : {1e1, 1e2, 1e3, 1e4, 1e5, 1e6}) {
    if (const auto n = whole(value * scale); n && std::fabs(*n) < 100) return *n / scale;
  }
  // Of roots: the square or its inverse is a whole number.
  const double sign = value < 0 ? -1 : 1;
  if (const auto n = whole(value * value); n && *n < 8192) return sign * std::sqrt(*n);
  if (const auto n = whole(1 / (value * value)); n && *n < 8192) return sign / std::sqrt(*n);
  return std::nullopt;
}

}  // namespace tensorlane::why
