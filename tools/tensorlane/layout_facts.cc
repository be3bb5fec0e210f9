#include "layout_facts.h"

#include <algorithm>
#include <map>

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

namespace {

// Rows that the planes of one NPU touch, each plane for itself.
std::int64_t rows_by_planes(const NamedLayout& tensor, std::int64_t npu, std::int64_t width) {
  const Layout& layout = tensor.layout;
  std::int64_t rows = 0;
  for (std::int64_t n = 0; n < layout.extent(0); ++n) {
    const std::int64_t npus = tensor.memory().npus;
    const std::int64_t first = (npu - tensor.spec.start_npu % npus + npus) % npus;
    for (std::int64_t c = first; c < layout.extent(1); c += npus) {
      std::int64_t last = -1;
      for (const ByteRun& run : layout.slice(0, n, 1).slice(1, c, 1).byte_runs()) {
        const std::int64_t end = (run.offset + run.bytes - 1) / width;
        rows += end - std::max(run.offset / width, last + 1) + 1;
        last = end;
      }
    }
  }
  return rows;
}

}  // namespace

std::optional<EuRows> eu_rows(const NamedLayout& tensor) {
  constexpr std::int64_t kMostCounted = 1 << 23;
  // Beyond the end of an NPU addresses go on in the next one, whose rows these are not.
  if (!tensor.is_local() || !fits(tensor) || tensor.layout.size() > kMostCounted)
    return std::nullopt;
  const std::int64_t width = tensor.memory().align_bytes;
  struct Npu {
    std::int64_t rows = 0, bytes = 0, last = -1;
  };
  std::map<std::int64_t, Npu> npus;
  for (const ByteRun& run : tensor.layout.byte_runs()) {
    Npu& npu = npus[run.npu];
    const std::int64_t first = run.offset / width, last = (run.offset + run.bytes - 1) / width;
    npu.rows += last - std::max(first, npu.last + 1) + 1;
    npu.last = last;
    npu.bytes += run.bytes;
  }
  EuRows most{0, 0};
  std::int64_t fullest = 0;
  for (const auto& [number, npu] : npus) {
    if (npu.rows <= most.rows) continue;
    most = {npu.rows, ceil_div(npu.bytes, width)};
    fullest = number;
  }
  const bool planes = tensor.axes == Axes("NCHW") && !tensor.layout.swizzle() &&
                      tensor.info->stride_unit == StrideUnit::kElement &&
                      std::ssize(tensor.strides) == 4;
  if (planes) most.twice = rows_by_planes(tensor, fullest, width) - most.rows;
  return most;
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
