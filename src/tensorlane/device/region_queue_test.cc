#include "tensorlane/device/region_queue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

// Two ops that only have an engine.
struct Ops {
  OpSpec gdma_spec{.engine = Engine::kGdma, .numerics = Numerics::kNoData},
      bdc_spec{.engine = Engine::kBdc, .numerics = Numerics::kExactToModel};
  Op gdma{"gdma", "void", {}, gdma_spec, {}};
  Op bdc{"bdc", "void", {}, bdc_spec, {}};
};

// The order in which the commands "G" and "B" of a region run, as their positions in the issue
// order.
std::vector<std::uint64_t> order_of(RegionOrder order, const std::string& issued) {
  static const Ops ops;
  RegionQueue queue(order);
  std::vector<std::uint64_t> ran;
  const auto run = [&](const Command& command) { ran.push_back(command.sequence); };
  for (std::size_t k = 0; k < issued.size(); ++k) {
    Command command;
    command.op = issued[k] == 'G' ? &ops.gdma : &ops.bdc;
    command.sequence = k;
    queue.add(command, run);
  }
  queue.finish(run);
  return ran;
}

using Order = std::vector<std::uint64_t>;

TEST(RegionQueue, IssueOrderIsTheDefault) {
  EXPECT_EQ(order_of({}, "GBBG"), (Order{0, 1, 2, 3}));
}

TEST(RegionQueue, EarlyPutsCopiesFirst) {
  EXPECT_EQ(order_of(parse_region_order("early"), "BGBG"), (Order{1, 3, 0, 2}));
}

TEST(RegionQueue, LatePutsCopiesLast) {
  EXPECT_EQ(order_of(parse_region_order("late"), "GBGB"), (Order{1, 3, 0, 2}));
}

TEST(RegionQueue, RandomKeepsTheOrderOfEachEngine) {
  const std::string issued = "GBGGBBGBGBBG";
  bool differ = false;
  const Order first = order_of({RegionOrder::Kind::kRandom, 1}, issued);
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const Order ran = order_of({RegionOrder::Kind::kRandom, seed}, issued);
    EXPECT_EQ(ran, order_of({RegionOrder::Kind::kRandom, seed}, issued));
    differ = differ || ran != first;
    ASSERT_EQ(ran.size(), issued.size());
    for (const char engine : {'G', 'B'}) {
      Order own;
      std::copy_if(ran.begin(), ran.end(), std::back_inserter(own),
                   [&](std::uint64_t k) { return issued[k] == engine; });
      EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
    }
  }
  EXPECT_TRUE(differ);
}

// Of "early", which lets everything but copies wait.
TEST(RegionQueue, WaitRunsTheCommandsOfAnEngineOnly) {
  const OpSpec hau_spec{.engine = Engine::kHau, .numerics = Numerics::kNoData};
  const Op hau{"hau", "void", {}, hau_spec, {}};
  const Ops ops;
  RegionQueue queue(parse_region_order("early"));
  std::vector<std::uint64_t> ran;
  const auto run = [&](const Command& command) { ran.push_back(command.sequence); };
  const Op* const issued[] = {&ops.bdc, &hau, &ops.bdc, &ops.gdma};
  for (std::size_t k = 0; k < std::size(issued); ++k) {
    Command command;
    command.op = issued[k];
    command.sequence = k;
    queue.add(command, run);
  }
  EXPECT_EQ(ran, (Order{3}));
  queue.wait(Engine::kHau, run);
  EXPECT_EQ(ran, (Order{3, 0, 1}));
  queue.wait(Engine::kHau, run);
  queue.finish(run);
  EXPECT_EQ(ran, (Order{3, 0, 1, 2}));
}

TEST(RegionOrder, SeedsAreRead) {
  EXPECT_EQ(parse_region_order("random:42").seed, 42u);
  for (const char* text : {"", "lately", "random:", "random:x", "late:1"})
    EXPECT_THROW(parse_region_order(text), UserError) << text;
}

}  // namespace
}  // namespace tensorlane
