// Files of rows, and parameters fitted on them.
#include "tensorlane/recording/board_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/chip/cycle_sources.h"
#include "tensorlane/recording/fit.h"
#include "tensorlane/recording/rankings.h"

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

// Rows that name a kernel or a program reach whoever runs them, each once, in JSON as in CSV.
TEST_F(Rows, NameKernelsAndProgramsThatAreRun) {
  std::vector<RowRun> runs;
  const RunRow run = [&](const RowRun& wanted, const Chip& chip) {
    runs.push_back(wanted);
    return std::make_shared<CommandList>(folder_ / "load.jsonl", chip);
  };
  const std::string folder = std::filesystem::path(folder_ / "x").parent_path() / "";
  const RowRun kernel{.sources = {folder + "k.c"},
                      .kernel = "sum",
                      .arguments = {{"in", "fp16:64x1024"}, {"n", "64"}, {"pads", "0,1"}},
                      .cores = 2};
  const RowRun program{.program = {folder + "./host", "7"}, .kernel = "sum"};
  const auto json = read_board_rows(file("runs.json", R"({"chip":"bm1684x","rows":[
      {"operator":"a","time_us":5,"code":"k.c","kernel":"sum","cores":2,
       "arguments":{"in":"fp16:64x1024","n":64,"pads":[0,1]}},
      {"operator":"b","time_us":6,"code":["k.c"],"kernel":"sum","cores":2,
       "arguments":"in=fp16:64x1024 n=64 pads=0,1"},
      {"operator":"c","time_us":7,"module":"k.so","kernel":"sum"},
      {"operator":"d","time_us":8,"program":["./host","7"],"kernel":"sum"},
      {"operator":"e","time_us":9,"recording":"load.jsonl","kernel":"of no interest"}]})"),
                                    nullptr, run);
  ASSERT_EQ(json.rows.size(), 5u);
  ASSERT_EQ(runs.size(), 3u) << "the second is the first";
  EXPECT_EQ(runs[0], kernel);
  EXPECT_EQ(runs[1], (RowRun{.module = folder + "k.so", .kernel = "sum"}));
  EXPECT_EQ(runs[2], program);
  EXPECT_GT(json.rows[3].modelled_us(bm1684x().timing), 0);
  runs.clear();
  read_board_rows(file("runs.csv",
                       "operator,time_us,code,program,kernel,arguments,cores\n"
                       "a,5,k.c,,sum,\"in=fp16:64x1024 n=64  pads=0,1\",2\n"
                       "b,6,,./host 7,sum,,\n"),
                  &bm1684x(), run);
  EXPECT_EQ(runs, (std::vector<RowRun>{kernel, program}));
}

TEST_F(Rows, SayWhatIsWrongWithWhatIsToBeRun) {
  const auto wrong = [&](const std::string& members) {
    return problem("h.json", R"({"rows":[{"operator":"a","time_us":5)" + members + "}]}");
  };
  EXPECT_NE(wrong("").find("row 1: what did it is missing"), std::string::npos);
  EXPECT_NE(wrong(R"(,"code":"k.c","recording":"load.jsonl")").find("one of them"),
            std::string::npos);
  EXPECT_NE(wrong(R"(,"code":"k.c")").find("kernel"), std::string::npos);
  EXPECT_NE(wrong(R"(,"code":[],"kernel":"k")").find("'code' is []"), std::string::npos);
  EXPECT_NE(wrong(R"(,"module":["a","b"],"kernel":"k")").find("'module'"), std::string::npos);
  EXPECT_NE(wrong(R"(,"code":"k.c","kernel":"k","arguments":"n:4")").find("\"n:4\""),
            std::string::npos);
  EXPECT_NE(wrong(R"(,"code":"k.c","kernel":"k","cores":1.5)").find("'cores' is 1.5"),
            std::string::npos);
  EXPECT_NE(wrong(R"(,"program":" ")").find("'program' is empty"), std::string::npos);
  EXPECT_NE(wrong(R"(,"program":"./host","cores":2)").find("'cores' beside"), std::string::npos);
  EXPECT_NE(wrong(R"(,"program":"./host")").find("nobody"), std::string::npos)
      << "and nobody runs it";
}

// A launch over cores: each waits for what it is sent, and they share the bandwidth of DDR.
TEST_F(Rows, OfSeveralCoresAreTimedWithTheirMessages) {
  const Chip& chip = find_chip("bm1690");
  const std::string begin = R"({"header":1,"chip":"bm1690","cores":2})"
                            "\n";
  const auto message = [](const char* kind) {
    return std::string(R"({"message":")") + kind + R"(","engine":"GDMA","slot":70,"count":1})" +
           "\n";
  };
  const std::string second = "{\"core\":1}\n";
  file("cores.jsonl", begin + load(64) + message("send") + second + message("wait") + load(64));
  file("apart.jsonl", begin + load(64) + second + load(64));
  const auto time = [&](const std::string& name, std::int64_t repeat = 1) {
    return CommandList(folder_ / name, chip).estimate(chip.timing, repeat);
  };
  const TimingParameters each = shared_by(chip.timing, 2);
  const double move = each.transfer_start_us + 1048576 / (each.read_gbps * 1e3);
  const Estimate apart = time("apart.jsonl"), waits = time("cores.jsonl");
  EXPECT_DOUBLE_EQ(apart.kernel_us, each.issue_gdma_us + move);
  EXPECT_DOUBLE_EQ(waits.kernel_us, each.issue_gdma_us + 2 * move + each.message_us);
  EXPECT_DOUBLE_EQ(waits.host_us, host_time_us(waits.kernel_us, each, 2));
  EXPECT_DOUBLE_EQ(waits.gdma.busy_us, move) << "of a core on average";
  EXPECT_EQ(waits.gdma.commands, 2);
  EXPECT_GT(time("cores.jsonl", 20).kernel_us, 19 * move);
  const auto read = [&](const std::string& text) {
    file("bad.jsonl", text);
    try {
      time("bad.jsonl");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(read(R"({"header":1,"cores":9})").find("the bm1690 has 1 to 8"), std::string::npos);
  EXPECT_NE(read(begin + "{\"core\":2}\n").find(":2: 'core' is 2"), std::string::npos);
  EXPECT_NE(read(begin + R"({"message":"sent"})").find("send"), std::string::npos);
  EXPECT_NE(
      read(begin + R"({"message":"send","engine":"CPU","slot":1,"count":1})").find("'engine'"),
      std::string::npos);
  EXPECT_NE(read(begin + R"({"message":"send","engine":"BDC","slot":512,"count":1})").find("511"),
            std::string::npos);
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

// Sessions that measured the same commands say how sure an order is.
TEST(Rankings, SayWhatARepeatOfTheMeasurementWouldHave) {
  const BoardRows published = published_rows(board_folder(), bm1684x());
  const TimingParameters& timing = bm1684x().timing;
  BoardRows rows{.chip = &bm1684x(), .rows = {}};
  // Five kinds of commands in two sessions.
  const auto measured = [&](double scatter) {
    rows.rows.clear();
    for (const std::string session : {"1", "2"}) {
      for (std::size_t k = 0; k < 5; ++k) {
        BoardRow row = published.rows[k * 3];
        row.op = "ours";
        row.shape = "one";
        row.part = "launch";
        row.session = session;
        const double off = session == "2" ? (k % 2 == 0 ? 1 + scatter : 1 / (1 + scatter)) : 1;
        row.time_us = row.modelled_us(timing) * off;
        rows.rows.push_back(row);
      }
    }
    return rankings(rows, timing);
  };
  const std::vector<Ranking> exact = measured(0);
  ASSERT_EQ(exact.size(), 2u) << "one per session";
  for (const Ranking& each : exact) {
    EXPECT_DOUBLE_EQ(each.correlation, 1);
    EXPECT_DOUBLE_EQ(each.sessions.value(), 1);
    EXPECT_DOUBLE_EQ(each.repeat.value(), 1);
    EXPECT_EQ(each.scatter, 0);
  }
  const std::vector<Ranking> rough = measured(1.5);
  EXPECT_GT(rough[0].scatter, 0.5);
  EXPECT_LT(rough[0].repeat.value(), 0.95);
  EXPECT_EQ(rough[0].repeat, measured(1.5)[0].repeat) << "the same in every run";
  EXPECT_LT(rough[0].sessions.value(), 1);
  EXPECT_DOUBLE_EQ(rough[0].correlation, 1) << "the first session is as the model has it";
  // In one session nothing is repeated.
  rows.rows.resize(5);
  EXPECT_FALSE(rankings(rows, timing)[0].repeat.has_value());
  // Over sessions that are too small by themselves, what a launch costs in each is taken out.
  rows.rows.clear();
  for (std::size_t k = 0; k < 6; ++k) {
    BoardRow row = published.rows[k * 3 % 15];
    row.op = "ours";
    row.shape = "two";
    row.part = "launch";
    row.session = k % 2 == 0 ? "1" : "2";
    row.time_us = row.modelled_us(timing) + (k % 2 == 0 ? 0 : 5000);
    rows.rows.push_back(row);
  }
  ASSERT_EQ(rankings(rows, timing).size(), 1u);
  EXPECT_EQ(rankings(rows, timing)[0].session, "");
  EXPECT_GT(rankings(rows, timing)[0].correlation, 0.98) << "rounding may part the two alike";
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

TEST(Fit, ChipsSayWhatCyclesRestOn) {
  for (const Chip* chip : all_chips()) {
    if (chip->timing.confirmed == Confirmed::kNothing) {
      EXPECT_TRUE(cycle_sources(*chip).empty()) << chip->name;
      continue;
    }
    const std::vector<CycleSupport> found = cycle_support_of(published_rows(board_folder(), *chip));
    const std::span<const CycleSource> said = cycle_sources(*chip);
    ASSERT_EQ(said.size(), found.size()) << chip->name;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(said[k].function, found[k].op->name()) << chip->name;
      EXPECT_EQ(said[k].rows, found[k].rows) << said[k].function;
      EXPECT_EQ(said[k].groups, found[k].groups) << said[k].function;
    }
  }
}

}  // namespace
}  // namespace tensorlane
