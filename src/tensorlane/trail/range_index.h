// Ranges, found again by a range they overlap, in far fewer steps than there are ranges.
//
// Ranges are sorted by where they begin, apart for each power of two of their length: the ones of
// a class that reach a byte begin at most that power before it.
#ifndef TENSORLANE_TRAIL_RANGE_INDEX_H_
#define TENSORLANE_TRAIL_RANGE_INDEX_H_

#include <array>
#include <bit>
#include <cstdint>
#include <map>

#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

class RangeIndex {
 public:
  // `range` is not empty.
  void add(Range range, std::uint32_t name) {
    const int k = length_class(range);
    classes_[static_cast<std::size_t>(k)].emplace(range.begin, Entry{range.end, name});
    used_ |= std::uint64_t{1} << k;
  }
  void clear() {
    for (std::uint64_t left = used_; left != 0; left &= left - 1)
      classes_[static_cast<std::size_t>(std::countr_zero(left))].clear();
    used_ = 0;
  }

  // Calls f(name) for every range that overlaps `range`, in no order.
  template <class F>
  void visit(Range range, F f) const {
    for (std::uint64_t left = used_; left != 0; left &= left - 1) {
      const int k = std::countr_zero(left);
      const auto& sorted = classes_[static_cast<std::size_t>(k)];
      const std::int64_t longest = std::int64_t{1} << k;
      for (auto at = sorted.upper_bound(range.begin - longest);
           at != sorted.end() && at->first < range.end; ++at) {
        if (at->second.end > range.begin) f(at->second.name);
      }
    }
  }

 private:
  struct Entry {
    std::int64_t end;
    std::uint32_t name;
  };
  // The least k for which the range has at most 2^k bytes.
  static int length_class(Range range) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range.bytes() - 1)));
  }

  std::array<std::multimap<std::int64_t, Entry>, 64> classes_;
  std::uint64_t used_ = 0;  // bit k: class k has ranges
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_RANGE_INDEX_H_
