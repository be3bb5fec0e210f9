// Layouts cut into tiles, and tiles repeated.
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/algebra.h"
#include "tensorlane/layout/full_axis.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {

Layout divided(const Layout& layout, std::span<const std::int64_t> tile) {
  if (static_cast<int>(tile.size()) != layout.rank()) {
    user_error("tile [{}] has {} extents; {} has {} axes", fmt::join(tile, ","), tile.size(),
               notation(layout), layout.rank());
  }
  std::vector<FullAxis> outer, inner;
  for (int d = 0; d < layout.rank(); ++d) {
    const FullAxis axis = full_axis(layout, d);
    const std::int64_t extent = tile[static_cast<std::size_t>(d)];
    if (extent < 1 || axis.extent % extent != 0 || axis.offset % extent != 0) {
      user_error("tile [{}]: {} does not divide axis {} of {}, {} indices from place {} on",
                 fmt::join(tile, ","), extent, d, notation(layout), axis.extent, axis.offset);
    }
    FullAxis in{{}, extent, 0}, out{{}, axis.extent / extent, axis.offset / extent};
    std::int64_t left = extent;
    for (const Digit& digit : axis.digits) {
      const std::int64_t inside = std::min(left, digit.extent);
      if (digit.extent % inside != 0 || left % inside != 0) {
        user_error("tile [{}]: {} ends inside a digit of {} of axis {} of {}", fmt::join(tile, ","),
                   extent, digit.extent, d, notation(layout));
      }
      if (inside > 1) in.digits.push_back({inside, digit.stride});
      if (digit.extent > inside)
        out.digits.push_back({digit.extent / inside, digit.stride * inside});
      left /= inside;
    }
    if (left > 1) {  // the outermost digit of an axis has no end
      user_error("tile [{}]: {} ends inside a digit of axis {} of {}", fmt::join(tile, ","), extent,
                 d, notation(layout));
    }
    outer.push_back(out);
    inner.push_back(in);
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  return with_axes(layout, outer).set_swizzle(layout.swizzle());
}

Layout tiled(const Layout& tile, const Layout& grid) {
  check_plain(tile, tr("a tile").c_str());
  check_plain(grid, tr("a grid of tiles").c_str());
  if (tile.rank() != grid.rank() || tile.base() != 0) {
    user_error("{} in {}: tile and grid have as many axes, and the tile begins at 0",
               notation(tile), notation(grid));
  }
  const std::int64_t span = tile.loose_bounds(false).end;
  std::vector<FullAxis> axes;
  for (int d = 0; d < tile.rank(); ++d) {
    FullAxis axis = full_axis(tile, d);
    const FullAxis over = full_axis(grid, d);
    if (!axis.whole()) {
      user_error("{}: axis {} begins or ends inside its digits and cannot be repeated",
                 notation(tile), d);
    }
    for (const Digit& digit : over.digits)
      axis.digits.push_back({digit.extent, digit.stride / grid.element_units() * span});
    axis.offset = over.offset * axis.extent;
    axis.extent *= over.extent;
    std::erase_if(axis.digits, [](const Digit& digit) { return digit.extent == 1; });
    axes.push_back(axis);
  }
  return with_axes(tile, axes).set_base(grid.base() / grid.element_units() * span);
}

}  // namespace tensorlane
