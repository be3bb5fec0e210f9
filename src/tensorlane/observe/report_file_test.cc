#include "tensorlane/observe/report_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"

namespace tensorlane::observe {
namespace {

class ReportFile : public testing::Test {
 protected:
  ReportFile() { setenv("TENSORLANE_REPORT", path_.c_str(), 1); }
  ~ReportFile() override { unsetenv("TENSORLANE_REPORT"); }
  std::vector<Json> lines() const {
    std::vector<Json> result;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) result.push_back(Json::parse(line));
    return result;
  }
  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "report.jsonl";
};

TEST_F(ReportFile, HoldsOneLinePerEntryInOrder) {
  for (int k = 0; k < 3; ++k) append_report({{"tool", "device"}, {"device", k}});
  ASSERT_EQ(lines().size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(lines()[k]["device"], Json(k));
}

TEST_F(ReportFile, BytesThatAreNotUtf8LoseNothingElse) {
  append_report({{"file", "/tmp/\xff\xfe/kernel.c"}, {"line", 7}});
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_THAT(lines()[0]["file"].get<std::string>(), testing::EndsWith("/kernel.c"));
  EXPECT_EQ(lines()[0]["line"], Json(7));
}

TEST_F(ReportFile, LinesOfThreadsDoNotMix) {
  const std::string text(100000, 'x');
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      for (int n = 0; n < 10; ++n) append_report({{"text", text}});
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(lines().size(), 40u);
  for (const Json& line : lines()) EXPECT_EQ(line["text"].get<std::string>(), text);
}

TEST_F(ReportFile, ThatCannotBeWrittenIsSaid) {
  setenv("TENSORLANE_REPORT", "/dev/full", 1);
  EXPECT_THROW(append_report({{"tool", "device"}}), UserError);
  std::string said;
  const Say say = [&](const std::string& text) { said += text; };
  report_problem("no trace", say);
  EXPECT_EQ(said, "tensorlane: no trace\n");
  setenv("TENSORLANE_REPORT", path_.c_str(), 1);
  report_problem("no trace", say);
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0], (Json{{"tool", "problem"}, {"message", "no trace"}}));
}

}  // namespace
}  // namespace tensorlane::observe
