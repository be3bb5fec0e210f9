#include "tensorlane/base/kept_allocator.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace tensorlane {
namespace {

using Numbers = std::vector<double, KeptAllocator<double>>;
constexpr std::size_t kLarge = 1 << 15;

TEST(KeptAllocator, WhatWasGivenBackIsTakenAgain) {
  std::set<const double*> places;
  for (int k = 0; k < 10; ++k) {
    const Numbers numbers(kLarge);
    places.insert(numbers.data());
  }
  EXPECT_EQ(places.size(), 1);
  const Numbers first(kLarge), second(kLarge);
  EXPECT_NE(first.data(), second.data());
  EXPECT_TRUE(places.contains(first.data()));
}

TEST(KeptAllocator, ArraysOfAllSizesHoldTheirElements) {
  for (int round = 0; round < 2; ++round) {
    std::vector<Numbers> all;
    for (const std::size_t count : {0U, 1U, 8191U, 8192U, 8193U, 40'000U, 1'000'000U}) {
      all.emplace_back(count);
      std::iota(all.back().begin(), all.back().end(), static_cast<double>(count));
    }
    for (const Numbers& numbers : all) {
      for (std::size_t i = 0; i < numbers.size(); ++i)
        ASSERT_EQ(numbers[i], static_cast<double>(numbers.size() + i));
    }
  }
}

TEST(KeptAllocator, GrowingKeepsWhatIsThere) {
  Numbers numbers(kLarge, 2.5);
  numbers.resize(3 * kLarge);
  for (std::size_t i = 0; i < kLarge; ++i) ASSERT_EQ(numbers[i], 2.5);
}

struct Marked {
  int mark = 7;
};
TEST(KeptAllocator, ElementsWithInitialisersHaveTheirValues) {
  for (int round = 0; round < 2; ++round) {
    std::vector<Marked, KeptAllocator<Marked>> marks(kLarge);
    for (Marked& each : marks) {
      ASSERT_EQ(each.mark, 7);
      each.mark = 1;
    }
  }
}

TEST(KeptAllocator, AnotherThreadMayGiveBackAndEnd) {
  Numbers numbers(kLarge, 1.0);
  std::thread([&] {
    Numbers own(kLarge, 2.0);
    std::swap(own, numbers);
  }).join();
  for (const double number : numbers) ASSERT_EQ(number, 2.0);
}

// Threads' objects end in the reverse order of their beginning: this one after the kept memory.
TEST(KeptAllocator, ArraysMayOutliveTheThreadsMemory) {
  std::thread([] {
    thread_local Numbers late;
    late.clear();
    late.resize(kLarge);
  }).join();
}

TEST(KeptAllocator, WhatNoMemoryHoldsIsRefused) {
  EXPECT_THROW(KeptAllocator<double>().allocate(static_cast<std::size_t>(-1) / 8),
               std::bad_array_new_length);
}

}  // namespace
}  // namespace tensorlane
