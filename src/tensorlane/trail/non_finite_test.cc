#include "tensorlane/trail/non_finite.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace tensorlane::trail {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(NonFinite, CountsNaNAndInfinityOfTheElementsOnly) {
  std::vector<float> memory(64, 1.0f);
  memory[3] = std::numeric_limits<float>::quiet_NaN();
  memory[20] = -kInfinity;
  memory[21] = kInfinity;
  memory[40] = kInfinity;  // outside
  const auto* base = reinterpret_cast<const std::byte*>(memory.data());
  const NonFinite found = find_non_finite(base, linear_footprint(0, 32 * 4), Dtype::kFp32);
  EXPECT_EQ(found.elements, 3);
  EXPECT_EQ(found.bytes, (std::vector<Range>{{12, 16}, {80, 88}}));
}

TEST(NonFinite, FollowsStridesAndTheOrigin) {
  std::vector<float> memory(64, kInfinity);
  for (std::size_t k = 1; k < memory.size(); k += 2) memory[k] = 0.0f;
  const auto* base = reinterpret_cast<const std::byte*>(memory.data());
  Layout every_other(Dtype::kFp32);
  every_other.add_dim(16, {{16, 8}});
  EXPECT_EQ(find_non_finite(base, footprint(every_other), Dtype::kFp32).elements, 16);
  every_other.set_base(4);
  EXPECT_EQ(find_non_finite(base, footprint(every_other), Dtype::kFp32).elements, 0);
}

TEST(NonFinite, KnowsTheHalfTypesAndNoIntegers) {
  const std::vector<std::uint16_t> memory = {0x7c00, 0x7f80, 0x3c00, 0xfe00};
  const auto* base = reinterpret_cast<const std::byte*>(memory.data());
  const Footprint all = linear_footprint(0, 8);
  EXPECT_EQ(find_non_finite(base, all, Dtype::kFp16).elements, 3);
  EXPECT_EQ(find_non_finite(base, all, Dtype::kBf16).elements, 1);
  EXPECT_EQ(find_non_finite(base, all, Dtype::kInt16).elements, 0);
}

TEST(NonFinite, KeepsAFewRangesAndCountsAll) {
  std::vector<float> memory(100, 0.0f);
  for (std::size_t k = 0; k < memory.size(); k += 2) memory[k] = kInfinity;
  const auto* base = reinterpret_cast<const std::byte*>(memory.data());
  const NonFinite found = find_non_finite(base, linear_footprint(0, 400), Dtype::kFp32, 8);
  EXPECT_EQ(found.elements, 50);
  EXPECT_EQ(found.bytes.size(), 8u);
}

}  // namespace
}  // namespace tensorlane::trail
