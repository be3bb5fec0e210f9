#include "tensorlane/command_log/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tensorlane/command_log/command_log_test_support.h"

namespace tensorlane::command_log {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Kind = Counterpart::Kind;

RC_GTEST_PROP(Compare, ALogIsTheSameAsItself, ()) {
  const Log log = any_log();
  const Comparison comparison = compare(log, log);
  RC_ASSERT(comparison.same());
  RC_ASSERT(comparison.launches[0].counterparts.size() == log.launches[0].commands.size());
  for (const LineCost& line : comparison.lines) RC_ASSERT(line.a_us == line.b_us);
}

RC_GTEST_PROP(Compare, IsTheSameTheOtherWayRound, ()) {
  const Log a = any_log(), b = any_log();
  const Comparison there = compare(a, b), back = compare(b, a);
  RC_ASSERT(there.same() == back.same());
  RC_ASSERT(there.lines.size() >= 1u || a.launches[0].commands.empty());
}

RC_GTEST_PROP(Compare, EveryCommandIsInOnePlace, ()) {
  const Log a = any_log(), b = any_log();
  const LaunchComparison launch = compare(a, b).launches[0];
  std::vector<std::size_t> left = launch.only_a, right = launch.only_b;
  for (const Counterpart& each : launch.counterparts) {
    left.insert(left.end(), each.a.begin(), each.a.end());
    right.insert(right.end(), each.b.begin(), each.b.end());
  }
  for (auto* side : {&left, &right}) {
    std::ranges::sort(*side);
    for (std::size_t k = 0; k < side->size(); ++k) RC_ASSERT((*side)[k] == k);
  }
  RC_ASSERT(left.size() == a.launches[0].commands.size());
  RC_ASSERT(right.size() == b.launches[0].commands.size());
}

RC_GTEST_PROP(Compare, TimesAddUp, ()) {
  const Log a = any_log(), b = any_log();
  double left = 0, right = 0;
  for (const LineCost& line : compare(a, b).lines) {
    left += line.a_us;
    right += line.b_us;
  }
  RC_ASSERT(left == static_cast<double>(a.launches[0].commands.size()));
  RC_ASSERT(right == static_cast<double>(b.launches[0].commands.size()));
}

TEST(Compare, AnAddedCommandIsNamedAndTheRestStaysAligned) {
  const Log a = log_of({command("load", 1, {1}), command("add", 2, {2}), command("store", 3, {2})});
  const Log b = log_of({command("load", 1, {1}), command("add", 2, {2}), command("add", 2, {3}),
                        command("store", 3, {3})});
  const Comparison comparison = compare(a, b);
  const LaunchComparison& launch = comparison.launches[0];
  EXPECT_THAT(launch.only_b, ElementsAre(2u));
  ASSERT_NE(launch.first_difference(), nullptr);
  EXPECT_THAT(launch.first_difference()->b, ElementsAre(3u));
  EXPECT_THAT(comparison_text(comparison, "a", "b", {}),
              HasSubstr("only in B:\n    add at kernel.c:2 in kernel; 1 command, from command 2"));
}

TEST(Compare, TilesOfALoopMeetTheirOwn) {
  std::vector<LoggedCommand> tiles;
  for (const float value : {1, 2, 3, 4}) tiles.push_back(command("add", 2, {value, value}));
  const Log a = log_of(tiles);
  tiles.erase(tiles.begin() + 1);
  const LaunchComparison launch = compare(a, log_of(tiles)).launches[0];
  EXPECT_THAT(launch.only_a, ElementsAre(1u));
  EXPECT_EQ(launch.first_difference(), nullptr);
}

TEST(Compare, CutTilesTogetherAreTheWhole) {
  const Log a = log_of({command("load", 1, {1, 2, 3, 4}), command("add", 2, {2, 3, 4, 5})});
  const auto cut = [](float last) {
    return log_of({command("load", 11, {1, 2}), command("add", 12, {2, 3}),
                   command("load", 11, {3, 4}), command("add", 12, {4, last})});
  };
  const Log same = cut(5), other = cut(9);
  EXPECT_TRUE(compare(a, same).same());
  EXPECT_EQ(compare(a, same).launches[0].counterparts[0].kind, Kind::kTiles);
  const Comparison comparison = compare(a, other);
  ASSERT_NE(comparison.launches[0].first_difference(), nullptr);
  EXPECT_THAT(comparison.launches[0].first_difference()->b, ElementsAre(1u, 3u));
  EXPECT_THAT(comparison_text(comparison, "a", "b", {}),
              HasSubstr("result   dst_addr: max 5 against 9"));
}

// Twelve numbers in tiles of `width`, times two, in whichever order; `odd`: one that is times
// three.
Log tiles_of(int width, bool backwards, int odd) {
  std::vector<LoggedCommand> commands;
  for (int tile = 0; tile < 12 / width; ++tile) {
    const int begin = (backwards ? 12 / width - 1 - tile : tile) * width;
    std::vector<float> result;
    for (int k = begin; k < begin + width; ++k)
      result.push_back(
          static_cast<float>(odd / width == begin / width && odd >= 0 ? 3 * k : 2 * k));
    commands.push_back(command("mul_C", width, result));
    const bool wrong = odd >= 0 && odd / width == begin / width;
    commands.back().call = fmt::format("mul_C({}, {}, &(dim4){{1, 1, 1, {}}});", 100 + begin,
                                       wrong ? "3.0f" : "2.0f", width);
  }
  return log_of(std::move(commands));
}

TEST(Compare, TheFirstTileThatDiffersIsNamedWithWhatItPasses) {
  for (const bool backwards : {false, true}) {
    EXPECT_TRUE(compare(tiles_of(2, false, -1), tiles_of(4, backwards, -1)).same());
    const Log a = tiles_of(2, false, -1), b = tiles_of(4, backwards, 9);
    const Comparison comparison = compare(a, b);
    const Counterpart* const first = comparison.launches[0].first_difference();
    ASSERT_NE(first, nullptr);
    EXPECT_THAT(first->first_a, ElementsAre(4u, 5u));
    EXPECT_THAT(first->first_b, ElementsAre(backwards ? 0u : 2u));
    EXPECT_THAT(comparison_text(comparison, "a", "b", {}),
                HasSubstr("unlike all other tiles: 3.0f, not 2.0f"));
  }
}

TEST(Compare, UnlikeArgumentsAreThoseThatAllOthersAgreeOn) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const std::vector<std::string> others = {"f(0, &(dim4){1, 2}, 5);", "f(8, &(dim4){1, 2}, 5);"};
  EXPECT_EQ(unlike_arguments("f(16, &(dim4){1, 3}, 5);", others),
            (Pairs{{"&(dim4){1, 3}", "&(dim4){1, 2}"}}));
  EXPECT_EQ(unlike_arguments("f(16, &(dim4){1, 2}, 5);", others), Pairs{});
  EXPECT_EQ(unlike_arguments("f(16, 5);", others), Pairs{});
  EXPECT_EQ(unlike_arguments("f(16, 5);", {}), Pairs{});
}

TEST(Compare, LinesMeetByTheirTextBeforeTheirOrder) {
  const auto divide = [](int line, std::size_t size, float value) {
    return command("div", line, std::vector<float>(size, value));
  };
  const Log a = log_of({divide(7, 4, 1), divide(9, 2, 3)}), b = log_of({divide(9, 1, 3)});
  const Comparison comparison = compare(a, b);
  for (const LineCost& cost : comparison.lines) {
    EXPECT_TRUE(cost.b == nullptr || cost.a->line == 9);
  }
  EXPECT_EQ(comparison.lines.size(), 2u);
}

TEST(Compare, OtherShapesAreNotComparedElementByElement) {
  const Log a = log_of({command("add", 1, {1, 2, 3, 4})});
  Log b = log_of({command("add", 1, {1, 3, 2, 4})});
  EXPECT_FALSE(compare(a, b).same());
  b.launches[0].commands[0].operands[0].shape = {1, 1, 2, 2};  // cut another way
  EXPECT_TRUE(compare(a, b).same());
}

TEST(Compare, AMovedCommandIsKnownByItsResult) {
  const Log a = log_of({command("set", 1, {7}), command("load", 2, {1}), command("add", 3, {2})});
  const Log b = log_of({command("load", 2, {1}), command("add", 3, {2}), command("set", 1, {7})});
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(comparison.same());
  EXPECT_EQ(comparison.launches[0].counterparts[0].kind, Kind::kMoved);
}

TEST(Compare, InputsTellWhetherTheCommandItselfIsToBlame) {
  const Log a = log_of({command("add", 2, {2}, {1})});
  const Log same_input = log_of({command("add", 2, {3}, {1})}),
            other_input = log_of({command("add", 2, {3}, {2})});
  EXPECT_THAT(comparison_text(compare(a, same_input), "a", "b", {}),
              HasSubstr("The inputs are equal"));
  EXPECT_THAT(comparison_text(compare(a, other_input), "a", "b", {}),
              HasSubstr("input    src_addr: [n 0, c 0, h 0, w 0]: 1 against 2"));
}

TEST(Compare, InARegionTheOrderMayBeToBlame) {
  Log a = log_of({command("add", 2, {2}, {1})}), b = log_of({command("add", 2, {3}, {2})});
  EXPECT_THAT(comparison_text(compare(a, b), "a", "b", {}), Not(HasSubstr("another order")));
  a.launches[0].commands[0].region = 0;
  EXPECT_THAT(comparison_text(compare(a, b), "a", "b", {}), HasSubstr("another order"));
}

TEST(Compare, OtherTypesAreComparedByTheirValues) {
  const Log a = log_of({command("add", 2, {1, 2})});
  Log b = log_of({command("add", 2, {1.001F, 2})});
  EXPECT_FALSE(compare(a, b).same());
  EXPECT_TRUE(compare(a, b, {.tolerance = 0.001}).same());
  b.launches[0].commands[0].operands[0].dtype = "fp16";
  EXPECT_TRUE(compare(a, b).same());
  EXPECT_FALSE(compare(a, b, {.tolerance = 1e-5}).same());
}

TEST(Compare, EqualBitsOfAnotherTypeAreAnotherValue) {
  const Log a = log_of({command("add", 2, {1})});
  Log b = a;
  LoggedOperand& result = b.launches[0].commands[0].operands[0];
  result.dtype = "int32";
  result.after->values[0] = result.after->statistics.max = 0x3f800000;
  EXPECT_FALSE(compare(a, b).same());
}

TEST(Compare, LaunchesMeetByTheirKernels) {
  Log a = log_of({command("add", 2, {1})}), b = a;
  b.launches.push_back(b.launches[0]);
  b.launches[0].kernel = "other";
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.launches.size(), 2u);
  EXPECT_EQ(comparison.launches[0].a, nullptr);
  EXPECT_TRUE(comparison.launches[1].same());
  EXPECT_FALSE(comparison.same());
}

TEST(Compare, LinesAreSortedByTheirDifferenceAndJoinedAcrossTheSources) {
  Log a = log_of({command("load", 1, {1}), command("add", 2, {2})});
  Log b = log_of({command("load", 101, {1}), command("add", 102, {2})});
  b.launches[0].commands[1].time_us = 5;
  const std::vector<LineCost> lines = compare(a, b).lines;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].a->line, 2);
  EXPECT_EQ(lines[0].b->line, 102);
  EXPECT_EQ(lines[0].b_us - lines[0].a_us, 4);
}

}  // namespace
}  // namespace tensorlane::command_log
