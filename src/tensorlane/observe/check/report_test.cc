#include "tensorlane/observe/check/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/observe/check/check_list.h"

namespace tensorlane::check {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Finding sample(std::string_view id = "TL-RACE-001") {
  Finding finding;
  finding.diagnostic = &find_diagnostic(id);
  finding.message = "okk_bdc_add reads what okk_gdma_32bit_cpy_S2L writes, 100% of it: all";
  finding.kernel = "pipeline";
  FindingLocation reader;
  reader.role = "reader";
  reader.call = "okk_bdc_add";
  reader.file = "pipeline.c";
  reader.line = 42;
  reader.function = "pipeline";
  reader.place = "pipeline.c:42 in pipeline";
  reader.source = "okk_bdc_add(a, b, c, &shape, 0, 0, 0);";
  reader.tensors = {"src0_addr: input, shape 1x64x1x8 fp32"};
  FindingLocation writer = reader;
  writer.role = "writer";
  writer.call = "okk_gdma_32bit_cpy_S2L";
  writer.line = 40;
  writer.place = "pipeline.c:40 in pipeline";
  reader.callers = {{"tiles.c", 17, "add_tile", "tiles.c:17 in add_tile", "add(a, b);"}};
  finding.locations = {reader, writer};
  finding.regions = {{"local memory", 0, 64, 0, 128}, {"global memory", 0, 0, 4096, 4097}};
  finding.notes = {"missing  nothing orders the two"};
  finding.repair = spelled(finding.diagnostic->repair, "okk_");
  return finding;
}

class ReportTest : public ::testing::Test {
 protected:
  void add(int key, std::string_view id = "TL-RACE-001", std::uint64_t launch = 0) {
    const SourcePlace host{"host.c", 9, "main", "host.c:9 in main", "launch(k);"};
    const FindingLaunches during{0, "pipeline", launch, launch, 1, host, nullptr};
    report.add({id, nullptr, nullptr, key}, &during, [&] { return sample(id); });
  }
  Report report;
};

// In whatever order cores come, a finding is told as the first of them has it, of all.
TEST_F(ReportTest, OfSeveralCoresTheFirstOneTells) {
  std::vector<int> cores = {0, 1, 2, 3};
  do {
    Report of_cores;
    for (const int core : cores) {
      FindingLaunches during{0, "pipeline", 0, 0, 1, {}, nullptr};
      during.of_cores = 8;
      during.cores = {core};
      of_cores.add({"TL-RACE-001", nullptr, nullptr, 1}, &during, [&] {
        Finding finding = sample();
        finding.message = fmt::format("core {}", core);
        return finding;
      });
    }
    ASSERT_EQ(of_cores.single_findings().size(), 1U);
    const Finding found = of_cores.single_findings().front();
    EXPECT_EQ(found.message, "core 0");
    EXPECT_EQ(found.count, 4U);
    EXPECT_EQ(found.launches.front().cores, (std::vector{0, 1, 2, 3}));
    of_cores.complete();
    EXPECT_THAT(text_report(of_cores), HasSubstr(", on cores 0 to 3 of 8"));
  } while (std::ranges::next_permutation(cores).found);
}

TEST_F(ReportTest, OnePlaceIsOneFindingWithACount) {
  for (int k = 0; k < 5; ++k) add(1);
  add(2, "TL-RACE-002");
  ASSERT_EQ(report.findings().size(), 2u);
  EXPECT_EQ(report.findings()[0].count, 5u);
}

TEST_F(ReportTest, TextNamesEverything) {
  add(1);
  EXPECT_EQ(
      text_report(report),
      R"(error TL-RACE-001: okk_bdc_add reads what okk_gdma_32bit_cpy_S2L writes, 100% of it: all
  reader   okk_bdc_add at pipeline.c:42 in pipeline
        42 | okk_bdc_add(a, b, c, &shape, 0, 0, 0);
           src0_addr: input, shape 1x64x1x8 fp32
  from     tiles.c:17 in add_tile
        17 | add(a, b);
  writer   okk_gdma_32bit_cpy_S2L at pipeline.c:40 in pipeline
        40 | okk_bdc_add(a, b, c, &shape, 0, 0, 0);
           src0_addr: input, shape 1x64x1x8 fp32
  bytes    local memory, NPUs 0..63, offsets 0..127 (128 bytes)
           global memory, bytes 0x1000..0x1000 (1 byte)
  missing  nothing orders the two
  repair   end the parallel region between the two commands, or let the copy fill another buffer
  launch   0 of device 0, at host.c:9 in main
  seen     once in kernel 'pipeline'; more: tensorlane explain TL-RACE-001

tensorlane check: 1 error, 0 warnings
)");
}

// A host that launches a kernel many times is told which of the launches it was.
TEST_F(ReportTest, LaunchesAreGroupedByTheirNumbers) {
  for (const std::uint64_t launch : {3, 3, 4, 5, 9}) add(1, "TL-RACE-001", launch);
  ASSERT_EQ(report.findings().size(), 1u);
  const std::vector<FindingLaunches> launches = report.findings()[0].launches;
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].first, 3u);
  EXPECT_EQ(launches[0].last, 5u);
  EXPECT_EQ(launches[0].count, 4u);
  EXPECT_EQ(launches[1].first, 9u);
  EXPECT_THAT(text_report(report), HasSubstr("  launch   3 to 5 of device 0, at host.c:9 in main\n"
                                             "           9 of device 0, at host.c:9 in main\n"
                                             "  seen     5 times in kernel 'pipeline'"));
  for (std::uint64_t launch = 20; launch < 1000; launch += 2) add(1, "TL-RACE-001", launch);
  EXPECT_EQ(report.findings()[0].launches.size(), 64u) << "a report stays small";
  EXPECT_EQ(report.findings()[0].count, 495u);
}

TEST_F(ReportTest, BeforeTheFirstLaunchThereIsNoKernel) {
  report.add({"TL-COVERAGE-001", nullptr, nullptr, 0}, nullptr, [] {
    Finding finding = sample("TL-COVERAGE-001");
    finding.kernel.clear();
    return finding;
  });
  EXPECT_THAT(text_report(report), HasSubstr("  seen     once in the host; more:"));
  EXPECT_TRUE(json::parse(json_report(report))["findings"][0]["kernel"].is_null());
}

// What the checked program writes and `tensorlane run` reads.
TEST_F(ReportTest, FindingsComeThroughAnEntryWhole) {
  add(1, "TL-RACE-001", 2);
  Report other;
  add_entries({report_entry(report, 0)}, other);
  EXPECT_EQ(text_report(other, {.advice = true}), text_report(report, {.advice = true}));
  EXPECT_EQ(json_report(other), json_report(report));
  add_entries({report_entry(report, 1)}, other);
  ASSERT_EQ(other.findings().size(), 1u) << "equal findings add up";
  EXPECT_EQ(other.findings()[0].count, 2u);
}

TEST_F(ReportTest, AdviceIsShownOnRequest) {
  add(1, "TL-LINT-002");
  EXPECT_THAT(text_report(report), ::testing::Not(HasSubstr("TL-LINT-002")));
  EXPECT_THAT(text_report(report), HasSubstr("1 piece of advice (--check=all,lint shows"));
  EXPECT_THAT(text_report(report, {.advice = true}), HasSubstr("advice TL-LINT-002"));
}

TEST_F(ReportTest, JsonHasTheDocumentedFields) {
  add(1);
  const json parsed = json::parse(json_report(report));
  ASSERT_EQ(parsed["findings"].size(), 1u);
  const json& finding = parsed["findings"][0];
  EXPECT_EQ(finding["id"], "TL-RACE-001");
  EXPECT_EQ(finding["class"], "race");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["kernel"], "pipeline");
  EXPECT_EQ(finding["count"], 1);
  EXPECT_EQ(finding["locations"][1]["line"], 40);
  EXPECT_EQ(finding["locations"][0]["file"], "pipeline.c");
  EXPECT_EQ(finding["locations"][0]["function"], "pipeline");
  EXPECT_EQ(finding["locations"][0]["callers"][0]["line"], 17);
  EXPECT_EQ(finding["launches"][0]["first"], 0);
  EXPECT_EQ(finding["launches"][0]["host"]["line"], 9);
  EXPECT_EQ(finding["tensors"].size(), 2u);
  EXPECT_EQ(finding["regions"][0]["npus"], 64);
}

// What the schema of SARIF 2.1.0 requires of the objects we use.
TEST_F(ReportTest, SarifHasTheRequiredFields) {
  add(1);
  add(2, "TL-LINT-002");
  const json log = json::parse(sarif_report(report));
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_THAT(log["$schema"].get<std::string>(), HasSubstr("sarif-2.1.0"));
  ASSERT_EQ(log["runs"].size(), 1u);
  const json& run = log["runs"][0];
  const json& driver = run["tool"]["driver"];
  EXPECT_TRUE(driver["name"].is_string());
  std::set<std::string> ids;
  for (const json& rule : driver["rules"]) EXPECT_TRUE(ids.insert(rule["id"]).second);
  const std::set<std::string> levels{"none", "note", "warning", "error"};
  for (const json& result : run["results"]) {
    EXPECT_TRUE(result["message"]["text"].is_string());
    EXPECT_TRUE(levels.count(result["level"]));
    EXPECT_EQ(driver["rules"][result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_GE(result["occurrenceCount"], 1);
    for (const json& location : result["locations"]) {
      EXPECT_TRUE(location["physicalLocation"]["artifactLocation"]["uri"].is_string());
      EXPECT_GE(location["physicalLocation"]["region"]["startLine"], 1);
    }
    std::set<int> numbers;
    for (const json& location : result["relatedLocations"]) {
      EXPECT_TRUE(numbers.insert(location["id"].get<int>()).second);
      EXPECT_TRUE(location["message"]["text"].is_string());
    }
    // The calls up to the host's launch.
    const json& frames = result["stacks"][0]["frames"];
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[1]["location"]["physicalLocation"]["region"]["startLine"], 17);
    EXPECT_EQ(frames[2]["location"]["message"]["text"], "host.c:9 in main");
    EXPECT_EQ(result["properties"]["launches"][0]["device"], 0);
  }
}

TEST_F(ReportTest, SarifHasAlwaysALocation) {
  report.add({"TL-MEMORY-007", nullptr, nullptr, 0}, nullptr, [] {
    Finding finding = sample("TL-MEMORY-007");
    finding.locations.clear();
    return finding;
  });
  const json log = json::parse(sarif_report(report, {.command = {"./a program", "--all"}}));
  EXPECT_EQ(
      log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "./a%20program");
}

TEST_F(ReportTest, SarifNamesFilesAsUris) {
  const auto uri = [&](const std::string& file) {
    Report one;
    one.add({"TL-RACE-001", nullptr, nullptr, 0}, nullptr, [&] {
      Finding finding = sample();
      finding.locations[0].file = file;
      return finding;
    });
    const json log = json::parse(sarif_report(one));
    return log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
              ["uri"]
                  .get<std::string>();
  };
  EXPECT_EQ(uri("src/a b#c%.c"), "src/a%20b%23c%25.c");
  EXPECT_EQ(uri("/tmp/Übung.c"), "file:///tmp/%C3%9Cbung.c");
  EXPECT_EQ(uri("a:b.c"), "a%3Ab.c") << "no scheme";
  EXPECT_EQ(uri("\xff.c"), "%FF.c");
}

// A service knows a finding again when its line has moved, and tells equal ones apart.
TEST_F(ReportTest, SarifFingerprintsSurviveMovedLines) {
  const auto prints = [](int line, std::string_view source, int findings) {
    Report one;
    for (int k = 0; k < findings; ++k) {
      one.add({"TL-RACE-001", nullptr, nullptr, k}, nullptr, [&] {
        Finding finding = sample();
        finding.locations[0].line = line + k;  // another cause, whose line reads the same
        finding.locations[0].place = fmt::format("pipeline.c:{} in pipeline", line + k);
        finding.locations[0].source = source;
        return finding;
      });
    }
    std::vector<std::string> all;
    const json log = json::parse(sarif_report(one));
    for (const json& result : log["runs"][0]["results"])
      all.push_back(result["partialFingerprints"]["tensorlaneFinding/v1"]);
    return all;
  };
  EXPECT_EQ(prints(10, "a();", 1), prints(20, "a();", 1));
  EXPECT_NE(prints(10, "a();", 1), prints(10, "b();", 1));
  const std::vector<std::string> two = prints(10, "a();", 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NE(two[0], two[1]);
}

TEST_F(ReportTest, GithubAnnotationsAreEscaped) {
  add(1);
  EXPECT_EQ(github_report(report),
            "::error file=pipeline.c,line=42,title=TL-RACE-001::okk_bdc_add reads what "
            "okk_gdma_32bit_cpy_S2L writes, 100%25 of it: all\n");
}

TEST_F(ReportTest, SuppressionsMatchIdAndFunction) {
  add(1);
  add(2, "TL-LINT-001");
  report.suppress(Suppressions("# known\nTL-LINT-*  pipe*\nTL-RACE-001 other\n"));
  ASSERT_EQ(report.findings().size(), 1u);
  EXPECT_EQ(report.findings()[0].diagnostic->id, "TL-RACE-001");
  EXPECT_EQ(report.suppressed(), 1u);
  EXPECT_THAT(text_report(report), HasSubstr("1 suppressed"));
}

TEST_F(ReportTest, SuppressionsMatchCallers) {
  add(1);
  report.suppress(Suppressions("TL-RACE-* add_tile\n"));
  EXPECT_TRUE(report.findings().empty());
}

TEST(Suppressions, ALineOfAnotherFormIsNamed) {
  try {
    Suppressions("TL-RACE-001 f\nTL-RACE-001\n");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("line 2"));
  }
}

TEST(Suppressions, AnIdThatThereIsNotIsNamedWithTheNearest) {
  EXPECT_NO_THROW(Suppressions("TL-* f\nTL-RACE-00[12] f\n"));
  for (const auto& [line, hint] :
       {std::pair("TL-RACES-001 f", "TL-RACE-001"), std::pair("tl-race-001 f", "TL-RACE-001"),
        std::pair("TL-RACES-* f", "TL-RACE-*")}) {
    try {
      Suppressions{line};
      FAIL() << line;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("line 1"));
      EXPECT_THAT(error.what(), HasSubstr(hint)) << line;
    }
  }
}

TEST(Diagnostics, IdsAreUniqueAndNameTheirClass) {
  std::set<std::string_view> ids;
  for (const Diagnostic& diagnostic : diagnostics()) {
    EXPECT_FALSE(diagnostic_page(diagnostic).empty());
    EXPECT_TRUE(ids.insert(diagnostic.id).second) << diagnostic.id;
    const std::string id(diagnostic.id);
    EXPECT_TRUE(std::regex_match(id, std::regex("TL-[A-Z]+-[0-9]{3}"))) << id;
    // Who reads a class in a report can ask for it.
    EXPECT_EQ(std::ranges::count(check_names(), class_name(diagnostic)), 1) << id;
  }
}

TEST(Diagnostics, LintIsAdviceUnlessDataIsLost) {
  const std::set<std::string_view> lost{"TL-LINT-001", "TL-LINT-006"};
  for (const Diagnostic& diagnostic : diagnostics()) {
    if (class_name(diagnostic) != "lint") continue;
    EXPECT_EQ(diagnostic.severity,
              lost.count(diagnostic.id) != 0 ? Severity::kWarning : Severity::kAdvice)
        << diagnostic.id;
  }
}

TEST(Diagnostics, AWrongIdGetsAHint) {
  EXPECT_EQ(find_diagnostic("tl-race-002").id, "TL-RACE-002");
  try {
    find_diagnostic("TL-RACES-002");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("TL-RACE-002"));
  }
}

// One text serves all front ends: names of functions are put in where the chip is known.
TEST(Diagnostics, NamesOfFunctionsAreThoseOfTheFrontEnd) {
  EXPECT_EQ(spelled("call $parallel_end before $poll", "tpu_"),
            "call tpu_parallel_end before tpu_poll");
  EXPECT_EQ(spelled("$npu_num() NPUs"), "okk_npu_num() or tpu_npu_num() NPUs");
  EXPECT_EQ(spelled("no names"), "no names");
  EXPECT_EQ(spelled("ends with $poll", "okk_"), "ends with okk_poll");
  for (const Diagnostic& diagnostic : diagnostics()) {
    for (const std::string_view text : {diagnostic.title, diagnostic.repair}) {
      EXPECT_EQ(text.find("okk_"), std::string_view::npos) << text;
      EXPECT_EQ(text.find("tpu_"), std::string_view::npos) << text;
    }
  }
}

}  // namespace
}  // namespace tensorlane::check
