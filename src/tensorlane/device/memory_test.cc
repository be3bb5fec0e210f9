#include "tensorlane/device/memory.h"

#include <gtest/gtest.h>

#include "tensorlane/device/device_test_support.h"

namespace tensorlane {
namespace {

TEST(DeviceMemory, HasTheMemoriesOfItsChip) {
  const DeviceMemory memory(toy::chip());
  for (const Region& region : toy::chip().regions) {
    EXPECT_EQ(memory.bytes(region.space), region.bytes);
    EXPECT_EQ(memory.bases()[static_cast<std::size_t>(region.space)], memory.base(region.space));
  }
  EXPECT_EQ(memory.base(Space::kDtcm), nullptr);
  EXPECT_EQ(memory.bytes(Space::kDtcm), 0u);
}

TEST(DeviceMemory, StartsAsZerosBesideStaticContents) {
  const DeviceMemory memory(toy::chip());
  for (const Space space : {Space::kGlobal, Space::kL2, Space::kLocal, Space::kStatic}) {
    for (std::uint64_t at = 0; at < memory.bytes(space); ++at) {
      const bool given = space == Space::kStatic && at < 2;
      ASSERT_EQ(static_cast<int>(memory.base(space)[at]), given ? (at == 0 ? 17 : 4) : 0);
    }
  }
}

TEST(DeviceMemory, DevicesDoNotShareMemory) {
  const DeviceMemory one(toy::chip()), other(toy::chip());
  one.base(Space::kGlobal)[0] = std::byte{1};
  EXPECT_EQ(static_cast<int>(other.base(Space::kGlobal)[0]), 0);
}

// Contents stay, at the same address, and both views are the same bytes from then on.
TEST(DeviceMemory, ASecondViewIsTheSameBytes) {
  DeviceMemory memory(bm1684());
  std::byte* const base = memory.base(Space::kGlobal);
  const std::uint64_t last = memory.bytes(Space::kGlobal) - 1;
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{5} << 30, last})
    base[at] = std::byte{7};
  std::byte* const view = memory.second_view(Space::kGlobal);
  ASSERT_NE(view, nullptr);
  EXPECT_NE(view, base);
  EXPECT_EQ(memory.second_view(Space::kGlobal), view);
  EXPECT_EQ(memory.base(Space::kGlobal), base);
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{5} << 30, last}) {
    EXPECT_EQ(static_cast<int>(base[at]), 7);
    EXPECT_EQ(static_cast<int>(view[at]), 7);
  }
  EXPECT_EQ(static_cast<int>(view[1]), 0);
  base[1 << 20] = std::byte{1};
  view[(1 << 20) + 1] = std::byte{2};
  EXPECT_EQ(static_cast<int>(view[1 << 20]), 1);
  EXPECT_EQ(static_cast<int>(base[(1 << 20) + 1]), 2);
  EXPECT_EQ(memory.second_view(Space::kStatic), nullptr);  // it has none
}

TEST(DeviceMemory, FindsRangesInsideOneMemory) {
  const DeviceMemory memory(toy::chip());
  EXPECT_EQ(memory.find(toy::kGlobal + 5, 7), memory.base(Space::kGlobal) + 5);
  EXPECT_EQ(memory.find(toy::kL2, toy::kL2Bytes), memory.base(Space::kL2));
  EXPECT_EQ(memory.find(toy::kL2, toy::kL2Bytes + 1), nullptr);
  EXPECT_EQ(memory.find(toy::kL2 + 1, toy::kL2Bytes), nullptr);
  EXPECT_EQ(memory.find(toy::kL2 + toy::kL2Bytes, 0), nullptr);
  EXPECT_EQ(memory.find(toy::kL2 + 1, ~std::uint64_t{0}), nullptr);
  EXPECT_EQ(memory.find(0, 1), nullptr);
}

}  // namespace
}  // namespace tensorlane
