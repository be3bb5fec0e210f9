// Marks on the bytes of a memory: who wrote them last.
//
// A MarkMap is a sorted list of intervals, each with one mark, over one linear memory. A LaneMaps
// holds such maps for the pages of every NPU; neighbours that were treated alike in a page share
// its map, so that a command that touches 64 NPUs in the same way costs as much as one that touches
// a single NPU, and pages keep the lists short.
//
// Mark 0 means that nobody wrote the byte. What the other numbers mean is up to the caller.
#ifndef TENSORLANE_TRAIL_MARK_MAP_H_
#define TENSORLANE_TRAIL_MARK_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

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
  [[gnu::hot]] void assign(std::span<const Range> runs, Mark mark);
  void assign(Range run, Mark mark) { assign(std::span(&run, 1), mark); }
  void clear() { intervals_.clear(); }
  // All of these bytes have this mark.
  [[gnu::hot]] bool holds(std::span<const Range> runs, Mark mark) const;

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
  friend bool operator==(const MarkMap&, const MarkMap&) = default;

 private:
  using Iterator = std::vector<Interval>::const_iterator;
  Iterator first_ending_after(std::int64_t at) const {
    return std::partition_point(intervals_.begin(), intervals_.end(),
                                [at](const Interval& interval) { return interval.end <= at; });
  }

  std::vector<Interval> intervals_;  // sorted, disjoint; neighbours that touch differ in mark
};

// The marks of the NPUs of a local memory, or, with one NPU, of a linear memory.
class LaneMaps {
 public:
  // A linear memory has one page, and so have NPUs whose bytes are not given.
  explicit LaneMaps(int npus, std::int64_t npu_bytes = 0, std::int64_t page_bytes = 4096);

  void clear();
  [[gnu::hot]] void assign(const Footprint& footprint, Mark mark);
  // Offsets in one NPU, at least one.
  void assign(int npu, Range offsets, Mark mark) {
    assign_lanes(npu, 1, std::span(&offsets, 1), mark);
  }

  // The marks of one NPU; ranges are offsets. As visit() and uniform() of a MarkMap, but visit()
  // parts its pieces at the ends of pages.
  class View {
   public:
    View(const LaneMaps& maps, int npu) : maps_(&maps), npu_(npu) {}

    template <class F>
    bool visit(Range range, F f) const {
      return each_page(range, [&](const MarkMap& map, Range part) { return map.visit(part, f); });
    }
    bool uniform(Range range, Mark& mark) const {
      bool first = true;
      return each_page(range, [&](const MarkMap& map, Range part) {
        Mark here = kUnwritten;
        const bool same = map.uniform(part, here) && (first || here == mark);
        first = false;
        mark = here;
        return same;
      });
    }

   private:
    template <class F>
    bool each_page(Range range, F f) const {
      while (range.begin < range.end) {
        const std::size_t page = maps_->page_of(range.begin);
        const std::int64_t end = std::min(range.end, maps_->page_range(page).end);
        if (!f(maps_->at(page, npu_), Range{range.begin, end})) return false;
        range.begin = end;
      }
      return true;
    }
    const LaneMaps* maps_;
    int npu_;
  };
  View view(int npu) const { return {*this, npu}; }

  // Calls f(first NPU, count, view, box, origin) for groups of NPUs with the same marks near the
  // box. f returns false to stop.
  template <class F>
  bool visit(const Footprint& footprint, F f) const {
    if (footprint.empty()) return true;
    const Shape& shape = *footprint.shape;
    if (shape.lanes.empty()) {
      for (const ByteBox& box : shape.boxes) {
        if (!f(0, 1, view(0), box, footprint.origin)) return false;
      }
      return true;
    }
    for (const LaneBox& lane : shape.lanes) {
      const Range bounds = lane.box.bounds();
      const std::size_t from = page_of(bounds.begin), to = page_of(bounds.end - 1);
      for (int q = lane.first; q < lane.first + lane.count;) {
        const int first = q;
        q = std::min(lane.first + lane.count, end_alike(from, to, first));
        if (!f(first, q - first, view(first), lane.box, std::int64_t{0})) return false;
      }
    }
    return true;
  }

  // For every NPU the first of its neighbours that share its maps near these offsets, and so have
  // the same marks.
  std::vector<int> alike(Range offsets) const;

  // The map of the first page of an NPU: all there is of a linear memory.
  const MarkMap& map(int npu) const { return at(0, npu); }

 private:
  // Neighbours that share a map, up to NPU `end`.
  struct Group {
    int end;
    MarkMap map;
  };
  // All NPUs in order; empty as long as nobody wrote there.
  using Page = std::vector<Group>;

  static std::size_t group_of(const Page& groups, int npu) {
    std::size_t k = 0;
    while (groups[k].end <= npu) ++k;
    return k;
  }
  const MarkMap& at(std::size_t page, int npu) const {
    const Page& groups = groups_[page];
    return groups.empty() ? nothing_ : groups[group_of(groups, npu)].map;
  }
  std::size_t page_of(std::int64_t offset) const {
    return groups_.size() == 1
               ? 0
               : std::min(static_cast<std::size_t>(offset / page_bytes_), groups_.size() - 1);
  }
  Range page_range(std::size_t page) const;
  // The end of the NPUs from `npu` on that are alike in these pages.
  int end_alike(std::size_t from, std::size_t to, int npu) const {
    int end = npus_;
    for (std::size_t page = from; page <= to; ++page) {
      const Page& groups = groups_[page];
      if (!groups.empty()) end = std::min(end, groups[group_of(groups, npu)].end);
    }
    return end;
  }
  [[gnu::hot]] void assign_lanes(int first, int count, std::span<const Range> runs, Mark mark);
  [[gnu::hot]] void assign_page(std::size_t page, int first, int end, std::span<const Range> runs,
                                Mark mark);
  // The group that begins at `npu`, parted from the one it was in.
  static std::size_t part(Page& groups, int npu);

  int npus_;
  std::int64_t page_bytes_;
  MarkMap nothing_;
  std::vector<Page> groups_;
  std::vector<Range> runs_, part_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_MARK_MAP_H_
