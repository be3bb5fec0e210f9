// Launches run again without some of their costs, and in another order.
#include "tensorlane/observe/time/rerun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tensorlane/observe/time/clock.h"
#include "tensorlane/observe/time/timeline_test_support.h"

namespace tensorlane::observe {
namespace {

const int place_a = 0, place_b = 0, place_c = 0;

// A launch made by hand.
class Made {
 public:
  trail::CommandNumber add(const TimedCommand& command, std::vector<trail::CommandNumber> data = {},
                           std::vector<trail::CommandNumber> room = {}, std::int64_t bytes = 0) {
    const Engine engine = command.op->engine();
    after_.push_back({.data = std::move(data), .room = std::move(room)});
    if (engine == Engine::kGdma)
      (command.transfer.reads_system ? after_.back().loaded : after_.back().read) = bytes;
    again.add(command, after_.back(), kParameters);
    schedule.command(engine, command.time.duration_us, command.time.issue_us);
    return static_cast<trail::CommandNumber>(after_.size()) - 1;
  }
  void sync(SyncEvent event) {
    again.sync(event, &place_c);
    follow(schedule, event);
  }
  const trail::Dependent& after(trail::CommandNumber number) const {
    return after_[static_cast<std::size_t>(number)];
  }

  Rerun again;
  Schedule schedule;

 private:
  std::vector<trail::Dependent> after_;
};

TimedCommand load(double us) {
  return copy(0, us, 1000, true, false, &place_a);
}
TimedCommand store(double us) {
  return copy(0, us, 1000, false, true, &place_c);
}
TimedCommand compute(double us) {
  return command(kAdd, 0, us, &place_b);
}

// load, compute, store; each part in the same buffers.
Made in_turn(int parts, double load_us, double compute_us, double store_us, std::int64_t bytes) {
  Made made;
  std::vector<trail::CommandNumber> last, out;
  for (int k = 0; k < parts; ++k) {
    const trail::CommandNumber in = made.add(load(load_us), {}, last, bytes);
    std::vector<trail::CommandNumber> room = out;
    if (!last.empty()) room.insert(room.begin(), last[0]);
    const trail::CommandNumber now = made.add(compute(compute_us), {in}, room);
    out = {made.add(store(store_us), {now}, {}, bytes)};
    last = {now};
  }
  made.again.local_memory(1000, 2 * bytes);
  return made;
}

TEST(Rerun, WithAllItsCostsTakesWhatTheLaunchTook) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Made made;
    bool region = false;
    for (int k = 0; k < 40; ++k) {
      if (random() % 5 == 0) {
        region = !region;
        made.sync(region ? SyncEvent::kParallelStart : SyncEvent::kParallelEnd);
      } else if (!region && random() % 7 == 0) {
        made.sync(SyncEvent::kPoll);
      }
      const double us = static_cast<double>(random() % 9);
      made.add(random() % 2 == 0 ? load(us) : compute(us));
    }
    EXPECT_EQ(made.again.total_us(0), made.schedule.total());
  }
}

TEST(Rerun, PartsInTurnBecomeAPipelineOfRegions) {
  Made made = in_turn(4, 10, 6, 8, 100);
  EXPECT_EQ(made.again.total_us(0), 4 * 24 + 1);
  // What comes in first, then what goes out: 10, 10, 18, 18, 8, 8.
  EXPECT_EQ(made.again.total_us(remedy(kSerial)), 1 + 10 + 10 + 18 + 18 + 8 + 8);
  EXPECT_EQ(made.again.most_at(kSerial).call_site, &place_a);
}

// Two loads, each with a computation, are one part: beside 1 + 15 run 4 + 12 + 4, and not 15 beside
// 4 and 12 + 4 beside 1.
TEST(Rerun, APartThatIsLoadedPieceByPieceStaysOne) {
  Made made;
  for (int k = 0; k < 10; ++k) {
    const trail::CommandNumber a = made.add(compute(1), {made.add(load(4))});
    const trail::CommandNumber b = made.add(compute(15), {made.add(load(12)), a});
    made.add(store(4), {b});
  }
  made.again.local_memory(1 << 20, 0);
  EXPECT_EQ(made.again.total_us(0), 1 + 10 * 36);
  EXPECT_EQ(made.again.total_us(remedy(kSerial)), 1 + 16 + 16 + 8 * 20 + 16 + 4);
}

// The load first would keep the computation waiting for its issue.
TEST(Rerun, AnOrderThatIsBetterAlreadyStays) {
  Made made;
  made.sync(SyncEvent::kParallelStart);
  made.add(compute(10));
  const trail::CommandNumber in = made.add(load(1));
  made.sync(SyncEvent::kParallelEnd);
  made.add(compute(1), {in});
  made.again.local_memory(1 << 20, 0);
  EXPECT_EQ(made.again.total_us(0), 12);
  EXPECT_EQ(made.again.total_us(remedy(kSerial)), 12);
}

TEST(Rerun, WithoutRoomForASecondBufferTheOrderStays) {
  Made made = in_turn(4, 10, 6, 8, 300);
  EXPECT_EQ(made.again.total_us(remedy(kSerial)), 4 * 24 + 1);
}

TEST(Rerun, WhatIsNeededFromTheLastPartIsWaitedFor) {
  Made made;
  std::vector<trail::CommandNumber> last;
  for (int k = 0; k < 4; ++k) {
    const trail::CommandNumber in = made.add(load(10), last);
    const trail::CommandNumber now = made.add(compute(6), {in});
    last = {made.add(store(8), {now})};
  }
  made.again.local_memory(1000, 100);
  EXPECT_EQ(made.again.total_us(remedy(kSerial)), made.again.total_us(0));
}

// Of all data, and of room as well where buffers stay, what a command comes after is done: earlier
// on its own engine, or in a region before.
TEST(Rerun, TheOtherOrderIsLegal) {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    Made made;
    const bool room = round / 3 % 2 == 0;
    for (int k = 0; k < 60; ++k) {
      std::set<trail::CommandNumber> data, reuse;
      for (auto count = k > 0 ? random() % 3 : 0; count > 0; --count) {
        const auto back = static_cast<int>(random() % static_cast<unsigned>(std::min(k, 12)));
        (random() % 3 == 0 ? reuse : data).insert(k - 1 - back);
      }
      const auto kind = random() % 3;
      made.add(kind == 0   ? load(1)
               : kind == 1 ? compute(1)
                           : store(1),
               {data.begin(), data.end()}, {reuse.begin(), reuse.end()}, 1);
    }
    made.again.local_memory(room ? 0 : 1 << 20, 0);
    std::vector<int> region(60, -1), place(60, -1);
    int now = 0, at = 0;
    for (const Rerun::Event& event : pipeline(made.again, true, 1 + round % 3)) {
      if (event.command < 0) {
        now += event.sync == SyncEvent::kParallelStart ? 1 : 0;
        continue;
      }
      const auto number = static_cast<std::size_t>(event.command);
      ASSERT_EQ(region[number], -1) << "handed over twice";
      region[number] = now;
      place[number] = at++;
    }
    ASSERT_EQ(at, 60);
    const auto engine = [&](std::size_t k) { return made.again.commands()[k].engine; };
    for (std::size_t k = 0; k < 60; ++k) {
      const trail::Dependent& after = made.after(static_cast<trail::CommandNumber>(k));
      std::vector<trail::CommandNumber> all = after.data;
      if (room) all.insert(all.end(), after.room.begin(), after.room.end());
      for (const trail::CommandNumber number : all) {
        const auto other = static_cast<std::size_t>(number);
        const bool done =
            engine(other) == engine(k) ? place[other] < place[k] : region[other] < region[k];
        EXPECT_TRUE(done) << round << ": " << number << " is not done before " << k;
      }
    }
  }
}

TEST(Rerun, CommandsInARowOfALineAreOneWhereNoneNeedsAnother) {
  Made made;
  for (int k = 0; k < 5; ++k) made.add(load(4));
  made.add(compute(3));
  EXPECT_EQ(made.again.total_us(0), 1 + 20 + 3);
  made.again.local_memory(1000, 0);
  EXPECT_EQ(made.again.most_us(remedy(kJoin)), 4) << "the issue of four";
  Made chain;
  for (trail::CommandNumber k = 0; k < 5; ++k)
    chain.add(compute(4), k == 0 ? std::vector<trail::CommandNumber>{} : std::vector{k - 1});
  EXPECT_EQ(chain.again.most_us(remedy(kJoin)), 0);
}

TEST(Rerun, PollsInBetweenGoUnlessTheProcessorReads) {
  const auto total = [](bool reads) {
    Made made;
    for (int k = 0; k < 3; ++k) {
      made.add(compute(5));
      made.sync(SyncEvent::kPoll);
    }
    if (reads) made.again.processor_reads();
    return made.again.total_us(remedy(kWaits));
  };
  EXPECT_EQ(total(false), 1 + 15);
  EXPECT_EQ(total(true), 3 * 6);
}

TEST(Rerun, LeavesOutWhatACauseCosts) {
  TimedCommand move = load(50);
  move.transfer.bytes = 100000;  // 10 us at best
  move.transfer.runs = 20000;    // 20 us
  move.transfer.misaligned = true;
  move.time.start_us = 30;
  TimedCommand work = compute(40);
  work.time.start_us = 8;
  work.npus_used = 0.5;
  work.units_used = 0.25;
  work.cheaper_us = 4;
  Made made;
  made.add(work, {made.add(move)});
  const double now = made.again.total_us(0);
  const auto won = [&](Remedies remedies) { return now - made.again.total_us(remedies); };
  EXPECT_EQ(won(remedy(kIssue)), 1);
  EXPECT_EQ(won(remedy(kSmallTransfers)), 30);
  EXPECT_EQ(won(remedy(kShortRuns)), 0) << "misaligned pieces take as long";
  EXPECT_EQ(won(remedy(kShortRuns) | remedy(kMisaligned)), 10);
  EXPECT_EQ(won(remedy(kIdleNpus)), 16);
  EXPECT_EQ(won(remedy(kIdleUnits)), 24);
  EXPECT_EQ(won(remedy(kIdleNpus) | remedy(kIdleUnits)), 28);
  EXPECT_EQ(won(remedy(kSmallCommands)), 8);
  EXPECT_EQ(won(remedy(kCheaper)), 36);
}

// What remedies win in turn is what they win together, and never more than there is.
TEST(Judge, ReasonsNeverAddUpToMoreThanTheLaunch) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    Made made;
    for (int k = 0; k < 30; ++k) {
      TimedCommand next = random() % 2 == 0 ? load(random() % 20) : compute(random() % 20);
      next.npus_used = 1.0 / (1 + random() % 4);
      next.units_used = 1.0 / (1 + random() % 3);
      next.time.start_us = next.time.duration_us / 4;
      next.time.issue_us = random() % 3;
      std::vector<trail::CommandNumber> data;
      if (k > 0 && random() % 2 == 0) data = {static_cast<trail::CommandNumber>(k - 1)};
      made.add(next, data);
      if (random() % 6 == 0) made.sync(SyncEvent::kPoll);
    }
    made.again.local_memory(1 << 20, 0);
    const double us = made.again.total_us(0);
    const Verdict verdict = judge(made.again, us, kParameters);
    Remedies taken = 0;
    double sum = 0;
    for (const Won& won : verdict.remedies) {
      EXPECT_GE(won.us, 0);
      EXPECT_GE(std::max(won.us, won.alone_us), 0.02 * us - 1e-9);
      EXPECT_LE(won.alone_us, verdict.remedies[0].alone_us + 1e-9) << "the first wins most";
      sum += won.us;
      if (won.us > 0) taken |= remedy(won.cause);
    }
    EXPECT_LE(sum, us * (1 + 1e-12));
    EXPECT_NEAR(made.again.total_us(taken), us - sum, 1e-6);
  }
}

// Beside a computation in parallel the issue of ten commands counts, in turn it does not.
TEST(Judge, WhatWinsOnTopOfAnotherOnlyIsAReason) {
  Made made;
  for (int k = 0; k < 40; ++k) {
    const trail::CommandNumber in = made.add(load(10));
    TimedCommand now = compute(8);
    now.time.issue_us = 14;
    made.add(now, {in});
  }
  made.again.local_memory(1000, 0);
  const Verdict verdict = judge(made.again, made.again.total_us(0), kParameters);
  ASSERT_EQ(verdict.remedies.size(), 2u);
  EXPECT_EQ(verdict.remedies[0].cause, kSerial);
  EXPECT_EQ(verdict.remedies[1].cause, kIssue);
  EXPECT_GT(verdict.remedies[1].us, 10 * verdict.remedies[1].alone_us);
}

TEST(Judge, BoundByWhatWouldWinMostIfItCostNothing) {
  const auto bound = [](double load_us, double compute_us, double issue_us) {
    TimedCommand in = load(load_us), now = compute(compute_us);
    in.time.issue_us = now.time.issue_us = issue_us;
    return summarise(timeline({in, now}, load_us + compute_us)).bound;
  };
  EXPECT_EQ(bound(40, 30, 1), "GDMA");
  EXPECT_EQ(bound(30, 40, 1), "BDC");
  EXPECT_EQ(bound(3, 4, 30), "issue");
}

}  // namespace
}  // namespace tensorlane::observe
