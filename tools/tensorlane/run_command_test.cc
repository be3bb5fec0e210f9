// `tensorlane run`, `ops`, `chips` and `conformance` as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "command_test_support.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Result run(const std::vector<std::string>& words) {
  return run_words(words);
}

Result shell(const std::string& script) {
  return run({"run", "--", "/bin/sh", "-c", script});
}

TEST(Run, StatusIsTheProgramsAsAShellWouldHaveIt) {
  EXPECT_EQ(shell("exit 0").status, 0);
  EXPECT_EQ(shell("exit 7").status, 7);
  EXPECT_EQ(shell("kill -9 $$").status, 137);
  EXPECT_THAT(shell("kill -9 $$").err, HasSubstr("by signal 9 (Killed)"));
  EXPECT_THAT(shell("exit 7").err, HasSubstr("with exit status 7"));
}

TEST(Run, OptionsAfterTheProgramAreTheProgramsOwn) {
  EXPECT_EQ(shell("test \"$0 $1\" = '--chip --help'").status, 1);
  EXPECT_EQ(
      run({"run", "--", "/bin/sh", "-c", "test \"$0 $1\" = '--chip --help'", "--chip", "--help"})
          .status,
      0);
  EXPECT_EQ(run({"run", "/bin/sh", "-c", "exit 5"}).status, 5);
  EXPECT_EQ(run({"run", "--quiet", "/bin/sh", "-c", "exit 5"}).err, "");
}

TEST(Run, SaysWhyAProgramCannotStart) {
  const Result missing = run({"run", "--", "/no/such/program"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_EQ(missing.err,
            "tensorlane run: cannot start '/no/such/program': No such file or directory\n");
  const TemporaryFolder temporary;
  const Result folder = run({"run", "--", temporary.path().string()});
  EXPECT_EQ(folder.status, 126);
  EXPECT_THAT(folder.err, HasSubstr("it is a folder"));
  const std::string file = temporary / "not_executable";
  std::ofstream(file) << "text";
  EXPECT_EQ(run({"run", "--", file}).status, 126);
  const Result nothing = run({"run"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("no program given"));
}

TEST(Run, FindsOurLibraryFirstAndPassesTheOptionsOn) {
  const Result result = run({"run", "--chip", "bm1684", "--reference", "--", "/bin/sh", "-c",
                             "echo $TENSORLANE_CHIP $TENSORLANE_IMPL; "
                             "test -e ${LD_LIBRARY_PATH%%:*}/libbmlib.so"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("bm1684 reference"));
}

TEST(Run, ADryRunHasNothingToCompare) {
  const TemporaryFolder temporary;
  const std::string file = temporary / "want.npy";
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  std::ofstream(file) << std::string("\x93NUMPY\x01\x00v\x00", 10) << header
                      << std::string(117 - header.size(), ' ') << '\n'
                      << std::string(4, '\0');
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--expect", file}, std::vector<std::string>{"--precision"}}) {
    std::vector<std::string> all = {"run", "--dry-run"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--", "/bin/sh", "-c", "echo started"});
    const Result result = run(all);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("--dry-run computes nothing that --expect or --precision "
                                      "could look at"));
    EXPECT_EQ(result.out, "") << "said before the program starts";
  }
}

TEST(Run, SaysWhatBecomesOfCallsThatBreakLimits) {
  const std::string variables = "echo [$TENSORLANE_KEEP_GOING] [$TENSORLANE_STRICT]";
  EXPECT_THAT(shell(variables).out, HasSubstr("[] []"));
  EXPECT_THAT(run({"run", "--keep-going", "--", "/bin/sh", "-c", variables}).out,
              HasSubstr("[1] []"));
  EXPECT_THAT(run({"run", "--strict", "--", "/bin/sh", "-c", variables}).out, HasSubstr("[] [1]"));
}

#ifdef TENSORLANE_EXAMPLE
TEST(Run, SummarisesWhatTheDeviceDid) {
  const TemporaryFolder folder;
  const std::string file = folder / "run.json";
  const Result result = run({"run", "--report", file, "--", TENSORLANE_EXAMPLE});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("tensorlane: bm1684, "));
  EXPECT_THAT(result.err, HasSubstr(" GDMA, "));
  EXPECT_THAT(result.err, HasSubstr("global -> local"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("\x1b")));
  std::ifstream stream(file);
  const json report = json::parse(stream);
  EXPECT_EQ(report["status"], 0);
  ASSERT_EQ(report["devices"].size(), 1U);
  EXPECT_EQ(report["devices"][0]["failed_launches"], 0);
  EXPECT_GT(report["devices"][0]["commands"]["bdc"], 0);
}
#endif

TEST(Run, SaysWhenNoDeviceWasOpened) {
  EXPECT_THAT(shell("true").err, HasSubstr("opened no emulated device"));
}

TEST(Ops, ListsEveryFunctionWithItsTests) {
  const Result result = run({"ops", "--json"});
  ASSERT_EQ(result.status, 0);
  const json list = json::parse(result.out);
  EXPECT_EQ(list.size(), okk::op_list().size());
  for (const json& entry : list) {
    EXPECT_GT(entry["tests"], 0) << entry["name"] << " has no test";
    EXPECT_FALSE(entry["doc"]["zh"].get<std::string>().empty()) << entry["name"];
    if (entry["engine"] != "none") {
      EXPECT_EQ(entry["implementations"].back(), "reference") << entry["name"];
    }
  }
}

TEST(Ops, EveryImplementedFunctionOfTheBm1684xHasTests) {
  const Result result = run({"ops", "--chip", "bm1684x", "--json"});
  ASSERT_EQ(result.status, 0);
  const json list = json::parse(result.out);
  EXPECT_EQ(list.size(), 691U);
  for (const json& entry : list) {
    if (entry["state"] == "implemented") {
      EXPECT_GT(entry["tests"], 0) << entry["name"] << " has no test";
    }
  }
}

TEST(Ops, ShowsOneFunctionInFull) {
  const Result result = run({"ops", "okk_bdc_conv2d"});
  EXPECT_THAT(result.out, HasSubstr("void okk_bdc_conv2d(local_addr_t output_addr,"));
  EXPECT_THAT(result.out, HasSubstr("2IC"));
  EXPECT_THAT(result.out, HasSubstr("limits"));
  EXPECT_EQ(run({"ops", "okk_bdc_conv2"}).status, 0);
  const Result unknown = run({"ops", "okk_bdc_comv2d"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'okk_bdc_conv2d'?"));
}

TEST(Ops, SaysOfEveryLimitWhatBecomesOfACallThatBreaksIt) {
  const std::string pool = run({"ops", "okk_bdc_avg_pool2d"}).out;
  EXPECT_THAT(pool, HasSubstr("is refused\n  not_null(input_shape)"));
  EXPECT_THAT(pool, HasSubstr("with --keep-going computed\n  1 <= input_shape.n <= 65535"));
  EXPECT_THAT(pool, HasSubstr("computed as the model does\n  1 <= input_shape.c <= 4095"));
  EXPECT_THAT(run({"ops", "okk_gdma_32bit_cpy_S2L"}).out,
              HasSubstr("is a warning, and computed as the model does\n  src_stride != NULL"));
  EXPECT_THAT(run({"ops", "okk_bdc_exp"}).out,
              HasSubstr("limits on values: elements that break one are an error, and computed as "
                        "the model does\n  -103.0 <= values(src_addr) <= 88.0"));
  EXPECT_THAT(run({"ops", "--chip", "bm1684x", "tpu_gdma_reverse_S2S"}).out,
              HasSubstr("with --strict refused\n  every call"));
}

TEST(Chips, ShowTheirConstants) {
  EXPECT_THAT(run({"chips"}).out, HasSubstr("0x105100000"));
  const json list = json::parse(run({"chips", "bm1684", "--json"}).out);
  EXPECT_EQ(list[0]["npus"], 64);
  EXPECT_EQ(list[0]["memories"].size(), 4U);
  EXPECT_EQ(run({"chips", "bm1685"}).status, 2);
}

TEST(Conformance, ReportsCountsAndStatus) {
  const TemporaryFolder folder;
  const std::string file = folder / "conformance.json";
  const Result result = run(
      {"conformance", TENSORLANE_TESTDATA "/okk", "--filter", "okk_bdc_add/", "--json=" + file});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("18 cases: 18 passed, 0 failed"));
  std::ifstream stream(file);
  EXPECT_EQ(json::parse(stream)["total"]["passed"], 18);
  EXPECT_EQ(run({"conformance", "/no/such/folder"}).status, 2);
  EXPECT_EQ(run({"conformance", TENSORLANE_TESTDATA "/okk", "--filter", "nothing"}).status, 2);
  const Result misspelt = run({"conformnce"});
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'conformance'?"));
}

}  // namespace
}  // namespace tensorlane::cli
