#include "tensorlane/trail/footprint.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <unordered_map>

#include "tensorlane/base/error.h"

namespace tensorlane::trail {
namespace {

ByteBox dense(std::int64_t begin, std::int64_t bytes) {
  ByteBox box;
  box.base = begin;
  box.run = bytes;
  return box;
}

// From elements to bytes; `scale` is the bytes of a stride unit.
ByteBox byte_box(const Box& from, std::int64_t element_bytes) {
  ByteBox box = dense(from.base[0], element_bytes);
  for (const Loop& loop : from.nest()) {
    box.loops[static_cast<std::size_t>(box.rank++)] = {loop.extent, loop.stride[0]};
  }
  normalise(box);
  return box;
}

// The box as boxes inside ranges of NPUs.
void split_lanes(const ByteBox& box, std::int64_t npu_bytes, std::vector<LaneBox>& out) {
  LaneBox lane;
  lane.first = static_cast<int>(box.base / npu_bytes);
  lane.box = dense(box.base % npu_bytes, box.run);
  bool regular = true;
  const auto add_lanes = [&](std::int64_t count) {
    regular = regular && (lane.count == 1 || count == 1);
    lane.count = static_cast<int>(std::max<std::int64_t>(lane.count, count));
  };
  for (const ByteLoop& loop : box.nest()) {
    if (loop.stride >= npu_bytes) {
      regular = regular && loop.stride == npu_bytes;
      add_lanes(loop.extent);
    } else if (loop.stride * loop.extent > npu_bytes) {
      // A loop over the rows of an NPU and one over NPUs were fused.
      const std::int64_t inner = npu_bytes / loop.stride;
      regular = regular && npu_bytes % loop.stride == 0 && loop.extent % inner == 0;
      add_lanes(loop.extent / inner);
      lane.box.loops[static_cast<std::size_t>(lane.box.rank++)] = {inner, loop.stride};
    } else {
      lane.box.loops[static_cast<std::size_t>(lane.box.rank++)] = loop;
    }
  }
  if (lane.box.run > npu_bytes) {
    regular = regular && lane.box.run % npu_bytes == 0;
    add_lanes(lane.box.run / npu_bytes);
    lane.box.run = npu_bytes;
  }
  normalise(lane.box);
  const Range bounds = lane.box.bounds();
  if (regular && bounds.begin >= 0 && bounds.end <= npu_bytes) {
    out.push_back(lane);
    return;
  }
  for_each_run(box, 0, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t npu = begin / npu_bytes;
      const std::int64_t stop = std::min(end, (npu + 1) * npu_bytes);
      out.push_back({static_cast<int>(npu), 1, dense(begin - npu * npu_bytes, stop - begin)});
      begin = stop;
    }
  });
}

// Bytes of the NPU that holds most of them.
std::int64_t most_used(std::span<const LaneBox> lanes) {
  const auto bytes = [](const LaneBox& lane) { return lane.box.count() * lane.box.run; };
  if (lanes.size() == 1) return bytes(lanes.front());
  std::vector<std::int64_t> used;  // by NPU
  for (const LaneBox& lane : lanes) {
    used.resize(std::max(used.size(), static_cast<std::size_t>(lane.first + lane.count)));
    for (int q = lane.first; q < lane.first + lane.count; ++q)
      used[static_cast<std::size_t>(q)] += bytes(lane);
  }
  return used.empty() ? 0 : *std::max_element(used.begin(), used.end());
}

void add_lane_summary(Shape& shape) {
  bool first = true;
  for (const LaneBox& lane : shape.lanes) {
    const Range bounds = lane.box.bounds();
    shape.lane_bounds = first ? bounds
                              : Range{std::min(shape.lane_bounds.begin, bounds.begin),
                                      std::max(shape.lane_bounds.end, bounds.end)};
    first = false;
    for (int q = 0; q < std::min(lane.count, 64); ++q)
      shape.npus |= std::uint64_t{1} << (lane.first + q) % 64;
  }
  shape.lane_used = most_used(shape.lanes);
}

Shape finish(std::vector<ByteBox> boxes, std::int64_t npu_bytes) {
  Shape shape;
  shape.npu_bytes = npu_bytes;
  shape.npus = npu_bytes > 0 ? 0 : ~std::uint64_t{0};
  bool first = true;
  for (const ByteBox& box : boxes) {
    const Range bounds = box.bounds();
    shape.bounds = first ? bounds
                         : Range{std::min(shape.bounds.begin, bounds.begin),
                                 std::max(shape.bounds.end, bounds.end)};
    first = false;
    if (npu_bytes > 0) split_lanes(box, npu_bytes, shape.lanes);
  }
  shape.boxes = std::move(boxes);
  add_lane_summary(shape);
  return shape;
}

Shape make_shape(const Layout& layout, std::int64_t npu_bytes) {
  std::vector<ByteBox> boxes;
  if (layout.unit_bits() == 8) {
    for (const Box& box : fold(layout)) boxes.push_back(byte_box(box, layout.element_units()));
  } else {
    for (const ByteRun& run : layout.byte_runs())
      boxes.push_back(dense(run.npu * layout.npu_bytes() + run.offset, run.bytes));
  }
  return finish(std::move(boxes), npu_bytes);
}

// Whether sum of stride * digit can fall into [low, high], 0 <= digit <= most, strides descending.
class DigitSearch {
 public:
  void add(std::int64_t most, std::int64_t stride) {
    if (most > 0) digits_[static_cast<std::size_t>(count_++)] = {most, stride, 0, 0};
  }

  enum class Answer : std::uint8_t { kNo, kYes, kUnknown };
  Answer run(std::int64_t low, std::int64_t high) {
    simplify(low, high);
    std::int64_t reach = 0, gcd = 0;
    for (int k = count_ - 1; k >= 0; --k) {
      Digit& digit = at(k);
      digit.reach_below = reach;
      reach += digit.most * digit.stride;
      gcd = gcd == 0 ? digit.stride : std::gcd(gcd, digit.stride);
      digit.gcd = gcd;
    }
    const bool found = search(0, low, high);
    return found ? Answer::kYes : steps_ > kMaxSteps ? Answer::kUnknown : Answer::kNo;
  }

 private:
  static constexpr int kMaxSteps = 20000;
  struct Digit {
    std::int64_t most, stride, reach_below, gcd;
  };
  Digit& at(int k) { return digits_[static_cast<std::size_t>(k)]; }

  // Digits of equal stride add up; a digit that fills the steps of a larger one takes it in; one
  // whose stride is no longer than the window widens the window. All of this is exact.
  void simplify(std::int64_t& low, std::int64_t high) {
    std::sort(digits_.begin(), digits_.begin() + count_,
              [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
    int kept = 0;
    for (int k = 0; k < count_; ++k) {
      Digit digit = at(k);
      while (kept > 0 && at(kept - 1).stride % digit.stride == 0 &&
             (digit.most + 1) * digit.stride >= at(kept - 1).stride) {
        digit.most += at(kept - 1).most * (at(kept - 1).stride / digit.stride);
        --kept;
      }
      at(kept++) = digit;
    }
    count_ = kept;
    while (count_ > 0 && at(count_ - 1).stride <= high - low + 1) {
      low -= at(count_ - 1).most * at(count_ - 1).stride;
      --count_;
    }
  }

  bool search(int k, std::int64_t low, std::int64_t high) {
    if (++steps_ > kMaxSteps) return false;
    if (high < 0) return false;
    if (low <= 0) return true;
    if (k == count_) return false;
    const Digit& digit = at(k);
    const std::int64_t reach = digit.reach_below + digit.most * digit.stride;
    if (low > reach || high / digit.gcd * digit.gcd < low) return false;
    const std::int64_t short_by = low - digit.reach_below;
    const std::int64_t first = short_by <= 0 ? 0 : (short_by + digit.stride - 1) / digit.stride;
    const std::int64_t last = std::min(digit.most, high / digit.stride);
    for (std::int64_t value = first; value <= last; ++value) {
      if (search(k + 1, low - value * digit.stride, high - value * digit.stride)) return true;
    }
    return false;
  }

  std::array<Digit, std::size_t{2} * kMaxLoops> digits_{};
  int count_ = 0;
  int steps_ = 0;
};

std::vector<Range> sorted_runs(const ByteBox& box, std::int64_t origin) {
  std::vector<Range> result;
  collect_runs({&box, 1}, origin, result);
  return result;
}

// Calls f for each common range of two ascending lists; stops when f returns false.
template <class F>
void intersect(std::span<const Range> a, std::span<const Range> b, F f) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const Range shared{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (shared.begin < shared.end && !f(shared)) return;
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

Range ByteBox::bounds() const {
  std::int64_t end = base + run;
  for (const ByteLoop& loop : nest()) end += (loop.extent - 1) * loop.stride;
  return {base, end};
}

std::int64_t ByteBox::count() const {
  std::int64_t count = 1;
  for (const ByteLoop& loop : nest()) count *= loop.extent;
  return count;
}

bool ByteBox::ascending() const {
  std::int64_t reach = run;
  for (int k = rank - 1; k >= 0; --k) {
    const ByteLoop& loop = loops[static_cast<std::size_t>(k)];
    if (loop.stride <= reach) return false;
    reach += (loop.extent - 1) * loop.stride;
  }
  return true;
}

void normalise(ByteBox& box) {
  int kept = 0;
  for (int k = 0; k < box.rank; ++k) {
    ByteLoop loop = box.loops[static_cast<std::size_t>(k)];
    if (loop.extent == 1 || loop.stride == 0) continue;
    if (loop.stride < 0) {
      box.base += loop.stride * (loop.extent - 1);
      loop.stride = -loop.stride;
    }
    box.loops[static_cast<std::size_t>(kept++)] = loop;
  }
  // Few, and mostly in order: no reason to ask for memory, as std::stable_sort does.
  for (int k = 1; k < kept; ++k) {
    const auto begin = box.loops.begin(), loop = begin + k;
    const auto at = std::upper_bound(begin, loop, *loop, [](const ByteLoop& a, const ByteLoop& b) {
      return a.stride > b.stride;
    });
    std::rotate(at, loop, loop + 1);
  }
  // A loop whose steps the run reaches across makes the run longer.
  while (kept > 0 && box.loops[static_cast<std::size_t>(kept) - 1].stride <= box.run) {
    const ByteLoop& loop = box.loops[static_cast<std::size_t>(--kept)];
    box.run += (loop.extent - 1) * loop.stride;
  }
  // An inner loop that fills the steps of the next outer one continues it.
  int rank = 0;
  for (int k = 0; k < kept; ++k) {
    ByteLoop loop = box.loops[static_cast<std::size_t>(k)];
    while (rank > 0) {
      const ByteLoop& outer = box.loops[static_cast<std::size_t>(rank) - 1];
      if (outer.stride % loop.stride != 0 || loop.extent * loop.stride < outer.stride) break;
      loop.extent += (outer.extent - 1) * (outer.stride / loop.stride);
      --rank;
    }
    box.loops[static_cast<std::size_t>(rank++)] = loop;
  }
  box.rank = rank;
}

Footprint footprint(const Layout& layout, std::int64_t npu_bytes) {
  Layout at_zero = layout;
  if (npu_bytes == 0 && layout.unit_bits() == 8) at_zero.set_base(0);
  return {std::make_shared<const Shape>(make_shape(at_zero, npu_bytes)),
          layout.base() - at_zero.base()};
}

Footprint linear_footprint(std::int64_t begin, std::int64_t bytes) {
  if (bytes <= 0) return {std::make_shared<const Shape>(), begin};
  return {std::make_shared<const Shape>(finish({dense(0, bytes)}, 0)), begin};
}

Footprint lane_footprint(std::int64_t npu_bytes, int first, int count, std::int64_t begin,
                         std::int64_t bytes) {
  ByteBox box = dense(first * npu_bytes + begin, bytes);
  box.rank = 1;
  box.loops[0] = {count, npu_bytes};
  normalise(box);
  return {std::make_shared<const Shape>(finish({box}, npu_bytes)), 0};
}

void collect_runs(std::span<const ByteBox> boxes, std::int64_t origin, std::vector<Range>& out) {
  const std::size_t start = out.size();
  bool sorted = true;
  for (const ByteBox& box : boxes) {
    const std::int64_t begin = box.base + origin;
    sorted = sorted && box.ascending() && (out.size() == start || out.back().end < begin);
    for_each_run(box, origin, [&](std::int64_t from, std::int64_t to) {
      out.push_back({from, to});
    });
  }
  if (sorted) return;
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(start);
  std::sort(first, out.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  auto last = first;
  for (auto run = first; run != out.end(); ++run) {
    if (run != first && run->begin <= last->end) {
      last->end = std::max(last->end, run->end);
    } else {
      if (run != first) ++last;
      *last = *run;
    }
  }
  if (first != out.end()) out.erase(last + 1, out.end());
}

std::vector<Range> runs(const Footprint& footprint) {
  std::vector<Range> result;
  if (!footprint.empty()) collect_runs(footprint.shape->boxes, footprint.origin, result);
  return result;
}

bool overlap(const ByteBox& a, const ByteBox& b, std::int64_t b_minus_a) {
  // Runs meet where  -(a.run - 1) <= address in a - address in b <= b.run - 1; the digits of b are
  // counted from their far end, so that all strides add.
  DigitSearch search;
  std::int64_t difference = a.base - b.base - b_minus_a;
  for (const ByteLoop& loop : a.nest()) search.add(loop.extent - 1, loop.stride);
  for (const ByteLoop& loop : b.nest()) {
    search.add(loop.extent - 1, loop.stride);
    difference -= (loop.extent - 1) * loop.stride;
  }
  switch (search.run(-(a.run - 1) - difference, b.run - 1 - difference)) {
    case DigitSearch::Answer::kNo:
      return false;
    case DigitSearch::Answer::kYes:
      return true;
    case DigitSearch::Answer::kUnknown:
      break;
  }
  bool found = false;  // strides without any order between them: look at the runs
  intersect(sorted_runs(a, 0), sorted_runs(b, b_minus_a), [&](const Range&) {
    found = true;
    return false;
  });
  return found;
}

bool overlap(const Footprint& a, const Footprint& b) {
  if (a.empty() || b.empty()) return false;
  const Range x = a.bounds(), y = b.bounds();
  if (x.end <= y.begin || y.end <= x.begin) return false;
  const Shape &s = *a.shape, &t = *b.shape;
  if ((s.npus & t.npus) == 0) return false;
  if (s.npu_bytes > 0 &&
      (s.lane_bounds.end <= t.lane_bounds.begin || t.lane_bounds.end <= s.lane_bounds.begin)) {
    return false;
  }
  for (const ByteBox& one : s.boxes) {
    for (const ByteBox& other : t.boxes) {
      if (overlap(one, other, b.origin - a.origin)) return true;
    }
  }
  return false;
}

std::vector<Range> common(const Footprint& a, const Footprint& b) {
  std::vector<Range> result;
  intersect(runs(a), runs(b), [&](const Range& shared) {
    result.push_back(shared);
    return true;
  });
  return result;
}

bool same_bytes(const Footprint& a, const Footprint& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  if (a.shape == b.shape && a.origin == b.origin) return true;
  return a.bounds() == b.bounds() && runs(a) == runs(b);
}

bool contains(const Footprint& outer, const Footprint& inner) {
  if (inner.empty()) return true;
  if (outer.empty()) return false;
  const Range x = outer.bounds(), y = inner.bounds();
  if (y.begin < x.begin || y.end > x.end) return false;
  if (outer.shape == inner.shape && outer.origin == inner.origin) return true;
  std::int64_t shared = 0, all = 0;
  for (const Range& range : common(outer, inner)) shared += range.bytes();
  for (const Range& range : runs(inner)) all += range.bytes();
  return shared == all;
}

// A layout as the numbers that decide its bytes.
struct FootprintCache::Impl {
  static constexpr std::size_t kMaxNumbers = 3 + 3 * Layout::kMaxDims + 2 * Layout::kMaxDigits;
  static constexpr std::size_t kMaxShapes = 16384;
  struct Key {
    std::array<std::int64_t, kMaxNumbers> numbers;
    std::size_t count = 0;
    friend bool operator==(const Key& a, const Key& b) {
      return a.count == b.count &&
             std::equal(a.numbers.begin(), a.numbers.begin() + static_cast<std::ptrdiff_t>(a.count),
                        b.numbers.begin());
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (std::size_t k = 0; k < key.count; ++k) {
        hash = (hash ^ static_cast<std::uint64_t>(key.numbers[k])) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };
  std::unordered_map<Key, std::shared_ptr<const Shape>, Hash> shapes;
};

FootprintCache::FootprintCache() : impl_(std::make_unique<Impl>()) {}
FootprintCache::~FootprintCache() = default;

Footprint FootprintCache::get(const Layout& layout, std::int64_t npu_bytes) {
  const bool movable = npu_bytes == 0 && layout.unit_bits() == 8;
  Impl::Key key;
  const auto add = [&](std::int64_t number) { key.numbers[key.count++] = number; };
  add(layout.element_units() * 16 + layout.unit_bits());
  add(npu_bytes);
  add(movable ? 0 : layout.base());
  for (int d = 0; d < layout.rank(); ++d) {
    add(layout.extent(d));
    add(layout.offset(d));
    const std::span<const Digit> digits = layout.digits(d);
    add(static_cast<std::int64_t>(digits.size()));
    for (const Digit& digit : digits) {
      add(digit.extent);
      add(digit.stride);
    }
  }
  const auto found = impl_->shapes.find(key);
  if (found != impl_->shapes.end()) return {found->second, movable ? layout.base() : 0};
  if (impl_->shapes.size() >= Impl::kMaxShapes) impl_->shapes.clear();
  Footprint made = footprint(layout, npu_bytes);
  impl_->shapes.emplace(key, made.shape);
  return made;
}

}  // namespace tensorlane::trail
