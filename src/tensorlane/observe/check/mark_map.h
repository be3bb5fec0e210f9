// Marks on the bytes of a memory: who wrote them last.
//
// A MarkMap is a sorted list of intervals, each with one mark, over one linear memory. A LaneMaps
// holds one such map per NPU; NPUs that were treated alike share a map, so that a command that
// touches 64 NPUs in the same way costs as much as one that touches a single NPU.
//
// Mark 0 means that nobody wrote the byte. What the other numbers mean is up to the caller.
#ifndef TENSORLANE_OBSERVE_CHECK_MARK_MAP_H_
#define TENSORLANE_OBSERVE_CHECK_MARK_MAP_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensorlane/observe/check/footprint.h"

namespace tensorlane::check {

using Mark = std::uint32_t;
inline constexpr Mark kUnwritten = 0;

class MarkMap {
 public:
  struct Interval {
    std::int64_t begin, end;
    Mark mark;
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  // Marks ascending runs that do not touch each other.
  void assign(std::span<const Range> runs, Mark mark);
  void assign(Range run, Mark mark) { assign(std::span(&run, 1), mark); }
  void clear() { intervals_.clear(); }

  // Calls f(begin, end, mark) for every piece of `range` in order, unwritten ones included, until f
  // returns false. False when it did.
  template <class F>
  bool visit(Range range, F f) const {
    std::int64_t at = range.begin;
    for (auto it = first_ending_after(at); at < range.end; ++it) {
      if (it == intervals_.end() || it->begin >= range.end) return f(at, range.end, kUnwritten);
      if (it->begin > at && !f(at, it->begin, kUnwritten)) return false;
      at = std::max(at, it->begin);
      const std::int64_t end = std::min(it->end, range.end);
      if (!f(at, end, it->mark)) return false;
      at = end;
    }
    return true;
  }

  // The mark of all bytes of `range`; nothing (false) when they differ.
  bool uniform(Range range, Mark& mark) const {
    const auto it = first_ending_after(range.begin);
    if (it == intervals_.end() || it->begin >= range.end) {
      mark = kUnwritten;
      return true;
    }
    mark = it->mark;
    return it->begin <= range.begin && it->end >= range.end;
  }

  std::span<const Interval> intervals() const { return intervals_; }

 private:
  using Iterator = std::vector<Interval>::const_iterator;
  Iterator first_ending_after(std::int64_t at) const {
    return std::partition_point(intervals_.begin(), intervals_.end(),
                                [at](const Interval& interval) { return interval.end <= at; });
  }
  bool holds(std::span<const Range> runs, Mark mark) const;

  std::vector<Interval> intervals_;  // sorted, disjoint; neighbours that touch differ in mark
};

// The maps of the NPUs of a local memory, or, with one NPU, of a linear memory.
class LaneMaps {
 public:
  explicit LaneMaps(int npus) : maps_(static_cast<std::size_t>(npus)) { clear(); }

  void clear();
  void assign(const Footprint& footprint, Mark mark);
  // Calls f(first NPU, count, map, box, origin) for groups of NPUs with the same map. f returns
  // false to stop.
  template <class F>
  bool visit(const Footprint& footprint, F f) const {
    if (footprint.empty()) return true;
    const Shape& shape = *footprint.shape;
    if (shape.lanes.empty()) {
      for (const ByteBox& box : shape.boxes) {
        if (!f(0, 1, *maps_[0], box, footprint.origin)) return false;
      }
      return true;
    }
    for (const LaneBox& lane : shape.lanes) {
      for (int q = lane.first; q < lane.first + lane.count;) {
        const int first = q;
        const MarkMap* map = at(q).get();
        while (q < lane.first + lane.count && at(q).get() == map) ++q;
        if (!f(first, q - first, *map, lane.box, std::int64_t{0})) return false;
      }
    }
    return true;
  }
  int npus() const { return static_cast<int>(maps_.size()); }
  const MarkMap& map(int npu) const { return *at(npu); }

 private:
  const std::shared_ptr<MarkMap>& at(int npu) const { return maps_[static_cast<std::size_t>(npu)]; }
  void assign_lanes(int first, int count, std::span<const Range> runs, Mark mark);

  std::vector<std::shared_ptr<MarkMap>> maps_;
  std::vector<Range> runs_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_MARK_MAP_H_
