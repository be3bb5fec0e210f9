// Axes as the algebra takes layouts apart and puts them together: every digit has its extent.
#ifndef TENSORLANE_LAYOUT_FULL_AXIS_H_
#define TENSORLANE_LAYOUT_FULL_AXIS_H_

#include <cstdint>
#include <vector>

#include "tensorlane/layout/layout.h"

namespace tensorlane {

// An axis with the extent of its outermost digit, which a Layout leaves to the axis.
struct FullAxis {
  std::vector<Digit> digits;  // innermost first, strides in units
  std::int64_t extent, offset;

  // Whether the indices are all the places of the digits.
  bool whole() const {
    std::int64_t places = 1;
    for (const Digit& digit : digits) places *= digit.extent;
    return offset == 0 && places == extent;
  }
};

// Axis `d` of a layout, without the digits that no index reaches.
FullAxis full_axis(const Layout& layout, int d);

// A layout of these axes, of the elements, base and memory that `like` has, without a swizzle.
// UserError where it would have more axes or digits than a Layout can.
Layout with_axes(const Layout& like, const std::vector<FullAxis>& axes);

// UserError, which calls the layout `what`, where it has a swizzle.
void check_plain(const Layout& layout, const char* what);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_FULL_AXIS_H_
