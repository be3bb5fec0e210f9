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
  std::int64_t inside = 1;  // indices of a channel
  for (const Digit& digit : tensor.layout.digits(dealt)) {
    if (digit.stride == tensor.layout.npu_units()) break;
    inside *= digit.extent;
  }
  return ceil_div(extent, inside);
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

}  // namespace tensorlane::cli
