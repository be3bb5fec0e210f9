#include "layout_facts.h"

#include <algorithm>

namespace tensorlane::cli {

std::int64_t data_bytes(const NamedLayout& tensor) {
  if (!tensor.holds_elements) return 0;
  return ceil_div(tensor.layout.size() * dtype_bits(tensor.spec.dtype), 8);
}

std::int64_t channels_of(const NamedLayout& tensor) {
  const int dealt = tensor.layout.npu_dim();
  const std::int64_t extent = tensor.layout.extent(dealt);
  return tensor.axes[dealt] == Axis::kColumn ? ceil_div(extent, *tensor.spec.cols_per_channel)
                                             : extent;
}

std::int64_t npus_used(const NamedLayout& tensor) {
  return std::min<std::int64_t>(channels_of(tensor), tensor.memory().npus);
}

std::int64_t channel_rows(const NamedLayout& tensor) {
  return channels_per_npu(tensor.memory(), tensor.spec.start_npu, channels_of(tensor));
}

bool fits(const NamedLayout& tensor) {
  return tensor.spec.offset + tensor.bytes_per_npu <= tensor.memory().npu_bytes;
}

std::vector<std::string> idle_strides(const NamedLayout& tensor) {
  std::vector<std::string> idle;
  if (static_cast<int>(tensor.strides.size()) != tensor.axes.size()) return idle;
  const std::optional<Grouping> grouping = grouping_of(tensor);
  for (int d = 0; d < tensor.axes.size(); ++d) {
    const auto place = static_cast<std::size_t>(d);
    std::int64_t steps = grouping ? grouping->shape[place] : tensor.layout.extent(d);
    if (tensor.is_local() && d == tensor.layout.npu_dim()) steps = channel_rows(tensor);
    if (steps == 1) idle.push_back(axis_name(tensor.axes[d]));
  }
  return idle;
}

std::optional<Grouping> grouping_of(const NamedLayout& tensor) {
  if (tensor.spec.cols_per_channel) return std::nullopt;  // columns side by side are no group
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

}  // namespace tensorlane::cli
