// Every row of observe/run_options.h on the command line and in the environment; tests/python has
// Python's part.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "command_test_support.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/device/device.h"
#include "tensorlane/io/npy.h"
#include "tensorlane/observe/environment.h"
#include "tensorlane/observe/run_options.h"

namespace tensorlane::cli {
namespace {

using observe::RunOption;
using observe::RunOptionKind;
using testing::HasSubstr;

// A value that the option takes. Texts and lists have forms of their own.
std::string sample_of(const RunOption& row, const TemporaryFolder& folder) {
  const std::map<std::string_view, std::string> forms = {
      {"TENSORLANE_CHIP", "bm1684"},
      {"TENSORLANE_DMA", "late"},
      {"TENSORLANE_CHECK", "race,init"},
      {"TENSORLANE_THREADS", "1"},
      {"TENSORLANE_CORES", "random:3"},
      {"TENSORLANE_ISA", "native"},
      {"TENSORLANE_PRINT", "kernel.c:12"},
      {"TENSORLANE_DUMP", "kernel.c:12=" + (folder / "dumped.npy").string()},
      {"TENSORLANE_WATCH", "3:0x0"},
      {"TENSORLANE_PRECISION_OF", "sample=8"},
      {"TENSORLANE_EXPECT", (folder / "expected.npy").string()}};
  if (const auto form = forms.find(row.variable); form != forms.end()) return form->second;
  switch (row.kind) {
    case RunOptionKind::kSwitch:
      return "1";
    case RunOptionKind::kSeconds:
      return "7";
    case RunOptionKind::kChoice:
      return std::string(row.words.substr(row.words.rfind('|') + 1));
    case RunOptionKind::kFile:
      return (folder / "written.json").string();
    case RunOptionKind::kText:
    case RunOptionKind::kList:
      break;
  }
  ADD_FAILURE() << row.variable << ": say which value it takes";
  return {};
}

TEST(RunOptions, EveryRowHasNamesOfItsOwn) {
  std::set<std::string_view> options, variables, keywords;
  for (const RunOption& row : observe::run_options()) {
    SCOPED_TRACE(row.variable);
    EXPECT_TRUE(row.variable.starts_with("TENSORLANE_"));
    EXPECT_TRUE(variables.insert(row.variable).second);
    EXPECT_TRUE(row.option.empty() || row.option.starts_with("--"));
    EXPECT_TRUE(row.option.empty() || options.insert(row.option).second);
    EXPECT_TRUE(row.keyword.empty() || keywords.insert(row.keyword).second);
    EXPECT_EQ(row.option.empty(), row.help.empty());
    EXPECT_TRUE(row.keyword.empty() || !row.option.empty());
  }
  EXPECT_GT(options.size(), 20U);
}

TEST(RunOptions, TheHelpOfRunHasEveryRow) {
  // Lines are broken by width.
  const auto in_one_line = [](std::string text) {
    std::string line;
    for (const char c : text) {
      const char next = c == '\n' ? ' ' : c;
      if (next != ' ' || !line.ends_with(' ')) line += next;
    }
    return line;
  };
  const std::string english = in_one_line(run_words({"run", "--help"}).out);
  const std::string chinese = in_one_line(run_words({"--lang", "zh", "run", "--help"}).out);
  for (const RunOption& row : observe::run_options()) {
    if (row.option.empty()) continue;
    EXPECT_THAT(english, HasSubstr(std::string(row.option)));
    EXPECT_THAT(english, HasSubstr(std::string(row.help)));
    EXPECT_THAT(chinese, HasSubstr(std::string(row.option)));
    EXPECT_THAT(chinese, testing::Not(HasSubstr(std::string(row.help))));
  }
}

// What the command line sets for a program, and that it sets nothing else.
TEST(RunOptions, EveryOptionOfTheCommandLineSetsItsVariable) {
  const TemporaryFolder folder;
  write_npy_file(folder / "expected.npy", Tensor{Dtype::kFp32, {4}, std::vector<std::byte>(16)});
  for (const RunOption& row : observe::run_options()) {
    if (row.option.empty()) continue;
    SCOPED_TRACE(row.option);
    const std::string sample = sample_of(row, folder);
    std::vector<std::string> words = {"run", "--quiet", "--check", "none"};
    if (row.option == "--check") words.resize(2);
    words.emplace_back(row.option);
    if (row.kind != RunOptionKind::kSwitch) words.push_back(sample);
    if (row.option == "--watch-break") words.insert(words.end(), {"--watch", "3:0x0"});
    words.insert(words.end(),
                 {"--", "/bin/sh", "-c", fmt::format("echo \"[${}]\" >&2", row.variable)});
    const std::string said = run_words(words).err;
    if (row.option == "--expect") {  // with what else is to be known of it
      EXPECT_THAT(said, HasSubstr(sample));
    } else {
      EXPECT_THAT(said, HasSubstr("[" + sample + "]"));
    }
  }
  // What is not asked for counts for nothing, whatever stands in the environment.
  setenv("TENSORLANE_TIME", "1", 1);
  const std::string said =
      run_words({"run", "--quiet", "--", "/bin/sh", "-c", "echo \"[$TENSORLANE_TIME]\" >&2"}).err;
  unsetenv("TENSORLANE_TIME");
  EXPECT_THAT(said, HasSubstr("[]"));
}

// The environment takes what the command line hands on, and `tensorlane` names the variable of what
// it does not take.
TEST(RunOptions, TheEnvironmentAttachesEveryRow) {
  const TemporaryFolder folder;
  for (const RunOption& row : observe::run_options()) {
    if (row.attach == nullptr || row.variable == "TENSORLANE_WHY") continue;
    SCOPED_TRACE(row.variable);
    const std::string variable(row.variable);
    int attached = 0;
    for (const std::string& value : {std::string(), sample_of(row, folder)}) {
      Device device(bm1684());
      setenv(variable.c_str(), value.c_str(), 1);
      EXPECT_NO_THROW(observe::attach_from_environment(device, [](const std::string&) {}));
      unsetenv(variable.c_str());
      attached += observe::asks(row, value) ? 1 : 0;
    }
    EXPECT_EQ(attached, 1);
    if (row.kind != RunOptionKind::kChoice && row.kind != RunOptionKind::kSeconds) continue;
    Device device(bm1684());
    setenv(variable.c_str(), "no such value", 1);
    try {
      observe::attach_from_environment(device, [](const std::string&) {});
      ADD_FAILURE() << "'no such value' is taken";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(variable));
    }
    unsetenv(variable.c_str());
  }
}

}  // namespace
}  // namespace tensorlane::cli
