// What is freed is there for the next one of about its size; a thread never keeps more than it may.
#include "tensorlane/compute/bands/kept_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace tensorlane {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(KeptMemory, ComesBackForAboutTheSameSize) {
  void* const first = take_kept(3 * kMegabyte);
  keep(first, 3 * kMegabyte);
  void* const again = take_kept(3 * kMegabyte - 1000);
  EXPECT_EQ(again, first);
  void* const other = take_kept(3 * kMegabyte);
  EXPECT_NE(other, first);
  keep(again, 3 * kMegabyte - 1000);
  keep(other, 3 * kMegabyte);
}

TEST(KeptMemory, IsAlignedAndNoOtherBlocks) {
  std::mt19937 random(3);
  struct Block {
    std::uint8_t* at;
    std::size_t bytes;
    std::uint8_t mark;
  };
  std::vector<Block> blocks;
  for (int round = 0; round < 3000; ++round) {
    if (blocks.size() == 20 || (!blocks.empty() && random() % 2 == 0)) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const Block& block = blocks.back();
      for (const std::size_t k : {std::size_t{0}, block.bytes / 2, block.bytes - 1})
        ASSERT_EQ(block.at[k], block.mark);
      keep(block.at, block.bytes);
      blocks.pop_back();
      continue;
    }
    const std::size_t bytes = 1 + random() % (std::size_t{1} << (10 + random() % 11));
    const Block block{static_cast<std::uint8_t*>(take_kept(bytes)), bytes,
                      static_cast<std::uint8_t>(round)};
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block.at) % 128, 0U);
    std::memset(block.at, block.mark, bytes);
    blocks.push_back(block);
  }
  for (const Block& block : blocks) keep(block.at, block.bytes);
}

TEST(KeptMemory, HasABound) {
  std::vector<void*> blocks(12);
  for (void*& block : blocks) block = take_kept(10 * kMegabyte);
  for (void* const block : blocks) {
    keep(block, 10 * kMegabyte);
    EXPECT_LE(kept_bytes(), kMostKeptBytes);
  }
  EXPECT_GE(kept_bytes(), kMostKeptBytes / 2);
  const std::size_t before = kept_bytes();
  keep(take_kept(kMostKeptBytes + 1), kMostKeptBytes + 1);
  EXPECT_EQ(kept_bytes(), before);
}

TEST(KeptMemory, MayBeGivenBackByAnotherThread) {
  void* const block = take_kept(kMegabyte);
  std::thread([block] {
    EXPECT_EQ(kept_bytes(), 0U);
    keep(block, kMegabyte);
    EXPECT_GE(kept_bytes(), kMegabyte);
  }).join();
}

}  // namespace
}  // namespace tensorlane
