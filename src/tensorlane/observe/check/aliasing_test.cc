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
  Pairs overlaps(AliasOperand a, AliasOperand b, bool copies = false) {
    const std::array<AliasOperand, 2> both{std::move(a), std::move(b)};
    Pairs pairs;
    for (const ForbiddenOverlap& each :
         forbidden_overlaps(both, copies ? Making::kCopies : Making::kAnything)) {
      EXPECT_FALSE(each.harmless_by_batches && !copies);
      pairs.emplace_back(each.first, each.second);
    }
    return pairs;
  }
  AliasOperand operand(std::int64_t address, bool read, bool write, int shape_class = 0) {
    layouts.push_back(std::make_unique<Layout>(
        local_layout(kSmall, address, kShape, compact_stride(kSmall, 0, kShape), Dtype::kFp32)));
    return view(read, write, shape_class);
  }
  // A source or result of any layout.
  AliasOperand operand(bool write, Layout layout, int shape_class = 0) {
    layouts.push_back(std::make_unique<Layout>(std::move(layout)));
    return view(!write, write, shape_class);
  }
  AliasOperand view(bool read, bool write, int shape_class) {
    return {0,
            read,
            write,
            false,
            shape_class,
            0,
            layouts.back().get(),
            trail::footprint(*layouts.back())};
  }
  static Layout aligned(std::int64_t address, const Shape4& shape, Dtype dtype) {
    return local_layout(kSmall, address, shape,
                        aligned_stride(kSmall, 0, shape, dtype_bytes(dtype)), dtype);
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

// A cast to fewer bytes writes nothing before it was read; the other way it does.
TEST_F(AliasingTest, SmallerElementsMayReplaceLargerOnes) {
  for (const Shape4& shape : {kShape, Shape4{2, 4, 3, 5}, Shape4{3, 7, 1, 1}}) {
    const Layout narrow = aligned(0, shape, Dtype::kFp16), wide = aligned(0, shape, Dtype::kFp32);
    EXPECT_TRUE(overlaps(operand(true, narrow), operand(false, wide)).empty());
    EXPECT_EQ(overlaps(operand(true, wide), operand(false, narrow)), (Pairs{{0, 1}}));
    EXPECT_EQ(overlaps(operand(true, aligned(2, shape, Dtype::kFp16)), operand(false, wide)),
              (Pairs{{0, 1}}));
  }
}

// The distance of channel slots is of no matter where all channels lie in one.
TEST_F(AliasingTest, StridesThatNobodyUsesMayDiffer) {
  const Shape4 one_slot{1, 3, 4, 8}, two_slots{1, 5, 4, 8};
  const Stride4 near{64, 64, 8, 1}, far{128, 128, 8, 1};
  const auto layout = [](const Shape4& shape, const Stride4& stride) {
    return local_layout(kSmall, 0, shape, stride, Dtype::kFp32);
  };
  EXPECT_TRUE(overlaps(operand(true, layout(one_slot, near)), operand(false, layout(one_slot, far)))
                  .empty());
  EXPECT_EQ(
      overlaps(operand(true, layout(two_slots, near)), operand(false, layout(two_slots, far))),
      (Pairs{{0, 1}}));
}

// Strides of 0 repeat what lies at the beginning of the result: harmless for a copy alone.
TEST_F(AliasingTest, CopiesMayBroadcastInPlace) {
  const Shape4 shape{2, 4, 3, 5};
  const Stride4 whole = aligned_stride(kSmall, 0, shape, dtype_bytes(Dtype::kFp32));
  const Layout result = local_layout(kSmall, 0, shape, whole, Dtype::kFp32);
  for (int mask = 1; mask < 16; ++mask) {
    const Stride4 stride{(mask & 1) != 0 ? 0 : whole.n, (mask & 2) != 0 ? 0 : whole.c,
                         (mask & 4) != 0 ? 0 : whole.h, (mask & 8) != 0 ? 0 : whole.w};
    const Layout source = local_layout(kSmall, 0, shape, stride, Dtype::kFp32);
    EXPECT_TRUE(overlaps(operand(true, result), operand(false, source), true).empty()) << mask;
    const bool same = mask == 2;  // the channels lie in one slot
    EXPECT_EQ(overlaps(operand(true, result), operand(false, source)).empty(), same) << mask;
  }
  // to all NPUs, from the one channel of the source
  const Layout one = aligned(0, {2, 1, 3, 5}, Dtype::kFp32);
  EXPECT_TRUE(overlaps(operand(true, result), operand(false, one, 1), true).empty());
  EXPECT_EQ(overlaps(operand(true, result), operand(false, one, 1)), (Pairs{{0, 1}}));
  // rows of another length: some of the source is overwritten by other elements
  const Layout other = aligned(0, {2, 1, 3, 4}, Dtype::kFp32);
  EXPECT_EQ(overlaps(operand(true, result), operand(false, other, 1), true), (Pairs{{0, 1}}));
}

// Four batches of 128 bytes, each `step` bytes behind the other.
TEST_F(AliasingTest, ABatchThatWasReadMayBeOverwritten) {
  const Shape4 shape{4, 4, 4, 8};
  const auto batches = [&](std::int64_t address, std::int64_t step) {
    return local_layout(kSmall, address, shape, Stride4{step / 4, 32, 8, 1}, Dtype::kFp32);
  };
  const auto harmless = [&](const Layout& to, const Layout& from, Making making) {
    const std::array<AliasOperand, 2> both{operand(true, to), operand(false, from)};
    const auto found = forbidden_overlaps(both, making);
    EXPECT_EQ(found.size(), 1u);
    return !found.empty() && found[0].harmless_by_batches;
  };
  using enum Making;
  // onto the batch before: read already; onto the next: not yet
  EXPECT_TRUE(harmless(batches(0, 128), batches(128, 128), kElements));
  EXPECT_TRUE(harmless(batches(0, 128), batches(128, 128), kCopies));
  EXPECT_FALSE(harmless(batches(128, 128), batches(0, 128), kElements));
  // of anything else no order is known
  EXPECT_FALSE(harmless(batches(0, 128), batches(128, 128), kAnything));
  // half a batch down: elements of the batch that is being read are overwritten
  EXPECT_FALSE(harmless(batches(0, 128), batches(64, 128), kElements));
  EXPECT_TRUE(harmless(batches(0, 128), batches(192, 128), kElements));
  // batches that move together stay behind, those that move apart overtake
  EXPECT_TRUE(harmless(batches(0, 128), batches(0, 256), kElements));
  EXPECT_FALSE(harmless(batches(0, 256), batches(0, 128), kElements));
}

TEST_F(AliasingTest, ChannelsMayBeReducedInPlace) {
  AliasOperand sum = operand(true, aligned(0, {1, 1, 1, 1}, Dtype::kFp32), 0);
  AliasOperand row = operand(false, aligned(0, {1, 1, 4, 8}, Dtype::kFp32), 1);
  EXPECT_TRUE(overlaps(sum, row).empty());
  row.channel_class = 1;  // every channel of the result depends on all of the source
  EXPECT_EQ(overlaps(sum, row), (Pairs{{0, 1}}));
}

class OverlappingItself : public ::testing::Test {
 protected:
  // Bytes that elements share; 0 where each has its own.
  static std::int64_t shared(const Shape4& shape, const Stride4& stride, Dtype dtype) {
    const Layout layout = local_layout(kSmall, 0, shape, stride, dtype);
    return bytes_of_overlapping(layout, trail::footprint(layout)).value_or(0);
  }
};

TEST_F(OverlappingItself, EachElementHasItsOwnBytes) {
  EXPECT_EQ(shared(kShape, compact_stride(kSmall, 0, kShape), Dtype::kFp32), 0);
  EXPECT_EQ(shared({2, 9, 3, 5}, {96, 32, 5, 1}, Dtype::kFp32), 0) << "three rows of NPUs";
  EXPECT_EQ(shared({1, 4, 3, 5}, {1, 1, 1, 3}, Dtype::kFp32), 0) << "transposed";
  EXPECT_EQ(shared({2, 4, 1, 5}, {1, 16, 1, 2}, Dtype::kFp32), 0) << "batches interleave";
  EXPECT_EQ(shared({1, 4, 1, 5}, {0, 0, 0, 1}, Dtype::kFp32), 0)
      << "what is there once needs no stride";
}

TEST_F(OverlappingItself, ElementsThatShareBytesAreFound) {
  // Two batches half over each other: 12 words in each of 4 NPUs.
  EXPECT_EQ(shared({2, 4, 1, 8}, {4, 8, 8, 1}, Dtype::kFp32), 4 * 12 * 4);
  EXPECT_EQ(shared({1, 4, 1, 8}, {8, 8, 8, 0}, Dtype::kFp32), 4 * 4) << "all in one place";
  EXPECT_EQ(shared({1, 8, 1, 8}, {8, 0, 8, 1}, Dtype::kFp32), 4 * 8 * 4) << "rows of NPUs";
  EXPECT_EQ(shared({3, 1, 1, 4}, {2, 8, 8, 1}, Dtype::kInt8), 8);
}

}  // namespace
}  // namespace tensorlane::check
