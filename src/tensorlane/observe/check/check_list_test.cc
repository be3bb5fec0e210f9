#include "tensorlane/observe/check/check_list.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/pages.h"

namespace tensorlane::check {
namespace {

using ::testing::HasSubstr;

std::set<std::string_view> names_of(const Checks& checks) {
  std::set<std::string_view> names;
  for (const CheckRow* row : checks.rows) names.insert(row->name);
  return names;
}

TEST(CheckList, ANameChoosesItsRows) {
  for (const std::string_view name : check_names()) {
    const Checks checks = parse_checks(name);
    EXPECT_EQ(names_of(checks), (std::set<std::string_view>{name, "launch"}));
    for (const CheckRow& row : check_rows()) {
      EXPECT_EQ(std::ranges::count(checks.rows, &row),
                row.name == name || row.name == "launch" ? 1 : 0);
    }
    EXPECT_EQ(checks.advice, name == "lint") << name;
  }
}

TEST(CheckList, AllIsEveryRowThatSaysSo) {
  const Checks all = parse_checks("all");
  for (const CheckRow& row : check_rows())
    EXPECT_EQ(std::ranges::count(all.rows, &row), row.in_all ? 1 : 0) << row.name;
  EXPECT_FALSE(all.advice);
  EXPECT_EQ(parse_checks("all,nan,race").rows.size(), check_rows().size());
}

TEST(CheckList, ChecksRunInTheOrderOfTheRows) {
  const Checks checks = parse_checks("nan,lint,sync,all");
  EXPECT_TRUE(std::ranges::is_sorted(checks.rows));
  EXPECT_EQ(parse_checks("").rows.size(), 0u);
}

TEST(CheckList, AnUnknownNameIsAnsweredWithAllOfThem) {
  try {
    parse_checks("all,rase");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'rase'; did you mean 'race'?"));
    for (const std::string_view name : check_names())
      EXPECT_THAT(error.what(), HasSubstr(std::string(name)));
  }
}

TEST(CheckList, AnUnknownNameIsAnsweredOnce) {
  try {
    parse_checks("bogus");
    FAIL();
  } catch (const UserError& error) {
    const std::string_view text = error.what();
    EXPECT_EQ(text.find("coverage"), text.rfind("coverage")) << text;
    EXPECT_NE(text.find("coverage"), text.npos) << text;
  }
}

TEST(CheckList, EveryIdBelongsToOneCheckAndEveryPageToAnId) {
  std::set<std::string_view> ids, pages;
  for (const CheckRow& row : check_rows()) {
    EXPECT_FALSE(row.parts().diagnostics.empty()) << row.finds;
    for (const Diagnostic& diagnostic : row.parts().diagnostics)
      EXPECT_TRUE(ids.insert(diagnostic.id).second) << diagnostic.id;
  }
  for (const auto& [id, text] : kPages) {
    if (!id.empty()) pages.insert(id);
  }
  EXPECT_EQ(ids, pages);
}

TEST(CheckList, EveryPageHasItsChineseTwin) {
  std::vector<std::string_view> english, chinese;
  for (const auto& [id, text] : kPages) english.push_back(id);
  for (const auto& [id, text] : kChinesePages) chinese.push_back(id);
  EXPECT_EQ(english, chinese);
}

TEST(CheckList, ACheckReportsItsOwnDiagnosticsOnly) {
  Report report;
  const int place = 0;
  Scene scene{FindingLaunches{0, "pipeline", 3, 3, 1, {}, nullptr}, {}};
  const CheckRow& row = check_rows().front();
  const FindingSink sink(report, *all_chips().front(), scene, row.parts().diagnostics);
  const auto compose = [](Finding& finding) { finding.message = "wrong"; };
  const std::string_view own = row.parts().diagnostics.front().id;
  for (int k = 0; k < 2; ++k) sink.add({own, nullptr, nullptr, 0}, compose);
  ASSERT_EQ(report.findings().size(), 1u);
  EXPECT_EQ(report.findings()[0].diagnostic->id, own);
  EXPECT_EQ(report.findings()[0].kernel, "pipeline");
  EXPECT_EQ(report.findings()[0].launches.front().first, 3u);
  EXPECT_EQ(report.findings()[0].count, 2u);
  EXPECT_TRUE(report.findings()[0].locations.empty());
  scene.host = {"bm_memcpy_d2s", &place};
  sink.add({own, nullptr, nullptr, 1}, compose);
  EXPECT_EQ(report.findings()[1].locations.front().call, "bm_memcpy_d2s")
      << "what the host is doing is the place of what has no other";
  EXPECT_THROW(sink.add({"TL-NOTHING-001", nullptr, nullptr, 0}, compose), InternalError);
}

// docs/checker.md has a line per name, made of the rows.
TEST(CheckList, ThePageListsTheRows) {
  std::stringstream page;
  page << std::ifstream(TENSORLANE_CHECKER_PAGE).rdbuf();
  for (const std::string_view name : check_names()) {
    std::string finds, ids, own = "TL-" + std::string(name);
    std::ranges::transform(own, own.begin(), [](unsigned char c) { return std::toupper(c); });
    bool in_all = true;
    for (const CheckRow& row : check_rows()) {
      if (row.name != name) continue;
      in_all = in_all && row.in_all;
      finds += fmt::format("{}{}", finds.empty() ? "" : "; ", row.finds);
      for (const Diagnostic& diagnostic : row.parts().diagnostics) {
        const std::string_view id = class_name(diagnostic) == name ? own : diagnostic.id;
        if (ids.find(id) == std::string::npos)
          ids += fmt::format("{}{}", ids.empty() ? "" : ", ", id);
      }
    }
    EXPECT_THAT(page.str(), HasSubstr(fmt::format("\n| {} | {}{} | {} |\n", name, finds,
                                                  in_all ? "" : "; not part of all", ids)));
  }
}

}  // namespace
}  // namespace tensorlane::check
