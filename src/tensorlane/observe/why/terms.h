// The terms of a sum (Combination of the entry): which of the very many elements a convolution, a
// matrix product, a pooling or a reduction adds up make the most of its result.
//
// Two sources are factors of products where what counts their elements is spelt alike in the entry:
// input channels, rows and columns of the kernel, the inner extent of a matrix product. Padding and
// inserted zeros give no terms.
#ifndef TENSORLANE_OBSERVE_WHY_TERMS_H_
#define TENSORLANE_OBSERVE_WHY_TERMS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/why/sources.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::why {

struct Factor {
  int operand;
  Layout::Index index;
  double value;
};
struct Term {
  std::vector<Factor> factors;
  double value;  // their product, in double precision
};
struct Terms {
  std::int64_t count = 0;
  double sum = 0;             // of all, in double precision
  std::vector<Term> largest;  // by magnitude, largest first; what is not a number before all
};

// The terms of those of `sources` that have several elements; `most` of them are kept. Nothing
// where there are none, or where there is no telling which elements go together, or there are too
// many.
std::optional<Terms> terms_of(const Command& command, int result, const Layout::Index& at,
                              std::span<const Source> sources, const DeviceMemory& memory,
                              std::size_t most);

// Magnitude for comparisons: NaN is the largest of all.
double weight(double value);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_TERMS_H_
