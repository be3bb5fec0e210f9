#include "tensorlane/observe/check/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "tensorlane/observe/check/report.h"

namespace tensorlane::check {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SourcePlace place(int line, std::string function) {
  const std::string text = "k.c:" + std::to_string(line) + " in " + function;
  return {"k.c", line, std::move(function), text, ""};
}

// `callers` from the nearest to the kernel.
FindingLocation call(std::string role, std::string name, SourcePlace at,
                     std::vector<SourcePlace> callers = {}, std::string operand = "") {
  FindingLocation location;
  static_cast<SourcePlace&>(location) = std::move(at);
  location.role = std::move(role);
  location.call = std::move(name);
  location.callers = std::move(callers);
  if (!operand.empty()) location.tensors = {operand + ": a tensor at 0x" + location.role};
  return location;
}

Finding finding(std::string_view id, std::vector<FindingLocation> locations,
                std::uint64_t launch = 0) {
  Finding result;
  result.diagnostic = &find_diagnostic(id);
  result.message = "something of 64 bytes";
  result.kernel = "net";
  result.launches = {{0, "net", launch, launch, 1, place(90, "main"), nullptr}};
  result.locations = std::move(locations);
  return result;
}

const SourcePlace kLoad = place(5, "load"), kAdd = place(8, "add");

// load() and add() race, called from lines `line` and `line` + 1 of `layer`, that from `from`.
Finding race(int line, const std::string& layer, int from) {
  Finding result =
      finding("TL-RACE-001",
              {call("reader", "add", kAdd, {place(line + 1, layer), place(from, "net")}, "src"),
               call("writer", "copy", kLoad, {place(line, layer), place(from, "net")}, "dst")});
  result.region = "k.c:" + std::to_string(line - 1) + " in " + layer;
  return result;
}
Finding overrun(int caller, std::int64_t bytes) {
  Finding result =
      finding("TL-MEMORY-002", {call("reader", "copy", kLoad, {place(caller, "net")}, "src")});
  result.regions = {{"global memory", 0, 0, 4096, 4096 + bytes}};
  result.message = std::to_string(bytes) + " bytes too many";
  return result;
}

// The ids, each with that of its cause.
std::vector<std::string> ids_of(const std::vector<Finding>& found) {
  std::vector<std::string> ids;
  for (const Finding& each : found) {
    ids.emplace_back(each.diagnostic->id);
    if (each.cause) ids.back() += " < " + std::string(found[*each.cause].diagnostic->id);
  }
  return ids;
}

TEST(Causes, TwoRacesBehindOneHelperAreTwo) {
  const std::vector<Finding> found = by_cause({race(20, "first", 40), race(30, "second", 41)});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].cause || found[1].cause);
  EXPECT_TRUE(found[0].other_callers.empty());
}

TEST(Causes, OneRaceInAFunctionIsOneWhoeverCallsIt) {
  Finding again = race(20, "layer", 41);
  again.count = 3;
  again.launches[0].first = again.launches[0].last = 1;
  const std::vector<Finding> found = by_cause({again, race(20, "layer", 40)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 4u);
  EXPECT_EQ(found[0].locations[0].callers.back().line, 40) << "the first in the source";
  ASSERT_EQ(found[0].other_callers.size(), 1u);
  EXPECT_EQ(found[0].other_callers[0].count, 3u);
  ASSERT_EQ(found[0].other_callers[0].callers.size(), 1u) << "those that make no difference";
  EXPECT_EQ(found[0].other_callers[0].callers[0].line, 41);
  ASSERT_EQ(found[0].launches.size(), 1u);
  EXPECT_EQ(found[0].launches[0].last, 1u);
}

// Both calls of a helper on one line: they still meet in the function of that line.
TEST(Causes, CallsOnOneLineAreTwoCalls) {
  const auto short_race = [](const std::string& layer, int line) {
    const std::vector<SourcePlace> callers = {place(line, layer), place(line + 100, "net")};
    return finding("TL-RACE-001", {call("reader", "add", kAdd, callers, "src"),
                                   call("writer", "copy", kLoad, callers, "dst")});
  };
  EXPECT_EQ(by_cause({short_race("first", 20), short_race("second", 30)}).size(), 2u);
}

TEST(Causes, AHelpersFaultIsOneAndACallersItsOwn) {
  EXPECT_EQ(by_cause({overrun(40, 128), overrun(41, 128)}).size(), 1u);
  EXPECT_EQ(by_cause({overrun(40, 128), overrun(41, 4096)}).size(), 2u) << "not alike";
  Finding first = overrun(40, 128), second = overrun(41, 128);
  first.of_callers = second.of_callers = true;
  EXPECT_EQ(by_cause({first, second}).size(), 2u) << "other callers are fine";
  EXPECT_EQ(by_cause({overrun(40, 128), overrun(40, 4096)}).size(), 1u) << "a loop of one caller";
}

TEST(Causes, OperandsAreKnownInEveryLanguage) {
  EXPECT_EQ(operand_of("src0_addr: input, shape 1x2"), "src0_addr");
  EXPECT_EQ(operand_of("src0_addr：输入，形状 1x2"), "src0_addr");
}

TEST(Causes, FunctionsAtOneLineAreToldApart) {
  Finding exp = overrun(40, 128), sigmoid = exp;
  sigmoid.locations[0].call = "sigmoid";
  EXPECT_EQ(by_cause({exp, sigmoid}).size(), 2u);
}

TEST(Causes, OneOverlapIsOneFault) {
  const FindingLocation load = call("writer", "copy", place(20, "net"), {}, "dst"),
                        sum = call("writer", "add", place(21, "net"), {}, "dst"),
                        next = call("reader", "mul", place(22, "net"), {}, "src");
  Finding both = finding("TL-RACE-003", {sum, load}), read = finding("TL-RACE-001", {next, load});
  both.region = read.region = "k.c:19 in net";
  const Finding lost = finding("TL-LINT-001", {load, sum, next}),
                unwritten = finding("TL-INIT-001", {next, call("host", "d2s", place(91, "main"))});
  EXPECT_THAT(ids_of(by_cause({unwritten, lost, read, both})),
              ElementsAre("TL-RACE-003", "TL-INIT-001 < TL-RACE-003", "TL-LINT-001 < TL-RACE-003",
                          "TL-RACE-001 < TL-RACE-003"));
}

TEST(Causes, OtherOperandsAndOtherCallersExplainNothing) {
  const Finding raced = race(20, "layer", 40);
  const Finding other =
      finding("TL-INIT-001",
              {call("reader", "add", kAdd, {place(21, "layer"), place(40, "net")}, "src1_addr")});
  const Finding elsewhere = finding(
      "TL-INIT-001", {call("reader", "add", kAdd, {place(21, "layer"), place(41, "net")}, "src")});
  Finding before = other;
  before.locations[0].tensors = raced.locations[0].tensors;
  EXPECT_THAT(ids_of(by_cause({raced, other})), ElementsAre("TL-RACE-001", "TL-INIT-001"));
  EXPECT_THAT(ids_of(by_cause({raced, elsewhere})), ElementsAre("TL-RACE-001", "TL-INIT-001"));
  EXPECT_THAT(ids_of(by_cause({raced, before})),
              ElementsAre("TL-RACE-001", "TL-INIT-001 < TL-RACE-001"));
  Finding later = raced;
  later.launches[0].first = later.launches[0].last = 1;
  EXPECT_THAT(ids_of(by_cause({later, before})), ElementsAre("TL-RACE-001", "TL-INIT-001"))
      << "nothing follows from what comes after it";
}

TEST(Causes, WhatATensorPastItsEndDestroys) {
  const Finding store =
      finding("TL-MEMORY-003", {call("writer", "copy", place(20, "net"), {}, "dst")});
  const Finding missing = finding("TL-COVERAGE-001", {call("reader", "d2s", place(91, "main")),
                                                      call("made", "malloc", place(80, "main"))});
  EXPECT_THAT(ids_of(by_cause({store, missing})),
              ElementsAre("TL-MEMORY-003", "TL-COVERAGE-001 < TL-MEMORY-003"));
  const Finding load =
      finding("TL-MEMORY-002", {call("reader", "copy", place(20, "net"), {}, "src")});
  EXPECT_THAT(ids_of(by_cause({load, missing})), ElementsAre("TL-MEMORY-002", "TL-COVERAGE-001"));
}

TEST(Causes, TheCommandBeforeACrashHasNoPartInIt) {
  const Finding overlap = finding("TL-ARGS-002", {call("call", "add", place(20, "net"))}),
                crash = finding("TL-LAUNCH-002", {call("at", "", place(21, "net")),
                                                  call("last", "add", place(20, "net"))});
  EXPECT_THAT(ids_of(by_cause({overlap, crash})), ElementsAre("TL-ARGS-002", "TL-LAUNCH-002"));
}

// A given cause stays; what it leads to has the same root.
TEST(Causes, GivenCausesStay) {
  Finding crash = finding("TL-LAUNCH-002", {call("at", "", place(21, "net"))}),
          missing = finding("TL-COVERAGE-001", {call("reader", "d2s", place(91, "main"))});
  missing.cause = 0;
  EXPECT_THAT(ids_of(by_cause({crash, missing})),
              ElementsAre("TL-LAUNCH-002", "TL-COVERAGE-001 < TL-LAUNCH-002"));
  missing.cause.reset();
  EXPECT_THAT(ids_of(by_cause({crash, missing})), ElementsAre("TL-LAUNCH-002", "TL-COVERAGE-001"));
}

// The order in which things were found changes the order of the report and nothing else.
TEST(Causes, TheOrderOfFindingsDoesNotCount) {
  std::mt19937 random(7);
  constexpr std::string_view kIds[] = {"TL-RACE-001",   "TL-RACE-003",     "TL-INIT-001",
                                       "TL-MEMORY-002", "TL-COVERAGE-001", "TL-LINT-001",
                                       "TL-SYNC-001",   "TL-LINT-002"};
  const auto some = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Finding> found;
    for (int k = 0; k < 8; ++k) {
      Finding each = finding(kIds[some(8)], {}, static_cast<std::uint64_t>(some(2)));
      for (int n = some(3); n >= 0; --n) {
        each.locations.push_back(call(some(2) == 0 ? "reader" : "writer", some(2) == 0 ? "a" : "b",
                                      place(some(3), "help"), {place(50 + some(2), "net")},
                                      some(2) == 0 ? "src" : "dst"));
      }
      each.regions = {{"global memory", 0, 0, some(3), 3}};
      each.region = some(2) == 0 ? "" : "k.c:1 in net";
      found.push_back(each);
    }
    // Of the list, whatever its order: each finding with its cause.
    const auto summary = [](const std::vector<Finding>& list) {
      std::vector<std::string> lines;
      const auto text = [](const Finding& each) {
        std::string line(each.diagnostic->id);
        for (const FindingLocation& location : each.locations)
          line += " " + location.role + location.call + location.place + location.callers[0].place +
                  location.tensors[0];
        return line + " others " + std::to_string(each.other_callers.size()) + " count " +
               std::to_string(each.count);
      };
      for (const Finding& each : list)
        lines.push_back(text(each) + (each.cause ? " < " + text(list[*each.cause]) : ""));
      std::ranges::sort(lines);
      return lines;
    };
    const std::vector<std::string> want = summary(by_cause(found));
    std::ranges::shuffle(found, random);
    ASSERT_EQ(summary(by_cause(found)), want);
  }
}

// Launches that follow each other are one run of them, in whatever order they had the fault.
TEST(Causes, LaunchesOfOneFaultAreRuns) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::set<std::uint64_t> launches;
    while (launches.size() < 6) launches.insert(random() % 12);
    std::vector<Finding> found;
    for (const std::uint64_t launch : launches) {
      found.push_back(race(20, "layer", 40 + static_cast<int>(random() % 9)));
      found.back().launches[0].first = found.back().launches[0].last = launch;
    }
    std::ranges::shuffle(found, random);
    const std::vector<Finding> all = by_cause(found);
    ASSERT_EQ(all.size(), 1u);
    std::set<std::uint64_t> told;
    for (const FindingLaunches& each : all[0].launches) {
      EXPECT_FALSE(launches.contains(each.first - 1) || launches.contains(each.last + 1));
      EXPECT_EQ(each.count, each.last - each.first + 1);
      for (std::uint64_t launch = each.first; launch <= each.last; ++launch)
        EXPECT_TRUE(told.insert(launch).second) << "in two runs";
    }
    ASSERT_EQ(told, launches);
  }
}

TEST(Causes, ReportsCountCausesAndShowTheRestOnRequest) {
  Report report;
  const FindingLaunches launch{0, "net", 0, 0, 1, place(90, "main"), nullptr};
  const auto add = [&](int number, const Finding& each) {
    report.add({each.diagnostic->id, nullptr, nullptr, number}, &launch, [&] { return each; });
  };
  Finding one = race(20, "layer", 40), other = race(20, "layer", 41);
  one.launches = other.launches = {};
  Finding read = finding(
      "TL-INIT-001", {call("reader", "add", kAdd, {place(21, "layer"), place(40, "net")}, "src")});
  read.launches = {};
  add(1, one);
  add(2, other);
  add(3, read);
  EXPECT_EQ(report.count(Severity::kError), 1u);
  EXPECT_EQ(report.consequences(), 1u);
  const std::string text = text_report(report), all = text_report(report, {.consequences = true});
  EXPECT_THAT(text, HasSubstr("  also from k.c:41 in net: once\n"));
  EXPECT_THAT(text, HasSubstr("  causes   1 more finding: TL-INIT-001\n"));
  EXPECT_THAT(text, HasSubstr("1 error, 0 warnings, 1 more finding that follows (--all shows it)"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("error TL-INIT-001")));
  EXPECT_THAT(all, HasSubstr("error TL-INIT-001"));
  EXPECT_THAT(all, HasSubstr("  follows  from TL-RACE-001 above\n"));
  EXPECT_THAT(github_report(report), ::testing::Not(HasSubstr("TL-INIT-001")));
  // What follows from a finding that somebody lives with stands for itself.
  report.suppress(Suppressions("TL-RACE-* *"));
  EXPECT_THAT(ids_of(report.findings()), ElementsAre("TL-INIT-001"));
  EXPECT_EQ(report.suppressed(), 1u);
}

}  // namespace
}  // namespace tensorlane::check
