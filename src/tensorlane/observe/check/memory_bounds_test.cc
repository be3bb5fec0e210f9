#include "tensorlane/observe/check/memory_bounds.h"

#include <gtest/gtest.h>

namespace tensorlane::check {
namespace {

using Problem = MemoryBounds::Problem;

class MemoryBoundsTest : public ::testing::Test {
 protected:
  MemoryBoundsTest() {
    bounds.allocated(0x1000, 100);
    bounds.allocated(0x2000, 0x1000);
    bounds.allocated(0x3000, 8);
  }
  std::optional<Problem> problem(std::int64_t begin, std::int64_t bytes) {
    const auto found = bounds.check(linear_footprint(begin, bytes));
    return found ? std::optional(found->problem) : std::nullopt;
  }
  MemoryBounds bounds;
};

TEST_F(MemoryBoundsTest, TheWholeAllocationIsFine) {
  EXPECT_EQ(problem(0x1000, 100), std::nullopt);
  EXPECT_EQ(problem(0x2000, 0x1000), std::nullopt);
  EXPECT_EQ(problem(0x1063, 1), std::nullopt);
}

TEST_F(MemoryBoundsTest, OneByteMoreIsNot) {
  EXPECT_EQ(problem(0x1000, 101), Problem::kBeyondEnd);
  const auto found = bounds.check(linear_footprint(0x1000, 104));
  EXPECT_EQ(found->beyond, (Range{0x1064, 0x1068}));
}

TEST_F(MemoryBoundsTest, TheNextAllocationIsNotAContinuation) {
  EXPECT_EQ(problem(0x2000, 0x1004), Problem::kBeyondEnd);
}

TEST_F(MemoryBoundsTest, RedZonesAndHolesAreOutside) {
  EXPECT_EQ(problem(0x1064, 4), Problem::kOutside);
  EXPECT_EQ(problem(0x0ffc, 4), Problem::kOutside);
  EXPECT_EQ(problem(0x9000, 4), Problem::kOutside);
}

TEST_F(MemoryBoundsTest, FreedMemoryIsKnownUntilItIsGivenOutAgain) {
  bounds.freed(0x2000);
  EXPECT_EQ(problem(0x2010, 4), Problem::kFreed);
  bounds.allocated(0x2000, 64);
  EXPECT_EQ(problem(0x2010, 4), std::nullopt);
}

TEST_F(MemoryBoundsTest, OnlyWhatTheLaunchWasGivenMayBeUsed) {
  bounds.begin_launch(std::vector<std::int64_t>{0x2000, 0x3008});
  EXPECT_EQ(problem(0x1000, 4), Problem::kNotGiven);
  EXPECT_EQ(problem(0x2ffc, 4), std::nullopt);
  EXPECT_EQ(problem(0x3000, 8), std::nullopt);  // an end pointer counts
}

TEST_F(MemoryBoundsTest, WithoutKnownAddressesEverythingIsGiven) {
  bounds.begin_launch(std::vector<std::int64_t>{0x77});
  EXPECT_EQ(problem(0x1000, 4), std::nullopt);
}

TEST_F(MemoryBoundsTest, WhatIsLeftIsALeak) {
  bounds.freed(0x1000);
  ASSERT_EQ(bounds.leaks().size(), 2u);
  EXPECT_EQ(bounds.leaks()[0].bytes, (Range{0x2000, 0x3000}));
  EXPECT_EQ(bounds.leaks()[1].number, 3u);
}

}  // namespace
}  // namespace tensorlane::check
