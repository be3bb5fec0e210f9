#include "tensorlane/observe/check/aliasing.h"

#include <gtest/gtest.h>

#include "tensorlane/layout/local.h"

namespace tensorlane::check {
namespace {

constexpr LocalMemory kSmall{.npus = 4, .npu_bytes = 1024, .align_bytes = 128};
constexpr Shape4 kShape{1, 4, 4, 8};

class AliasingTest : public ::testing::Test {
 protected:
  using Pairs = std::vector<std::pair<int, int>>;
  Pairs overlaps(AliasOperand a, AliasOperand b) {
    const std::array<AliasOperand, 2> both{std::move(a), std::move(b)};
    return forbidden_overlaps(both);
  }
  AliasOperand operand(std::int64_t address, bool read, bool write, int shape_class = 0) {
    layouts.push_back(std::make_unique<Layout>(
        local_layout(kSmall, address, kShape, compact_stride(kSmall, 0, kShape), Dtype::kFp32)));
    return {0, read, write, false, shape_class, layouts.back().get(), footprint(*layouts.back())};
  }
  std::vector<std::unique_ptr<Layout>> layouts;
};

TEST_F(AliasingTest, InPlaceIsFine) {
  EXPECT_TRUE(overlaps(operand(0, false, true), operand(0, true, false)).empty());
}
TEST_F(AliasingTest, ShiftedByAnElementIsNot) {
  EXPECT_EQ(overlaps(operand(4, false, true), operand(0, true, false)), (Pairs{{0, 1}}));
}
TEST_F(AliasingTest, OtherShapesMustNotShareAByte) {
  EXPECT_EQ(overlaps(operand(0, false, true, 0), operand(0, true, false, 1)), (Pairs{{0, 1}}));
}
TEST_F(AliasingTest, SourcesMayOverlap) {
  EXPECT_TRUE(overlaps(operand(4, true, false), operand(0, true, false)).empty());
}
TEST_F(AliasingTest, TwoResultsMayNot) {
  EXPECT_EQ(overlaps(operand(0, false, true), operand(0, false, true)), (Pairs{{0, 1}}));
}
TEST_F(AliasingTest, WorkMemoryIsSharedWithNothing) {
  AliasOperand work = operand(0, false, true);
  work.work = true;
  EXPECT_EQ(overlaps(work, operand(0, true, false)), (Pairs{{0, 1}}));
}
TEST_F(AliasingTest, OtherMemoriesAreApart) {
  AliasOperand global = operand(4, true, false);
  global.memory = 1;
  EXPECT_TRUE(overlaps(operand(0, false, true), global).empty());
}

}  // namespace
}  // namespace tensorlane::check
