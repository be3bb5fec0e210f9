#include "tensorlane/layout/grouping.h"

namespace tensorlane {

std::optional<Grouping> grouping_of(const NamedLayout& tensor) {
  if (tensor.spec.cols_per_channel) return std::nullopt;  // columns side by side are no group
  if (tensor.layout.swizzle()) return std::nullopt;
  for (int d = 0; d < tensor.axes.size(); ++d) {
    const Digit inner = tensor.layout.digits(d).front();
    // Unless the extent itself stands side by side: the innermost axis of any layout.
    const bool side_by_side = inner.stride == tensor.layout.element_units() && inner.extent > 1;
    if (!side_by_side || tensor.layout.digits(d).size() < 2) continue;
    Grouping grouping{tensor.axes[d], inner.extent, tensor.spec.shape, 0};
    std::int64_t& extent = grouping.shape[static_cast<std::size_t>(d)];
    const std::int64_t groups = ceil_div(extent, inner.extent);
    grouping.dummies = (groups * inner.extent - extent) * (tensor.layout.size() / extent);
    extent = groups;
    return grouping;
  }
  return std::nullopt;
}

}  // namespace tensorlane
