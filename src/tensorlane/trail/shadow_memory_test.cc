#include "tensorlane/trail/shadow_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace tensorlane::trail {
namespace {

Shadow shadow_of(Dtype dtype, double value) {
  return {.value = value, .type = static_cast<std::uint8_t>(static_cast<int>(dtype) + 1)};
}

// Beside a map of elements by their bytes.
TEST(ShadowMemory, HoldsTheLatestElementOfEveryByte) {
  constexpr Dtype kTypes[] = {Dtype::kInt8, Dtype::kFp16, Dtype::kFp32};
  std::mt19937 random(3);
  ShadowMemory memory;
  struct Element {
    Dtype dtype;
    double value;
  };
  std::map<std::int64_t, Element> plain;
  const auto erase = [&](std::int64_t begin, std::int64_t end) {
    for (auto it = plain.begin(); it != plain.end();) {
      const bool hit = it->first < end && it->first + dtype_bytes(it->second.dtype) > begin;
      it = hit ? plain.erase(it) : std::next(it);
    }
  };
  for (int step = 0; step < 20000; ++step) {
    const Dtype dtype = kTypes[random() % 3];
    const std::int64_t width = dtype_bytes(dtype);
    const std::int64_t at = static_cast<std::int64_t>(random() % 700) * width;
    const auto kind = random() % 8;
    if (kind == 0) {
      const std::int64_t end = at + static_cast<std::int64_t>(random() % 200);
      memory.forget(Space::kLocal, at, end);
      erase(at, end);
    } else {
      const Shadow shadow = shadow_of(dtype, step);
      memory.write(Space::kLocal, at, dtype, kind == 1 ? nullptr : &shadow);
      erase(at, at + width);
      if (kind != 1) plain[at] = {dtype, static_cast<double>(step)};
    }
    const std::int64_t probe = static_cast<std::int64_t>(random() % 700) * width;
    const Shadow* const found = memory.find(Space::kLocal, probe, dtype);
    const auto expected = plain.find(probe);
    // An element that was overwritten in part may go altogether, but never comes back.
    if (found != nullptr) {
      ASSERT_NE(expected, plain.end());
      EXPECT_EQ(found->value, expected->second.value);
    }
    EXPECT_EQ(memory.find(Space::kGlobal, probe, dtype), nullptr);
  }
  std::int64_t seen = 0;
  memory.visit(Space::kLocal, 0, 4096, [&](std::int64_t at, const Shadow& shadow) {
    ++seen;
    ASSERT_TRUE(plain.contains(at));
    EXPECT_EQ(shadow.value, plain[at].value);
  });
  EXPECT_GT(seen, 10);
}

// Rows are elements one by one, whatever lies there and however far apart they are.
TEST(ShadowMemory, RowsAreTheirElements) {
  constexpr Dtype kTypes[] = {Dtype::kInt8, Dtype::kFp16, Dtype::kFp32, Dtype::kX16};
  std::mt19937 random(11);
  const auto below = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  };
  ShadowMemory by_rows, by_elements;
  std::int64_t seen = 0;
  for (int round = 0; round < 4000; ++round) {
    ShadowMemory::Row row{.space = Space::kLocal,
                          .offset = below(3000),
                          .count = 1 + below(600),
                          .step = 0,
                          .dtype = kTypes[below(4)]};
    const std::int64_t width = dtype_bytes(row.dtype);
    constexpr std::int64_t kApart[] = {0, 1, 1, 1, 2, 3, 700};
    row.step = kApart[below(7)] * width;
    if (below(8) != 0) row.offset = row.offset / width * width;
    std::vector<Shadow> shadows(static_cast<std::size_t>(row.count));
    const std::int64_t with = below(3);
    for (std::size_t i = 0; i < shadows.size(); ++i) {
      if (with != 0 && (with == 1 || below(2) != 0))
        shadows[i] = shadow_of(row.dtype, round + static_cast<double>(i) / 1024);
    }
    by_rows.write_row(row, shadows);
    for (std::int64_t i = 0; i < row.count; ++i) {
      const Shadow& shadow = shadows[static_cast<std::size_t>(i)];
      by_elements.write(row.space, row.offset + i * row.step, row.dtype,
                        shadow.type == 0 ? nullptr : &shadow);
    }
    row.dtype = kTypes[below(4)];
    row.offset = below(2000);
    std::vector<double> got(static_cast<std::size_t>(row.count), -1), want = got;
    by_rows.visit_row(row, [&](std::int64_t i, const Shadow& shadow) {
      got[static_cast<std::size_t>(i)] = shadow.value;
      ++seen;
    });
    for (std::int64_t i = 0; i < row.count; ++i) {
      const Shadow* const shadow =
          by_elements.find(row.space, row.offset + i * row.step, row.dtype);
      if (shadow != nullptr) want[static_cast<std::size_t>(i)] = shadow->value;
    }
    ASSERT_EQ(got, want) << round;
  }
  EXPECT_GT(seen, 10'000);
}

TEST(ShadowMemory, RawTypesSeeTheElementsOfTheirWidth) {
  ShadowMemory memory;
  const Shadow shadow = shadow_of(Dtype::kFp16, 0.25);
  memory.write(Space::kGlobal, 8, Dtype::kFp16, &shadow);
  EXPECT_NE(memory.find(Space::kGlobal, 8, Dtype::kX16), nullptr);
  EXPECT_EQ(memory.find(Space::kGlobal, 8, Dtype::kX32), nullptr);
  EXPECT_EQ(memory.find(Space::kGlobal, 8, Dtype::kBf16), nullptr);
}

TEST(Blame, TheLargestPartsAreKept) {
  Blame blame;
  blame.add(1, 0.5);
  blame.add(2, -2);
  blame.add(3, 0.1);
  EXPECT_EQ(blame.line[0], 2);
  EXPECT_EQ(blame.line[1], 1);
  for (int i = 0; i < 10; ++i) blame.add(1, 0.5);
  EXPECT_EQ(blame.line[0], 1);
  EXPECT_FLOAT_EQ(blame.amount[0], 5.5F);
  EXPECT_FLOAT_EQ(blame.amount[1], -2);
}

}  // namespace
}  // namespace tensorlane::trail
