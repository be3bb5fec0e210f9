// What is said of why a launch takes as long as it does, on timelines made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tensorlane/observe/time/timeline_test_support.h"

namespace tensorlane::observe {
namespace {

using ::testing::HasSubstr;

const int here = 0, there = 0;

TEST(Reasons, WithoutARemedyTheLineThatBoundsSaysItsPeak) {
  const Timeline all =
      timeline({copy(0, 30, 300000, true, false, &here), command(kExp, 30, 90, &there)}, 90);
  const auto found = reasons(all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].call_site, &there);
  EXPECT_EQ(found[0].id, "function");
  EXPECT_EQ(found[0].busy_us, 60);
  EXPECT_EQ(found[0].lost_us, 0);
  EXPECT_THAT(found[0].what, HasSubstr("toy_exp takes 90 cycles"));
  EXPECT_THAT(found[0].help, HasSubstr("a cheaper function"));
  const Timeline loads =
      timeline({copy(0, 300, 3000000, true, false, &here), command(kExp, 30, 40)}, 310);
  EXPECT_EQ(reasons(loads)[0].id, "DDR to local");
  EXPECT_THAT(reasons(loads)[0].what, HasSubstr("at its peak, 10.0 of 10.0 GB/s"));
  EXPECT_THAT(reasons(loads)[0].help, HasSubstr("nothing but fewer bytes"));
  EXPECT_TRUE(reasons(timeline({}, 0)).empty());
  EXPECT_TRUE(reasons(all, 0).empty());
}

TEST(Reasons, ARemedyComesBeforeThePeakAndNamesTheLineThatPaysMost) {
  TimedCommand small = command(kAdd, 0, 100, &here), large = command(kAdd, 0, 400, &there);
  small.units_used = large.units_used = 0.5;
  const Timeline all = timeline({small, large, command(kExp, 0, 600)}, 1101);
  const auto found = reasons(all);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "idle units");
  EXPECT_EQ(found[0].lost_us, 250);
  EXPECT_EQ(found[0].alone_us, 250);
  EXPECT_EQ(found[0].busy_us, 400);
  EXPECT_EQ(found[0].call_site, &there);
  EXPECT_EQ(found[0].engine, Engine::kBdc);
  EXPECT_THAT(found[0].what, HasSubstr("(toy_add)"));
  EXPECT_EQ(found[1].id, "function");
}

TEST(Reasons, WhatHoldsTheLineUpIsNotSaidTwice) {
  TimedCommand idle = command(kExp, 0, 600, &here);
  idle.npus_used = 0.5;
  const auto found = reasons(timeline({idle}, 601));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "idle NPUs");
  EXPECT_EQ(found[0].lost_us, 300);
}

// Both halve the time: together they leave a quarter.
TEST(Reasons, WhatComesOnTopIsToldFromWhatWinsAlone) {
  TimedCommand idle = command(kExp, 0, 800, &here);
  idle.npus_used = idle.units_used = 0.5;
  const Timeline all = timeline({idle}, 801);
  const auto found = reasons(all);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].lost_us, 400);
  EXPECT_EQ(found[1].lost_us, 200);
  EXPECT_EQ(found[1].alone_us, 400);
  EXPECT_THAT(time_text(all),
              HasSubstr("(to win: 400.0 us alone, 200.0 us more after those above, 25 %)"));
  EXPECT_THAT(time_text(all), HasSubstr("(to win: 400.0 us, 50 %)"));
  EXPECT_EQ(reasons(all, 1).size(), 1u);
}

TEST(Reasons, WhereTheProcessorIsSlowestTheLineOfMostIssuesComesFirst) {
  std::vector<TimedCommand> commands(9, command(kAdd, 0, 0.5, &here));
  commands.push_back(copy(1, 1.5, 5000, true, false, &there));
  const auto found = reasons(timeline(commands, 10.5));
  EXPECT_EQ(found[0].id, "issue");
  EXPECT_EQ(found[0].call_site, &here);
  EXPECT_EQ(found[0].busy_us, 9);
  EXPECT_EQ(found[0].lost_us, 5.5);
}

// The cheaper way is the function's own.
TEST(Reasons, ACheaperFunctionIsNamedByTheEntry) {
  OpSpec spec = kExpSpec;
  spec.cheaper = {{"toy_table", "toy_table"},
                  [](const Command&, const TimingParameters&) { return 1.0; }};
  const Op op{"toy_slow", "void", {}, spec, {}};
  TimedCommand slow = command(op, 0, 100, &here);
  slow.cheaper_us = 25;
  const auto found = reasons(timeline({slow}, 101));
  EXPECT_EQ(found[0].id, "cheaper function");
  EXPECT_EQ(found[0].lost_us, 75);
  EXPECT_EQ(found[0].help, "toy_table");
}

}  // namespace
}  // namespace tensorlane::observe
