#include "tensorlane/observe/check/report.h"

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
  finding.locations = {reader, writer};
  finding.regions = {{"local memory", 0, 64, 0, 128}, {"global memory", 0, 0, 4096, 4097}};
  finding.notes = {"missing  nothing orders the two"};
  finding.repair = spelled(finding.diagnostic->repair, "okk_");
  return finding;
}

class ReportTest : public ::testing::Test {
 protected:
  void add(int key, std::string_view id = "TL-RACE-001") {
    report.add({id, nullptr, nullptr, key}, [&] { return sample(id); });
  }
  Report report;
};

TEST_F(ReportTest, OnePlaceIsOneFindingWithACount) {
  for (int k = 0; k < 5; ++k) add(1);
  add(2);
  ASSERT_EQ(report.findings().size(), 2u);
  EXPECT_EQ(report.findings()[0].count, 5u);
}

TEST_F(ReportTest, TextNamesEverything) {
  add(1);
  EXPECT_EQ(
      text_report(report, false),
      R"(error TL-RACE-001: okk_bdc_add reads what okk_gdma_32bit_cpy_S2L writes, 100% of it: all
  reader   okk_bdc_add at pipeline.c:42 in pipeline
        42 | okk_bdc_add(a, b, c, &shape, 0, 0, 0);
           src0_addr: input, shape 1x64x1x8 fp32
  writer   okk_gdma_32bit_cpy_S2L at pipeline.c:40 in pipeline
        40 | okk_bdc_add(a, b, c, &shape, 0, 0, 0);
           src0_addr: input, shape 1x64x1x8 fp32
  bytes    local memory, NPUs 0..63, offsets 0..127 (128 bytes)
           global memory, bytes 0x1000..0x1000 (1 byte)
  missing  nothing orders the two
  repair   end the parallel region between the two commands, or let the copy fill another buffer
  seen     once in kernel 'pipeline'; more: tensorlane explain TL-RACE-001

tensorlane check: 1 error, 0 warnings
)");
}

TEST_F(ReportTest, AdviceIsShownOnRequest) {
  add(1, "TL-LINT-002");
  EXPECT_THAT(text_report(report, false), ::testing::Not(HasSubstr("TL-LINT-002")));
  EXPECT_THAT(text_report(report, false), HasSubstr("1 piece of advice (--check=all,lint shows"));
  EXPECT_THAT(text_report(report, true), HasSubstr("advice TL-LINT-002"));
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
  }
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
  EXPECT_THAT(text_report(report, false), HasSubstr("1 suppressed"));
}

TEST(Suppressions, ALineOfAnotherFormIsNamed) {
  try {
    Suppressions("TL-RACE-001 f\nTL-RACE-001\n");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("line 2"));
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

TEST(Diagnostics, LintIsAdvice) {
  for (const Diagnostic& diagnostic : diagnostics()) {
    if (class_name(diagnostic) != "lint") continue;
    EXPECT_EQ(diagnostic.severity, Severity::kAdvice) << diagnostic.id;
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
