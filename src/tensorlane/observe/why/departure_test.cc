#include "tensorlane/observe/why/departure.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tensorlane::why {
namespace {

using Series = std::vector<std::int64_t>;

// Rounds of `round` values, each of them `step` further than in the round before.
Series regular(std::size_t round, std::size_t rounds, std::int64_t step) {
  Series series;
  for (std::size_t k = 0; k < round; ++k)
    series.push_back(*rc::gen::inRange<std::int64_t>(-1000, 1000));
  for (std::size_t k = round; k < round * rounds; ++k) series.push_back(series[k - round] + step);
  return series;
}

RC_GTEST_PROP(Departure, IsNoneWhereARuleHolds, ()) {
  const auto round = *rc::gen::inRange<std::size_t>(1, 6);
  const Series series = regular(round, *rc::gen::inRange<std::size_t>(2, 8),
                                *rc::gen::inRange<std::int64_t>(-50, 50));
  RC_ASSERT(!departure(series));
}

RC_GTEST_PROP(Departure, IsTheOneValueThatWasChanged, ()) {
  const auto round = *rc::gen::inRange<std::size_t>(1, 4);
  Series series = regular(round, *rc::gen::inRange<std::size_t>(5, 9),
                          *rc::gen::inRange<std::int64_t>(-50, 50));
  const Series before = series;
  const auto at = *rc::gen::inRange<std::size_t>(0, series.size());
  series[at] += *rc::gen::inRange<std::int64_t>(1, 100000);
  const auto found = departure(series);
  // A shorter round may explain the changed series as well.
  RC_PRE(found.has_value() && found->round == round);
  RC_ASSERT(found->at == at);
  RC_ASSERT(found->expected == before[at]);
}

TEST(Departure, NeedsEnoughThatAgree) {
  EXPECT_FALSE(departure(Series{}));
  EXPECT_FALSE(departure(Series{1, 5}));
  EXPECT_FALSE(departure(Series{0, 64, 120}));
  EXPECT_FALSE(departure(Series{1, 7, 3, 90, 12}));
}

TEST(Departure, OfConstantsTilesAndBuffersInTurn) {
  const auto constant = departure(Series{2, 2, 3, 2});
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->at, 2U);
  EXPECT_EQ(constant->expected, 2);
  EXPECT_TRUE(constant->constant);
  const auto tile = departure(Series{0, 64, 128, 192, 250});
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->at, 4U);
  EXPECT_EQ(tile->expected, 256);
  EXPECT_FALSE(tile->constant);
  const auto buffer = departure(Series{0, 4096, 0, 4096, 0, 0, 0, 4096});
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->at, 5U);
  EXPECT_EQ(buffer->expected, 4096);
}

}  // namespace
}  // namespace tensorlane::why
