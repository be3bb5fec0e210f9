#include "tensorlane/command_log/align.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tensorlane::command_log {
namespace {

using Keys = std::vector<std::uint64_t>;

// Few keys, so that there are many ways to align.
Keys any_keys() {
  return *rc::gen::container<Keys>(rc::gen::inRange<std::uint64_t>(0, 4));
}

// The length of a longest common subsequence, by the table.
std::size_t longest(const Keys& a, const Keys& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const std::uint64_t key : a) {
    std::size_t diagonal = 0;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t above = row[k + 1];
      row[k + 1] = key == b[k] ? diagonal + 1 : std::max(row[k], above);
      diagonal = above;
    }
  }
  return row.back();
}

RC_GTEST_PROP(Align, MatchesAreEqualAscendingAndAsManyAsCanBe, ()) {
  const Keys a = any_keys(), b = any_keys();
  const std::vector<Match> matches = align(a, b);
  for (std::size_t k = 0; k < matches.size(); ++k) {
    RC_ASSERT(a.at(matches[k].a) == b.at(matches[k].b));
    if (k == 0) continue;
    RC_ASSERT(matches[k - 1].a < matches[k].a);
    RC_ASSERT(matches[k - 1].b < matches[k].b);
  }
  RC_ASSERT(matches.size() == longest(a, b));
}

RC_GTEST_PROP(Align, EqualSequencesMatchOneToOne, ()) {
  const Keys keys = any_keys();
  const std::vector<Match> matches = align(keys, keys);
  RC_ASSERT(matches.size() == keys.size());
  for (std::size_t k = 0; k < matches.size(); ++k) RC_ASSERT((matches[k] == Match{k, k}));
}

TEST(Align, SequencesThatShareNothingCostNoMoreThanTheBound) {
  Keys a, b;
  for (std::uint64_t k = 0; k < 5000; ++k) {
    a.push_back(2 * k);
    b.push_back(2 * k + 1);
  }
  EXPECT_TRUE(align(a, b).empty());
  b.push_back(a[10]);
  a.insert(a.end(), 5, 7000000);
  b.insert(b.end(), 5, 7000000);
  const std::vector<Match> matches = align(a, b);
  EXPECT_LE(matches.size(), 6u);
}

}  // namespace
}  // namespace tensorlane::command_log
