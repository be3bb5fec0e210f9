#include "tensorlane/observe/check/reachable_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tensorlane::check {
namespace {

constexpr std::uint64_t kBegin = 0x100000000;

// Buffers of 4096 bytes, 8192 bytes apart, from offset 0 on; the launch is given the first two.
class ReachableMemoryTest : public ::testing::Test {
 protected:
  ReachableMemoryTest() : memory_(1 << 17) {
    for (std::int64_t k = 0; k < 8; ++k) bounds_.allocated(k * 8192, 4096);
    bounds_.begin_launch(std::vector<std::int64_t>{0, 8192});
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(memory_.data() + at, &value, sizeof value);
  }
  // The numbers of the buffers that can be reached.
  std::vector<int> reached(std::vector<std::uint32_t> arguments = {}) {
    const ReachableMemory reachable(bounds_, std::as_bytes(std::span(arguments)), memory_.data(),
                                    kBegin);
    std::vector<int> numbers;
    for (int k = 0; k < 8; ++k) {
      if (reachable.contains(*bounds_.find(k * 8192))) numbers.push_back(k);
    }
    return numbers;
  }
  MemoryBounds bounds_;
  std::vector<std::byte> memory_;
};

TEST_F(ReachableMemoryTest, WhatTheLaunchWasGiven) {
  EXPECT_EQ(reached(), (std::vector{0, 1}));
}

TEST_F(ReachableMemoryTest, WhatATableLeadsToAndWhatThatLeadsTo) {
  put(8192 + 12, kBegin + 3 * 8192);
  put(3 * 8192 + 400, kBegin + 6 * 8192 + 100);
  put(5 * 8192, kBegin + 7 * 8192);   // a table that nobody has
  put(40, kBegin + 2 * 8192 + 5000);  // between two buffers
  EXPECT_EQ(reached(), (std::vector{0, 1, 3, 6}));
}

TEST_F(ReachableMemoryTest, PagesByTheirNumbers) {
  EXPECT_EQ(reached({(kBegin >> 12) + 4 * 2}), (std::vector{0, 1, 4}));
  put<std::uint32_t>(80, (kBegin >> 12) + 5 * 2);
  EXPECT_EQ(reached(), (std::vector{0, 1, 5}));
}

TEST_F(ReachableMemoryTest, BuffersOfOneSizeCountedFromOneOfThem) {
  EXPECT_EQ(reached({5 * 2}), (std::vector{0, 1, 5, 6})) << "from the first and from the second";
  bounds_.freed(5 * 8192);
  bounds_.allocated(5 * 8192, 2048);
  bounds_.begin_launch(std::vector<std::int64_t>{0, 8192});
  EXPECT_EQ(reached({5 * 2}), (std::vector{0, 1, 6})) << "of another size";
}

}  // namespace
}  // namespace tensorlane::check
