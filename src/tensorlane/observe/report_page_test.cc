// The page of timelines made by hand; recording/clock_test.cc reads that of a real kernel.
#include "tensorlane/observe/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensorlane/base/error.h"
#include "tensorlane/observe/timeline_test_support.h"

namespace tensorlane::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int count(std::string_view text, std::string_view what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(ReportPage, DrawsWhatTheEyeCannotTellApartAsOneBox) {
  // 10,000 units for 10,000 us: a box is at least 1 us wide.
  Timeline all =
      timeline({command(kAdd, 0, 0.25), command(kAdd, 0.25, 0.5), command(kAdd, 5, 9)}, 10000);
  const std::string page = report_page({all});
  EXPECT_EQ(count(page, "data-engine=\"BDC\""), 2);
  EXPECT_THAT(page, HasSubstr("data-us=\"0.500000\" x=\"0.000\""));
  EXPECT_THAT(page,
              HasSubstr("<title>2 commands, first toy_add, an unknown place: 0.50 us, from 0.00 "
                        "to 0.50 us</title>"));
  EXPECT_THAT(page, HasSubstr("<title>toy_add, an unknown place: 4.00 us, from 5.00 to 9.00 us"));
}

TEST(ReportPage, ShowsBlocksOfLocalMemoryWithWriterAndReader) {
  Timeline all = timeline({copy(0, 10, 100, true, false), command(kAdd, 10, 20)}, 20);
  all.commands[0].local_accesses = {{0, 256, false, true}};
  all.commands[1].local_accesses = {{0, 256, true, false}, {512, 520, true, true}};
  const std::string page = report_page({all});
  EXPECT_THAT(page, HasSubstr("<rect class=\"gdma\" data-bytes=\"256\" data-command=\"0\""));
  EXPECT_THAT(page,
              HasSubstr("0x00000 to 0x00100, 256 bytes: toy_copy, an unknown place; last read at "
                        "an unknown place; 0.00 to 20.00 us"));
  EXPECT_THAT(page, HasSubstr("0x00200 to 0x00208, 8 bytes: not written in this launch"));
  EXPECT_THAT(page, HasSubstr("8 bytes: toy_add, an unknown place; never read"));
}

TEST(ReportPage, KnowsWhereBlocksCameFrom) {
  Timeline all = timeline(
      {copy(0, 5, 100, true, false), copy(5, 10, 100, true, false), command(kAdd, 10, 20)}, 20);
  all.commands[0].local_accesses = {{0, 256, false, true}};
  all.commands[1].local_accesses = {{256, 512, false, true}};
  all.commands[2].local_accesses = {{0, 512, true, false}, {512, 768, false, true}};
  EXPECT_THAT(
      report_page({all}),
      HasSubstr("{\"labels\":[\"toy_copy, an unknown place\",\"toy_add, an unknown place\"],"
                "\"commands\":[[0],[0],[1,0,1]]}"));
}

TEST(ReportPage, TheHauHasARowWhereItWorks) {
  EXPECT_THAT(report_page({timeline({command(kAdd, 0, 9)}, 9)}), Not(HasSubstr("HAU")));
  EXPECT_THAT(report_page({timeline({command(kSort, 0, 9)}, 9)}), HasSubstr("<span>HAU</span>"));
}

TEST(ReportPage, TheLongestLaunchesHaveChartsAndTheTableHasAll) {
  std::vector<Timeline> launches;
  for (int k = 0; k < 30; ++k) {
    launches.push_back(timeline({command(kAdd, 0, 1)}, k));
    launches.back().launch.number = static_cast<std::uint64_t>(k);
  }
  const std::string page = report_page(launches);
  EXPECT_EQ(count(page, "<section id="), 24);
  EXPECT_THAT(page, Not(HasSubstr("id=\"launch5\"")));
  EXPECT_THAT(page, HasSubstr("id=\"launch6\""));
  EXPECT_EQ(count(page, "<tr><td>"), 30 + 24) << "launches, and a source line for each chart";
  EXPECT_THAT(page, HasSubstr("The 24 longest launches have charts."));
  EXPECT_THAT(page, HasSubstr("<td>29</td><td><a href=\"#launch29\">kernel</a></td><td>1</td>"
                              "<td>29.0</td><td>79.0</td>"));
}

TEST(ReportPage, ManyLaunchesShareLinesAndLongOnesAreDrawnInPart) {
  ReportPage page;
  Timeline all = timeline({command(kAdd, 0, 1)}, 10);
  for (std::size_t k = 0; k < ReportPage::kMostLines + 3; ++k) {
    all.launch.number = k;
    page.add(all);
  }
  EXPECT_THAT(page.text(), HasSubstr("<tr><td>3 more</td><td>kernel</td><td>3</td><td>30.0</td>"
                                     "<td>180.0</td></tr>"));
  EXPECT_THAT(page.text(), Not(HasSubstr("are drawn.")));
  all.totals.add(command(kAdd, 1, 2), kParameters);
  EXPECT_THAT(report_page({all}), HasSubstr("The first 1 of 2 commands are drawn."));
}

TEST(ReportPage, TextsAreEscapedAndGuessedTimesSaySo) {
  Timeline all = timeline({command(kAdd, 0, 1)}, 1);
  all.launch.kernel = "a<b>&c";
  EXPECT_THAT(report_page({all}), HasSubstr("<h2>a&lt;b&gt;&amp;c, launch 3</h2>"));
  EXPECT_THAT(report_page({all}), HasSubstr("<a href=\"#launch3\">a&lt;b&gt;&amp;c</a>"));
  EXPECT_THAT(report_page({all}), Not(HasSubstr("uncalibrated")));
  TimingParameters guessed = kParameters;
  guessed.confirmed = Confirmed::kNothing;
  all.parameters = &guessed;
  EXPECT_THAT(report_page({all}), HasSubstr("<strong>uncalibrated"));
  EXPECT_THAT(report_page({}), HasSubstr("<title>TensorLane: no launch</title>"));
}

}  // namespace
}  // namespace tensorlane::observe
