#include "tensorlane/trail/mark_map.h"

#include <limits>

namespace tensorlane::trail {

// What most writes of a loop find: the same command wrote the same bytes before.
bool MarkMap::holds(std::span<const Range> runs, Mark mark) const {
  auto it = first_ending_after(runs.front().begin);
  for (const Range& run : runs) {
    while (it != intervals_.end() && it->end <= run.begin) ++it;
    if (mark == kUnwritten) {
      if (it != intervals_.end() && it->begin < run.end) return false;
    } else if (it == intervals_.end() || it->mark != mark || it->begin > run.begin ||
               it->end < run.end) {
      return false;
    }
  }
  return true;
}

void MarkMap::assign(std::span<const Range> runs, Mark mark) {
  if (runs.empty() || holds(runs, mark)) return;
  // The intervals from the one that ends at or after the first run to the one that begins at or
  // before the last are replaced as a whole.
  const auto first = std::partition_point(
      intervals_.begin(), intervals_.end(),
      [&](const Interval& interval) { return interval.end < runs.front().begin; });
  const auto last = std::partition_point(first, intervals_.end(), [&](const Interval& interval) {
    return interval.begin <= runs.back().end;
  });
  if (first == last) {  // nothing near was written before
    if (mark == kUnwritten) return;
    auto at = intervals_.insert(first, runs.size(), Interval{0, 0, mark});
    for (const Range& run : runs) *at++ = {run.begin, run.end, mark};
    return;
  }
  std::vector<Interval> merged;
  merged.reserve(static_cast<std::size_t>(last - first) + 2 * runs.size() + 1);
  const auto add = [&](std::int64_t begin, std::int64_t end, Mark with) {
    if (begin >= end || with == kUnwritten) return;
    if (!merged.empty() && merged.back().end == begin && merged.back().mark == with) {
      merged.back().end = end;
    } else {
      merged.push_back({begin, end, with});
    }
  };
  auto old = first;
  std::int64_t done = first == last ? 0 : first->begin;  // of the old intervals
  for (const Range& run : runs) {
    for (; old != last && old->begin < run.begin; ++old) {
      add(std::max(done, old->begin), std::min(old->end, run.begin), old->mark);
      if (old->end > run.begin) break;
    }
    add(run.begin, run.end, mark);
    done = run.end;
    while (old != last && old->end <= run.end) ++old;
  }
  for (; old != last; ++old) add(std::max(done, old->begin), old->end, old->mark);
  const auto at = intervals_.begin() + (first - intervals_.begin());
  const std::size_t replaced = static_cast<std::size_t>(last - first);
  if (merged.size() <= replaced) {
    const auto end = std::copy(merged.begin(), merged.end(), at);
    intervals_.erase(end, at + static_cast<std::ptrdiff_t>(replaced));
  } else {
    const auto middle = merged.begin() + static_cast<std::ptrdiff_t>(replaced);
    const auto end = std::copy(merged.begin(), middle, at);
    intervals_.insert(end, middle, merged.end());
  }
}

LaneMaps::LaneMaps(int npus, std::int64_t npu_bytes, std::int64_t page_bytes)
    : npus_(npus),
      page_bytes_(page_bytes),
      groups_(npus == 1 || npu_bytes <= page_bytes
                  ? 1
                  : static_cast<std::size_t>((npu_bytes + page_bytes - 1) / page_bytes)) {}

// Keeps the storage: the next launch marks the same pages.
void LaneMaps::clear() {
  for (Page& groups : groups_) {
    if (groups.empty()) continue;
    groups.erase(groups.begin() + 1, groups.end());
    groups.front().end = npus_;
    groups.front().map.clear();
  }
}

Range LaneMaps::page_range(std::size_t page) const {
  constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
  const auto begin = static_cast<std::int64_t>(page) * page_bytes_;
  return {begin, page + 1 == groups_.size() ? kNoEnd : begin + page_bytes_};
}

std::vector<int> LaneMaps::alike(Range offsets) const {
  const std::size_t from = page_of(offsets.begin), to = page_of(offsets.end - 1);
  std::vector<int> first;
  for (int q = 0; q < npus_;) {
    const int end = end_alike(from, to, q);
    first.resize(static_cast<std::size_t>(end), q);
    q = end;
  }
  return first;
}

void LaneMaps::assign(const Footprint& footprint, Mark mark) {
  if (footprint.empty()) return;
  const Shape& shape = *footprint.shape;
  if (shape.lanes.empty()) {
    runs_.clear();
    collect_runs(shape.boxes, footprint.origin, runs_);
    assign_page(0, 0, 1, runs_, mark);
    return;
  }
  for (const LaneBox& lane : shape.lanes) {
    runs_.clear();
    collect_runs({&lane.box, 1}, 0, runs_);
    assign_lanes(lane.first, lane.count, runs_, mark);
  }
}

void LaneMaps::assign_lanes(int first, int count, std::span<const Range> runs, Mark mark) {
  const std::size_t last = page_of(runs.back().end - 1);
  for (std::size_t page = page_of(runs.front().begin); page <= last; ++page) {
    const Range all = page_range(page);
    part_.clear();
    while (!runs.empty() && runs.front().begin < all.end) {
      const Range& run = runs.front();
      part_.push_back({std::max(run.begin, all.begin), std::min(run.end, all.end)});
      if (run.end > all.end) break;  // goes on in the next page
      runs = runs.subspan(1);
    }
    if (!part_.empty()) assign_page(page, first, first + count, part_, mark);
  }
}

std::size_t LaneMaps::part(Page& groups, int npu) {
  if (npu == 0) return 0;
  const std::size_t k = group_of(groups, npu - 1);
  if (groups[k].end > npu) {
    Group before{npu, groups[k].map};
    groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(k), std::move(before));
  }
  return k + 1;
}

void LaneMaps::assign_page(std::size_t page, int first, int end, std::span<const Range> runs,
                           Mark mark) {
  Page& groups = groups_[page];
  if (groups.empty()) groups.push_back({npus_, {}});
  // What most writes of a loop find: nothing has to be parted.
  std::size_t k = group_of(groups, first);
  while (groups[k].map.holds(runs, mark)) {
    if (groups[k++].end >= end) return;
  }
  std::size_t from = part(groups, first), to = part(groups, end);
  const auto at = [&](std::size_t group) {
    return groups.begin() + static_cast<std::ptrdiff_t>(group);
  };
  if (runs.size() == 1 && runs.front() == page_range(page)) {
    // NPUs whose page is written as a whole are alike from here on.
    groups.erase(at(from), at(to - 1));
    to = from + 1;
  }
  for (k = from; k < to; ++k) groups[k].map.assign(runs, mark);
  // So are those that it made alike.
  from = from == 0 ? 0 : from - 1;
  for (k = std::min(to, groups.size() - 1); k > from; --k) {
    if (groups[k - 1].map != groups[k].map) continue;
    groups[k - 1].end = groups[k].end;
    groups.erase(at(k));
  }
}

}  // namespace tensorlane::trail
