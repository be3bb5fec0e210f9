#include "run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "output_file.h"
#include "tensorlane/base/error.h"

namespace tensorlane::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kOpen = R"({"tool":"device","state":"open","process":7,"device":0})";
constexpr const char* kClosed = R"({"tool":"device","state":"closed","process":7,"device":0})";

RunReport::Content content_of(const std::vector<std::string>& lines) {
  const RunReport report;
  std::ofstream file(report.path(), std::ios::app);
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  EXPECT_TRUE(file);
  return report.read();
}

TEST(RunReport, OfADeviceIsWholeWhenItsLastLineIsThere) {
  EXPECT_THAT(content_of({}).problems, IsEmpty());
  EXPECT_THAT(content_of({kOpen, kClosed}).problems, IsEmpty());
  EXPECT_THAT(content_of({kOpen}).problems, ElementsAre(HasSubstr("device 0 of process 7")));
  EXPECT_EQ(content_of({kOpen, R"({"tool":"check","findings":[]})", kClosed}).lines.size(), 3u);
}

TEST(RunReport, LinesThatCannotBeReadAreAProblemAndHideNoOthers) {
  const auto content = content_of({kOpen, R"({"tool":"check","find)", "[1]", kClosed});
  EXPECT_EQ(content.problems.size(), 2u);
  EXPECT_EQ(content.lines.size(), 2u);
  EXPECT_FALSE(content.tool_failed);
  EXPECT_TRUE(content_of({R"({"tool":"problem","message":"no trace"})"}).tool_failed);
}

TEST(OutputFile, ForeignFilesOfStandardOutputArePrintedInTheOrderOfTheirNumbers) {
  testing::internal::CaptureStdout();
  std::string folder;
  {
    const ForeignOutput output("-", ".jsonl");
    folder = std::filesystem::path(output.path()).parent_path();
    std::ofstream(output.path()) << "1";
    for (const char* number : {"10", "2", "9"})
      std::ofstream(folder + "/output-" + number + ".jsonl") << number;
    output.print();
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "12910");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(OutputFile, WhatCannotBeWrittenIsAnError) {
  EXPECT_THROW(check_output("/no/such/folder/file"), UserError);
  EXPECT_THROW(write_output("/no/such/folder/file", "text"), UserError);
  EXPECT_THROW(write_output("/dev/full", "text"), UserError);
  EXPECT_NO_THROW(check_output("-"));
  EXPECT_NO_THROW(write_output("", "text"));
}

}  // namespace
}  // namespace tensorlane::cli
