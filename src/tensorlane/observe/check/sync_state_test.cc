#include "tensorlane/observe/check/sync_state.h"

#include <gtest/gtest.h>

namespace tensorlane::check {
namespace {

const int kCalls[8] = {};
const void* at(int call) {
  return &kCalls[call];
}

TEST(SyncState, ACorrectKernelIsSilent) {
  SyncState state;
  EXPECT_FALSE(state.initialize(at(0)));
  EXPECT_FALSE(state.command(at(1)));
  EXPECT_FALSE(state.start(at(2)));
  EXPECT_FALSE(state.command(at(3)));
  EXPECT_FALSE(state.end(at(4)));
  EXPECT_FALSE(state.poll(at(5)));
  EXPECT_FALSE(state.finish());
}

TEST(SyncState, RegionsDoNotNest) {
  SyncState state;
  state.start(at(1));
  const auto found = state.start(at(2));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->problem, SyncProblem::kStartInside);
  EXPECT_EQ(found->where, at(2));
  EXPECT_EQ(found->other, at(1));
}

TEST(SyncState, EndNeedsAStart) {
  SyncState state;
  EXPECT_EQ(state.end(at(1))->problem, SyncProblem::kEndOutside);
  state.start(at(2));
  EXPECT_FALSE(state.end(at(3)));
  EXPECT_EQ(state.end(at(4))->problem, SyncProblem::kEndOutside);
}

TEST(SyncState, PollStandsOutsideOfRegions) {
  SyncState state;
  state.start(at(1));
  EXPECT_EQ(state.poll(at(2))->problem, SyncProblem::kPollInside);
}

TEST(SyncState, TheRegionIsClosedAtTheReturn) {
  SyncState state;
  state.initialize(at(0));
  state.start(at(1));
  EXPECT_EQ(state.finish()->problem, SyncProblem::kOpenAtReturn);
  EXPECT_EQ(state.finish()->other, at(1));
}

TEST(SyncState, CommandsAreWaitedFor) {
  SyncState state;
  state.initialize(at(0));
  state.poll(at(1));
  state.command(at(2));
  EXPECT_TRUE(state.in_flight());
  EXPECT_EQ(state.finish()->problem, SyncProblem::kUnpolledAtReturn);
  EXPECT_EQ(state.finish()->other, at(2));
  state.poll(at(3));
  EXPECT_FALSE(state.finish());
}

TEST(SyncState, ThePollOfTheHauIsForItsCommandsOnly) {
  SyncState state;
  state.initialize(at(0));
  state.command(at(1), true);
  EXPECT_EQ(state.finish()->other, at(1));
  state.hau_poll();
  EXPECT_FALSE(state.finish());
  state.command(at(2));
  state.command(at(3), true);
  state.hau_poll();
  EXPECT_EQ(state.finish()->problem, SyncProblem::kUnpolledAtReturn);
  EXPECT_EQ(state.finish()->other, at(2));
  EXPECT_TRUE(state.only_hau_polled());
  state.command(at(2));
  EXPECT_FALSE(state.only_hau_polled());
  state.poll(at(4));
  EXPECT_FALSE(state.finish());
}

TEST(SyncState, AKernelWithoutCommandsNeedsNoPoll) {
  SyncState state;
  EXPECT_FALSE(state.finish());
}

TEST(SyncState, InitializeComesFirstAndOutside) {
  SyncState state;
  EXPECT_EQ(state.command(at(1))->problem, SyncProblem::kNotInitialized);
  EXPECT_FALSE(state.command(at(2)));  // said once
  state.start(at(3));
  EXPECT_EQ(state.initialize(at(4))->problem, SyncProblem::kInitializeInside);
  EXPECT_FALSE(state.inside_region());
}

TEST(SyncState, ALaunchBeginsAfresh) {
  SyncState state;
  state.start(at(1));
  state.command(at(2));
  state.launch();
  EXPECT_FALSE(state.finish());
}

}  // namespace
}  // namespace tensorlane::check
