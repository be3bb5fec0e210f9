// What stands where the arrays differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>

#include "tensorlane/base/language.h"
#include "tensorlane/compare/patterns.h"

namespace tensorlane::compare {
namespace {

// A number that is as good as `value` though it was computed in another way.
bool near(double got, double value, const Tolerance& tolerance) {
  return agree(got, value, tolerance) || std::abs(got - value) <= 1e-6 * std::abs(value);
}

class ValueHypotheses {
 public:
  explicit ValueHypotheses(const Arrays& arrays) : arrays_(arrays) {
    for (std::int64_t i = 0; i < arrays.size(); ++i) {
      if (arrays.differs[static_cast<std::size_t>(i)]) places_.push_back(i);
    }
  }

  std::vector<Pattern> all() {
    simple();
    factor();
    offset();
    constant();
    permutations();
    shifts();
    rounding();
    return std::move(found_);
  }

 private:
  double got(std::int64_t i) const { return arrays_.got[static_cast<std::size_t>(i)]; }
  double want(std::int64_t i) const { return arrays_.want[static_cast<std::size_t>(i)]; }

  // Of the differing elements alone: what agrees is outside of where the defect is.
  template <class Holds>
  void local(const std::string& text, Holds holds) {
    std::int64_t explained = 0;
    for (const std::int64_t i : places_) explained += holds(i) ? 1 : 0;
    add(text, explained, 0);
  }
  // source(i): the index whose reference should stand at i; -1: nothing is said about i. `whole`:
  // the hypothesis is about all elements, so that one that agrees must be explained as well.
  template <class Source>
  void moved(const std::string& text, Source source, bool whole) {
    std::int64_t explained = 0, forbidden = 0;
    for (std::int64_t i = 0; i < arrays_.size(); ++i) {
      const bool differs = arrays_.differs[static_cast<std::size_t>(i)];
      if (!differs && !whole) continue;
      const std::int64_t from = source(i);
      if (from < 0) continue;
      const bool fits = agree(got(i), want(from), arrays_.tolerance);
      explained += differs && fits ? 1 : 0;
      forbidden += !differs && !fits ? 1 : 0;
    }
    add(text, explained, forbidden);
  }
  // Little that is explained may be chance.
  void add(const std::string& text, std::int64_t explained, std::int64_t forbidden) {
    const std::int64_t least = std::max<std::int64_t>(1, arrays_.differing / 5);
    if (explained < least || explained <= forbidden) return;
    found_.push_back({Pattern::Kind::kValue, text, explained, forbidden});
  }

  void simple() {
    local(tr("NaN where a number is expected"),
          [&](std::int64_t i) { return std::isnan(got(i)) && !std::isnan(want(i)); });
    local(tr("infinite where a number is expected"),
          [&](std::int64_t i) { return std::isinf(got(i)) && std::isfinite(want(i)); });
    local(tr("zero where a number is expected"), [&](std::int64_t i) { return got(i) == 0; });
    local(tr("twice what is expected"), [&](std::int64_t i) {
      return want(i) != 0 && near(got(i), 2 * want(i), arrays_.tolerance);
    });
    local(tr("half of what is expected"), [&](std::int64_t i) {
      return want(i) != 0 && near(got(i), want(i) / 2, arrays_.tolerance);
    });
    local(tr("what is expected with the other sign"), [&](std::int64_t i) {
      return want(i) != 0 && near(got(i), -want(i), arrays_.tolerance);
    });
  }

  // The middle one of f over the differing elements that have one.
  template <class F>
  double middle(F f) const {
    std::vector<double> values;
    for (const std::int64_t i : places_) {
      const double value = f(i);
      if (std::isfinite(value)) values.push_back(value);
    }
    if (values.empty()) return std::nan("");
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return *half;
  }

  void factor() {
    const double k = middle([&](std::int64_t i) { return got(i) / want(i); });
    if (!std::isfinite(k) || k == 0 || places_.size() < 3) return;
    for (const double plain : {2.0, 0.5, -1.0, 1.0}) {
      if (std::abs(k - plain) < 1e-3) return;  // said in words, or no factor
    }
    local(tr("{:.6g} times what is expected", k), [&](std::int64_t i) {
      return want(i) != 0 && near(got(i), k * want(i), arrays_.tolerance);
    });
  }
  void offset() {
    const double d = middle([&](std::int64_t i) { return got(i) - want(i); });
    if (!std::isfinite(d) || d == 0 || places_.size() < 3) return;
    local(tr("what is expected {} {:.6g}", d < 0 ? "-" : "+", std::abs(d)),
          [&](std::int64_t i) { return near(got(i), want(i) + d, arrays_.tolerance); });
  }
  void constant() {
    const double c = middle([&](std::int64_t i) { return got(i); });
    if (!std::isfinite(c) || c == 0 || places_.size() < 3) return;
    local(tr("{:.6g} everywhere", c), [&](std::int64_t i) { return got(i) == c; });
  }
  // Close everywhere: nothing is in the wrong place, it is not exact enough.
  void rounding() {
    double largest = 0;
    for (const std::int64_t i : places_)
      largest = std::max(largest, std::abs(got(i) - want(i)) / std::abs(want(i)));
    if (!(largest < 0.05)) return;
    local(tr("within {:.1g} of what is expected: precision (--precision says where)", largest),
          [&](std::int64_t) { return true; });
  }

  void permutations();
  void shifts();
  void shift(std::int64_t offset);

  const Arrays& arrays_;
  std::vector<std::int64_t> places_;  // that differ
  std::vector<Pattern> found_;
};

// The row-major index of element i of `shape` after the order of its axes changed to `order`.
std::int64_t permuted(std::int64_t i, const Shape& shape, std::span<const std::size_t> order) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = i % shape[d];
    i /= shape[d];
  }
  std::int64_t index = 0;
  for (const std::size_t d : order) index = index * shape[d] + at[d];
  return index;
}

void ValueHypotheses::permutations() {
  const Shape& shape = arrays_.shape;
  const std::size_t rank = shape.size();
  const std::vector<std::int64_t> stride = strides_of(shape);
  const auto index = [&](std::int64_t i, std::size_t d) { return i / stride[d] % shape[d]; };

  for (std::size_t a = 0; a < rank; ++a) {
    for (std::size_t b = a + 1; b < rank; ++b) {
      if (shape[a] == 1 && shape[b] == 1) continue;
      if (shape[a] == 1 || shape[b] == 1) {
        if (b == a + 1) continue;  // nothing moves
      }
      std::vector<std::size_t> order(rank);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::swap(order[a], order[b]);
      Shape swapped = shape;
      std::swap(swapped[a], swapped[b]);
      const std::string text =
          tr("equal after a transpose of {} and {}", axis_letter(a, rank), axis_letter(b, rank));
      const std::int64_t size = arrays_.size();
      // The result is the transpose of the reference, element after element; or the reference is
      // that of the result. Where the extents are equal both are one.
      std::vector<std::int64_t> source(static_cast<std::size_t>(size));
      for (std::int64_t i = 0; i < size; ++i)
        source[static_cast<std::size_t>(permuted(i, shape, order))] = i;
      moved(
          text, [&](std::int64_t i) { return source[static_cast<std::size_t>(i)]; }, true);
      if (shape[a] == shape[b]) continue;
      moved(
          text, [&](std::int64_t i) { return permuted(i, shape, order); }, true);
    }
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t extent = shape[d];
    if (extent < 2) continue;
    const auto at = [&](std::int64_t i, std::int64_t to) {
      return i + (to - index(i, d)) * stride[d];
    };
    if (extent % 2 == 0 && extent > 2) {
      moved(
          tr("the halves of the {} swapped", plural_name(d, rank)),
          [&](std::int64_t i) { return at(i, (index(i, d) + extent / 2) % extent); }, false);
    }
    if (extent % 2 == 0) {
      moved(
          tr("neighbouring {} swapped (the order within words?)", plural_name(d, rank)),
          [&](std::int64_t i) { return at(i, index(i, d) ^ 1); }, false);
    }
    if (extent % 4 == 0) {
      moved(
          tr("{} in reverse order within groups of 4 (the order within words?)",
             plural_name(d, rank)),
          [&](std::int64_t i) { return at(i, index(i, d) ^ 3); }, false);
    }
    if (extent > 2) {
      moved(
          tr("{} in reverse order", plural_name(d, rank)),
          [&](std::int64_t i) { return at(i, extent - 1 - index(i, d)); }, false);
    }
  }
}

// How far the elements lie from where they belong: the distances that differing elements have from
// equal references, the commonest first.
void ValueHypotheses::shifts() {
  constexpr std::size_t kSamples = 512, kTried = 3;
  std::unordered_map<double, std::vector<std::int64_t>> where;
  const std::size_t step = std::max<std::size_t>(1, places_.size() / kSamples);
  for (std::size_t k = 0; k < places_.size(); k += step) {
    const double value = got(places_[k]);
    if (std::isfinite(value) && value != 0) where[value].push_back(places_[k]);
  }
  std::map<std::int64_t, std::int64_t> votes;
  for (std::int64_t i = 0; i < arrays_.size(); ++i) {
    const auto found = where.find(want(i));
    if (found == where.end()) continue;
    for (const std::int64_t place : found->second) {
      if (votes.size() < (std::size_t{1} << 16) || votes.contains(i - place)) ++votes[i - place];
    }
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> best;
  for (const auto& [offset, count] : votes) {
    if (offset != 0 && count > 1) best.emplace_back(count, offset);
  }
  std::ranges::sort(best, std::greater<>());
  if (best.size() > kTried) best.resize(kTried);
  // References that were computed otherwise than the result have no equal bits: steps of one.
  for (const std::int64_t stride : strides_of(arrays_.shape)) {
    best.emplace_back(0, stride);
    best.emplace_back(0, -stride);
  }
  std::vector<std::int64_t> tried;
  for (const auto& [count, offset] : best) {
    if (std::ranges::find(tried, offset) != tried.end()) continue;
    tried.push_back(offset);
    shift(offset);
  }
}

void ValueHypotheses::shift(std::int64_t offset) {
  const Shape& shape = arrays_.shape;
  const std::vector<std::int64_t> stride = strides_of(shape);
  std::string text = offset > 0 ? tr("what belongs {} elements further on", offset)
                                : tr("what belongs {} elements before", -offset);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (offset % stride[d] != 0 || std::abs(offset / stride[d]) >= shape[d]) continue;
    const std::int64_t steps = std::abs(offset / stride[d]);
    const std::string off = steps == 1 ? tr("off by one {}", axis_name(d, shape.size()))
                                       : tr("off by {} {}", steps, plural_name(d, shape.size()));
    text = offset > 0 ? tr("{}: it holds what belongs to the next", off)
                      : tr("{}: it holds what belongs before", off);
    break;
  }
  moved(
      text,
      [&](std::int64_t i) {
        const std::int64_t from = i + offset;
        return from < 0 || from >= arrays_.size() ? -1 : from;
      },
      false);
}

}  // namespace

std::vector<Pattern> value_patterns(const Arrays& arrays) {
  return ValueHypotheses(arrays).all();
}

}  // namespace tensorlane::compare
