// Where the arrays differ.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tensorlane/base/language.h"
#include "tensorlane/compare/patterns.h"

namespace tensorlane::compare {
namespace {

// Indices of one axis in words: "channels 64 to 127", "every 4th column, from column 3".
// Empty where all of them are meant; nothing where there is no short way to say it.
struct Indices {
  std::string text;
  bool all = false;
  bool simple = true;
};

// "3rd"; Chinese counts with the number alone.
std::string ordinal(std::int64_t k) {
  if (language() == Language::kChinese) return fmt::format("{}", k);
  const bool teen = k % 100 >= 11 && k % 100 <= 13;
  const char* const ending = teen          ? "th"
                             : k % 10 == 1 ? "st"
                             : k % 10 == 2 ? "nd"
                             : k % 10 == 3 ? "rd"
                                           : "th";
  return fmt::format("{}{}", k, ending);
}

Indices describe(const std::vector<bool>& chosen, std::size_t axis, std::size_t rank) {
  const auto extent = static_cast<std::int64_t>(chosen.size());
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < extent; ++i) {
    if (chosen[static_cast<std::size_t>(i)]) at.push_back(i);
  }
  const std::string one = axis_name(axis, rank), many = plural_name(axis, rank);
  if (static_cast<std::int64_t>(at.size()) == extent) return {"", true, true};
  if (at.size() == 1) return {tr("{} {} of {}", one, at[0], extent), false, true};
  const std::int64_t first = at.front(), last = at.back();
  if (last - first + 1 == static_cast<std::int64_t>(at.size())) {
    return {last == extent - 1 ? tr("the last {} {} to {} of {}", many, first, last, extent)
                               : tr("{} {} to {} of {}", many, first, last, extent),
            false, true};
  }
  const std::int64_t step = at[1] - at[0];
  bool regular = at.size() > 2 || first + 2 * step >= extent;
  for (std::size_t i = 1; i < at.size(); ++i) regular = regular && at[i] - at[i - 1] == step;
  if (regular && first < step && last + step >= extent)
    return {tr("every {} {}, from {} {}", ordinal(step), one, one, first), false, true};
  if (regular) {
    return {tr("every {} {} from {} to {}", ordinal(step), one, first, last), false, true};
  }
  return {tr("{} of {} {}", at.size(), extent, many), false, false};
}

// A block: the product of sets of indices, one per axis.
struct Block {
  std::vector<std::vector<bool>> chosen;
};

class PlaceHypotheses {
 public:
  explicit PlaceHypotheses(const Arrays& arrays)
      : arrays_(arrays), stride_(strides_of(arrays.shape)) {
    counts_.resize(arrays.shape.size());
    for (std::size_t d = 0; d < counts_.size(); ++d)
      counts_[d].resize(static_cast<std::size_t>(arrays.shape[d]));
    for (std::int64_t i = 0; i < arrays.size(); ++i) {
      if (!arrays.differs[static_cast<std::size_t>(i)]) continue;
      for (std::size_t d = 0; d < counts_.size(); ++d) ++counts_[d][index(i, d)];
    }
  }

  std::vector<Pattern> all() {
    if (arrays_.differing == arrays_.size()) {
      add(tr("all of it"), arrays_.differing, 0);
      return std::move(found_);
    }
    // Each index with any difference; and those with many, where a few others are stray.
    block(0);
    block(0.5);
    // One axis alone, where the others have no say.
    for (std::size_t d = 0; d < counts_.size() && counts_.size() > 1; ++d) slab(d);
    tail();
    return std::move(found_);
  }

 private:
  std::size_t index(std::int64_t i, std::size_t d) const {
    return static_cast<std::size_t>(i / stride_[d] % arrays_.shape[d]);
  }

  void block(double share) {
    Block block;
    for (const std::vector<std::int64_t>& counts : counts_) {
      const auto most = static_cast<double>(*std::ranges::max_element(counts));
      std::vector<bool> chosen;
      for (const std::int64_t count : counts)
        chosen.push_back(count > 0 && static_cast<double>(count) >= share * most);
      block.chosen.push_back(std::move(chosen));
    }
    judge(block);
  }
  void slab(std::size_t axis) {
    Block block;
    for (std::size_t d = 0; d < counts_.size(); ++d) {
      std::vector<bool> chosen(counts_[d].size(), true);
      if (d == axis) {
        for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = counts_[d][i] > 0;
      }
      block.chosen.push_back(std::move(chosen));
    }
    judge(block);
  }

  void judge(const Block& block) {
    std::string text;
    bool simple = true;
    // The innermost of the dimensions that are restricted to one index is the last to be named.
    for (std::size_t d = 0; d < counts_.size(); ++d) {
      const Indices indices = describe(block.chosen[d], d, counts_.size());
      simple = simple && indices.simple;
      if (indices.all) continue;
      text += (text.empty() ? "" : ", ") + indices.text;
    }
    if (text.empty() || !simple) return;
    std::int64_t explained = 0, forbidden = 0;
    for (std::int64_t i = 0; i < arrays_.size(); ++i) {
      bool inside = true;
      for (std::size_t d = 0; d < counts_.size() && inside; ++d)
        inside = block.chosen[d][index(i, d)];
      if (!inside) continue;
      ++(arrays_.differs[static_cast<std::size_t>(i)] ? explained : forbidden);
    }
    add(text, explained, forbidden);
  }

  // A range of elements in the order of memory; where axes have no say, a tile or a tail.
  void tail() {
    if (counts_.size() < 2) return;
    const auto begin = std::ranges::find(arrays_.differs, true) - arrays_.differs.begin();
    std::int64_t end = arrays_.size();
    while (!arrays_.differs[static_cast<std::size_t>(end - 1)]) --end;
    if (10 * (end - begin) > 9 * arrays_.size()) return;  // which says nothing
    add(end == arrays_.size()
            ? tr("the last {} of {} elements in memory", end - begin, end)
            : tr("elements {} to {} of {} in memory", begin, end - 1, arrays_.size()),
        arrays_.differing, end - begin - arrays_.differing);
  }

  void add(const std::string& text, std::int64_t explained, std::int64_t forbidden) {
    if (explained <= 2 * forbidden) return;  // no better than chance
    if (std::ranges::find(found_, text, &Pattern::text) != found_.end()) return;
    found_.push_back({Pattern::Kind::kPlace, text, explained, forbidden});
  }

  const Arrays& arrays_;
  std::vector<std::int64_t> stride_;
  std::vector<std::vector<std::int64_t>> counts_;  // differing elements by axis and index
  std::vector<Pattern> found_;
};

}  // namespace

std::vector<Pattern> place_patterns(const Arrays& arrays) {
  return PlaceHypotheses(arrays).all();
}

}  // namespace tensorlane::compare
