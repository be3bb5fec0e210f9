#include "tensorlane/observe/check/memory_bounds.h"

#include <gtest/gtest.h>

#include <utility>

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
    const auto found = bounds.check(trail::linear_footprint(begin, bytes));
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
  const auto found = bounds.check(trail::linear_footprint(0x1000, 104));
  EXPECT_EQ(found->beyond, (trail::Range{0x1064, 0x1068}));
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
  EXPECT_EQ(bounds.leaks()[0].bytes, (trail::Range{0x2000, 0x3000}));
  EXPECT_EQ(bounds.leaks()[1].number, 3u);
}

using Hit = std::pair<std::uint64_t, std::uint64_t>;

// Buffers of two pages with red zones as long: without them they follow each other.
class RedZonesTest : public ::testing::Test {
 protected:
  RedZonesTest() {
    for (std::int64_t k = 0; k < 3; ++k) bounds.allocated(k * 0x4000, 0x2000);
  }
  // The allocation concerned and the one that would be hit, by their numbers.
  Hit hit(std::int64_t begin) {
    const auto found = bounds.check(trail::linear_footprint(begin, 0x1000));
    if (!found || found->problem != Problem::kInRedZone) return {0, 0};
    return {found->block.number, found->other.number};
  }
  std::optional<Problem> problem(std::int64_t begin) {
    const auto found = bounds.check(trail::linear_footprint(begin, 0x10));
    return found ? std::optional(found->problem) : std::nullopt;
  }
  MemoryBounds bounds{trail::Range{0, 1 << 20}};
};

TEST_F(RedZonesTest, ATileTooFarIsInTheNext) {
  EXPECT_EQ(hit(0x2000), Hit(1, 2));
  EXPECT_EQ(hit(0x3000), Hit(1, 2));
  EXPECT_EQ(hit(0x6000), Hit(2, 3));
}

TEST_F(RedZonesTest, ATileTooEarlyIsInTheOneBefore) {
  EXPECT_EQ(hit(0x3ff0), Hit(2, 1));
  EXPECT_EQ(hit(0x7800), Hit(3, 2));
}

TEST_F(RedZonesTest, WhereNothingWouldLieItIsOutside) {
  EXPECT_EQ(problem(0xa000), Problem::kOutside);
  bounds.freed(0x4000);
  EXPECT_EQ(problem(0x2000), Problem::kOutside);
  bounds.allocated(0x4000, 100);
  EXPECT_EQ(hit(0x2000), Hit(1, 4));
  EXPECT_EQ(problem(0x3000), Problem::kOutside) << "behind its 100 bytes";
}

}  // namespace
}  // namespace tensorlane::check
