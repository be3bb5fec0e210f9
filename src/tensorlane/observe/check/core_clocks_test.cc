#include "tensorlane/observe/check/core_clocks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tensorlane::check {
namespace {

using Kind = MessageEvent::Kind;

MessageEvent send(int slot, int waits, Engine engine = Engine::kGdma, std::int64_t region = -1) {
  return {.kind = Kind::kSend,
          .engine = engine,
          .slot = slot,
          .count = waits,
          .function = "",
          .region = region};
}
MessageEvent wait(int slot, int sends, Engine engine = Engine::kGdma, std::int64_t region = -1) {
  return {.kind = Kind::kWait,
          .engine = engine,
          .slot = slot,
          .count = sends,
          .function = "",
          .region = region};
}

TEST(CoreClocks, CoresAreNotOrderedByThemselves) {
  CoreClocks clocks(2);
  const auto first = clocks.command(0, Engine::kGdma, -1);
  clocks.command(1, Engine::kGdma, -1);
  EXPECT_FALSE(clocks.is_after(first));
  clocks.command(0, Engine::kBdc, -1);
  EXPECT_TRUE(clocks.is_after(first));
}

TEST(CoreClocks, AMessageLeadsFromOneToTheOther) {
  CoreClocks clocks(3);
  const auto before = clocks.command(0, Engine::kBdc, -1);
  clocks.message(0, send(5, 1));
  const auto behind = clocks.command(0, Engine::kBdc, -1);
  clocks.message(1, wait(5, 1));
  clocks.command(1, Engine::kHau, -1);
  EXPECT_TRUE(clocks.is_after(before));
  EXPECT_FALSE(clocks.is_after(behind));
  clocks.command(2, Engine::kGdma, -1);
  EXPECT_FALSE(clocks.is_after(before));
  // The slot is free again: what is sent now knows nothing of that.
  clocks.message(2, send(5, 1));
  clocks.message(0, wait(5, 1));
  EXPECT_TRUE(clocks.is_after(behind));
}

TEST(CoreClocks, AMessageOfOneEngineKnowsNothingOfThoseOfAnother) {
  CoreClocks clocks(3);
  const auto first = clocks.command(1, Engine::kGdma, -1);
  clocks.message(1, send(1, 1));
  clocks.message(0, wait(1, 1, Engine::kGdma));
  clocks.message(0, send(2, 1, Engine::kBdc));  // which the GDMA's wait does not hold up
  clocks.message(2, wait(2, 1));
  clocks.command(2, Engine::kHau, -1);
  EXPECT_FALSE(clocks.is_after(first));
  clocks.command(0, Engine::kBdc, -1);
  EXPECT_TRUE(clocks.is_after(first));
}

TEST(CoreClocks, ASlotThatIsFreeAgainKnowsNothingOfItsPast) {
  CoreClocks clocks(4);
  const auto first = clocks.command(0, Engine::kGdma, -1);
  clocks.message(0, send(5, 1));
  clocks.message(1, wait(5, 1));
  clocks.message(2, send(5, 1));
  clocks.message(3, wait(5, 1));
  clocks.command(3, Engine::kBdc, -1);
  EXPECT_FALSE(clocks.is_after(first));
}

TEST(CoreClocks, BehindAllIsBehindEveryCore) {
  CoreClocks clocks(3);
  const auto first = clocks.command(0, Engine::kGdma, -1);
  clocks.message(0, send(5, 1));
  clocks.message(2, wait(5, 1));
  EXPECT_FALSE(clocks.is_behind_all(first)) << "core 1 knows nothing of it";
}

TEST(CoreClocks, EnginesOfARegionGoTheirOwnWays) {
  CoreClocks clocks(2);
  const auto before = clocks.command(0, Engine::kGdma, -1);
  const auto copy = clocks.command(0, Engine::kGdma, 0);
  clocks.command(0, Engine::kBdc, 0);
  EXPECT_TRUE(clocks.is_after(before));
  EXPECT_FALSE(clocks.is_after(copy));
  clocks.message(0, send(1, 1, Engine::kBdc, 0));
  clocks.message(1, wait(1, 1));
  EXPECT_TRUE(clocks.is_after(before));
  EXPECT_FALSE(clocks.is_after(copy));  // the BDC's message says nothing of the GDMA
  clocks.command(0, Engine::kBdc, -1);
  EXPECT_TRUE(clocks.is_after(copy));
}

TEST(CoreClocks, ABarrierOfAllComesBehindAll) {
  CoreClocks clocks(2);
  const auto first = clocks.command(0, Engine::kGdma, -1);
  const auto other = clocks.command(1, Engine::kBdc, -1);
  EXPECT_FALSE(clocks.is_behind_all(first));
  for (const int core : {0, 1}) clocks.message(core, send(24, 2));
  for (const int core : {0, 1}) {
    clocks.message(core, wait(24, 2));
    clocks.message(core, {.kind = Kind::kJoin, .function = ""});
  }
  EXPECT_TRUE(clocks.is_behind_all(first));
  EXPECT_TRUE(clocks.is_behind_all(other));
  const auto later = clocks.command(1, Engine::kHau, -1);
  EXPECT_FALSE(clocks.is_behind_all(later));
}

// What each event comes after is the same in every order in which messages let cores run.
TEST(CoreClocks, NothingDependsOnWhoCameFirst) {
  constexpr int kCores = 4, kRounds = 5;
  struct Step {
    bool command;
    MessageEvent event;
  };
  std::vector<std::vector<Step>> program(kCores);
  for (int core = 0; core < kCores; ++core) {
    for (int round = 0; round < kRounds; ++round) {
      const auto of = [&](int whose) { return round * kCores + whose; };
      program[core].push_back({true, {.engine = Engine::kGdma, .function = "", .region = round}});
      program[core].push_back({true, {.engine = Engine::kBdc, .function = "", .region = round}});
      program[core].push_back(
          {false, send(of((core + 1 + round) % kCores), 1, Engine::kGdma, round)});
      program[core].push_back(
          {false, wait(of(core), 1, round % 2 == 0 ? Engine::kBdc : Engine::kGdma)});
      program[core].push_back({true, {.engine = Engine::kBdc, .function = ""}});
    }
  }
  using Name = std::pair<int, std::size_t>;
  std::map<Name, std::set<Name>> after;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    CoreClocks clocks(kCores);
    MessageSlots slots;
    std::vector<std::size_t> at(kCores, 0);
    std::vector<std::pair<Name, CoreClocks::Moment>> done;
    const std::size_t all = program[0].size() * kCores;
    while (done.size() < all) {
      const int core = static_cast<int>(random() % kCores);
      if (at[core] == program[core].size()) continue;
      const Step& step = program[core][at[core]];
      const bool waits = !step.command && step.event.kind == Kind::kWait;
      if (waits && !slots.arrived(step.event.slot, step.event.count)) continue;
      if (waits) slots.take(step.event.slot);
      if (!step.command && !waits) slots.send(step.event.slot, step.event.count);
      const auto moment = step.command ? clocks.command(core, step.event.engine, step.event.region)
                                       : clocks.message(core, step.event);
      std::set<Name> earlier;
      for (const auto& [name, other] : done) {
        if (clocks.is_after(other)) earlier.insert(name);
      }
      const Name name{core, at[core]++};
      done.emplace_back(name, moment);
      const auto [known, added] = after.emplace(name, earlier);
      EXPECT_EQ(known->second, earlier) << seed << ": core " << core << ", step " << name.second;
    }
  }
}

}  // namespace
}  // namespace tensorlane::check
