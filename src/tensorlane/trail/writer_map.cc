#include "tensorlane/trail/writer_map.h"

#include <algorithm>

namespace tensorlane::trail {

WriterMap::WriterMap(const Chip& chip)
    : local_(static_cast<std::size_t>(chip.cores), LaneMaps(chip.local.npus, chip.local.npu_bytes)),
      npu_bytes_(chip.local.npu_bytes) {}

void WriterMap::assign(Space space, const Footprint& bytes, Writer writer, int core) {
  if (bytes.empty()) return;
  if (space == Space::kLocal) return local_[static_cast<std::size_t>(core)].assign(bytes, writer);
  runs_.clear();
  collect_runs(bytes.shape->boxes, bytes.origin, runs_);
  auto& pages = pages_[static_cast<std::size_t>(space)];
  // The runs ascend; those of one page go into its map together.
  for (std::size_t k = 0; k < runs_.size();) {
    const std::int64_t page = runs_[k].begin / kPageBytes, end = (page + 1) * kPageBytes;
    part_.clear();
    while (k < runs_.size() && runs_[k].begin < end) {
      part_.push_back({runs_[k].begin, std::min(runs_[k].end, end)});
      runs_[k].begin = part_.back().end;
      if (runs_[k].begin < runs_[k].end) break;  // goes on in the next page
      ++k;
    }
    pages[page].assign(part_, writer);
  }
}

Writer WriterMap::at(Space space, std::int64_t address, int core) const {
  Writer writer = kNobody;
  if (space == Space::kLocal) {
    const std::int64_t offset = address % npu_bytes_;
    local_[static_cast<std::size_t>(core)]
        .view(static_cast<int>(address / npu_bytes_))
        .uniform({offset, offset + 1}, writer);
    return writer;
  }
  const auto& pages = pages_[static_cast<std::size_t>(space)];
  const auto page = pages.find(address / kPageBytes);
  if (page != pages.end()) page->second.uniform({address, address + 1}, writer);
  return writer;
}

}  // namespace tensorlane::trail
