#include "tensorlane/trail/global_writes.h"

#include <gtest/gtest.h>

namespace tensorlane::trail {
namespace {

// Call sites are told apart by their address only.
const char kSites[3] = {};

Call at(int line) {
  return {nullptr, &kSites[line], {}};
}

TEST(GlobalWrites, TheNearestLineIsTheOneThatWritesNextToTheBytes) {
  GlobalWrites writes;
  const auto write = [&](int line, std::int64_t begin, std::int64_t end) {
    writes.add(&kSites[line], 1, {begin, end}, [&] { return at(line); });
  };
  const auto nearest = [&](std::int64_t begin, std::int64_t end) {
    return writes.nearest(1, {begin, end})->site;
  };
  EXPECT_EQ(writes.nearest(1, {0, 4}), nullptr);
  write(0, 0, 100);
  write(0, 100, 200);  // a loop: what it wrote goes on
  write(1, 400, 500);
  EXPECT_EQ(nearest(200, 210), &kSites[0]);
  EXPECT_EQ(nearest(299, 300), &kSites[0]);
  EXPECT_EQ(nearest(301, 302), &kSites[1]);
  EXPECT_EQ(nearest(600, 700), &kSites[1]);
  EXPECT_EQ(nearest(50, 60), &kSites[0]) << "a hole between its writes";
  write(2, 150, 200);
  EXPECT_EQ(nearest(200, 210), &kSites[2]) << "of equally near ones the latest";
  write(0, 0, 100);
  EXPECT_EQ(nearest(200, 210), &kSites[0]);
}

TEST(GlobalWrites, AllocationsAreApart) {
  GlobalWrites writes;
  writes.add(&kSites[0], 1, {0, 100}, [] { return at(0); });
  writes.add(&kSites[1], 2, {100, 200}, [] { return at(1); });
  EXPECT_EQ(writes.nearest(1, {100, 101})->site, &kSites[0]);
  writes.forget(1);
  EXPECT_EQ(writes.nearest(1, {0, 1}), nullptr);
  EXPECT_EQ(writes.nearest(2, {0, 1})->site, &kSites[1]);
}

}  // namespace
}  // namespace tensorlane::trail
