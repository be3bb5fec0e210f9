// Elements that stand side by side: 4N, 2N, 2IC, 32IC, 64IC and the lanes of MACE's images.
#ifndef TENSORLANE_LAYOUT_GROUPING_H_
#define TENSORLANE_LAYOUT_GROUPING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane {

// So many elements of an axis make one element of a tensor of another shape.
//
// Example: int8 (6, 5, 4, 5) in 4N has groups of 4 along n, the shape (2, 5, 4, 5) in groups, and
// in the last groups 2 * 5 * 4 * 5 = 200 places without an element.
struct Grouping {
  Axis axis;
  std::int64_t elements;
  std::vector<std::int64_t> shape;  // of the groups, in the order of the axes
  std::int64_t dummies;             // places in the last groups without an element
};
// Nothing where elements stand alone.
std::optional<Grouping> grouping_of(const NamedLayout& tensor);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_GROUPING_H_
