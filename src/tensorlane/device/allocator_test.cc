#include "tensorlane/device/allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tensorlane {
namespace {

TEST(Allocator, FirstAddressesAndReuse) {
  Allocator allocator(0x105100000, 0x105200000);
  EXPECT_EQ(allocator.allocate(1), 0x105100000u);
  EXPECT_EQ(allocator.allocate(0), 0x105101000u);
  EXPECT_EQ(allocator.allocate(4097), 0x105102000u);
  EXPECT_EQ(allocator.allocate(1), 0x105104000u);
  EXPECT_TRUE(allocator.free(0x105101000));
  EXPECT_FALSE(allocator.free(0x105101000));
  EXPECT_EQ(allocator.allocate(4096), 0x105101000u);
  EXPECT_EQ(allocator.find(0x105102005)->address, 0x105102000u);
  EXPECT_FALSE(allocator.find(0x105103001));
}

TEST(Allocator, RefusesWhatDoesNotFit) {
  Allocator allocator(0, 0x3000);
  EXPECT_FALSE(allocator.allocate(0x3001));
  EXPECT_FALSE(allocator.allocate(~std::uint64_t{0}));
  EXPECT_TRUE(allocator.allocate(0x3000));
  EXPECT_FALSE(allocator.allocate(0));
}

// Blocks never overlap, stay inside, and everything freed can be had again.
TEST(Allocator, RandomUse) {
  std::mt19937 random(7);
  Allocator allocator(0x1000, 0x1000 + (1 << 20));
  std::vector<std::uint64_t> live;
  for (int round = 0; round < 5000; ++round) {
    if (random() % 2 == 0 || live.empty()) {
      if (const auto address = allocator.allocate(random() % 20000)) live.push_back(*address);
    } else {
      const std::size_t pick = random() % live.size();
      ASSERT_TRUE(allocator.free(live[pick]));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    std::uint64_t end = 0x1000;
    for (const auto& [address, bytes] : allocator.blocks()) {
      ASSERT_GE(address, end);
      end = address + bytes;
    }
    ASSERT_LE(end, allocator.capacity() + 0x1000);
  }
  for (const std::uint64_t address : live) ASSERT_TRUE(allocator.free(address));
  EXPECT_EQ(allocator.used(), 0u);
  EXPECT_TRUE(allocator.allocate(1 << 20));
}

}  // namespace
}  // namespace tensorlane
