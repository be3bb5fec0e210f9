#include "tensorlane/observe/check/mark_map.h"

#include <limits>

namespace tensorlane::check {

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
    : npus_(static_cast<std::size_t>(npus)),
      pages_(npus == 1 || npu_bytes <= page_bytes
                 ? 1
                 : static_cast<std::size_t>((npu_bytes + page_bytes - 1) / page_bytes)),
      page_bytes_(page_bytes),
      maps_(npus_ * pages_, std::make_shared<MarkMap>()),
      used_(pages_) {}

void LaneMaps::clear() {
  const auto empty = std::make_shared<MarkMap>();
  for (std::size_t page = 0; page < pages_; ++page) {
    if (!used_[page]) continue;
    std::fill_n(maps_.begin() + static_cast<std::ptrdiff_t>(page * npus_), npus_, empty);
    used_[page] = false;
  }
}

Range LaneMaps::page_range(std::size_t page) const {
  constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
  const auto begin = static_cast<std::int64_t>(page) * page_bytes_;
  return {begin, page + 1 == pages_ ? kNoEnd : begin + page_bytes_};
}

std::vector<int> LaneMaps::alike(Range offsets) const {
  const std::size_t from = page_of(offsets.begin), to = page_of(offsets.end - 1);
  std::vector<int> first;
  for (int q = 0; q < static_cast<int>(npus_); ++q) {
    int of = 0;
    while (of < q && (first[static_cast<std::size_t>(of)] != of || !alike(from, to, of, q))) ++of;
    first.push_back(of);
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
    if (!part_.empty()) assign_page(page, first, count, part_, mark);
  }
}

void LaneMaps::assign_page(std::size_t page, int first, int count, std::span<const Range> runs,
                           Mark mark) {
  used_[page] = true;
  const auto own = maps_.begin() + static_cast<std::ptrdiff_t>(page * npus_);
  if (runs.size() == 1 && runs.front() == page_range(page)) {
    // NPUs whose page is written as a whole are alike from here on.
    Mark old = kUnwritten;
    const bool one = std::all_of(own + first, own + first + count,
                                 [&](const auto& map) { return map == own[first]; });
    if (one && own[first]->uniform(runs.front(), old) && old == mark) return;
    const auto whole = std::make_shared<MarkMap>();
    whole->assign(runs, mark);
    std::fill_n(own + first, count, whole);
    return;
  }
  for (int q = first; q < first + count;) {
    const std::shared_ptr<MarkMap> map = at(page, q);
    const int begin = q;
    while (q < first + count && at(page, q) == map) ++q;
    // `map` itself is one more owner. NPUs outside the range keep the old map.
    const bool alone = map.use_count() == q - begin + 1;
    const std::shared_ptr<MarkMap> target = alone ? map : std::make_shared<MarkMap>(*map);
    target->assign(runs, mark);
    if (!alone) std::fill_n(own + begin, q - begin, target);
  }
}

}  // namespace tensorlane::check
