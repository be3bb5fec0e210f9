#include "tensorlane/observe/check/coverage.h"

#include <gtest/gtest.h>

namespace tensorlane::check {
namespace {

constexpr trail::Mark kHost = 1, kKernel = 2;
constexpr trail::Range kBuffer{100, 200};

TEST(Coverage, AFullyWrittenResultIsSilent) {
  trail::MarkMap map;
  map.assign(kBuffer, kKernel);
  const Coverage found = coverage(map, kBuffer, kBuffer, kHost);
  EXPECT_TRUE(found.unwritten.empty() && found.undefined.empty() && found.stale.empty());
}

TEST(Coverage, MissingBytesAreFound) {
  trail::MarkMap map;
  map.assign(trail::Range{104, 196}, kKernel);
  EXPECT_EQ(coverage(map, kBuffer, kBuffer, kHost).unwritten,
            (std::vector<trail::Range>{{100, 104}, {196, 200}}));
}

TEST(Coverage, OnlyWhatTheHostReadsCounts) {
  trail::MarkMap map;
  map.assign(trail::Range{104, 196}, kKernel);
  EXPECT_TRUE(coverage(map, {110, 120}, kBuffer, kHost).unwritten.empty());
}

TEST(Coverage, BytesOfTheHostAreStaleOnlyBesideBytesOfAKernel) {
  trail::MarkMap map;
  map.assign(kBuffer, kHost);
  EXPECT_TRUE(coverage(map, kBuffer, kBuffer, kHost).stale.empty());
  map.assign(trail::Range{100, 150}, kKernel);
  EXPECT_EQ(coverage(map, kBuffer, kBuffer, kHost).stale, (std::vector<trail::Range>{{150, 200}}));
}

TEST(Coverage, UndefinedValuesKeepTheirOrigin) {
  trail::MarkMap map;
  map.assign(kBuffer, kKernel);
  map.assign(trail::Range{120, 124}, trail::kUndefinedBit | 3);
  EXPECT_EQ(coverage(map, kBuffer, kBuffer, kHost).undefined,
            (std::vector<trail::MarkedBytes>{{0, 1, {120, 124}, trail::kUndefinedBit | 3}}));
}

TEST(UnreadInput, IsWhatTheHostWroteAndNoKernelRead) {
  trail::MarkMap marks, reads;
  marks.assign(trail::Range{0, 100}, kHost);
  marks.assign(trail::Range{100, 120}, kKernel);
  EXPECT_TRUE(unread_input(marks, reads, {0, 200}, kHost).empty());  // not an input at all
  reads.assign(trail::Range{4, 60}, kHost);
  reads.assign(trail::Range{64, 90}, kHost);
  EXPECT_EQ(unread_input(marks, reads, {0, 200}, kHost),
            (std::vector<trail::Range>{{0, 4}, {60, 64}, {90, 100}}));
  reads.assign(trail::Range{0, 200}, kHost);
  EXPECT_TRUE(unread_input(marks, reads, {0, 200}, kHost).empty());
}

}  // namespace
}  // namespace tensorlane::check
