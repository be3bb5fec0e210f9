// What a timeline says about speed, on timelines made by hand.
#include "tensorlane/observe/time/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "tensorlane/observe/time/profile.h"
#include "tensorlane/observe/time/timeline_test_support.h"

namespace tensorlane::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Summary, AddsUpWhatEachEngineAndDirectionDoes) {
  TimedCommand half = command(kAdd, 5, 15);
  half.npus_used = 0.5;
  half.issue_wait_us = 2;
  const Timeline all = timeline(
      {copy(0, 10, 1000, true, false), half, copy(10, 30, 500, false, true),
       copy(30, 35, 20, true, true), copy(35, 36, 7, false, false), command(kSort, 40, 43)},
      50);
  const TimeSummary summary = summarise(all);
  EXPECT_EQ(summary.kernel_us, 50);
  EXPECT_EQ(summary.host_us, 100);
  EXPECT_EQ(summary.gdma_busy_us, 36);
  EXPECT_EQ(summary.bdc_busy_us, 10);
  EXPECT_EQ(summary.hau_busy_us, 3);
  EXPECT_EQ(summary.overlap_us, 10);
  EXPECT_EQ(summary.issue_us, 6);
  EXPECT_EQ(summary.issue_wait_us, 2);
  EXPECT_EQ(summary.read.bytes, 1000);
  EXPECT_EQ(summary.read.busy_us, 10);
  EXPECT_EQ(summary.write.bytes, 500);
  EXPECT_EQ(summary.write.busy_us, 20);
  EXPECT_EQ(summary.inside_system.bytes, 20);
  EXPECT_EQ(summary.inside_system.busy_us, 5);
  EXPECT_EQ(summary.inside_local.bytes, 7);
  EXPECT_DOUBLE_EQ(summary.eu_utilisation, 0.1);
  EXPECT_EQ(summarise(timeline({}, 0)).eu_utilisation, 0);
}

// The overlap is the number of microseconds in which both engines work.
TEST(Summary, OverlapCountsTheTimeBothEnginesWork) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<TimedCommand> commands;
    std::vector<int> busy(200);
    int free[2] = {0, 0};
    for (int k = 0; k < 30; ++k) {
      const auto engine = random() % 2;
      const int start = free[engine] + static_cast<int>(random() % 4);
      const int end = start + static_cast<int>(random() % 5);
      free[engine] = end;
      commands.push_back(command(engine == 0 ? kCopy : kAdd, start, end));
      commands.back().slot.issued = 0;
      for (int t = start; t < end; ++t) busy.at(static_cast<std::size_t>(t)) |= 1 << engine;
    }
    EXPECT_EQ(summarise(timeline(commands, 200)).overlap_us,
              std::count(busy.begin(), busy.end(), 3));
  }
}

const int place_a = 0, place_b = 0;

TEST(TimeByLine, AddsUpTheCallsOfALineLongestFirst) {
  const auto lines = time_by_line(
      timeline({copy(0, 10, 100, true, false, &place_a), command(kAdd, 10, 40, &place_b),
                copy(40, 45, 50, true, false, &place_a)},
               50));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].call_site, &place_b);
  EXPECT_EQ(lines[0].op, &kAdd);
  EXPECT_EQ(lines[1].calls, 2);
  EXPECT_EQ(lines[1].busy_us, 15);
  EXPECT_EQ(lines[1].issue_us, 2);
  EXPECT_EQ(lines[1].bytes, 150);
}

// First one line with the time, its error and what bounds it; then the reasons.
TEST(TimeText, ShowsSharesRatesAndReasons) {
  const Timeline all = timeline({copy(0, 30, 150000, true, false), command(kAdd, 30, 40)}, 50);
  const std::string text = time_text(all);
  EXPECT_THAT(text,
              HasSubstr("modelled time of 'kernel' (launch 3), commands issued one by one: "
                        "50.0 us = 50000 cycles at 1000 MHz, give or take 12 %, bound by GDMA "
                        "as GDMA and BDC work in turn; 100.0 us as a host measures it\n"));
  EXPECT_EQ(text.substr(0, text.find('\n') + 1), time_line(all));
  EXPECT_THAT(text, HasSubstr("GDMA busy                  30.0 us   60.0 %\n"));
  EXPECT_THAT(text, HasSubstr("DDR to local             150000 bytes    5.00 GB/s of 10.0\n"));
  EXPECT_THAT(text,
              HasSubstr("why 2: DDR to local at its peak, 5.0 of 10.0 GB/s (takes 30.0 us, 60 %)"));
  EXPECT_THAT(text, HasSubstr("30.0 us   60.0 %  toy_copy at an unknown place: 5.0 of 10.0 GB/s"));
  EXPECT_LT(text.find("why 1"), text.find("GDMA busy"));
  EXPECT_THAT(text, Not(HasSubstr("HAU")));
  EXPECT_THAT(text, Not(HasSubstr("uncalibrated")));
  Timeline guessed = all;
  TimingParameters uncalibrated = kParameters;
  uncalibrated.confirmed = Confirmed::kNothing;
  uncalibrated.error_share = 0;
  guessed.parameters = &uncalibrated;
  guessed.failed = true;
  guessed.totals.add(command(kSort, 40, 45), uncalibrated);
  EXPECT_THAT(time_text(guessed), HasSubstr("(launch 3, until it failed)"));
  EXPECT_THAT(time_text(guessed), HasSubstr("MHz, how far off is unknown, bound by"));
  EXPECT_THAT(time_text(guessed), HasSubstr("uncalibrated: from public facts"));
  EXPECT_THAT(time_text(guessed), HasSubstr("HAU busy"));
}

// Where launch and issue are unknown, the engines' time stands alone and the rest is a range.
TEST(TimeText, NeverMixesWhatIsUnknownIntoAFigure) {
  TimingParameters engines = kParameters;
  engines.confirmed = Confirmed::kEngines;
  engines.confirmed_by = "counters, 2 shapes";
  engines.issue_high_us = 4;
  engines.launch_high_us = 90;
  TimedCommand add = command(kAdd, 0, 10);
  add.time.issue_us = 0;
  add.time.issue_high_us = 40;
  Timeline all = timeline({add}, 10);
  Rerun again;
  again.add(add, {}, engines);
  all.verdict = judge(again, 10, engines);
  all.parameters = &engines;
  all.kernel_high_us = 50;
  const std::string text = time_text(all);
  EXPECT_THAT(text, HasSubstr("engines 10.0 us = 10000 cycles at 1000 MHz, give or take 12 % for "
                              "commands like those compared, bound "
                              "by BDC; engines: counters, 2 shapes; launch and issue are unknown "
                              "here\n"));
  EXPECT_THAT(text, HasSubstr("10.0 to 50.0 us with 0.00 to 4.00 us for its 1 command"));
  EXPECT_THAT(text, HasSubstr("60.0 to 140.0 us, with 50 to 90 us per launch"));
  EXPECT_THAT(text, HasSubstr("bound by issue if a command costs more than 1.00 us"));
  const auto profile = profile_json(all);
  EXPECT_EQ(profile["calibration"]["state"], "engines");
  EXPECT_EQ(profile["calibration"]["unknown"].size(), 2u);
  EXPECT_EQ(profile["modelled_us"], 10);
  EXPECT_EQ(profile["modelled_at_most_us"], 50);
  EXPECT_EQ(profile["bound_by"], "BDC");
  EXPECT_EQ(profile["bound_by_at_most"], "issue");
}

// The SDMA has a time of its own, and where its bandwidth is unknown that is a range.
TEST(TimeText, SaysWhatTheSdmaTakesAndThatItsBandwidthIsUnknown) {
  TimingParameters parameters = kParameters;
  parameters.inside_gbps = 20;
  parameters.sdma_gbps = 5;
  TimedCommand carry = command(kCarry, 0, 30, &place_a);
  carry.transfer = {
      .reads_system = true, .writes_system = true, .bytes = 600000, .runs = 1, .sdma = true};
  carry.time.duration_high_us = 120;
  // Beside it the other two engines work in turn, which is not what bounds the launch.
  const TimedCommand add = command(kAdd, 0, 10), load = copy(10, 15, 50000, true, false);
  Timeline all = timeline({carry, add, load}, 30);
  all.parameters = &parameters;
  all.totals = {};
  Rerun again;
  for (const TimedCommand& each : {carry, add, load}) {
    all.totals.add(each, parameters);
    again.add(each, {}, parameters);
  }
  all.verdict = judge(again, 30, parameters);
  all.kernel_high_us = 120;
  const TimeSummary summary = summarise(all);
  EXPECT_EQ(summary.sdma_busy_us, 30);
  EXPECT_EQ(summary.gdma_busy_us, 5);
  EXPECT_EQ(summary.sdma.bytes, 600000);
  EXPECT_EQ(summary.inside_system.bytes, 0);
  EXPECT_EQ(summary.bound, "SDMA");
  const std::string text = time_text(all);
  EXPECT_THAT(text, HasSubstr("bound by SDMA; 80.0 to 170.0 us as a host measures it, as the SDMA "
                              "is unknown\n"));
  EXPECT_THAT(text, HasSubstr("SDMA unknown:      busy 30.0 to 120.0 us at 20 to 5 GB/s\n"));
  EXPECT_THAT(text, HasSubstr("SDMA busy                  30.0 us  100.0 %\n"));
  EXPECT_THAT(text, HasSubstr("by the SDMA              600000 bytes   20.00 GB/s of 20.0\n"));
  const auto profile = profile_json(all);
  EXPECT_EQ(profile["sdma_busy_us"], 30);
  EXPECT_EQ(profile["sdma_busy_at_most_us"], 120);
  EXPECT_EQ(profile["modelled_at_most_us"], 120);
  EXPECT_EQ(profile["lines"][0]["engine"], "SDMA");
  EXPECT_EQ(profile["lines"][0]["bytes"], 600000);
  EXPECT_EQ(profile["lines"][0]["peak_gbps"], 20);
}

// 100,000 operations on 400,000 bytes in 10 us, of a function that could do 20,000 per us.
TEST(Roofline, SetsOperationsAndBytesAgainstTheirPeaks) {
  TimedCommand add = command(kAdd, 30, 40, &place_a);
  add.operations = 100000;
  add.peak = 20;  // per cycle, at 1000 MHz
  add.bytes = 400000;
  const Timeline all = timeline({copy(0, 30, 150000, true, false, &place_b), add}, 50);
  const auto lines = time_by_line(all);
  EXPECT_EQ(roofline_text(lines[0]), "5.0 of 10.0 GB/s");
  EXPECT_EQ(roofline_text(lines[1]), "0.25 operations per byte, 10 of 20 Gop/s");
  const TimeSummary summary = summarise(all);
  EXPECT_DOUBLE_EQ(summary.operations_per_byte, 100000.0 / 150000);
  EXPECT_DOUBLE_EQ(summary.balanced_operations_per_byte, 20000.0 / 10000);
  const auto profile = profile_json(all);
  EXPECT_EQ(profile["lines"][1]["peak_gops"], 20);
  EXPECT_EQ(profile["lines"][0]["peak_gbps"], 10);
}

// Those of two launches are those of their commands.
TEST(TimeTotals, OfLaunchesAddUp) {
  const std::vector<TimedCommand> one = {copy(0, 30, 150000, true, false, &place_a),
                                         command(kAdd, 20, 40, &place_b)},
                                  other = {copy(0, 10, 70000, false, true, &place_a),
                                           command(kSort, 10, 12, &place_b)};
  Timeline sum = timeline(one, 100);
  sum.totals.merge(timeline(other, 100).totals);
  EXPECT_EQ(sum.totals.commands, 4u);
  EXPECT_EQ(sum.totals.overlap_us, 10);
  EXPECT_EQ(sum.totals.gdma_busy_us, 40);
  EXPECT_EQ(sum.totals.write.bytes, 70000);
  const auto lines = time_by_line(sum);
  ASSERT_EQ(lines.size(), 3u) << "place_b has two functions";
  EXPECT_EQ(lines[0].call_site, &place_a);
  EXPECT_EQ(lines[0].busy_us, 40);
  EXPECT_EQ(lines[0].calls, 2);
  EXPECT_EQ(lines[1].calls, 1);
}

TEST(Profile, ListsTheFirstLaunchesAndAddsAllUpByKernel) {
  Profile profile;
  for (std::size_t k = 0; k < Profile::kMostLaunches + 7; ++k) {
    Timeline all = timeline({command(kAdd, 0, 10, &place_a)}, 20);
    all.launch.number = k;
    if (k % 2 == 1) all.launch.kernel = "odd";
    profile.add(all);
  }
  const Json json = profile.json();
  EXPECT_EQ(json["schema_version"], Profile::kSchemaVersion);
  ASSERT_EQ(json["launches"].size(), Profile::kMostLaunches);
  EXPECT_EQ(json["launches"][999]["launch"], 999);
  ASSERT_EQ(json["kernels"].size(), 2u);
  EXPECT_EQ(json["kernels"][0]["kernel"], "kernel");
  EXPECT_EQ(json["kernels"][0]["launches"], 504);
  EXPECT_EQ(json["kernels"][0]["modelled_us"], 504 * 20);
  EXPECT_EQ(json["kernels"][0]["modelled_host_us"], 504 * 70);
  EXPECT_EQ(json["kernels"][0]["lines"][0]["calls"], 504);
  EXPECT_EQ(json["kernels"][1]["launches"], 503);
  ASSERT_FALSE(json["kernels"][0]["why"].empty());
  EXPECT_NEAR(json["kernels"][0]["why"][0]["lost_us"].get<double>(),
              504 * json["launches"][0]["why"][0]["lost_us"].get<double>(), 1e-6);
}

TEST(Profile, HoldsTheSummaryTheReasonsAndTheLines) {
  const Timeline all = timeline({copy(0, 30, 150000, true, false), command(kAdd, 30, 40)}, 50);
  const auto profile = profile_json(all);
  EXPECT_EQ(profile["kernel"], "kernel");
  EXPECT_EQ(profile["launch"], 3);
  EXPECT_EQ(profile["chip"], "bm1684");
  EXPECT_EQ(profile["calibrated"], true);
  EXPECT_EQ(profile["calibration"]["text"], "launches: a test");
  EXPECT_EQ(profile["launch_mode"], "issued");
  EXPECT_EQ(profile["failed"], false);
  EXPECT_EQ(profile["modelled_us"], 50);
  EXPECT_EQ(profile["modelled_host_us"], 100);
  EXPECT_EQ(profile["gdma_busy_us"], 30);
  EXPECT_EQ(profile["bound_by"], "GDMA");
  EXPECT_EQ(profile["ddr_to_local"]["bytes"], 150000);
  EXPECT_EQ(profile["ddr_to_local"]["busy_us"], 30);
  EXPECT_EQ(profile["local_to_ddr"]["bytes"], 0);
  ASSERT_EQ(profile["why"].size(), 2u);
  EXPECT_EQ(profile["why"][0]["id"], "issue") << "the microsecond before the first command";
  EXPECT_NEAR(profile["why"][0]["lost_us"].get<double>(), 50.0 / 41, 1e-9);
  EXPECT_EQ(profile["why"][1]["id"], "DDR to local");
  EXPECT_EQ(profile["why"][1]["busy_us"], 30);
  EXPECT_EQ(profile["why"][1]["lost_us"], 0);
  ASSERT_EQ(profile["lines"].size(), 2u) << "two functions, though both at an unknown place";
  EXPECT_EQ(profile["lines"][0]["calls"], 1);
}

}  // namespace
}  // namespace tensorlane::observe
