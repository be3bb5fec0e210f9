// Values kept by the bytes of a memory that they stand for, found again by bytes that may meet
// them.
//
// Ranges alone do not tell the tiles of a matrix apart: each strides over most of it, between the
// rows of all others. A strided box is therefore kept by its digits in its own strides, as tile
// coordinates: of a tile of 16 columns from column 32 in rows 8 to 15 of rows of 4096 bytes, (8,
// 32) with 8 rows and 16 bytes. Boxes with the same strides meet where each digit does. What asks
// in other strides, or wraps around them, finds by range.
#ifndef TENSORLANE_TRAIL_BOX_INDEX_H_
#define TENSORLANE_TRAIL_BOX_INDEX_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

// Where a footprint stands: its range, and the box that it is, if it is one. In local memory of the
// offsets inside an NPU.
struct Standing {
  Range range{0, 0};
  const ByteBox* box = nullptr;
  std::int64_t origin = 0;  // added to the base of the box
};
Standing standing(const Footprint& bytes);

template <class Value>
class BoxIndex {
 public:
  void clear() {
    groups_.clear();
    strided_ = 0;
  }

  // The value kept for the same `range` for which is_same(value) is true, or a new one.
  template <class F>
  Value& find_or_add(const Standing& at, const Value& value, F is_same) {
    Group& group = group_of(at);
    const Place place = group.place(at);
    for (std::size_t k = 0; k < kDigits; ++k)
      group.longest[k] = std::max(group.longest[k], place.extent[k]);
    group.longest_range = std::max(group.longest_range, at.range.bytes());
    auto [entry, end] = group.sorted.equal_range(place.begin);
    for (; entry != end; ++entry) {
      if (is_same(entry->second.value)) return entry->second.value;
    }
    return group.sorted.emplace(place.begin, Entry{at.range, value})->second.value;
  }

  // Calls f(value) for all whose bytes may meet those, at least for those that do; drops the value
  // where f is true.
  template <class F>
  void visit(const Standing& at, F f) {
    for (Group& group : groups_) {
      const Window window = group.window(at);
      for (auto entry = group.sorted.lower_bound(window.first); entry != group.sorted.end();) {
        if (const std::optional<Digits> next = window.jump(entry->first)) {
          if (*next == entry->first) break;
          entry = group.sorted.lower_bound(*next);
          continue;
        }
        const Range& range = entry->second.range;
        const bool meets = range.begin < at.range.end && at.range.begin < range.end;
        entry = meets && f(entry->second.value) ? group.sorted.erase(entry) : std::next(entry);
      }
    }
  }

 private:
  static constexpr std::size_t kDigits = static_cast<std::size_t>(kMaxLoops) + 1;
  // More kinds of strides than this, and the next ones are found by range.
  static constexpr std::size_t kMostStrided = 64;
  using Digits = std::array<std::int64_t, kDigits>;

  struct Place {
    Digits begin{}, extent{};
  };
  struct Entry {
    Range range;
    Value value;
  };

  // Digits first[k] to last[k], both included.
  struct Window {
    Digits first{}, last{};

    // Where to look next, from a place outside; that place itself where nothing can follow.
    std::optional<Digits> jump(const Digits& at) const {
      for (std::size_t k = 0; k < kDigits; ++k) {
        if (at[k] >= first[k] && at[k] <= last[k]) continue;
        Digits next = first;
        std::copy_n(at.begin(), k, next.begin());
        if (at[k] < first[k]) return next;
        // The digit before counts on; where that was its last, the one before it.
        for (; k > 0; --k) {
          if (at[k - 1] >= last[k - 1]) continue;
          next[k - 1] = at[k - 1] + 1;
          std::copy(first.begin() + static_cast<std::ptrdiff_t>(k), first.end(),
                    next.begin() + static_cast<std::ptrdiff_t>(k));
          return next;
        }
        return at;
      }
      return std::nullopt;
    }
  };

  // Boxes with the same strides, of ranges about as long.
  struct Group {
    std::vector<std::int64_t>
        strides;  // largest first, each a multiple of the next; of bytes: none
    int length = 0;
    Digits longest{};
    std::int64_t longest_range = 0;
    std::multimap<Digits, Entry> sorted;

    // As digits of the strides; nothing where it does not fit into them.
    std::optional<Place> digits(const Standing& at) const {
      if (at.box == nullptr) return std::nullopt;
      Place place;
      std::int64_t rest = at.box->base + at.origin;
      std::int64_t room = std::numeric_limits<std::int64_t>::max();
      int loop = 0;
      for (std::size_t k = 0; k <= strides.size(); ++k) {
        const std::int64_t stride = k < strides.size() ? strides[k] : 1;
        std::int64_t extent = k < strides.size() ? 1 : at.box->run;
        if (k < strides.size() && loop < at.box->rank &&
            at.box->loops[static_cast<std::size_t>(loop)].stride == stride)
          extent = at.box->loops[static_cast<std::size_t>(loop++)].extent;
        place.begin[k] = rest / stride;
        place.extent[k] = extent;
        if (extent > room / stride - place.begin[k]) return std::nullopt;
        rest %= stride;
        room = stride;
      }
      return loop == at.box->rank ? std::optional(place) : std::nullopt;
    }
    Place place(const Standing& at) const {
      if (const std::optional<Place> exact = strides.empty() ? std::nullopt : digits(at))
        return *exact;
      return {.begin = {at.range.begin}, .extent = {at.range.bytes()}};
    }
    Window window(const Standing& at) const {
      Window window;
      if (const std::optional<Place> exact = strides.empty() ? std::nullopt : digits(at)) {
        for (std::size_t k = 0; k < kDigits; ++k) {
          window.first[k] = exact->begin[k] - longest[k] + (k <= strides.size() ? 1 : 0);
          window.last[k] = exact->begin[k] + exact->extent[k] - (k <= strides.size() ? 1 : 0);
        }
        return window;
      }
      const std::int64_t unit = strides.empty() ? 1 : strides[0];
      window.last.fill(std::numeric_limits<std::int64_t>::max());
      window.first[0] = (at.range.begin - longest_range) / unit - 1;
      window.last[0] = at.range.end / unit;
      return window;
    }
  };

  Group& group_of(const Standing& at) {
    Group made;
    made.length = std::bit_width(static_cast<std::uint64_t>(at.range.bytes() - 1));
    if (at.box != nullptr) {
      for (const ByteLoop& loop : at.box->nest()) made.strides.push_back(loop.stride);
      for (std::size_t k = 1; k < made.strides.size(); ++k) {
        if (made.strides[k - 1] % made.strides[k] != 0) return by_range(std::move(made));
      }
      if (!made.digits(at)) return by_range(std::move(made));
    }
    if (Group* const group = find(made)) return *group;
    if (!made.strides.empty() && strided_++ >= kMostStrided) return by_range(std::move(made));
    return groups_.emplace_back(std::move(made));
  }
  Group& by_range(Group made) {
    made.strides.clear();
    if (Group* const group = find(made)) return *group;
    return groups_.emplace_back(std::move(made));
  }
  Group* find(const Group& like) {
    for (Group& group : groups_) {
      if (group.length == like.length && group.strides == like.strides) return &group;
    }
    return nullptr;
  }

  std::size_t strided_ = 0;
  std::vector<Group> groups_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_BOX_INDEX_H_
