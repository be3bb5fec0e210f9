#include "tensorlane/json/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

TEST(Toml, ReadsWhatSettingsAreMadeOf) {
  const Json read = parse_toml(
      "\xef\xbb\xbf# rules\r\n"
      "chip = \"bm1684x\"  # which\r\n"
      "\r\n"
      "[[rule]]\n"
      "match = [ 'a\\*', \"b\\\"\\u4e2d\\t\", # two\n   \"c\", ]\n"
      "start_npu = 1_000\n"
      "keep = true\n"
      "  [rule.more]\n"
      "  scale = -2.5e3\n"
      "[[ rule ]]\n"
      "\"odd key\" = -0x1f\n"
      "point = { x = 1, y = [[], [2]] }\n"
      "[other.'in it']\n"
      "skip = false",
      "r.toml");
  EXPECT_EQ(read, Json::parse(R"({"":1,"chip":"bm1684x",
      "rule":[{"":4,"match":["a\\*","b\"中\t","c"],"start_npu":1000,"keep":true,
               "more":{"":9,"scale":-2500.0}},
              {"":11,"odd key":-31,"point":{"":13,"x":1,"y":[[],[2]]}}],
      "other":{"":14,"in it":{"":14,"skip":false}}})"))
      << read;
  EXPECT_EQ(parse_toml("", "r.toml"), Json::parse(R"({"":1})"));
}

std::string refusal(std::string_view text) {
  try {
    return parse_toml(text, "r.toml").dump();
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(Toml, SaysWhereItIsWrong) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"a = \n", "r.toml, line 1, character 5: found the end of the line; expected a value"},
      {"a", "line 1, character 2: found the end of the file; expected '='"},
      {"\na = 1 b = 2", "line 2, character 7: found 'b'; expected the end of the line"},
      {"a = 1\na = 2", "line 2, character 1: found 'a'; expected a name that is not there yet"},
      {"[a]\n[a]", "line 2, character 1: found '['; expected a name that no other table has"},
      {"a = 1\n[[a]]", "line 2, character 1: found '['; expected a name that no other table has"},
      {"[a\n", "line 1, character 3: found the end of the line; expected ']'"},
      {"a = [1 2]", "line 1, character 8: found '2'; expected ',' or ']'"},
      {"a = [1", "line 1, character 7: found the end of the file"},
      {"a = 'x\n'", "line 1, character 5: found '''; expected a text that ends in its line"},
      {"a = \"\"\"x\"\"\"", "line 1, character 5: found '\"'; expected a text in one line"},
      {"a = \"\\q\"", "line 1, character 7: found 'q'; expected an escape"},
      {"a = \"\\ud800\"", "expected an escape"},
      {"a = 12x", "line 1, character 5: found '1'; expected a number"},
      {"a = 2024-01-01", "line 1, character 5: found '2'; expected a number"},
      {"a = 99999999999999999999x", "expected a number"},
      {"\xe4\xb8\xad = 1", "line 1, character 1: found '\xe4\xb8\xad'; expected a name"},
      {"= 1", "expected a name"},
      {"a.b = 1", "line 1, character 2: found '.'; expected '='"},
      {"a = {x = 1", "expected ',' or '}'"},
  };
  for (const auto& [text, message] : kWrong) {
    EXPECT_THAT(refusal(text), HasSubstr(message)) << text;
  }
  EXPECT_THAT(refusal("a = " + std::string(1000, '[')), HasSubstr("fewer lists in one another"));
}

}  // namespace
}  // namespace tensorlane
