// Texts come in the language of the process, with their values in its order.
#include "tensorlane/base/language.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "tensorlane/base/catalogue.h"
#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

class LanguageTest : public testing::Test {
 protected:
  ~LanguageTest() override { set_language(Language::kEnglish); }
};

TEST_F(LanguageTest, IsEnglishUntilAProgramSaysOtherwise) {
  EXPECT_EQ(language(), Language::kEnglish);
  EXPECT_EQ(translated("advice"), "advice");
  set_language(Language::kChinese);
  EXPECT_EQ(translated("advice"), "建议");
  EXPECT_EQ(translated("no such text"), "no such text");
}

TEST_F(LanguageTest, NumbersChooseTheForm) {
  EXPECT_EQ(tr_n("{} error", "{} errors", 1), "1 error");
  EXPECT_EQ(tr_n("{} error", "{} errors", 0), "0 errors");
  EXPECT_EQ(tr_n("{} error", "{} errors", 2), "2 errors");
  set_language(Language::kChinese);
  for (const int n : {0, 1, 2})
    EXPECT_EQ(tr_n("{} error", "{} errors", n), fmt::format("{} 个错误", n));
}

TEST_F(LanguageTest, ListsReadAsAPersonWritesThem) {
  const std::vector<std::string> words = {"a", "b", "c"};
  const auto first = [&](std::size_t n) { return listed(std::span(words).first(n)); };
  EXPECT_EQ(first(0), "");
  EXPECT_EQ(first(1), "a");
  EXPECT_EQ(first(2), "a and b");
  EXPECT_EQ(first(3), "a, b and c");
  set_language(Language::kChinese);
  EXPECT_EQ(first(2), "a 和 b");
  EXPECT_EQ(first(3), "a、b 和 c");
}

TEST_F(LanguageTest, ErrorsFollow) {
  set_language(Language::kChinese);
  try {
    user_error("{} '{}': there are en and zh", "--lang", "fr");
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "--lang 'fr'：只有 en 和 zh");
    return;
  }
  FAIL() << "nothing was thrown";
}

TEST_F(LanguageTest, TheFirstVariableThatIsSetDecides) {
  for (const char* const name : {"TENSORLANE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"})
    unsetenv(name);
  EXPECT_EQ(language_of_environment(), Language::kEnglish);
  setenv("LANG", "zh_CN.UTF-8", 1);
  EXPECT_EQ(language_of_environment(), Language::kChinese);
  for (const char* const other : {"zh_CN.GB18030", "zh_TW.Big5", "en_US.UTF-8", "C"}) {
    setenv("LC_ALL", other, 1);
    EXPECT_EQ(language_of_environment(), Language::kEnglish) << other;
  }
  setenv("TENSORLANE_LANG", "zh", 1);
  EXPECT_EQ(language_of_environment(), Language::kChinese);
  setenv("TENSORLANE_LANG", "", 1);
  EXPECT_EQ(language_of_environment(), Language::kEnglish);
}

TEST_F(LanguageTest, ThreadsMayAskWhileAnotherSets) {
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([] {
      for (int n = 0; n < 1000; ++n) {
        const std::string_view text = translated("advice");
        EXPECT_TRUE(text == "advice" || text == "建议") << text;
      }
    });
  }
  for (int n = 0; n < 1000; ++n) set_language(n % 2 == 0 ? Language::kChinese : Language::kEnglish);
}

TEST(CatalogueFile, HasTextsOfSeveralLinesAndPluralForms) {
  const Catalogue catalogue = read_catalogue(
      "# comment\nmsgid \"\"\nmsgstr \"Language: zh\\n\"\n\n"
      "#: file.cc:1\nmsgid \"\"\n\"two \\\"lines\\\"\\n\"\n\"here\"\nmsgstr \"甲\"\n\"乙\"\n\n"
      "msgid \"{} a\"\nmsgid_plural \"{} as\"\nmsgstr[0] \"{} 个\"\n");
  ASSERT_EQ(catalogue.size(), 2U);
  EXPECT_EQ(catalogue.at("two \"lines\"\nhere").text, "甲乙");
  EXPECT_EQ(catalogue.at("{} a").plural, "{} as");
  EXPECT_EQ(catalogue.at("{} a").text, "{} 个");
}

}  // namespace
}  // namespace tensorlane
