// Which bytes two footprints share.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {
namespace {

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

}  // namespace tensorlane::trail
