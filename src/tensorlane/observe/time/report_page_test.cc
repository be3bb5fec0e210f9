// The page's data of timelines made by hand; recording/clock_test.cc reads that of a real kernel,
// tests/browser clicks through the page.
#include "tensorlane/observe/time/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/observe/time/timeline_test_support.h"

namespace tensorlane::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The only run of the page.
Json run_of(const std::string& page) {
  const Json runs = runs_of_page(page, "page.html");
  EXPECT_EQ(runs.size(), 1U);
  return runs[0];
}

Json run_data(const std::vector<Timeline>& launches) {
  return run_of(report_page(launches));
}

TEST(ReportPage, HasTimesAndWorkOfEveryCommand) {
  Timeline all = timeline({copy(0, 0.25, 100, true, false), command(kAdd, 5, 9)}, 10000);
  const Json chart = run_data({all})["charts"][0];
  const Json& commands = chart["commands"];
  EXPECT_EQ(commands["start"], Json::array({0, 5}));
  EXPECT_EQ(commands["end"], Json::array({0.25, 9}));
  EXPECT_EQ(commands["issue"], Json::array({-1, 4}));
  EXPECT_EQ(commands["issued"], Json::array({0, 5}));
  EXPECT_EQ(commands["bytes"], Json::array({100, 0}));
  EXPECT_EQ(commands["peak"], Json::array({10, 0})) << "GB/s of DDR to local";
  // The line of each command is that of its function.
  const Json& lines = chart["profile"]["lines"];
  EXPECT_EQ(lines[commands["line"][0].get<int>()]["call"], "toy_copy");
  EXPECT_EQ(lines[commands["line"][1].get<int>()]["call"], "toy_add");
}

TEST(ReportPage, EveryLineOfTheEngineThatBoundsSaysWhatHelps) {
  int first = 0, second = 0;
  const Timeline all = timeline(
      {copy(0, 5, 100, true, false), command(kExp, 0, 60, &first), command(kAdd, 60, 90, &second)},
      90);
  const Json profile = run_data({all})["charts"][0]["profile"];
  EXPECT_EQ(profile["bound_by"], "BDC");
  ASSERT_EQ(profile["lines"].size(), 3U);
  EXPECT_EQ(profile["lines"][0]["held_us"], 60);
  EXPECT_THAT(profile["lines"][0]["help"].text(), HasSubstr("a cheaper function"));
  EXPECT_EQ(profile["lines"][1]["held_us"], 30);
  EXPECT_THAT(profile["lines"][1]["help"].text(), HasSubstr("a narrower type"));
  EXPECT_EQ(profile["lines"][2]["held_us"], 0) << "the other engine";
  EXPECT_THAT(profile["lines"][2]["what"].text(), HasSubstr("DDR to local"));
}

TEST(ReportPage, ShowsBlocksOfLocalMemoryWithWriterAndReader) {
  Timeline all = timeline({copy(0, 10, 100, true, false), command(kAdd, 10, 20)}, 20);
  all.commands[0].local_accesses = {{0, 256, false, true}};
  all.commands[1].local_accesses = {{0, 256, true, false}, {512, 520, true, true}};
  const Json blocks = run_data({all})["charts"][0]["blocks"];
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0], Json::array({0, 256, 0, 20, 0, 1, 0}));
  EXPECT_EQ(blocks[1], Json::array({512, 520, 0, 10, -1, 1, 0})) << "not written in this launch";
  EXPECT_EQ(blocks[2], Json::array({512, 520, 10, 20, 1, -1, 0})) << "never read";
}

TEST(ReportPage, KnowsWhereBlocksCameFrom) {
  Timeline all = timeline(
      {copy(0, 5, 100, true, false), copy(5, 10, 100, true, false), command(kAdd, 10, 20)}, 20);
  all.commands[0].local_accesses = {{0, 256, false, true}};
  all.commands[1].local_accesses = {{256, 512, false, true}};
  all.commands[2].local_accesses = {{0, 512, true, false}, {512, 768, false, true}};
  EXPECT_EQ(run_data({all})["charts"][0]["sources"].dump(), "[[],[],[0,1]]");
}

TEST(ReportPage, OfVeryManySourcesSaysHowManyThereAre) {
  std::vector<TimedCommand> commands;
  for (int k = 0; k < 40; ++k) {
    commands.push_back(copy(k, k + 1, 4, true, false));
    commands.back().local_accesses = {{4L * k, 4L * k + 4, false, true}};
  }
  commands.push_back(command(kAdd, 40, 41));
  commands.back().local_accesses = {{0, 160, true, false}};
  const Json sources = run_data({timeline(commands, 41)})["charts"][0]["sources"][40];
  EXPECT_EQ(sources.size(), 33U);
  EXPECT_EQ(sources[31], 31);
  EXPECT_EQ(sources[32], -8);
}

TEST(ReportPage, TheLongestLaunchesHaveChartsAndTheTableHasAll) {
  std::vector<Timeline> launches;
  for (int k = 0; k < 30; ++k) {
    launches.push_back(timeline({command(kAdd, 0, 1)}, k));
    launches.back().launch.number = static_cast<std::uint64_t>(k);
  }
  const Json run = run_data(launches);
  EXPECT_EQ(run["count"], 30);
  ASSERT_EQ(run["charts"].size(), ReportPage::kMostCharts);
  EXPECT_EQ(run["charts"][0]["profile"]["launch"], 6);
  ASSERT_EQ(run["launches"].size(), 30U);
  EXPECT_EQ(run["launches"][29].dump(),
            R"({"launch":29,"kernel":"kernel","commands":1,"us":29.0,"host_us":79.0})");
}

TEST(ReportPage, ManyLaunchesShareLines) {
  ReportPage page;
  Timeline all = timeline({command(kAdd, 0, 1)}, 10);
  for (std::size_t k = 0; k < ReportPage::kMostLines + 3; ++k) {
    all.launch.number = k;
    page.add(all);
  }
  const Json lines = page.run()["launches"];
  ASSERT_EQ(lines.size(), ReportPage::kMostLines + 1);
  EXPECT_EQ(lines[ReportPage::kMostLines].dump(),
            R"({"launches":3,"kernel":"kernel","commands":3,"us":30.0,"host_us":180.0})");
}

TEST(ReportPage, ItsSizeIsBoundedAndTheLongestLaunchesAreDrawnWhole) {
  const std::size_t commands = ReportPage::kMostDrawn / 3 + 1;
  ReportPage page;
  for (int k = 0; k < 5; ++k) {
    std::vector<TimedCommand> list;
    for (std::size_t each = 0; each < commands; ++each)
      list.push_back(command(kAdd, static_cast<double>(each), static_cast<double>(each) + 0.5));
    page.add(timeline(std::move(list), 1e5 + k));
  }
  const Json charts = page.run()["charts"];
  std::vector<std::size_t> drawn;
  for (const Json& chart : charts) drawn.push_back(chart["commands"]["start"].size());
  EXPECT_THAT(drawn, ::testing::ElementsAre(0, 0, ReportPage::kMostDrawn - 2 * commands, commands,
                                            commands));
  EXPECT_LT(page.text().size(), 6U << 20);
}

TEST(ReportPage, TextsAreEscapedAndGuessedTimesSaySo) {
  Timeline all = timeline({command(kAdd, 0, 1)}, 1);
  all.launch.kernel = "a</script>&c";
  EXPECT_THAT(report_page({all}), Not(HasSubstr("a</script>")));
  EXPECT_EQ(run_data({all})["charts"][0]["profile"]["kernel"], "a</script>&c");
  EXPECT_EQ(run_data({all})["note"],
            "these rest on one published row, or one group of rows, alone: okk_bdc_avg_pool2d, "
            "okk_bdc_mac");
  TimingParameters guessed = kParameters;
  guessed.confirmed = Confirmed::kNothing;
  all.parameters = &guessed;
  EXPECT_THAT(run_data({all})["note"].text(), HasSubstr("uncalibrated"));
  EXPECT_THAT(report_page({}), HasSubstr("<title>TensorLane: no launch</title>"));
}

TEST(ReportPage, HoldsSeveralRunsAndIsReadAgain) {
  ReportPage page;
  page.add(timeline({command(kAdd, 0, 1)}, 1));
  Json first = page.run(), second = page.run();
  first["name"] = "before @DATA@";
  second["name"] = "after";
  const Json runs = Json::array({first, second});
  EXPECT_EQ(runs_of_page(page_of_runs(runs), "both.html"), runs);
  EXPECT_THROW(runs_of_page("<html></html>", "x.html"), UserError);
}

// The third line of a file, by an address that stands for it.
TEST(ReportPage, HasTheSourceAroundItsLinesAndThoseOfFindings) {
  const TemporaryFolder folder;
  const std::string file = folder / "source_on_a_page.c";
  std::ofstream(file) << "one\ntwo\nthree <script>\nfour\r\nfive\nsix\nseven\n"
                      << std::string(300, 'x');
  const void* const third = address_of_place(file, 3, "kernel");
  Json run = run_data({timeline({command(kAdd, 0, 10, third)}, 10)});
  const Json& lines = run["sources"][file];
  EXPECT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines["3"], "three <script>");
  EXPECT_EQ(lines["4"], "four");
  EXPECT_FALSE(run.contains("findings")) << "nothing was checked";
  const Json place = {{"file", file}, {"line", 7}};
  add_findings(run, Json::array({Json{{"locations", Json::array({place})}}}));
  EXPECT_EQ(run["findings"].size(), 1U);
  EXPECT_EQ(run["sources"][file]["7"], "seven");
  EXPECT_EQ(run["sources"][file]["3"], "three <script>") << "those that were there stay";
  EXPECT_FALSE(run["sources"][file].contains("8")) << "too long for a line of source";
}

TEST(ReportPage, HasTheCallsThatWereKept) {
  Timeline all = timeline({command(kAdd, 0, 1), command(kAdd, 1, 2)}, 2);
  all.commands[0].call = "toy_add(1.5f);";
  EXPECT_EQ(run_data({all})["charts"][0]["calls"], Json::array({"toy_add(1.5f);"}));
}

// What has to be replaced in a text.
std::vector<std::string> places(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at)
    found.push_back(text.substr(at, 3));
  std::ranges::sort(found);
  return found;
}

TEST(ReportPage, SaysTheSameInBothLanguages) {
  const std::string_view begin = "id=\"texts\">";
  const std::string page = report_page({});
  const std::size_t from = page.find(begin) + begin.size();
  const Json texts = Json::parse(page.substr(from, page.find("</script>", from) - from));
  const Json& english = texts["en"];
  EXPECT_EQ(english.size(), texts["zh"].size());
  for (const auto& [name, text] : english.items()) {
    ASSERT_TRUE(texts["zh"].contains(name)) << name;
    EXPECT_EQ(places(text.text()), places(texts["zh"][name].text())) << name;
  }
}

}  // namespace
}  // namespace tensorlane::observe
