#include "tensorlane/device/phase_clock.h"

#include <gtest/gtest.h>

#include <ctime>
#include <numeric>
#include <set>
#include <thread>

#include "tensorlane/device/device_test_support.h"

namespace tensorlane {
namespace {

constexpr double kWork = 2e-3;  // seconds

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Keeps the processor busy.
void work(double seconds) {
  const double end = thread_seconds() + seconds;
  while (thread_seconds() < end) {
  }
}

double at(const PhaseClock::Seconds& seconds, Phase phase) {
  return seconds[static_cast<std::size_t>(phase)];
}

TEST(PhaseClock, SharesAddUpToTheTimeOfTheThread) {
  PhaseClock clock;
  const double start = thread_seconds();
  clock.start();
  {
    const InPhase decode(&clock, Phase::kDecode);
    work(kWork);
    const InPhase checks(&clock, Phase::kChecks);
    work(2 * kWork);
  }
  work(kWork);
  const PhaseClock::Seconds shares = clock.shares();
  const double spent = thread_seconds() - start;
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), spent, 0.1 * kWork);
  EXPECT_EQ(at(shares, Phase::kKernel), 0);
  for (const Phase phase : {Phase::kSetUp, Phase::kDecode, Phase::kChecks})
    EXPECT_GT(at(shares, phase), 0) << phase_name(phase);
}

// Waiting stands for programs that have the processor meanwhile.
TEST(PhaseClock, WhatOthersTakeIsNobodys) {
  PhaseClock clock;
  clock.start();
  clock.enter(Phase::kDecode);
  work(kWork);
  clock.enter(Phase::kChecks);
  work(kWork);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  clock.enter(Phase::kSetUp);
  const PhaseClock::Seconds shares = clock.shares();
  EXPECT_NEAR(at(shares, Phase::kChecks), at(shares, Phase::kDecode), 0.5 * kWork);
}

TEST(PhaseClock, StartsAnew) {
  PhaseClock clock;
  clock.start();
  clock.enter(Phase::kCopies);
  work(kWork);
  clock.start();
  EXPECT_EQ(at(clock.shares(), Phase::kCopies), 0);
}

TEST(PhaseClock, NoClockNoPhase) {
  const InPhase nothing(nullptr, Phase::kDecode);
}

TEST(PhaseClock, PhasesHaveNames) {
  std::set<std::string_view> names;
  for (std::size_t k = 0; k < kPhases; ++k) names.insert(phase_name(static_cast<Phase>(k)));
  EXPECT_EQ(names.size(), kPhases);
}

// A command is decoded, then computed or moved; what is left of its launch is the caller's.
TEST(PhaseClock, CommandsHavePhases) {
  toy::Machine machine;
  PhaseClock clock;
  machine.session.phases = &clock;
  clock.start();
  machine.issue(toy::set(), {0, 2});
  PhaseClock::Seconds shares = clock.shares();
  EXPECT_GT(at(shares, Phase::kDecode), 0);
  EXPECT_GT(at(shares, Phase::kArithmetic), 0);
  EXPECT_EQ(at(shares, Phase::kCopies), 0);
  machine.issue(toy::copy(), {1, 0});
  EXPECT_GT(at(clock.shares(), Phase::kCopies), 0);
  EXPECT_EQ(clock.enter(Phase::kSetUp), Phase::kSetUp);
}

TEST(PhaseClock, ARefusedCallLeavesItsPhase) {
  toy::Machine machine;
  PhaseClock clock;
  machine.session.phases = &clock;
  clock.start();
  EXPECT_THROW(machine.issue(toy::set(), {0, 1000}), UserError);
  EXPECT_EQ(clock.enter(Phase::kSetUp), Phase::kSetUp);
}

}  // namespace
}  // namespace tensorlane
