#include "tensorlane/command_log/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tensorlane/base/error.h"
#include "tensorlane/command_log/command_log_test_support.h"

namespace tensorlane::command_log {
namespace {

using testing::HasSubstr;

std::string text_of(const Log& log) {
  std::string text;
  for (const LoggedLaunch& launch : log.launches) {
    text += launch_line(launch).dump() + "\n";
    for (const LoggedCommand& command : launch.commands)
      text += command_line(command, launch).dump() + "\n";
    if (launch.ended) text += end_line(launch).dump() + "\n";
  }
  return text;
}

std::string error_of(const std::string& text) {
  try {
    read_log(text, "a.jsonl");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

RC_GTEST_PROP(LogReader, ReadsWhatIsWritten, ()) {
  const Log log = any_log();
  const Log read = read_log(text_of(log), "log");
  RC_ASSERT(read.launches.size() == 1u);
  RC_ASSERT(read.launches[0].commands == log.launches[0].commands);
  RC_ASSERT(read.launches[0].ended);
}

RC_GTEST_PROP(LogReader, ALogThatEndsEarlyIsReadUpToThere, ()) {
  Log log = any_log();
  log.launches[0].ended = false;
  const Log read = read_log(text_of(log), "log");
  RC_ASSERT(!read.launches[0].ended);
  RC_ASSERT(read.launches[0].commands == log.launches[0].commands);
}

// Whatever a byte becomes: read, or an error that names its line.
RC_GTEST_PROP(LogReader, AChangedByteIsReadOrNamed, ()) {
  std::string text = text_of(any_log());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::arbitrary<char>();
  const std::string error = error_of(text);
  RC_ASSERT(error.empty() || error.starts_with("a.jsonl:"));
}

TEST(LogReader, NumbersThatAreNoneAreKept) {
  const Log log = log_of({command("add", 2, {NAN, HUGE_VALF, -HUGE_VALF})});
  const std::vector<double> values =
      read_log(text_of(log), "log").launches[0].commands[0].operands[0].after->values;
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], HUGE_VAL);
  EXPECT_EQ(values[2], -HUGE_VAL);
}

TEST(LogReader, CommandsComeInTheOrderOfTheirIssue) {
  Log log = log_of({command("late", 2, {1}), command("early", 3, {1})});
  std::swap(log.launches[0].commands[0], log.launches[0].commands[1]);
  EXPECT_EQ(read_log(text_of(log), "log").launches[0].commands[0].function, "late");
}

TEST(LogReader, ErrorsNameTheLine) {
  const std::string text = text_of(log_of({command("add", 2, {1})}));
  EXPECT_EQ(error_of(text), "");
  EXPECT_THAT(error_of("hello\n"), HasSubstr("a.jsonl:1: it is no line of a command log"));
  EXPECT_THAT(error_of(text + "\n"), HasSubstr("a.jsonl:4: "));
  EXPECT_THAT(error_of(text + "{\"event\":\"x\"}\n"), HasSubstr("event is 'x'"));
  EXPECT_THAT(error_of(text + text.substr(text.find('\n') + 1)),
              HasSubstr("a.jsonl:4: launch 0 of device 0 has not begun, or has ended"));
  std::string larger = text;
  larger.replace(larger.find("\"shape\":[1,1,1,1]"), 17, "\"shape\":[1,0,1,1]");
  EXPECT_THAT(error_of(larger),
              HasSubstr("a.jsonl:2: 1 elements, 0 NaN and 0 infinities; the shape has 0"));
  std::string newer = text;
  newer.replace(newer.find("\"version\":1"), 11, "\"version\":2");
  EXPECT_THAT(error_of(newer), HasSubstr("a.jsonl:1: version is 2; this program reads version 1"));
}

}  // namespace
}  // namespace tensorlane::command_log
