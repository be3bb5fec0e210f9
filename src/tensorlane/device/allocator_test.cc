#include "tensorlane/device/allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
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

// The lowest gap that is large enough, by walking over all blocks.
std::optional<std::uint64_t> first_fit(const Allocator& allocator, std::uint64_t begin,
                                       std::uint64_t bytes) {
  const auto rounded = [](std::uint64_t size) {
    return std::max<std::uint64_t>((size + 4095) / 4096, 1) * 4096;
  };
  std::uint64_t at = begin;
  for (const auto& [address, block] : allocator.blocks()) {
    if (address - at >= rounded(bytes)) break;
    at = address + rounded(block.bytes);
  }
  if (begin + allocator.capacity() - at < rounded(bytes)) return std::nullopt;
  return at;
}

// Blocks never overlap, stay inside, lie as low as they can, and everything freed can be had again.
TEST(Allocator, RandomUse) {
  std::mt19937 random(7);
  Allocator allocator(0x1000, 0x1000 + (1 << 20));
  std::vector<std::uint64_t> live;
  for (int round = 0; round < 5000; ++round) {
    if (random() % 2 == 0 || live.empty()) {
      const std::uint64_t bytes = random() % 20000;
      const auto expected = first_fit(allocator, 0x1000, bytes);
      const auto address = allocator.allocate(bytes);
      ASSERT_EQ(address, expected) << bytes << " bytes in round " << round;
      if (address) live.push_back(*address);
    } else {
      const std::size_t pick = random() % live.size();
      ASSERT_TRUE(allocator.free(live[pick]));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    std::uint64_t end = 0x1000, used = 0;
    for (const auto& [address, block] : allocator.blocks()) {
      ASSERT_EQ(block.address, address);
      ASSERT_GE(address, end);
      end = block.end();
      used += std::max<std::uint64_t>((block.bytes + 4095) / 4096, 1) * 4096;
    }
    ASSERT_LE(end, allocator.capacity() + 0x1000);
    ASSERT_EQ(allocator.used(), used);
  }
  for (const std::uint64_t address : live) ASSERT_TRUE(allocator.free(address));
  EXPECT_EQ(allocator.used(), 0u);
  EXPECT_TRUE(allocator.allocate(1 << 20));
}

// With red zones a request fails when it fails without them, nothing is lost, and a gap follows
// every allocation as long as there is room for gaps.
TEST(Allocator, RedZonesTakeNothingAway) {
  std::mt19937 random(11);
  constexpr std::uint64_t kBegin = 0x1000, kEnd = kBegin + (1 << 20);
  Allocator plain(kBegin, kEnd), spaced(kBegin, kEnd, 1 << 20);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> live;
  std::uint64_t without_gap = 0;
  for (int round = 0; round < 5000; ++round) {
    if (random() % 5 < 3 || live.empty()) {
      const std::uint64_t bytes = random() % 20000;
      const auto expected = plain.allocate(bytes), address = spaced.allocate(bytes);
      ASSERT_EQ(address.has_value(), expected.has_value()) << bytes << " bytes, round " << round;
      if (!address) continue;
      const Allocator::Block block = *spaced.find(*address);
      EXPECT_EQ(block.packed, *expected);
      without_gap += block.gap == 0 ? 1 : 0;
      live.emplace_back(*expected, *address);
    } else {
      const std::size_t pick = random() % live.size();
      ASSERT_TRUE(plain.free(live[pick].first));
      ASSERT_TRUE(spaced.free(live[pick].second));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    ASSERT_EQ(spaced.used(), plain.used());
    std::uint64_t end = 0;
    for (const auto& [address, block] : spaced.blocks()) {
      ASSERT_GE(address, end);
      end = block.end() + block.gap;
    }
  }
  EXPECT_EQ(without_gap, 0u);
  for (const auto& [packed, address] : live) ASSERT_TRUE(spaced.free(address));
  EXPECT_EQ(spaced.allocate(1 << 20), kBegin);
}

TEST(Allocator, ARedZoneIsAsLongAsItsAllocationUpToABound) {
  Allocator allocator(0, 64 << 20, 8 << 20);
  EXPECT_EQ(allocator.allocate(0), 0u);
  EXPECT_EQ(allocator.allocate(4096), 0x2000u);
  EXPECT_EQ(allocator.allocate(8193), 0x4000u);
  EXPECT_EQ(allocator.allocate(5 << 20), 0xa000u);
  EXPECT_EQ(allocator.allocate(1), 0xa000u + (6 << 20));
  EXPECT_EQ(allocator.used(), 5u * 4096 + (5 << 20) + 4096);
}

// Room for gaps runs out: then allocations follow each other, and all memory can be had.
TEST(Allocator, AProgramThatFillsTheMemoryRuns) {
  Allocator allocator(0, 16 << 20, 2 << 20);
  for (int k = 0; k < 16; ++k) ASSERT_TRUE(allocator.allocate(1 << 20)) << k;
  EXPECT_FALSE(allocator.allocate(0));
}

// 12 GB in small blocks: a search that walks over the blocks would not end.
TEST(Allocator, ManyBlocks) {
  constexpr std::uint64_t kBlocks = 300000;
  Allocator allocator(0, 3 * kBlocks * Allocator::kGranule);
  for (std::uint64_t k = 0; k < kBlocks; ++k)
    ASSERT_EQ(allocator.allocate(1), k * Allocator::kGranule);
  for (std::uint64_t k = 0; k < kBlocks; k += 2)
    ASSERT_TRUE(allocator.free(k * Allocator::kGranule));
  for (std::uint64_t k = 0; k < kBlocks / 2; ++k)
    ASSERT_EQ(allocator.allocate(4097), (kBlocks + 2 * k) * Allocator::kGranule);
  EXPECT_EQ(allocator.allocate(1), 0u);
}

TEST(Allocator, FreedBlocksAreKnownUntilTheirMemoryIsGivenAway) {
  Allocator allocator(0, 0x10000);
  const int made = 0, freed = 0;
  allocator.allocate(8192, &made);
  allocator.allocate(1);
  EXPECT_FALSE(allocator.find_freed(0));
  allocator.free(0, &freed);
  EXPECT_FALSE(allocator.find(8191));
  const auto block = allocator.find_freed(8191);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->address, 0u);
  EXPECT_EQ(block->bytes, 8192u);
  EXPECT_EQ(block->made_at, &made);
  EXPECT_TRUE(block->freed);
  EXPECT_EQ(block->freed_at, &freed);
  EXPECT_FALSE(allocator.find_freed(8192));
  allocator.allocate(100);  // the first half
  EXPECT_FALSE(allocator.find(0)->freed);
  EXPECT_FALSE(allocator.find_freed(4096));
  allocator.free(0);
  EXPECT_FALSE(allocator.find_freed(0)->made_at);
  allocator.allocate(0x8000);  // elsewhere
  EXPECT_TRUE(allocator.find_freed(0));
  allocator.allocate(4096);
  EXPECT_FALSE(allocator.find_freed(0));
}

}  // namespace
}  // namespace tensorlane
