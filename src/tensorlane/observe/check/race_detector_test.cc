#include "tensorlane/observe/check/race_detector.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace tensorlane::check {
namespace {

constexpr int kGdma = 0, kBdc = 1, kHau = 2;

Access access(int engine, bool write, trail::Footprint bytes, int memory = 0,
              std::uint64_t tag = 0) {
  return {engine, memory, write, tag, tag, std::move(bytes)};
}

TEST(RaceDetector, ReadOfWhatTheOtherEngineWrites) {
  RaceDetector detector;
  detector.begin_region();
  EXPECT_TRUE(detector.add(access(kGdma, true, trail::linear_footprint(0, 100), 0, 1)).empty());
  const std::vector<Race> races =
      detector.add(access(kBdc, false, trail::linear_footprint(99, 1), 0, 2));
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].earlier.tag, 1u);
  EXPECT_EQ(races[0].later.tag, 2u);
}

TEST(RaceDetector, NeighboursDoNotRace) {
  RaceDetector detector;
  detector.add(access(kGdma, true, trail::linear_footprint(0, 100)));
  EXPECT_TRUE(detector.add(access(kBdc, true, trail::linear_footprint(100, 100))).empty());
}

TEST(RaceDetector, ReadersDoNotRace) {
  RaceDetector detector;
  detector.add(access(kGdma, false, trail::linear_footprint(0, 100)));
  EXPECT_TRUE(detector.add(access(kBdc, false, trail::linear_footprint(0, 100))).empty());
}

TEST(RaceDetector, OneEngineIsOrdered) {
  RaceDetector detector;
  detector.add(access(kGdma, true, trail::linear_footprint(0, 100)));
  EXPECT_TRUE(detector.add(access(kGdma, true, trail::linear_footprint(0, 100))).empty());
}

TEST(RaceDetector, RegionsAreOrdered) {
  RaceDetector detector;
  detector.begin_region();
  detector.add(access(kGdma, true, trail::linear_footprint(0, 100)));
  detector.end_region();
  detector.begin_region();
  EXPECT_TRUE(detector.add(access(kBdc, false, trail::linear_footprint(0, 100))).empty());
}

TEST(RaceDetector, WaitingForAnEngineOrdersWhatFollows) {
  RaceDetector detector;
  detector.add(access(kHau, true, trail::linear_footprint(0, 100)));
  detector.add(access(kBdc, true, trail::linear_footprint(200, 100)));
  detector.waited_for(kHau);
  EXPECT_TRUE(detector.add(access(kGdma, false, trail::linear_footprint(0, 100))).empty());
  EXPECT_EQ(detector.add(access(kGdma, false, trail::linear_footprint(200, 100))).size(), 1u);
  EXPECT_EQ(detector.add(access(kHau, true, trail::linear_footprint(50, 100))).size(), 1u);
}

TEST(RaceDetector, MemoriesAreApart) {
  RaceDetector detector;
  detector.add(access(kGdma, true, trail::linear_footprint(0, 100), 0));
  EXPECT_TRUE(detector.add(access(kBdc, false, trail::linear_footprint(0, 100), 1)).empty());
}

TEST(RaceDetector, NpuRangesAreApart) {
  constexpr std::int64_t kNpu = 1024;
  RaceDetector detector;
  detector.add(access(kGdma, true, trail::lane_footprint(kNpu, 0, 32, 0, 64)));
  EXPECT_TRUE(
      detector.add(access(kBdc, false, trail::lane_footprint(kNpu, 32, 32, 0, 64))).empty());
  EXPECT_EQ(detector.add(access(kBdc, false, trail::lane_footprint(kNpu, 31, 2, 60, 8))).size(),
            1u);
}

// A long region costs a few comparisons per access: only what lies near is looked at, and what a
// loop repeats is entered once.
TEST(RaceDetector, ComparisonsGrowWithTheAccesses) {
  constexpr std::int64_t kNpu = 1 << 19, kTile = 64, kTiles = kNpu / kTile;
  for (const std::int64_t different : {std::int64_t{3}, std::int64_t{100}, kTiles / 2}) {
    constexpr std::uint64_t kSteps = 20000;
    std::vector<trail::Footprint> loaded, used;
    for (std::int64_t k = 0; k < different; ++k) {
      loaded.push_back(trail::lane_footprint(kNpu, 0, 64, 2 * k * kTile, kTile));
      used.push_back(trail::lane_footprint(kNpu, 0, 64, (2 * k + 1) * kTile, kTile));
    }
    RaceDetector detector;
    std::size_t races = 0;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const std::size_t k = step % loaded.size();
      races += detector.add(access(kGdma, true, loaded[k], 0, 1)).size();
      races += detector.add(access(kBdc, true, used[k], 0, 2)).size();
    }
    EXPECT_EQ(races, 0u);
    EXPECT_LE(detector.comparisons(), 40 * kSteps) << different;
  }
}

TEST(RaceDetector, ManyAccessesHideNone) {
  constexpr std::int64_t kTile = 64;
  RaceDetector detector;
  for (std::int64_t k = 0; k < 1000; ++k) {
    bool kept = false;
    detector.add(access(kGdma, true, trail::linear_footprint(k * kTile, kTile), 0,
                        static_cast<std::uint64_t>(k)),
                 &kept);
    EXPECT_TRUE(kept);
  }
  const std::vector<Race> races =
      detector.add(access(kBdc, false, trail::linear_footprint(500 * kTile - 1, kTile + 2)));
  ASSERT_EQ(races.size(), 3u);
  for (std::uint64_t k = 0; k < 3; ++k) EXPECT_EQ(races[k].earlier.tag, 499 + k);
}

// Every conflict is found whatever the order of issue, and the order decides nothing else.
RC_GTEST_PROP(RaceDetector, TheVerdictDoesNotDependOnTheOrder, ()) {
  std::vector<Access> accesses;
  const int count = *rc::gen::inRange(2, 9);
  for (int k = 0; k < count; ++k) {
    accesses.push_back(
        access(*rc::gen::inRange(0, RaceDetector::kEngines), *rc::gen::arbitrary<bool>(),
               trail::linear_footprint(*rc::gen::inRange(0, 40), *rc::gen::inRange(1, 20)),
               *rc::gen::inRange(0, 2), static_cast<std::uint64_t>(k)));
  }
  using Pairs = std::set<std::pair<std::uint64_t, std::uint64_t>>;
  const auto pairs = [](const std::vector<Access>& order) {
    RaceDetector detector;
    detector.begin_region();
    Pairs found;
    for (const Access& each : order) {
      for (const Race& race : detector.add(each))
        found.insert(std::minmax(race.earlier.tag, race.later.tag));
    }
    return found;
  };
  Pairs expected;
  for (const Access& a : accesses) {
    for (const Access& b : accesses) {
      if (a.engine != b.engine && a.memory == b.memory && (a.write || b.write) &&
          overlap(a.bytes, b.bytes)) {
        expected.insert(std::minmax(a.tag, b.tag));
      }
    }
  }
  RC_ASSERT(pairs(accesses) == expected);
  std::vector<Access> reversed(accesses.rbegin(), accesses.rend());
  RC_ASSERT(pairs(reversed) == expected);
}

}  // namespace
}  // namespace tensorlane::check
