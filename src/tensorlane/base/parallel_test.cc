#include "tensorlane/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tensorlane {
namespace {

TEST(ParallelRanges, CoverEveryIndexOnce) {
  for (std::int64_t count : {0, 1, 2, 3, 7, 64, 1000, 4097}) {
    for (std::int64_t grain : {0, 1, 5, 64, 5000}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      parallel_ranges(count, grain, [&](std::int64_t begin, std::int64_t end) {
        ASSERT_LT(begin, end);
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << count << " by " << grain;
    }
  }
}

TEST(ParallelRanges, AreNotCutBelowHalfTheGrain) {
  // TBB halves a range while it is longer than the grain.
  const std::int64_t grain = 16;
  std::atomic<std::int64_t> shortest = 1000;
  parallel_ranges(1000, grain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t seen = shortest;
    while (end - begin < seen && !shortest.compare_exchange_weak(seen, end - begin)) {
    }
  });
  EXPECT_GE(shortest, grain / 2);
}

TEST(ParallelRanges, OfATrialCoverEveryIndexOnceInAnOrderOfTheirOwn) {
  int out_of_order = 0;
  for (std::uint64_t order = 1; order <= 20; ++order) {
    parallel_trial.order = order;
    for (std::int64_t count : {0, 1, 2, 3, 7, 64, 1000}) {
      for (std::int64_t grain : {0, 1, 5, 64}) {
        std::vector<int> visits(static_cast<std::size_t>(count), 0);
        std::int64_t next = 0;
        parallel_ranges(count, grain, [&](std::int64_t begin, std::int64_t end) {
          ASSERT_GE(end - begin, std::min(count, (grain + 1) / 2));
          out_of_order += begin != next;
          next = end;
          for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << count << " by " << grain;
      }
    }
  }
  parallel_trial.order = 0;
  EXPECT_GT(out_of_order, 200);
}

TEST(ParallelRanges, AreWorthItForLessInATrial) {
  EXPECT_EQ(least_parallel_work(1 << 20), 1 << 20);
  parallel_trial.smaller = 11;
  EXPECT_EQ(least_parallel_work(1 << 20), 512);
  EXPECT_EQ(least_parallel_work(3), 1);
  parallel_trial.smaller = 0;
}

TEST(ParallelRanges, StayInTheCallingThreadWhereOneIsAllowed) {
  limit_threads(1);
  EXPECT_EQ(most_threads(), 1);
  const std::thread::id caller = std::this_thread::get_id();
  parallel_ranges(
      1000, 1, [&](std::int64_t, std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  limit_threads(3);
  EXPECT_GE(most_threads(), 1);
  EXPECT_LE(most_threads(), 3);
}

TEST(ParallelRanges, PassAnExceptionOn) {
  const auto fail = [](std::int64_t, std::int64_t end) {
    if (end == 1000) throw std::runtime_error("last");
  };
  EXPECT_THROW(parallel_ranges(1000, 10, fail), std::runtime_error);
}

}  // namespace
}  // namespace tensorlane
