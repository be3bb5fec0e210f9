// Files of rows, and parameters fitted on them.
#include "tensorlane/recording/board_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/recording/fit.h"

namespace tensorlane {
namespace {

std::string board_folder() {
  return TENSORLANE_TESTDATA "/../data/board";
}

// A folder with a recording of one load and one of a loop's turn, and a file of rows beside them.
class Rows : public ::testing::Test {
 protected:
  Rows() {
    std::ofstream(folder_ / "load.jsonl") << load(64);
    std::ofstream(folder_ / "turn.jsonl") << load(1) << load(1) << R"({"op":"poll"})" << '\n';
  }
  static std::string load(int channels) {
    return R"({"op":"gdma_cpy_S2L","dst_addr":0,"src_addr":4294967296,"shape":[1,)" +
           std::to_string(channels) +
           R"(,1,16384],"dst_stride":null,"src_stride":null,"dtype":1})" + "\n";
  }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string problem(const std::string& name, const std::string& text) {
    try {
      read_board_rows(file(name, text), &bm1684x());
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(Rows, AreReadFromJsonAndFromCsv) {
  const auto csv = read_board_rows(
      file("rows.csv",
           "operator,shape,part,time_us,recording,repeat,split\n"
           "move,\"1 MiB, \"\"in\"\"\",GDMA,20,load.jsonl,,validation\nmove,,,5,turn.jsonl,3,\n"),
      &bm1684x());
  ASSERT_EQ(csv.rows.size(), 2u);
  EXPECT_EQ(csv.rows[0].shape, "1 MiB, \"in\"");
  EXPECT_FALSE(csv.rows[0].calibration);
  EXPECT_EQ(csv.rows[1].part, "launch");
  EXPECT_EQ(csv.rows[1].repeat, 3);
  EXPECT_TRUE(csv.rows[1].calibration);
  const auto json =
      read_board_rows(file("rows.json", R"({"chip":"bm1684x","rows":[{"operator":"move",
      "part":"GDMA","time_us":20.5,"recording":"load.jsonl","group":"moves"}]})"));
  ASSERT_EQ(json.rows.size(), 1u);
  EXPECT_EQ(json.chip, &bm1684x());
  EXPECT_EQ(json.rows[0].time_us, 20.5);
  EXPECT_EQ(json.rows[0].group, "moves");
  const TimingParameters& timing = bm1684x().timing;
  EXPECT_DOUBLE_EQ(
      json.rows[0].modelled_us(timing),
      timing.transfer_start_us + timing.small_transfer_us + 1048576 / (timing.read_gbps * 1e3));
}

TEST_F(Rows, SayWhatIsWrongWithThem) {
  EXPECT_NE(problem("a.csv", "operator,time_us\nmove,5\n").find("row 1"), std::string::npos);
  EXPECT_NE(problem("b.csv", "operator,time_us,recording\nmove,fast,load.jsonl\n").find("time_us"),
            std::string::npos);
  EXPECT_NE(problem("c.csv", "operator,time_us,recording\nmove,5\n").find(":2:"),
            std::string::npos);
  EXPECT_NE(
      problem("d.csv", "operator,time_us,recording,part\nmove,5,load.jsonl,gdma\n").find("GDMA"),
      std::string::npos);
  EXPECT_NE(problem("e.csv", "operator,time_us,recording\nmove,5,gone.jsonl\n").find("gone"),
            std::string::npos);
  EXPECT_NE(
      problem("f.csv", "operator,time_us,recording,repeat\nmove,5,load.jsonl,1.5\n").find("repeat"),
      std::string::npos);
  EXPECT_NE(problem("g.json", "{").find("g.json"), std::string::npos);
}

// Turns beyond the first few are like the last: as if all were handed over.
TEST_F(Rows, RepeatedTurnsTakeAsLongAsAllOfThem) {
  std::string all;
  for (int k = 0; k < 40; ++k) all += load(1);
  std::ofstream(folder_ / "all.jsonl") << all;
  TimingParameters timing = find_chip("bm1690").timing;
  const Estimate turns =
                     CommandList(folder_ / "turn.jsonl", find_chip("bm1690")).estimate(timing, 20),
                 whole = CommandList(folder_ / "all.jsonl", find_chip("bm1690")).estimate(timing);
  EXPECT_NEAR(turns.kernel_us, whole.kernel_us, 1e-6);
  EXPECT_NEAR(turns.gdma.busy_us, whole.gdma.busy_us, 1e-6);
  EXPECT_EQ(turns.gdma.commands, whole.gdma.commands);
}

TEST(RankCorrelation, IsThatOfRanks) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 200, 3000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {3, 2, 1}), 0);
  EXPECT_NEAR(rank_correlation({1, 2, 2, 3}, {1, 2, 3, 4}), 0.9487, 1e-4);
}

// Rows made of other parameters lead back to them; what no row knows of stays.
TEST(Fit, FindsTheParametersThatMadeTheRows) {
  BoardRows rows = published_rows(board_folder(), bm1684x());
  TimingParameters other = bm1684x().timing;
  other.read_gbps *= 0.8;
  other.write_gbps *= 1.2;
  for (BoardRow& row : rows.rows) row.time_us = row.modelled_us(other);
  const Fit fit = fit_parameters(rows);
  EXPECT_NEAR(fit.parameters.read_gbps / other.read_gbps, 1, 0.01);
  EXPECT_NEAR(fit.parameters.write_gbps / other.write_gbps, 1, 0.02);
  EXPECT_EQ(fit.parameters.launch_us, bm1684x().timing.launch_us);
  for (const FittedRow& row : fit.rows) {
    EXPECT_TRUE(row.row->calibration);
    EXPECT_NEAR(row.fitted_us / row.row->time_us, 1, 0.01);
  }
  for (const FittedParameter& each : fit.found) {
    EXPECT_GT(each.rows, 0);
    EXPECT_LE(each.least, each.fitted);
    EXPECT_GE(each.largest, each.fitted);
  }
}

TEST(Fit, NeedsRowsThatCalibrate) {
  BoardRows rows = published_rows(board_folder(), bm1684x());
  for (BoardRow& row : rows.rows) row.calibration = false;
  EXPECT_THROW(fit_parameters(rows), UserError);
}

// What `tensorlane chips` says a parameter rests on is what the rows say.
TEST(Fit, ChipsSayWhatTheirParametersRestOn) {
  for (const Chip* chip : {&bm1684(), &bm1684x(), &find_chip("bm1690"), &find_chip("sg2260e")}) {
    for (const Support& found : support_of(published_rows(board_folder(), *chip))) {
      const TimingSource* const source = chip->source(found.value);
      ASSERT_NE(source, nullptr);
      const auto row =
          std::ranges::find(timing_parameter_rows(), found.value, &TimingParameterRow::value);
      EXPECT_EQ(source->rows, found.rows) << chip->name << ": " << row->name;
      EXPECT_EQ(source->groups, found.groups) << chip->name << ": " << row->name;
    }
  }
}

}  // namespace
}  // namespace tensorlane
