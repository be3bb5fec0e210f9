#include "tensorlane/device/argument_area.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tensorlane {
namespace {

std::vector<std::byte> numbers(std::size_t size) {
  std::vector<std::byte> block(size);
  for (std::size_t k = 0; k < size; ++k) block[k] = static_cast<std::byte>(k + 1);
  return block;
}

TEST(ArgumentArea, ABlockEndsAtTheClosedPage) {
  ArgumentArea area;
  for (const std::size_t size : {0, 1, 8, 44, 64, 4096}) {
    const std::vector<std::byte> block = numbers(size);
    const auto* const at = static_cast<const std::byte*>(area.place(block));
    ASSERT_NE(at, nullptr);
    EXPECT_TRUE(std::equal(block.begin(), block.end(), at));
    const auto end = reinterpret_cast<std::uintptr_t>(at + size);
    EXPECT_EQ(end % 4096, 0u);
    EXPECT_EQ(area.excess(end), 0u);
    EXPECT_EQ(area.excess(end + 4095), 4095u);
    EXPECT_FALSE(area.excess(end - 1));
    EXPECT_FALSE(area.excess(end + 4096));
  }
  EXPECT_EQ(area.place(numbers(3 * 4096)), nullptr);
}

TEST(ArgumentArea, BehindABlockAreZerosInEveryLaunch) {
  ArgumentArea area;
  const std::vector<std::byte> block = numbers(24);
  for (int launch = 0; launch < 3; ++launch) {
    const auto* const at = static_cast<const std::byte*>(area.place(block));
    auto* const behind = const_cast<std::byte*>(at) + block.size();
    ASSERT_TRUE(area.excess(reinterpret_cast<std::uintptr_t>(behind)));
    area.open();
    EXPECT_FALSE(area.excess(reinterpret_cast<std::uintptr_t>(behind)));
    for (int k = 0; k < 4096; ++k) ASSERT_EQ(static_cast<int>(behind[k]), 0);
    behind[7] = std::byte{9};
  }
}

}  // namespace
}  // namespace tensorlane
