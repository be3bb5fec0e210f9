#include "tensorlane/trail/footprint.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tensorlane/layout/local.h"

namespace tensorlane::trail {
namespace {

constexpr LocalMemory kSmall{.npus = 4, .npu_bytes = 1024, .align_bytes = 128};

std::set<std::int64_t> bytes_of(const ByteBox& box) {
  std::set<std::int64_t> bytes;
  for_each_run(box, 0, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) bytes.insert(at);
  });
  return bytes;
}

std::set<std::int64_t> bytes_of(const Footprint& footprint) {
  std::set<std::int64_t> bytes;
  for (const Range& run : runs(footprint)) {
    for (std::int64_t at = run.begin; at < run.end; ++at) bytes.insert(at);
  }
  return bytes;
}

// Every element of the layout, byte by byte.
std::set<std::int64_t> bytes_of(const Layout& layout) {
  std::set<std::int64_t> bytes;
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    std::int64_t rest = i;
    for (int d = layout.rank() - 1; d >= 0; --d) {
      index[static_cast<std::size_t>(d)] = rest % layout.extent(d);
      rest /= layout.extent(d);
    }
    const std::int64_t at = layout.address(index);
    for (std::int64_t b = 0; b < layout.element_units(); ++b) bytes.insert(at + b);
  }
  return bytes;
}

ByteBox box_of(std::int64_t base, std::int64_t run, std::vector<ByteLoop> loops) {
  ByteBox box;
  box.base = base;
  box.run = run;
  for (const ByteLoop& loop : loops) box.loops[static_cast<std::size_t>(box.rank++)] = loop;
  return box;
}

ByteBox any_box() {
  ByteBox box = box_of(*rc::gen::inRange(0, 200), *rc::gen::inRange(1, 9), {});
  const int rank = *rc::gen::inRange(0, 4);
  for (int k = 0; k < rank; ++k) {
    box.loops[static_cast<std::size_t>(box.rank++)] = {*rc::gen::inRange(1, 6),
                                                       *rc::gen::inRange(-40, 41)};
  }
  return box;
}

Layout any_layout() {
  const Shape4 shape{*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 11), *rc::gen::inRange(1, 4),
                     *rc::gen::inRange(1, 6)};
  const std::int64_t npu = *rc::gen::inRange(0, 4);
  const std::int64_t address = npu * kSmall.npu_bytes + 4 * *rc::gen::inRange(0, 16);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return local_layout(kSmall, address, shape, compact_stride(kSmall, npu, shape), Dtype::kFp32);
    case 1:
      return local_layout(kSmall, address, shape, aligned_stride(kSmall, npu, shape, 2),
                          Dtype::kFp16);
    case 2:
      return packed_layout(kSmall, address, shape,
                           compact_stride(kSmall, npu, packed_shape(shape, Dtype::kInt8)),
                           Dtype::kInt8);
    default:
      return matrix_layout(kSmall, address, shape.n, shape.c, std::min<std::int64_t>(shape.c, 3),
                           Dtype::kFp32);
  }
}

RC_GTEST_PROP(Footprint, NormalisingKeepsTheBytes, ()) {
  const ByteBox before = any_box();
  ByteBox after = before;
  normalise(after);
  RC_ASSERT(bytes_of(before) == bytes_of(after));
  for (int k = 0; k < after.rank; ++k)
    RC_ASSERT(after.loops[static_cast<std::size_t>(k)].stride > 0);
}

RC_GTEST_PROP(Footprint, OverlapAgreesWithTheBytes, ()) {
  ByteBox a = any_box(), b = any_box();
  normalise(a);
  normalise(b);
  const std::set<std::int64_t> x = bytes_of(a), y = bytes_of(b);
  const bool shared = std::any_of(x.begin(), x.end(), [&](auto at) { return y.count(at) != 0; });
  RC_ASSERT(overlap(a, b) == shared);
  RC_ASSERT(overlap(b, a) == shared);
}

RC_GTEST_PROP(Footprint, HoldsTheBytesOfTheElementsAndNoOther, ()) {
  const Layout layout = any_layout();
  RC_ASSERT(bytes_of(footprint(layout)) == bytes_of(layout));
}

RC_GTEST_PROP(Footprint, LanesHoldTheSameBytes, ()) {
  const Footprint whole = footprint(any_layout());
  std::set<std::int64_t> bytes;
  for (const LaneBox& lane : whole.shape->lanes) {
    for (int q = lane.first; q < lane.first + lane.count; ++q) {
      for (const std::int64_t at : bytes_of(lane.box)) bytes.insert(q * kSmall.npu_bytes + at);
    }
  }
  RC_ASSERT(bytes == bytes_of(whole));
}

RC_GTEST_PROP(Footprint, CacheGivesTheSameBytes, ()) {
  FootprintCache cache;
  for (int k = 0; k < 5; ++k) {
    const Layout layout = any_layout();
    for (int again = 0; again < 2; ++again)
      RC_ASSERT(bytes_of(cache.get(layout, kSmall.npu_bytes)) == bytes_of(layout));
  }
}

TEST(Footprint, MemoryFilledToTheLastByteIsOneBoxPerRangeOfNpus) {
  const Shape4 shape{1, 4, 16, 16};
  const Footprint all =
      footprint(local_layout(kSmall, 0, shape, compact_stride(kSmall, 0, shape), Dtype::kFp32));
  ASSERT_EQ(all.shape->lanes.size(), 1u);
  EXPECT_EQ(all.shape->lanes[0].count, 4);
  EXPECT_EQ(all.shape->lanes[0].box.run, 1024);
}

TEST(Footprint, InterleavedRowsDoNotOverlap) {
  const Shape4 shape{1, 4, 8, 8};
  const auto rows = [&](std::int64_t first) {
    return footprint(local_layout(kSmall, first * 32, shape, {0, 0, 16, 1}, Dtype::kFp32));
  };
  EXPECT_FALSE(overlap(rows(0), rows(1)));
  EXPECT_TRUE(overlap(rows(0), rows(2)));
}

TEST(Footprint, TensorsInOtherNpusDoNotOverlap) {
  const Shape4 shape{1, 2, 2, 2};
  const auto at_npu = [&](std::int64_t npu) {
    return footprint(
        local_layout(kSmall, npu * 1024, shape, compact_stride(kSmall, npu, shape), Dtype::kFp32));
  };
  EXPECT_FALSE(overlap(at_npu(0), at_npu(2)));
  EXPECT_TRUE(overlap(at_npu(0), at_npu(1)));
  EXPECT_EQ(common(at_npu(0), at_npu(1)), (std::vector<Range>{{1024, 1040}}));
}

TEST(Footprint, StridesWithoutOrderAreStillExact) {
  // Multiples of 6, 10 and 15 plus small offsets: no stride divides another.
  const ByteBox a = box_of(0, 1, {{50, 15}, {50, 10}, {50, 6}});
  EXPECT_FALSE(overlap(a, box_of(29, 1, {})));  // the largest number no such sum gives
  EXPECT_TRUE(overlap(a, box_of(30, 1, {})));
}

RC_GTEST_PROP(Footprint, ContainsMeansNothingIsLeftOut, ()) {
  const Footprint a = footprint(any_layout()), b = footprint(any_layout());
  const std::set<std::int64_t> x = bytes_of(a), y = bytes_of(b);
  RC_ASSERT(contains(a, b) == std::includes(x.begin(), x.end(), y.begin(), y.end()));
  RC_ASSERT(same_bytes(a, b) == (x == y));
}

}  // namespace
}  // namespace tensorlane::trail
