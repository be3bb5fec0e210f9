#include "tensorlane/observe/check/commands_in_flight.h"

#include <gtest/gtest.h>

namespace tensorlane::check {
namespace {

constexpr int kLocal = 0, kGlobal = 1;
constexpr std::int64_t kNpuBytes = 1024;
const int kLines[4] = {};

CommandsInFlight::Use use(int line, const trail::Footprint& bytes, bool writes = true) {
  return {.memory = kGlobal, .bytes = bytes, .writes = writes, .site = &kLines[line]};
}
trail::Footprint linear(std::int64_t begin, std::int64_t end) {
  return trail::linear_footprint(begin, end - begin);
}
trail::Footprint lanes(int first, int count, std::int64_t begin, std::int64_t end) {
  return trail::lane_footprint(kNpuBytes, first, count, begin, end - begin);
}

TEST(CommandsInFlight, AreFoundWhereTheyWrite) {
  CommandsInFlight flight;
  CommandsInFlight::Use local = use(0, lanes(2, 2, 100, 200));
  local.memory = kLocal;
  flight.add(local);
  EXPECT_NE(flight.find(kLocal, lanes(2, 1, 199, 300), false), nullptr);
  EXPECT_NE(flight.find(kLocal, lanes(3, 1, 0, 101), false), nullptr);
  EXPECT_EQ(flight.find(kLocal, lanes(2, 1, 200, 300), false), nullptr);
  EXPECT_EQ(flight.find(kLocal, lanes(2, 1, 0, 100), false), nullptr);
  EXPECT_EQ(flight.find(kLocal, lanes(0, 2, 0, 300), false), nullptr);
  EXPECT_EQ(flight.find(kGlobal, linear(0, 4096), false), nullptr);
}

// Two writes of one line leave what lies between them to the processor.
TEST(CommandsInFlight, AreExactAndTheLatestIsNamed) {
  CommandsInFlight flight;
  flight.add(use(0, linear(100, 200)));
  flight.add(use(1, linear(150, 160)));
  flight.add(use(0, linear(300, 400)));
  EXPECT_EQ(flight.find(kGlobal, linear(155, 156), false)->site, &kLines[1]);
  EXPECT_EQ(flight.find(kGlobal, linear(100, 110), false)->site, &kLines[0]);
  EXPECT_EQ(flight.find(kGlobal, linear(390, 500), false)->site, &kLines[0]);
  EXPECT_EQ(flight.find(kGlobal, linear(200, 300), false), nullptr);
}

TEST(CommandsInFlight, WhatTheyReadMayBeReadButNotWritten) {
  CommandsInFlight flight;
  flight.add(use(0, linear(0, 100), false));
  EXPECT_EQ(flight.find(kGlobal, linear(50, 60), false), nullptr);
  ASSERT_NE(flight.find(kGlobal, linear(50, 60), true), nullptr);
  EXPECT_EQ(flight.find(kGlobal, linear(100, 110), true), nullptr);
}

TEST(CommandsInFlight, APollIsForAllEnginesTheHausForItsOwn) {
  CommandsInFlight flight;
  CommandsInFlight::Use sort = use(1, linear(200, 300));
  sort.hau = true;
  flight.add(use(0, linear(0, 100)));
  flight.add(sort);
  ASSERT_NE(flight.find(kGlobal, linear(200, 300), false), nullptr);
  flight.hau_poll();
  EXPECT_EQ(flight.find(kGlobal, linear(200, 300), false), nullptr);
  EXPECT_NE(flight.find(kGlobal, linear(0, 100), false), nullptr);
  flight.add(sort);
  flight.poll();
  EXPECT_EQ(flight.find(kGlobal, linear(0, 300), false), nullptr);
}

TEST(CommandsInFlight, TooManyForgetTheOldest) {
  CommandsInFlight flight;
  for (std::size_t k = 0; k <= CommandsInFlight::kMost; ++k) {
    const auto begin = static_cast<std::int64_t>(k) * 4;
    flight.add(use(0, linear(begin, begin + 4)));
  }
  const std::int64_t end = 4 * (CommandsInFlight::kMost + 1);
  EXPECT_EQ(flight.find(kGlobal, linear(0, 4), false), nullptr);
  EXPECT_NE(flight.find(kGlobal, linear(end - 4, end), false), nullptr);
  EXPECT_NE(flight.find(kGlobal, linear(end / 2 + 4, end / 2 + 8), false), nullptr);
}

}  // namespace
}  // namespace tensorlane::check
