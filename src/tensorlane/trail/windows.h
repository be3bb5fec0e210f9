// Windows that slide along one dimension, in ranges of indices instead of elements.
//
// Result r is made of the elements (r * step - before + k * dilation) / (inserted + 1) of a source,
// 0 <= k < kernel: a convolution, a pooling or a transposed convolution along H or W.
#ifndef TENSORLANE_TRAIL_WINDOWS_H_
#define TENSORLANE_TRAIL_WINDOWS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

// Indices of a dimension: ascending ranges that do not touch.
using Indices = std::vector<Range>;

struct Windows {
  std::int64_t kernel = 1, step = 1, dilation = 1, before = 0, inserted = 0;

  // The results, of `results` in all, whose windows cover an element of `sources`.
  Indices covering(Range sources, std::int64_t results) const;
  // The element that place `k` of the window of a result lies on, if there is one among `sources`.
  std::optional<std::int64_t> element(std::int64_t result, std::int64_t k,
                                      std::int64_t sources) const;
  // All of them.
  Indices window(std::int64_t result, std::int64_t sources) const;
  // The elements of `sources` that the windows of `results` results cover.
  Indices covered(Range sources, std::int64_t results) const;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_WINDOWS_H_
