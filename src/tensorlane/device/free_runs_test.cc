#include "tensorlane/device/free_runs.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tensorlane {
namespace {

// What a FreeRuns says, by looking at every unit.
std::optional<std::uint64_t> lowest_by_search(const std::vector<bool>& taken,
                                              std::uint64_t length) {
  std::uint64_t run = 0;
  for (std::uint64_t at = 0; at < taken.size(); ++at) {
    run = taken[at] ? 0 : run + 1;
    if (run == length) return at + 1 - length;
  }
  return std::nullopt;
}

TEST(FreeRuns, FindsTheLowestRunOfAnyLength) {
  std::mt19937 random(3);
  for (const std::uint64_t count : {1u, 2u, 7u, 64u, 100u}) {
    FreeRuns runs(count);
    std::vector<bool> taken(count);
    for (int round = 0; round < 300; ++round) {
      const std::uint64_t begin = random() % count;
      const std::uint64_t end = begin + 1 + random() % std::min<std::uint64_t>(count - begin, 20);
      const bool take = random() % 2 == 0;
      if (take) {
        runs.take(begin, end);
      } else {
        runs.give_back(begin, end);
      }
      for (std::uint64_t at = begin; at < end; ++at) taken[at] = take;
      for (std::uint64_t length = 1; length <= count + 1; ++length)
        ASSERT_EQ(runs.lowest(length), lowest_by_search(taken, length))
            << count << " units, round " << round << ", length " << length;
    }
  }
}

TEST(FreeRuns, WithoutUnitsNothingIsFree) {
  EXPECT_EQ(FreeRuns(0).lowest(1), std::nullopt);
}

}  // namespace
}  // namespace tensorlane
