// Laws of the event model, and the cases the documents describe.
#include "tensorlane/clock/schedule.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tensorlane {
namespace {

TEST(Schedule, SerialCommandsWaitForAllEngines) {
  Schedule schedule;
  EXPECT_EQ(schedule.command(Engine::kGdma, 10, 1).end, 11);
  EXPECT_EQ(schedule.command(Engine::kBdc, 5, 1).start, 11);
  EXPECT_EQ(schedule.command(Engine::kGdma, 1, 1).start, 16);
  EXPECT_EQ(schedule.command(Engine::kHau, 4, 0).start, 17);
  EXPECT_EQ(schedule.command(Engine::kBdc, 1, 0).start, 21);
}

TEST(Schedule, RegionsOverlapTheEnginesAndTheirEndJoinsThem) {
  Schedule schedule;
  schedule.command(Engine::kBdc, 3, 0);
  schedule.region_begin();
  EXPECT_EQ(schedule.command(Engine::kGdma, 10, 0).start, 3);
  EXPECT_EQ(schedule.command(Engine::kBdc, 4, 0).start, 3);
  EXPECT_EQ(schedule.command(Engine::kBdc, 4, 0).start, 7);
  schedule.region_end();
  EXPECT_EQ(schedule.command(Engine::kBdc, 1, 0).start, 13);
  EXPECT_EQ(schedule.total(), 14);
}

TEST(Schedule, PollMakesTheProcessorWait) {
  Schedule schedule;
  schedule.command(Engine::kGdma, 100, 1);
  EXPECT_EQ(schedule.now(), 1);
  schedule.poll();
  EXPECT_EQ(schedule.now(), 101);
  EXPECT_EQ(schedule.command(Engine::kBdc, 1, 1).issued, 102);
}

TEST(Schedule, PollOfOneEngineLeavesTheOthersAtWork) {
  Schedule schedule;
  schedule.region_begin();
  schedule.command(Engine::kHau, 20, 0);
  schedule.command(Engine::kGdma, 100, 0);
  schedule.poll(Engine::kHau);
  EXPECT_EQ(schedule.now(), 20);
  EXPECT_EQ(schedule.command(Engine::kBdc, 1, 0).start, 20);
  schedule.region_end();
  schedule.poll();
  EXPECT_EQ(schedule.now(), 100);
}

// Slots of one engine are in order and do not overlap; nothing starts before it is issued; the
// total is at least the busy time of each engine and at most everything one after the other.
TEST(Schedule, LawsOverRandomSequences) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    Schedule schedule;
    double last_end[2] = {0, 0}, busy[2] = {0, 0}, issue = 0;
    bool in_region = false;
    for (int k = 0; k < 50; ++k) {
      if (random() % 5 == 0) {
        in_region ? schedule.region_end() : schedule.region_begin();
        in_region = !in_region;
      }
      const int engine = static_cast<int>(random() % 2);
      const double duration = random() % 20, cost = random() % 4;
      const Slot slot =
          schedule.command(engine == 0 ? Engine::kGdma : Engine::kBdc, duration, cost);
      ASSERT_GE(slot.start, slot.issued);
      ASSERT_GE(slot.start, last_end[engine]);
      if (!in_region) {
        ASSERT_GE(slot.start, last_end[1 - engine]);
      }
      ASSERT_EQ(slot.end, slot.start + duration);
      last_end[engine] = slot.end;
      busy[engine] += duration;
      issue += cost;
    }
    ASSERT_GE(schedule.total(), std::max(busy[0], busy[1]));
    ASSERT_LE(schedule.total(), busy[0] + busy[1] + issue);
  }
}

TEST(Schedule, AWaitHoldsItsEngineAndNoOther) {
  Schedule schedule;
  schedule.region_begin();
  EXPECT_EQ(schedule.wait(Engine::kBdc, 50, 1).end, 50);
  EXPECT_EQ(schedule.command(Engine::kGdma, 10, 1).start, 2);
  EXPECT_EQ(schedule.command(Engine::kBdc, 5, 1).start, 50);
  EXPECT_EQ(schedule.wait(Engine::kGdma, 3, 1).end, 12) << "the message came long ago";
  schedule.join();
  EXPECT_EQ(schedule.command(Engine::kGdma, 1, 1).start, 55);
}

TEST(Schedule, ARegionMayCostTheProcessor) {
  Schedule schedule(2);
  schedule.region_begin();
  EXPECT_EQ(schedule.command(Engine::kBdc, 5, 1).start, 3);
  schedule.region_end();
  EXPECT_EQ(schedule.now(), 3);
}

}  // namespace
}  // namespace tensorlane
