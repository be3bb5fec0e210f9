// No text of the help lacks its Chinese, and none says something else of names and options.
#include "catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <regex>
#include <set>
#include <string>

#include "command_test_support.h"
#include "commands.h"

namespace tensorlane::cli {
namespace {

// What both languages have to name alike: options, quoted words, places in a text.
std::set<std::string> fixed_parts(const std::string& text) {
  static const std::regex kFixed(
      "--[a-z-]+|\\B'[^']+'\\B|\\{[a-z]*\\}|[A-Z_]{2,}|\\.[a-z]{3,}\\b|[0-9]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), kFixed), {}};
}

void expect_translated(const std::string& text, const std::string& where) {
  // The list of checks is put together of the checks' own texts.
  if (text.find('\n') != std::string::npos || text.empty()) return;
  EXPECT_TRUE(chinese_catalogue().contains(text))
      << where << ": tools/tensorlane/zh.po lacks\nmsgid \"" << text << "\"";
}

void expect_translated(const CommandTree& command) {
  expect_translated(command.description, command.name);
  expect_translated(remarks_of(command.footer), command.name);
  for (const OptionDescription& option : command.options)
    expect_translated(option.description, command.name + " " + option.names.front());
  for (const CommandTree& sub : command.subcommands) expect_translated(sub);
}

TEST(Catalogue, EveryTextOfTheHelpIsTranslated) {
  expect_translated(command_tree());
}

TEST(Catalogue, TranslationsNameWhatTheEnglishNames) {
  EXPECT_GT(chinese_catalogue().size(), 150U);
  for (const auto& [english, chinese] : chinese_catalogue()) {
    EXPECT_NE(english, chinese);
    // Labels have no small letters and name nothing.
    if (std::ranges::none_of(
            english, [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }))
      continue;
    EXPECT_EQ(fixed_parts(english), fixed_parts(chinese)) << english << "\n" << chinese;
  }
}

TEST(Catalogue, HelpIsInTheLanguageThatIsAskedFor) {
  const std::string chinese = run_line("--lang zh layout plan --help").out;
  EXPECT_NE(chinese.find("若干张量的多大一块放得进本地内存"), std::string::npos) << chinese;
  EXPECT_NE(chinese.find("用法"), std::string::npos);
  EXPECT_EQ(run_line("--lang=en layout plan --help").out, run_line("layout plan --help").out);
  EXPECT_EQ(run_line("--lang fr layout").status, 2);
  setenv("LC_ALL", "zh_CN.UTF-8", 1);
  std::vector<std::string> words = {"layout"};
  EXPECT_EQ(take_language(words), Language::kChinese);
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ(take_language(words), Language::kEnglish);
  EXPECT_EQ(words.size(), 1U);
}

}  // namespace
}  // namespace tensorlane::cli
