#include "tensorlane/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

// A document of any shape, with texts of ASCII and beyond.
Json random_document(int depth) {
  switch (*rc::gen::inRange(0, depth == 0 ? 6 : 8)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<std::uint64_t>();
    case 4:
      return *rc::gen::suchThat(rc::gen::arbitrary<double>(),
                                [](double x) { return std::isfinite(x); });
    case 5:
      return *rc::gen::element<std::string>("", "a", "\"\\/\n\t\x01", "名字", "a b");
    case 6: {
      Json list = Json::array();
      for (int left = *rc::gen::inRange(0, 4); left > 0; --left)
        list.push_back(random_document(depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (int left = *rc::gen::inRange(0, 4); left > 0; --left)
        object[*rc::gen::element<std::string>("z", "a", "m\"", "")] = random_document(depth - 1);
      return object;
    }
  }
}

// Runs what must throw UserError and gives its message.
template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Json, WhatIsWrittenReadsBackEqual) {
  rc::check([] {
    const Json document = random_document(4);
    RC_ASSERT(Json::parse(document.dump()) == document);
    RC_ASSERT(Json::parse(document.dump(2)) == document);
  });
}

TEST(Json, WritesWhatTheLibraryWrites) {
  rc::check([] {
    const std::string text = random_document(4).dump();
    RC_ASSERT(nlohmann::ordered_json::parse(text).dump() == text);
    RC_ASSERT(nlohmann::ordered_json::parse(text).dump(1) == Json::parse(text).dump(1));
  });
}

TEST(Json, BracedListsAreObjectsOrLists) {
  EXPECT_EQ((Json{{"b", 1}, {"a", {2, 3}}, {"c", {{"d", nullptr}}}}).dump(),
            R"({"b":1,"a":[2,3],"c":{"d":null}})");
  EXPECT_EQ((Json{"b", 1}).dump(), R"(["b",1])");
  EXPECT_EQ((Json{{"b", 1}, {"a", 2, 3}}).dump(), R"([["b",1],["a",2,3]])");
  EXPECT_EQ(Json::array({{{"b", 1}}, true}).dump(), R"([{"b":1},true])");
  EXPECT_EQ(Json::array().dump() + Json::object().dump() + Json().dump(), "[]{}null");
}

TEST(Json, TakesListsAndMaps) {
  EXPECT_EQ(Json(std::vector<std::string>{"x", "y"}).dump(), R"(["x","y"])");
  EXPECT_EQ(Json(std::map<std::string, int>{{"x", -1}, {"y", 2}}).dump(), R"({"x":-1,"y":2})");
  EXPECT_EQ(Json::parse("[1,2.9,-3]").get<std::vector<int>>(), (std::vector<int>{1, 2, -3}));
}

TEST(Json, MembersKeepTheirOrderAndTheLastValueOfAName) {
  Json object = Json::parse(R"({"z":1,"a":2,"z":3})");
  object["m"] = "x";
  object.update({{"a", 5}, {"b", 6}});
  EXPECT_EQ(object.dump(), R"({"z":3,"a":5,"m":"x","b":6})");
  object.erase("a");
  EXPECT_EQ(object.dump(), R"({"z":3,"m":"x","b":6})");
  EXPECT_EQ(object, Json::parse(R"({"b":6,"z":3,"m":"x"})"));
  EXPECT_NE(object, Json::parse(R"({"b":6,"z":3,"n":"x"})"));
}

TEST(Json, NumbersAreEqualByValue) {
  EXPECT_EQ(Json(3), Json(3U));
  EXPECT_EQ(Json(3), Json(3.0));
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Json(1), Json(true));
}

TEST(Json, ErrorsNameWhatIsMissingOrWrong) {
  const Json object = Json::parse(R"({"a":[1,"x"]})");
  EXPECT_EQ(message_of([&] { (void)object.at("b"); }),
            R"(there is no member 'b' in {"a":[1,"x"]})");
  EXPECT_EQ(message_of([&] { (void)object["a"][2]; }), R"(there is no element 2 in [1,"x"])");
  EXPECT_EQ(message_of([&] { (void)object["a"][1].get<int>(); }),
            R"(a number is expected, not "x")");
  EXPECT_EQ(message_of([&] { (void)object["a"][0].text(); }), "a text is expected, not 1");
  EXPECT_EQ(message_of([&] { (void)object["a"]["b"]; }), R"(an object is expected, not [1,"x"])");
  EXPECT_EQ(object.value("b", 7), 7);
  EXPECT_THROW((void)object.value("a", 7), UserError);
}

TEST(Json, TextsThatAreNoJsonAreRefusedWithTheirPlace) {
  EXPECT_THAT(message_of([] { Json::parse("{\n\"a\": broken}"); }),
              testing::StartsWith("parse error at line 2, column 6"));
  for (const char* text : {"", "{", "[1,]", "1 2", "{\"a\"}", "nul", "\"\x80\""}) {
    EXPECT_FALSE(Json::try_parse(text)) << text;
  }
  EXPECT_EQ(Json::try_parse("[]"), Json::array());
}

// Far deeper than the stack of this process would bear.
TEST(Json, NestingIsBounded) {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string text;
    for (int level = 0; level < 1000000; ++level) text += open;
    EXPECT_EQ(message_of([&] { Json::parse(text); }), "more than 200 lists and objects are open");
  }
  const std::string deepest = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(Json::parse(deepest).dump(), deepest);
}

TEST(Json, WhatJsonCannotHoldIsReplaced) {
  EXPECT_EQ(Json("a\xff"
                 "b")
                .dump(),
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
}

}  // namespace
}  // namespace tensorlane
