#include "tensorlane/observe/check/writes_in_flight.h"

#include <gtest/gtest.h>

namespace tensorlane::check {
namespace {

constexpr int kLocal = 0, kGlobal = 1;
const int kLines[4] = {};

WritesInFlight::Write write(int line, int memory, Range bytes, std::uint64_t npus = 1) {
  return {.memory = memory, .npus = npus, .bytes = bytes, .site = &kLines[line]};
}
WritesInFlight::Write hau_write(int line, Range bytes) {
  WritesInFlight::Write result = write(line, kGlobal, bytes);
  result.hau = true;
  return result;
}

TEST(WritesInFlight, AreFoundWhereTheyWrite) {
  WritesInFlight writes;
  writes.add(write(0, kLocal, {100, 200}, 0b1100));
  EXPECT_NE(writes.find(kLocal, 0b0100, {199, 300}), nullptr);
  EXPECT_NE(writes.find(kLocal, 0b1000, {0, 101}), nullptr);
  EXPECT_EQ(writes.find(kLocal, 0b0100, {200, 300}), nullptr);
  EXPECT_EQ(writes.find(kLocal, 0b0100, {0, 100}), nullptr);
  EXPECT_EQ(writes.find(kLocal, 0b0011, {0, 300}), nullptr);
  EXPECT_EQ(writes.find(kGlobal, 0b0100, {0, 300}), nullptr);
}

TEST(WritesInFlight, OfOneLineAreOneAndTheLatestLineIsNamed) {
  WritesInFlight writes;
  writes.add(write(0, kGlobal, {100, 200}));
  writes.add(write(1, kGlobal, {150, 160}));
  writes.add(write(0, kGlobal, {300, 400}));
  EXPECT_EQ(writes.find(kGlobal, 1, {155, 156})->site, &kLines[1]);
  EXPECT_EQ(writes.find(kGlobal, 1, {100, 110})->site, &kLines[0]);
  EXPECT_EQ(writes.find(kGlobal, 1, {390, 500})->site, &kLines[0]);
}

TEST(WritesInFlight, APollIsForAllEnginesTheHausForItsOwn) {
  WritesInFlight writes;
  writes.add(write(0, kGlobal, {0, 100}));
  writes.add(hau_write(1, {200, 300}));
  ASSERT_NE(writes.find(kGlobal, 1, {200, 300}), nullptr);
  writes.hau_poll();
  EXPECT_EQ(writes.find(kGlobal, 1, {200, 300}), nullptr);
  EXPECT_NE(writes.find(kGlobal, 1, {0, 100}), nullptr);
  writes.add(hau_write(1, {200, 300}));
  writes.poll();
  EXPECT_EQ(writes.find(kGlobal, 1, {0, 300}), nullptr);
}

}  // namespace
}  // namespace tensorlane::check
