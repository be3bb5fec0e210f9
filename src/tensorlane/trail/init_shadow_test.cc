#include "tensorlane/trail/init_shadow.h"

#include <gtest/gtest.h>

#include "tensorlane/layout/local.h"

namespace tensorlane::trail {
namespace {

constexpr LocalMemory kSmall{.npus = 4, .npu_bytes = 1024, .align_bytes = 128};
constexpr MemoryShape kMemories[] = {{4, 1024}, {1, 0}};
constexpr int kLocal = 0, kGlobal = 1;

Layout aligned(std::int64_t address, Shape4 shape) {
  return local_layout(kSmall, address, shape, aligned_stride(kSmall, address / 1024, shape, 4),
                      Dtype::kFp32);
}

bool defined(const InitShadow& shadow, int memory, const Footprint& bytes) {
  std::vector<Mark> writers;
  return shadow.scan(memory, bytes, writers);
}

TEST(InitShadow, NothingIsWrittenAtFirst) {
  const InitShadow shadow(kMemories);
  EXPECT_FALSE(defined(shadow, kLocal, footprint(aligned(0, {1, 4, 2, 2}))));
}

TEST(InitShadow, AlignmentGapsAreNotPartOfATensor) {
  InitShadow shadow(kMemories);
  const Footprint tensor = footprint(aligned(0, {2, 8, 2, 2}));
  shadow.write(kLocal, tensor, 5);
  std::vector<Mark> writers;
  EXPECT_TRUE(shadow.scan(kLocal, tensor, writers));
  EXPECT_EQ(writers, (std::vector<Mark>{5}));
  EXPECT_FALSE(defined(shadow, kLocal, lane_footprint(1024, 0, 1, 0, 128)));
}

TEST(InitShadow, FindsTheFourBytesThatAreMissing) {
  InitShadow shadow(kMemories);
  shadow.write(kLocal, footprint(aligned(4, {1, 4, 2, 2})), 5);
  const auto holes = shadow.undefined(kLocal, footprint(aligned(0, {1, 4, 2, 2})));
  EXPECT_EQ(holes, (std::vector<MarkedBytes>{{0, 4, {0, 4}, kUnwritten}}));
}

TEST(InitShadow, NamesEveryWriter) {
  InitShadow shadow(kMemories);
  shadow.write(kGlobal, linear_footprint(0, 50), 1);
  shadow.write(kGlobal, linear_footprint(50, 50), 2);
  std::vector<Mark> writers;
  EXPECT_TRUE(shadow.scan(kGlobal, linear_footprint(40, 20), writers));
  EXPECT_EQ(writers, (std::vector<Mark>{1, 2}));
}

// A copy of the aligned tensor as one block carries its gaps along; only they are undefined after.
TEST(InitShadow, ACopyCarriesGapsAlong) {
  InitShadow shadow(kMemories);
  shadow.write(kLocal, footprint(aligned(0, {1, 4, 1, 3})), 5);
  const Layout block = local_layout(kSmall, 0, {1, 4, 1, 32}, {32, 32, 32, 1}, Dtype::kX32);
  const Layout out = system_layout(0, {1, 4, 1, 32}, continuous_stride({1, 4, 1, 32}), Dtype::kX32);
  const auto found = shadow.dependences(out, kLocal, block, true);
  ASSERT_EQ(found.size(), 4u);
  for (std::int64_t c = 0; c < 4; ++c) {
    EXPECT_EQ(found[static_cast<std::size_t>(c)].destination, (Range{c * 128 + 12, c * 128 + 128}));
    EXPECT_EQ(found[static_cast<std::size_t>(c)].mark, kUnwritten);
  }
}

TEST(InitShadow, ArithmeticSpoilsWholeElements) {
  InitShadow shadow(kMemories);
  shadow.write(kGlobal, linear_footprint(0, 6), 5);  // one and a half elements
  const Layout source =
      system_layout(0, {1, 1, 1, 2}, continuous_stride({1, 1, 1, 2}), Dtype::kFp32);
  const Layout result =
      system_layout(100, {1, 1, 1, 2}, continuous_stride({1, 1, 1, 2}), Dtype::kFp32);
  const auto found = shadow.dependences(result, kGlobal, source, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].destination, (Range{104, 108}));
}

// Undefined bytes at the beginning of an element spoil its end, which is written.
TEST(InitShadow, ArithmeticSpoilsTheEndsOfElementsToo) {
  InitShadow shadow(kMemories);
  shadow.write(kGlobal, linear_footprint(6, 10), 5);
  const Layout source =
      system_layout(0, {1, 1, 1, 4}, continuous_stride({1, 1, 1, 4}), Dtype::kFp32);
  const Layout result =
      system_layout(100, {1, 1, 1, 4}, continuous_stride({1, 1, 1, 4}), Dtype::kFp32);
  const auto found = shadow.dependences(result, kGlobal, source, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].destination, (Range{100, 108}));
  const auto copied = shadow.dependences(result, kGlobal, source, true);
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0].destination, (Range{100, 106})) << "a copy moves bytes";
}

TEST(InitShadow, ABroadcastSourceSpoilsItsWholeChannel) {
  InitShadow shadow(kMemories);
  shadow.write(kGlobal, linear_footprint(0, 4), 5);
  const Layout source = system_layout(0, {1, 2, 1, 4}, {0, 1, 0, 0}, Dtype::kFp32);
  const Layout result =
      system_layout(100, {1, 2, 1, 4}, continuous_stride({1, 2, 1, 4}), Dtype::kFp32);
  std::int64_t spoilt = 0;
  for (const auto& each : shadow.dependences(result, kGlobal, source, false)) {
    EXPECT_GE(each.destination.begin, 116);
    spoilt += each.destination.bytes();
  }
  EXPECT_EQ(spoilt, 16);
}

TEST(InitShadow, UndefinedMarksAreFoundAgain) {
  InitShadow shadow(kMemories);
  shadow.write(kGlobal, linear_footprint(0, 100), 5);
  shadow.write_linear(kGlobal, {10, 20}, kUndefinedBit | 7);
  const auto holes = shadow.undefined(kGlobal, linear_footprint(0, 100));
  EXPECT_EQ(holes, (std::vector<MarkedBytes>{{0, 1, {10, 20}, kUndefinedBit | 7}}));
  shadow.write(kGlobal, linear_footprint(0, 100), 6);
  EXPECT_TRUE(defined(shadow, kGlobal, linear_footprint(0, 100)));
}

TEST(InitShadow, LinearWritesCrossNpus) {
  InitShadow shadow(kMemories);
  shadow.write_linear(kLocal, {1000, 1100}, 5);
  EXPECT_TRUE(defined(shadow, kLocal, lane_footprint(1024, 0, 1, 1000, 24)));
  EXPECT_TRUE(defined(shadow, kLocal, lane_footprint(1024, 1, 1, 0, 76)));
  EXPECT_FALSE(defined(shadow, kLocal, lane_footprint(1024, 1, 1, 0, 77)));
}

TEST(InitShadow, EveryWriterIsNamedOnce) {
  const MemoryShape linear{};
  for (const Mark count : {Mark{1}, Mark{15}, Mark{16}, Mark{17}, Mark{40}}) {
    InitShadow shadow({&linear, 1});
    for (std::int64_t k = 0; k < 3 * std::int64_t{count}; ++k)
      shadow.write_linear(0, {4 * k, 4 * k + 4}, static_cast<Mark>(k % count) + 1);
    std::vector<Mark> writers, expected;
    EXPECT_TRUE(shadow.scan(0, linear_footprint(0, 12 * std::int64_t{count}), writers));
    for (Mark mark = 1; mark <= count; ++mark) expected.push_back(mark);
    EXPECT_EQ(writers, expected);
    EXPECT_FALSE(shadow.scan(0, linear_footprint(0, 12 * std::int64_t{count} + 1), writers));
  }
}

}  // namespace
}  // namespace tensorlane::trail
