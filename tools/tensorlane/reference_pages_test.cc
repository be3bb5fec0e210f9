// The pages of the reference as `tensorlane ops --pages` writes them: nothing of them is kept in
// the repository, so the tests look at what is written.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "command_test_support.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::cli {
namespace {

using testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The pages of the reference by name, as `tensorlane ops --pages` writes them.
std::map<std::string, std::string> reference_pages(std::string_view language, const Chip& chip) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_words({"--lang", std::string(language), "ops", "--chip", std::string(chip.name),
                       "--pages", (folder / "pages").string()})
                .status,
            0);
  std::map<std::string, std::string> pages;
  for (const auto& page : std::filesystem::directory_iterator(folder / "pages"))
    pages[page.path().filename()] = text_of(page.path());
  return pages;
}

const std::pair<std::string_view, std::string> kLanguages[] = {{"en", ""}, {"zh", "zh/"}};

// The line below the heading of a function on a page: what it does. Empty where it has none.
std::string said_of(std::string_view function, const std::string& page) {
  const std::string heading = fmt::format("### {}\n\n", function);
  const std::size_t at = page.find(heading);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + heading.size();
  EXPECT_EQ(page.find(heading, begin), std::string::npos) << function << " stands there twice";
  return page.substr(begin, page.find('\n', begin) - begin);
}

// Headings become anchors in lower case.
std::string anchor_of(std::string_view function) {
  std::string anchor(function);
  for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return anchor;
}

TEST(Reference, EveryFunctionIsOnItsFamilysPageInBothLanguages) {
  const std::regex chinese("[\xe4-\xe9][\x80-\xbf]{2}");
  int functions = 0;
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const auto& [language, folder] : kLanguages) {
      const auto pages = reference_pages(language, front_end->chip);
      for (const Op* op : front_end->ops().all()) {
        if (!front_end->chip.has_function(op->name())) continue;
        SCOPED_TRACE(fmt::format("{}{}: {}", folder, front_end->api.name, op->name()));
        const auto page = pages.find(std::string(op->spec().group) + ".md");
        ASSERT_NE(page, pages.end());
        EXPECT_THAT(page->second, HasSubstr(fmt::format("`{}`", op->name())));  // in the table
        if (op->spec().absence == Absence::kLaterChip) continue;                // of no chip here
        const std::string says = said_of(op->name(), page->second);
        EXPECT_FALSE(says.empty());
        EXPECT_THAT(page->second, HasSubstr("](#" + anchor_of(op->name()) + ")"));
        EXPECT_EQ(says, op->doc(language == "zh" ? Language::kChinese : Language::kEnglish));
        ++functions;
      }
    }
  }
  EXPECT_GT(functions, 2 * 500);
}

TEST(Reference, TheSiteListsEveryPage) {
  const std::string site = text_of(TENSORLANE_TESTDATA "/../mkdocs.yml");
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const auto& [language, folder] : kLanguages) {
      for (const auto& [name, page] : reference_pages(language, front_end->chip))
        EXPECT_THAT(
            site, HasSubstr(fmt::format("{}reference/{}/{}\n", folder, front_end->api.name, name)));
    }
  }
}

// How a page looks, by two small ones; all are written by the build.
TEST(Reference, PagesLookAsTheSamples) {
  const std::map<std::string_view, std::string> samples{{"okkernel", "bdc-memory.md"},
                                                        {"tpukernel", "cdma.md"}};
  for (const FrontEnd* front_end : all_front_ends()) {
    const auto sample = samples.find(front_end->api.name);
    if (sample == samples.end()) continue;
    for (const auto& [language, folder] : kLanguages) {
      const std::string kept =
          fmt::format("testdata/pages/{}/{}-{}", language, sample->first, sample->second);
      EXPECT_EQ(reference_pages(language, front_end->chip)[sample->second],
                text_of(TENSORLANE_TESTDATA "/../" + kept))
          << fmt::format(
                 "if so it should be: tensorlane --lang {} ops --chip {} --pages DIR; cp DIR/{} {}",
                 language, front_end->chip.name, sample->second, kept);
    }
  }
}

}  // namespace
}  // namespace tensorlane::cli
