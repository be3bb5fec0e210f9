// What a timeline says about speed, on timelines made by hand.
#include "tensorlane/observe/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "tensorlane/observe/profile.h"
#include "tensorlane/observe/timeline_test_support.h"

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

TEST(Summary, BoundByWhatIsBusyLongest) {
  const auto bound = [](double gdma, double bdc, double hau, double issue) {
    TimeSummary summary;
    summary.gdma_busy_us = gdma;
    summary.bdc_busy_us = bdc;
    summary.hau_busy_us = hau;
    summary.issue_us = issue;
    return bound_by(summary);
  };
  EXPECT_EQ(bound(4, 3, 2, 1), "GDMA");
  EXPECT_EQ(bound(3, 4, 2, 1), "BDC");
  EXPECT_EQ(bound(2, 3, 4, 1), "HAU");
  EXPECT_EQ(bound(2, 3, 1, 4), "issue");
}

const Reason* find(const std::vector<Reason>& reasons, std::string_view what) {
  for (const Reason& reason : reasons) {
    if (reason.what.find(what) != std::string::npos) return &reason;
  }
  return nullptr;
}

const int place_a = 0, place_b = 0;

// Reasons beyond the one that bounds the launch.
std::vector<Reason> losses(const Timeline& all) {
  std::vector<Reason> found = reasons(all, 20);
  found.erase(found.begin());
  return found;
}

TEST(Reasons, TheLineThatHoldsTheLongestEngineComesFirst) {
  TimedCommand load = copy(0, 30, 300000, true, false, &place_a);
  const Timeline all = timeline({load, command(kExp, 30, 90, &place_b)}, 90);
  const auto found = reasons(all);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].call_site, &place_b);
  EXPECT_EQ(found[0].id, "function");
  EXPECT_EQ(found[0].busy_us, 60);
  EXPECT_THAT(found[0].what, HasSubstr("toy_exp takes 90 cycles"));
  EXPECT_THAT(found[0].help, HasSubstr("a cheaper function"));
  const Timeline loads = timeline({load, command(kExp, 30, 40, &place_b)}, 40);
  EXPECT_EQ(reasons(loads)[0].id, "DDR to local");
  EXPECT_THAT(reasons(loads)[0].what, HasSubstr("at its peak, 10.0 of 10.0 GB/s"));
  EXPECT_THAT(reasons(loads)[0].help, HasSubstr("nothing but fewer bytes"));
  EXPECT_TRUE(reasons(timeline({}, 0)).empty());
}

// Engines that work in turn all add to the launch: the longest line counts, though the other engine
// is busy longer. Where they overlap, the lines of the longest engine do.
TEST(Reasons, WhereEnginesWorkInTurnTheLongestLineComesFirst) {
  const auto first = [](double load_from) {
    TimedCommand load = copy(load_from, load_from + 50, 500000, true, false, &place_a),
                 store = copy(load_from + 50, load_from + 95, 225000, false, true);
    load.slot.issued = store.slot.issued = 0;
    return reasons(timeline({command(kExp, 0, 60, &place_b), load, store}, 160))[0].call_site;
  };
  EXPECT_EQ(first(60), &place_b);
  EXPECT_EQ(first(0), &place_a);
}

TEST(Reasons, ALossOfAThirdOfItsTimeIsTheReasonOfTheFirstLine) {
  TimedCommand idle = command(kExp, 0, 60, &place_a);
  idle.npus_used = 0.5;
  EXPECT_EQ(reasons(timeline({idle}, 60))[0].id, "idle NPUs");
  EXPECT_EQ(reasons(timeline({idle}, 60))[0].lost_us, 30);
  idle.npus_used = 0.75;
  EXPECT_EQ(reasons(timeline({idle}, 60))[0].id, "function");
}

TEST(Reasons, WhereTheProcessorIsSlowestTheLineOfMostIssuesComesFirst) {
  std::vector<TimedCommand> commands(9, command(kAdd, 0, 0.5, &place_a));
  commands.push_back(copy(1, 6, 50000, true, false, &place_b));
  const auto found = reasons(timeline(commands, 12));
  EXPECT_EQ(found[0].id, "issue");
  EXPECT_EQ(found[0].call_site, &place_a);
  EXPECT_EQ(found[0].busy_us, 9);
}

TEST(Reasons, NameTheLineThatLosesMost) {
  TimedCommand small = command(kAdd, 0, 10, &place_a);
  small.units_used = 0.5;
  TimedCommand large = command(kAdd, 10, 40, &place_b);
  large.units_used = 0.5;
  const auto found = losses(timeline({small, large, small, command(kExp, 50, 99)}, 100));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "idle units");
  EXPECT_EQ(found[0].lost_us, 25);
  EXPECT_EQ(found[0].call_site, &place_b);
  EXPECT_EQ(found[0].engine, Engine::kBdc);
  EXPECT_FALSE(found[0].help.empty());
}

// What C and h*w leave idle adds up to what is idle.
TEST(Summary, SplitsIdleUnitsByWhatWouldFillThem) {
  TimedCommand small = command(kAdd, 0, 64, &place_a);
  small.npus_used = 0.5;
  small.units_used = 0.25;
  small.time.start_us = 24;
  const TimeSummary summary = summarise(timeline({small}, 64));
  EXPECT_EQ(summary.idle_npus_us, 20);
  EXPECT_EQ(summary.idle_units_us, 15);
  EXPECT_EQ(summary.start_us, 24);
  EXPECT_EQ(summary.idle_npus_us + summary.idle_units_us, 40 * (1 - small.lanes_used()));
}

// 100,000 bytes from DDR take 10 us at best, to DDR 20, there and back 30.
TEST(Reasons, ShortRunsLoseWhatFullBandwidthWouldSave) {
  const auto lost = [](bool reads, bool writes) {
    TimedCommand slow = copy(0, 50, 100000, reads, writes, &place_a);
    slow.time.limited_by_runs = true;
    const auto found = reasons(timeline({slow}, 100));
    const Reason* const reason = find(found, "runs are too short");
    return reason == nullptr ? 0 : reason->lost_us;
  };
  EXPECT_EQ(lost(true, false), 40);
  EXPECT_EQ(lost(false, true), 30);
  EXPECT_EQ(lost(true, true), 20);
  EXPECT_EQ(find(reasons(timeline({copy(0, 50, 100000, true, false)}, 100)), "short"), nullptr);
}

TEST(Reasons, MisalignedMatricesLoseTheFactorOfTheModel) {
  TimedCommand matrix = copy(0, 50, 100000, true, false);
  matrix.transfer.misaligned = true;
  const auto found = reasons(timeline({matrix}, 100));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].what, HasSubstr("misaligned"));
  EXPECT_EQ(found[0].lost_us, 25);
  matrix.time.limited_by_runs = true;
  EXPECT_EQ(find(reasons(timeline({matrix}, 100)), "misaligned"), nullptr);
}

TEST(Reasons, SerialEnginesLoseWhatCouldOverlap) {
  TimedCommand load = copy(0, 30, 300000, true, false, &place_a);
  const TimedCommand add = command(kAdd, 30, 50, &place_b);
  auto found = losses(timeline({load, add}, 50));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].what, HasSubstr("one after the other"));
  EXPECT_EQ(found[0].lost_us, 20);
  EXPECT_EQ(found[0].call_site, &place_a);
  load.region = 0;  // in a region already: nothing to name
  found = losses(timeline({load, add}, 50));
  EXPECT_EQ(found.at(0).call_site, nullptr);
}

TEST(Reasons, AreSortedAndOnlyThoseWorthTwoPercent) {
  TimedCommand late = command(kAdd, 1, 40);
  late.issue_wait_us = 10;
  late.npus_used = 0.75;
  late.latency_share = 0.25;
  const Timeline all = timeline({late, copy(40, 130, 900000, true, false)}, 200);
  const auto found = losses(all);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_THAT(found[0].what, HasSubstr("one after the other"));
  EXPECT_THAT(found[1].what, HasSubstr("too many commands"));
  EXPECT_THAT(found[2].what, HasSubstr("NPUs idle"));
  EXPECT_THAT(found[3].what, HasSubstr("few input channels"));
  EXPECT_EQ(reasons(all, 2).size(), 2u);
  EXPECT_EQ(losses(timeline({late}, 501)).size(), 0u) << "10 of 501 us is not worth a line";
}

// However fast one engine became, the other would still need its time.
TEST(Reasons, AnEngineLosesNoMoreThanTheLaunchCouldGain) {
  TimedCommand add = command(kAdd, 0, 80);
  add.region = 0;
  add.npus_used = 0.25;  // 60 us lost, were there not the copy
  TimedCommand load = copy(0, 70, 700000, true, false);
  load.region = 0;
  const auto found = reasons(timeline({add, load}, 100));
  const Reason* const idle = find(found, "NPUs idle");
  ASSERT_NE(idle, nullptr);
  EXPECT_EQ(idle->lost_us, 30);
}

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

TEST(TimeText, ShowsSharesRatesAndReasons) {
  const Timeline all = timeline({copy(0, 30, 150000, true, false), command(kAdd, 30, 40)}, 50);
  const std::string text = time_text(all);
  EXPECT_THAT(text, HasSubstr("modelled time of 'kernel' (launch 3), commands issued one by one: "
                              "50.0 us = 50000 cycles at 1000 MHz; 100.0 us as a host measures "
                              "it\n"));
  EXPECT_THAT(text, HasSubstr("GDMA busy                  30.0 us   60.0 %\n"));
  EXPECT_THAT(text, HasSubstr("DDR to local             150000 bytes    5.00 GB/s of 10.0\n"));
  EXPECT_THAT(text, HasSubstr("why 2: the engines work one after the other (10.0 us, 20 %)"));
  EXPECT_THAT(text, HasSubstr("30.0 us   60.0 %  toy_copy at an unknown place: 5.0 of 10.0 GB/s"));
  EXPECT_THAT(text, HasSubstr("bound by           GDMA; GDMA and BDC work in turn\n"));
  EXPECT_THAT(text, Not(HasSubstr("HAU")));
  EXPECT_THAT(text, Not(HasSubstr("uncalibrated")));
  Timeline guessed = all;
  TimingParameters uncalibrated = kParameters;
  uncalibrated.confirmed = Confirmed::kNothing;
  guessed.parameters = &uncalibrated;
  guessed.failed = true;
  guessed.totals.add(command(kSort, 40, 45), uncalibrated);
  EXPECT_THAT(time_text(guessed), HasSubstr("(launch 3, until it failed)"));
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
  all.parameters = &engines;
  all.kernel_high_us = 50;
  const std::string text = time_text(all);
  EXPECT_THAT(text, HasSubstr("engines 10.0 us = 10000 cycles at 1000 MHz; engines: counters, 2 "
                              "shapes; launch and issue are unknown here\n"));
  EXPECT_THAT(text, HasSubstr("10.0 to 50.0 us with 0.00 to 4.00 us per command"));
  EXPECT_THAT(text, HasSubstr("60.0 to 140.0 us, with 50 to 90 us per launch"));
  EXPECT_THAT(text, HasSubstr("BDC; by issue if a command costs more than 1.00 us"));
  EXPECT_THAT(text, HasSubstr("why 2: the processor, if a command costs more than 1.00 us to "
                              "issue, which is unknown here; at most (40.0 us"));
  const auto profile = profile_json(all);
  EXPECT_EQ(profile["calibration"]["state"], "engines");
  EXPECT_EQ(profile["calibration"]["unknown"].size(), 2u);
  EXPECT_EQ(profile["modelled_us"], 10);
  EXPECT_EQ(profile["modelled_at_most_us"], 50);
  EXPECT_EQ(profile["bound_by"], "BDC");
  EXPECT_EQ(profile["bound_by_at_most"], "issue");
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

TEST(Profile, ListsTheFirstLaunchesAndAddsTheRestUpByKernel) {
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
  EXPECT_EQ(json["kernels"][0]["launches"], 4);
  EXPECT_EQ(json["kernels"][0]["modelled_us"], 80);
  EXPECT_EQ(json["kernels"][0]["modelled_host_us"], 4 * 70);
  EXPECT_EQ(json["kernels"][0]["lines"][0]["calls"], 4);
  EXPECT_EQ(json["kernels"][1]["launches"], 3);
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
  EXPECT_EQ(profile["why"][0]["id"], "DDR to local");
  EXPECT_EQ(profile["why"][0]["busy_us"], 30);
  EXPECT_EQ(profile["why"][1]["lost_us"], 10);
  ASSERT_EQ(profile["lines"].size(), 2u) << "two functions, though both at an unknown place";
  EXPECT_EQ(profile["lines"][0]["calls"], 1);
}

}  // namespace
}  // namespace tensorlane::observe
