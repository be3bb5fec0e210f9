#include "tensorlane/device/core_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace tensorlane {
namespace {

TEST(CoreThreads, RunEveryNumberAtTheSameTimeOnThreadsThatStay) {
  std::atomic<int> prepared = 0;
  CoreThreads threads([&] { ++prepared; });
  std::vector<std::thread::id> first(8);
  for (const int count : {1, 3, 8, 2, 8, 1, 5}) {
    std::vector<std::thread::id> ids(static_cast<std::size_t>(count));
    std::barrier all(count);  // would never open if they ran one after the other
    threads.run(count, [&](int number) {
      ids[static_cast<std::size_t>(number)] = std::this_thread::get_id();
      all.arrive_and_wait();
    });
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (first[k] == std::thread::id()) first[k] = ids[k];
      EXPECT_EQ(first[k], ids[k]) << "core " << k << " of " << count;
    }
  }
  EXPECT_EQ(prepared, 7);
}

TEST(CoreThreads, EndWithoutEverHavingRun) {
  const CoreThreads threads([] {});
}

}  // namespace
}  // namespace tensorlane
