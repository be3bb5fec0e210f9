// Every text has its Chinese, in which names, numbers and the places of values are the same, and
// the catalogue has no others.
#include "tensorlane/base/catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "command_test_support.h"
#include "commands.h"
#include "language_option.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/named.h"
#include "tensorlane/observe/time/report_page.h"
#include "tensorlane/ops/entry_text.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

const Catalogue& chinese_catalogue() {
  static const Catalogue catalogue = read_catalogue(chinese_po());
  return catalogue;
}

// What xgettext finds in the files of a language.
struct Sources {
  const char* language;
  std::vector<const char*> folders;
  std::set<std::string> endings;
};
Catalogue texts_of(const Sources& sources) {
  const TemporaryFolder temporary;
  const std::string list = temporary / "sources";
  {
    std::ofstream out(list);
    for (const char* const folder : sources.folders) {
      for (const auto& entry :
           fs::recursive_directory_iterator(fs::path(TENSORLANE_SOURCE_DIR) / folder)) {
        const std::string name = entry.path().string();
        if (sources.endings.contains(entry.path().extension()) &&
            name.find("_test") == std::string::npos)
          out << name << '\n';
      }
    }
  }
  const std::string command = fmt::format(
      "xgettext --language={} --from-code=UTF-8 --no-location -o - -k --keyword=tr "
      "--keyword=tr_n:1,2 --keyword=msg --keyword=user_error --keyword=labelled "
      "--keyword=make_location --keyword=add_line --keyword=damaged --files-from={} "
      "2>/dev/null",
      sources.language, list);
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << "the package gettext is missing";
  return read_catalogue(text);
}

Catalogue texts_of_sources() {
  Catalogue texts = texts_of(
      {"C++", {"src/tensorlane", "tools/tensorlane", "python/native", "sdk/ppl"}, {".cc", ".h"}});
  // Of what a recipe adds to them.
  if (const char* const more = std::getenv("TENSORLANE_MORE_SOURCES"))
    texts.merge(texts_of({"C++", {more}, {".cc", ".h"}}));
  Catalogue python = texts_of({"Python", {"python/tensorlane"}, {".py"}});
  EXPECT_GT(python.size(), 50U);
  texts.merge(python);
  return texts;
}

void add_help_of(const CommandTree& command, std::set<std::string>& texts) {
  const auto add = [&](const std::string& text) {
    // The list of checks is put together of the checks' own texts.
    if (text.find('\n') == std::string::npos && !text.empty()) texts.insert(text);
  };
  add(command.description);
  add(remarks_of(command.footer));
  for (const OptionDescription& option : command.options) add(option.description);
  for (const CommandTree& sub : command.subcommands) add_help_of(sub, texts);
}

std::set<std::string> texts_of_help() {
  std::set<std::string> texts;
  add_help_of(command_tree(), texts);
  return texts;
}

// What functions cost and need.
std::set<std::string> texts_of_ops() {
  std::set<std::string> texts;
  for (const Chip* chip : all_chips()) {
    for (const Op* op : front_end_of(*chip).ops().all()) {
      texts.insert(cost_without_numbers(op->spec().cycles.text));
      texts.emplace(op->spec().doc.words);
      texts.emplace(op->spec().cheaper.way.words);
      for (const OperandSpec& operand : op->spec().operands) texts.emplace(operand.other.words);
      texts.emplace(op->spec().absence_reason);
    }
  }
  texts.erase("");
  return texts;
}

// What the page of a timeline says, and layouts say of themselves.
std::set<std::string> texts_of_page_and_layouts() {
  std::set<std::string> texts;
  const Json page = Json::parse(observe::kPageTexts);
  for (const auto& [key, text] : page.items()) texts.insert(text.get<std::string>());
  for (const System system : kAllSystems) {
    for (const LayoutInfo& layout : layouts_of(system)) texts.emplace(layout.summary);
  }
  return texts;
}

// What the rows of data/board are called.
std::set<std::string> texts_of_board() {
  std::set<std::string> texts;
  const auto read = [](const char* name) {
    std::ifstream file(std::string(TENSORLANE_SOURCE_DIR "/data/board/") + name);
    return Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  };
  const auto add = [&](const Json& row, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (row.contains(key)) texts.insert(row.at(key).get<std::string>());
    }
  };
  const Json counters = read("counters.json"), unknown = read("unknown.json");
  for (const Json& row : counters.at("rows")) add(row, {"operator", "shape", "part", "note"});
  for (const char* later : {"bm1690.json", "sg2260e.json"}) {
    const Json table = read(later);
    for (const Json& row : table.at("rows")) add(row, {"operator", "note"});
  }
  for (const auto& [chip, rows] : unknown.items()) {
    for (const Json& row : rows) add(row, {"what", "instead"});
  }
  // Names of engines and of types alone are the same in Chinese.
  std::erase_if(texts, [](const std::string& text) {
    return !std::regex_search(text, std::regex("(^|[ ,])[a-z]{2,}([ ,-]|$)"));
  });
  return texts;
}

// The values that a text shows, by number and format: "0", "1:#x".
std::set<std::string> values_of(const std::string& text) {
  std::set<std::string> values;
  int next = 0;
  for (std::size_t at = 0; (at = text.find_first_of("{}", at)) != std::string::npos;) {
    if (text[at] == '}' || text[at + 1] == '{') {  // {{ and }}
      at += 2;
      continue;
    }
    const std::size_t end = text.find('}', at);
    std::string value = text.substr(at + 1, end - at - 1);
    if (value.empty() || value.front() == ':') value.insert(0, std::to_string(next++));
    values.insert(value);
    at = end + 1;
  }
  return values;
}

// Whether a text numbers all of its values or none, as fmt asks for.
bool numbers_alike(const std::string& text) {
  static const std::regex kNumbered("\\{[0-9]"), kUnnumbered("\\{[:}]");
  return !std::regex_search(text, kNumbered) || !std::regex_search(text, kUnnumbered);
}

// What both languages have to name alike: options, quoted words, names of functions, numbers.
std::set<std::string> fixed_parts(const std::string& text) {
  static const std::regex kFixed(
      "--[a-z-]+|\\B'[^'{}]+'\\B|\\$[a-z_]+|[A-Z_]{2,}|[a-z]+_[a-z_]+|\\.[a-z]{3,}\\b|[0-9]+");
  const std::string plain = std::regex_replace(text, std::regex("\\{[^}]*\\}"), " ");
  return {std::sregex_token_iterator(plain.begin(), plain.end(), kFixed), {}};
}

// "{}: {}"
bool has_no_words(const std::string& text) {
  const std::string plain = std::regex_replace(text, std::regex("\\{[^}]*\\}"), "");
  return std::ranges::none_of(
             plain, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }) &&
         plain != text;
}

bool names_nothing(const std::string& text) {
  return std::ranges::none_of(
      text, [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; });
}

TEST(Catalogue, EveryTextIsTranslatedAndNoTranslationIsStale) {
  const Catalogue& chinese = chinese_catalogue();
  const Catalogue sources = texts_of_sources();
  std::set<std::string> help = texts_of_help();
  help.merge(texts_of_ops());
  help.merge(texts_of_board());
  help.merge(texts_of_page_and_layouts());
  EXPECT_GT(sources.size(), 500U);
  for (const auto& [english, entry] : sources) {
    if (has_no_words(english)) continue;
    const auto found = chinese.find(english);
    if (found == chinese.end()) {
      ADD_FAILURE() << "po/zh.po lacks\n" << english;
    } else {
      EXPECT_EQ(found->second.plural, entry.plural) << english;
    }
  }
  for (const std::string& text : help)
    EXPECT_TRUE(chinese.contains(text)) << "po/zh.po lacks\n" << text;
  // The words that CLI11 brings along.
  const std::set<std::string, std::less<>> own_words = {"Example",  "Examples",    "Excludes",
                                                        "Needs",    "Options",     "Positionals",
                                                        "REQUIRED", "Subcommands", "Usage"};
  for (const auto& [english, entry] : chinese) {
    EXPECT_TRUE(sources.contains(english) || help.contains(english) || own_words.contains(english))
        << "po/zh.po translates what nobody says:\n"
        << english;
  }
}

TEST(Catalogue, TranslationsNameWhatTheEnglishNames) {
  for (const auto& [english, entry] : chinese_catalogue()) {
    EXPECT_FALSE(entry.text.empty()) << english;
    // Help shows its texts as they are, without values.
    EXPECT_EQ(values_of(english), values_of(entry.text)) << english << "\n" << entry.text;
    for (const std::string& text : {english, entry.plural, entry.text})
      EXPECT_TRUE(numbers_alike(text)) << text;
    EXPECT_EQ(std::ranges::count(english, '\n'), std::ranges::count(entry.text, '\n')) << english;
    if (names_nothing(english)) continue;
    EXPECT_EQ(fixed_parts(english), fixed_parts(entry.text)) << english << "\n" << entry.text;
  }
}

TEST(Catalogue, EveryEntryIsThereOnceAndFinished) {
  std::istringstream lines{std::string(chinese_po())};
  std::size_t entries = 0;
  for (std::string line; std::getline(lines, line);) {
    entries += line.starts_with("msgid ") ? 1 : 0;
    EXPECT_FALSE(line.starts_with("#~")) << "obsolete: " << line;
    EXPECT_FALSE(line.starts_with("#,")) << "a flag of gettext, such as fuzzy: " << line;
  }
  EXPECT_EQ(entries, chinese_catalogue().size() + 1);  // and the header
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

TEST(Catalogue, ACommandLeavesTheLanguageOfItsCaller) {
  for (const char* const line : {"--lang zh chips", "--lang zh chips nope", "--lang zh --help"}) {
    run_line(line);
    EXPECT_EQ(language(), Language::kEnglish) << line;
  }
}

TEST(Catalogue, AProgramIsWatchedInTheLanguageOfTheCommand) {
  for (const std::string language : {"en", "zh"}) {
    EXPECT_EQ(run_words({"--lang", language, "run", "--quiet", "--", "/bin/sh", "-c",
                         "echo $TENSORLANE_LANG"})
                  .out,
              language + "\n");
  }
  EXPECT_EQ(run_words({"--lang", "zh", "run", "--", "./nowhere"}).err,
            "tensorlane run: 无法启动 './nowhere'：没有这个文件或目录\n");
}

}  // namespace
}  // namespace tensorlane::cli
