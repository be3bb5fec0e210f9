#include "text.h"

#include <fmt/format.h>

#include <array>

namespace tensorlane::cli {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  const bool whole = bytes % (std::uint64_t{1} << (10 * unit)) == 0;
  return fmt::format("{:.{}f} {}", value, whole || value >= 100 ? 0 : 1, kUnits[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

}  // namespace tensorlane::cli
