#include "tensorlane/trail/windows.h"

#include <algorithm>

namespace tensorlane::trail {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - static_cast<std::int64_t>(a % b != 0 && (a < 0) != (b < 0));
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return -floor_div(-a, b);
}

// The indices of `all` that `holds`.
template <class F>
Indices select(Range all, F holds) {
  Indices chosen;
  for (std::int64_t i = all.begin; i < all.end; ++i) {
    if (!holds(i)) continue;
    if (!chosen.empty() && chosen.back().end == i) {
      ++chosen.back().end;
    } else {
      chosen.push_back({i, i + 1});
    }
  }
  return chosen;
}

}  // namespace

Indices Windows::covering(Range sources, std::int64_t results) const {
  // Where the elements lie with what is inserted between them, and which results come near.
  const std::int64_t pitch = inserted + 1;
  const Range places{sources.begin * pitch, (sources.end - 1) * pitch + 1};
  const std::int64_t reach = (kernel - 1) * dilation;
  const Range near{std::max<std::int64_t>(0, ceil_div(places.begin + before - reach, step)),
                   std::min(results, floor_div(places.end - 1 + before, step) + 1)};
  return select(near, [&](std::int64_t result) {
    const std::int64_t first = result * step - before;
    std::int64_t k = std::max<std::int64_t>(0, ceil_div(places.begin - first, dilation));
    const std::int64_t last = std::min(kernel - 1, floor_div(places.end - 1 - first, dilation));
    while (k <= last && (first + k * dilation) % pitch != 0) ++k;
    return k <= last;
  });
}

std::optional<std::int64_t> Windows::element(std::int64_t result, std::int64_t k,
                                             std::int64_t sources) const {
  const std::int64_t place = result * step - before + k * dilation, pitch = inserted + 1;
  if (place < 0 || place % pitch != 0 || place / pitch >= sources) return std::nullopt;
  return place / pitch;
}

Indices Windows::window(std::int64_t result, std::int64_t sources) const {
  Indices elements;
  for (std::int64_t k = 0; k < kernel; ++k) {
    const std::optional<std::int64_t> at = element(result, k, sources);
    if (!at) continue;
    if (!elements.empty() && elements.back().end == *at) {
      ++elements.back().end;
    } else {
      elements.push_back({*at, *at + 1});
    }
  }
  return elements;
}

Indices Windows::covered(Range sources, std::int64_t results) const {
  const std::int64_t pitch = inserted + 1;
  if (dilation == 1 && step <= kernel) {  // no gaps between the windows
    const Range all{
        std::max(sources.begin, ceil_div(-before, pitch)),
        std::min(sources.end, floor_div((results - 1) * step - before + kernel - 1, pitch) + 1)};
    return all.begin < all.end ? Indices{all} : Indices{};
  }
  return select(sources, [&](std::int64_t source) {
    const std::int64_t place = source * pitch + before;
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t start = place - k * dilation;
      if (start >= 0 && start % step == 0 && start / step < results) return true;
    }
    return false;
  });
}

}  // namespace tensorlane::trail
