// The parts of the language server one by one: framing, waiting messages, texts and their places,
// what is known of arguments, files of runs. Its protocol as a whole: tests/lsp.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "lsp/c_values.h"
#include "lsp/diagnostics.h"
#include "lsp/inbox.h"
#include "lsp/last_run.h"
#include "lsp/transport.h"
#include "lsp/uri.h"
#include "lsp/workspace.h"
#include "tensorlane/base/error.h"

namespace tensorlane::lsp {
namespace {

// ---- Messages ----

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
std::unique_ptr<std::FILE, Closer> stream_of(const std::string& bytes) {
  std::unique_ptr<std::FILE, Closer> file(std::tmpfile());
  std::fwrite(bytes.data(), 1, bytes.size(), file.get());
  std::rewind(file.get());
  return file;
}

TEST(Transport, ReadsWhatItWrites) {
  const auto file = stream_of("");
  Writer writer(file.get());
  const Json a{{"method", "芯片\n𠀀"}}, b = Json::array({1, 2});
  writer.write(a);
  writer.write(b);
  std::rewind(file.get());
  Reader reader(file.get());
  EXPECT_EQ(Json::parse(reader.next()->text), a);
  EXPECT_EQ(Json::parse(reader.next()->text), b);
  EXPECT_FALSE(reader.next());
}

TEST(Transport, ADamagedHeaderCostsOneMessage) {
  const auto file = stream_of("Content-Length: 2x\r\n\r\nContent-Length: 2\r\n\r\n{}");
  Reader reader(file.get());
  EXPECT_TRUE(reader.next()->damaged);
  EXPECT_EQ(reader.next()->text, "{}");
}

RC_GTEST_PROP(Transport, AnyBytesComeToAnEnd, (const std::string& bytes)) {
  const auto file = stream_of(bytes);
  Reader reader(file.get());
  std::size_t messages = 0;
  while (reader.next()) ++messages;
  RC_ASSERT(messages <= bytes.size());
}

Item message(const Json& json) {
  Item item;
  item.message = json;
  return item;
}

TEST(Inbox, ARequestIsCancelledWhileItWaits) {
  Inbox inbox;
  inbox.add(message({{"id", 1}, {"method", "a"}}));
  inbox.add(message({{"id", "x"}, {"method", "b"}}));
  inbox.add(message({{"method", "$/cancelRequest"}, {"params", {{"id", "x"}}}}));
  inbox.add(message({{"id", "x"}, {"method", "c"}}));
  EXPECT_FALSE(inbox.take().cancelled);
  EXPECT_TRUE(inbox.take().cancelled);
  EXPECT_FALSE(inbox.take().cancelled);
  EXPECT_FALSE(inbox.take().cancelled) << "one that comes later with the same id is another one";
}

// ---- Texts ----

TEST(Document, CountsInUtf16) {
  const Document document("a芯𠀀b\r\nc\rd\n");
  EXPECT_EQ(document.line_count(), 4);
  EXPECT_EQ(document.line(0), "a芯𠀀b");
  EXPECT_EQ(document.offset_of({0, 2}), 4U);
  EXPECT_EQ(document.offset_of({0, 3}), 4U) << "in the middle of a pair";
  EXPECT_EQ(document.offset_of({0, 4}), 8U);
  EXPECT_EQ(document.offset_of({0, 99}), 9U);
  EXPECT_EQ(document.offset_of({99, 0}), document.text().size());
  EXPECT_EQ(document.position_of(8), (Position{0, 4}));
  EXPECT_EQ(document.line(2), "d");
}

// Every place is found again, and an edit of a range is one of the bytes between its ends.
RC_GTEST_PROP(Document, PlacesAndEdits, ()) {
  const auto part = rc::gen::element<std::string>("a", "芯", "𠀀", "\n", "\r\n", " ", "é");
  const auto parts = *rc::gen::container<std::vector<std::string>>(part);
  std::vector<std::size_t> places = {0};
  std::string text;
  for (const std::string& each : parts) {
    text += each;
    places.push_back(text.size());
  }
  Document document(text);
  const auto begin = *rc::gen::elementOf(places), end = *rc::gen::elementOf(places);
  for (const std::size_t at : places) RC_ASSERT(document.offset_of(document.position_of(at)) == at);
  const std::string put = *part;
  document.change(Range{document.position_of(begin), document.position_of(end)}, put);
  RC_ASSERT(document.text() ==
            text.replace(std::min(begin, end), std::max(begin, end) - std::min(begin, end), put));
}

RC_GTEST_PROP(Uri, IsReadAsItWasWritten, (const std::string& name)) {
  RC_PRE(name.find('\0') == std::string::npos);
  RC_ASSERT(path_of_uri(uri_of_path("/" + name)) == "/" + name);
}

TEST(Uri, NamesNoFile) {
  EXPECT_EQ(path_of_uri("untitled:Untitled-1"), "");
  EXPECT_EQ(path_of_uri("file:///a%00b"), "");
  EXPECT_EQ(path_of_uri("file://host/a%20b%zz"), "/a b%zz");
  EXPECT_EQ(path_of_uri("src/a.c"), "src/a.c");
}

// ---- C ----

std::vector<std::string> arguments_of(const std::string& text) {
  const CText c(text);
  std::vector<std::string> words;
  if (!c.calls().empty())
    for (const Span& span : c.calls().front().arguments) words.emplace_back(c.word(span));
  return words;
}

TEST(CText, FindsArguments) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(arguments_of("f()"), Words{});
  EXPECT_EQ(arguments_of("f(a,&(d){1, 2},g(b, c))"), (Words{"a", "&(d){1, 2}", "g(b, c)"}));
  EXPECT_EQ(arguments_of("f(\",\", ',', /* , */ a[1, 2])"),
            (Words{"\",\"", " ','", " /* , */ a[1, 2]"}));
  EXPECT_EQ(arguments_of("f(a, "), (Words{"a", " "}));
  EXPECT_EQ(arguments_of("f(a; b, c)"), (Words{"a"}));
}

RC_GTEST_PROP(CText, AnyTextIsRead, ()) {
  const auto part = rc::gen::element<std::string>(
      "(", ")", "{", "}", "[", "]", ";", ",", "f", "\"", "'", "/*", "*/", "//", "\n", "#define ",
      "\\", "1", "&", "=", ".", "okk_bdc_neg", "okk_poll", "dim4 ");
  const auto parts = *rc::gen::container<std::vector<std::string>>(part);
  std::string text;
  for (const std::string& each : parts) text += each;
  const CText c(text);
  for (const WrittenCall& call : c.calls()) {
    RC_ASSERT(call.name.end <= call.open);
    RC_ASSERT(call.open < call.end && call.end <= text.size());
    for (const Span& span : call.arguments)
      RC_ASSERT(span.begin <= span.end && span.end <= call.end);
  }
  for (std::size_t at = 0; at <= text.size(); ++at) {
    static_cast<void>(c.name_at(at));
    static_cast<void>(c.is_prose(at));
    static_cast<void>(c.function_around(at));
  }
  static_cast<void>(static_diagnostics(Document(text), ""));
}

// The value that a text gives an argument of this type; "?" where it gives none.
std::string value_of(const std::string& before, const std::string& argument,
                     std::string_view type = "int") {
  const std::string text = before + "f(" + argument + ")";
  const CText c(text);
  const CValues values(
      c, [](std::string_view name, std::size_t) { return name == "reads"; },
      [](const ArgType&, std::string_view name) -> std::optional<std::int64_t> {
        return name == "DT_FP16" ? std::optional<std::int64_t>(3) : std::nullopt;
      });
  for (const WrittenCall& call : c.calls()) {
    if (c.word(call.name) != "f") continue;
    const auto value = values.argument(arg_type(type), call.arguments.front());
    return value ? value->dump() : "?";
  }
  return "no call";
}

TEST(CValues, NumbersAreThoseOfC) {
  for (const auto& [text, value] :
       std::vector<std::pair<std::string, std::string>>{{"64", "64"},
                                                        {"0x40u", "64"},
                                                        {"010", "8"},
                                                        {"-3", "-3"},
                                                        {"1 + 2 * 3", "7"},
                                                        {"(1 + 2) * 3", "9"},
                                                        {"7 / 2 - 7 % 4", "0"},
                                                        {"1 << 4 | 3", "19"},
                                                        {"6 & 3 ^ 1", "3"},
                                                        {"~0 & 0xff", "255"},
                                                        {"sizeof(float)", "4"},
                                                        {"1 - 2 - 3", "-4"},
                                                        {"1 / 0", "?"},
                                                        {"1 << 40", "?"},
                                                        {"2147483647 + 1", "?"},
                                                        {"4294967295", "?"},
                                                        {"a", "?"},
                                                        {"g(1)", "?"},
                                                        {"1.5", "?"},
                                                        {"(int)1.5", "?"},
                                                        {"1 +", "?"},

                                                        {"DT_FP16", "3"},
                                                        {"9223372036854775808", "?"}})
    EXPECT_EQ(value_of("", text), value) << text;
  EXPECT_EQ(value_of("", "-1", "local_addr_t"), "?");
  EXPECT_EQ(value_of("", "true", "bool"), "1");
  EXPECT_EQ(value_of("", "2", "bool"), "?");
  EXPECT_EQ(value_of("", "-1.5f", "float"), "-1.5");
}

TEST(CValues, StructuresAreThoseOfC) {
  constexpr std::string_view kDim4 = "const dim4*";
  EXPECT_EQ(value_of("", "&(dim4){1, 2, 3, 4}", kDim4), "[1,2,3,4]");
  EXPECT_EQ(value_of("", "&(dim4){.w = 4, .n = 1}", kDim4), "[1,0,0,4]");
  EXPECT_EQ(value_of("", "&(dim4){.c = 2, 3}", kDim4), "[0,2,3,0]");
  EXPECT_EQ(value_of("", "&(dim4){1, 2, 3, 4,}", kDim4), "[1,2,3,4]");
  EXPECT_EQ(value_of("", "&(dim4){1, 2, 3, 4, 5}", kDim4), "?");
  EXPECT_EQ(value_of("", "&(dim4){1, x, 3, 4}", kDim4), "?");
  EXPECT_EQ(value_of("", "NULL", kDim4), "null");
  EXPECT_EQ(value_of("", "p", kDim4), "?");
}

TEST(CValues, ANameCountsWhereNothingChangesIt) {
  const auto in = [](const std::string& body, const std::string& argument = "x") {
    return value_of("void k(void) {" + body, argument);
  };
  EXPECT_EQ(in("int x = 3;"), "3");
  EXPECT_EQ(in("const int x = 3, y = 4;"), "3");
  EXPECT_EQ(in("int a = 1, x = 4;"), "?");
  EXPECT_EQ(in("int x = 3; reads(&x);"), "3");
  EXPECT_EQ(in("dim4 s = {1, 2, 3, 4};", "s.c * s.w"), "8");
  for (const char* const change : {"x = 4;", "x += 1;", "x++;", "--x;", "writes(&x);", "p = &x;",
                                   "q = {&x};", "SWAP(x, y);", "int x = 4;", "return &x;"})
    EXPECT_EQ(in(std::string("int x = 3; ") + change), "?") << change;
  for (const char* const use : {"y = x;", "y = x == 4;", "y = a & x;", "g(x);", "ASSERT(x > 0);"})
    EXPECT_EQ(in(std::string("int x = 3; ") + use), "3") << use;
  EXPECT_EQ(in("int* x = 3;"), "?");
  EXPECT_EQ(in("int x;"), "?");
  EXPECT_EQ(in("uint8_t x = 300;"), "?");
  EXPECT_EQ(in("int x = x;"), "?");
  EXPECT_EQ(value_of("const int x = 3; void k(int x) {", "x"), "?");
  EXPECT_EQ(value_of("const int x = 3; void g(void) { int x = 4; } void k(void) {", "x"), "3");
  EXPECT_EQ(value_of("#define X 3\nvoid k(void) {", "X"), "3");
  EXPECT_EQ(value_of("#define X Y + 1\n#define Y 2\nvoid k(void) {", "X"), "3");
  EXPECT_EQ(value_of("#define X X\nvoid k(void) {", "X"), "?");
  EXPECT_EQ(value_of("#define X 3\n#undef X\nvoid k(void) {", "X"), "?");
  EXPECT_EQ(value_of("#ifdef A\n#define X 3\n#endif\nvoid k(void) {", "X"), "?");
  EXPECT_EQ(value_of("#define X(a) 3\nvoid k(void) {", "X"), "?");
}

// ---- Runs ----

TEST(LastRun, ALineIsFoundWhereItStandsNow) {
  const Document document("a\nb();\nc\n  b();\nd\n");
  EXPECT_EQ(line_now(document, 2, "b();"), 1);
  EXPECT_EQ(line_now(document, 5, "b();"), 3);
  EXPECT_EQ(line_now(document, 50, "a"), 0);
  EXPECT_FALSE(line_now(document, 2, "gone"));
  EXPECT_FALSE(line_now(document, 9, ""));
}

TEST(LastRun, OfALogTheFirstCallOfALineCounts) {
  const std::string line =
      R"({"event":"command","function":"f","call":"f(1);","file":"k.c","line":7,"source":"f(x);"})";
  const auto calls =
      read_calls("{\"event\":\"launch\",\"chip\":\"bm1684\"}\n" + line + "\n" + line +
                     "\nno JSON\n{\"event\":\"command\"}\n" + line.substr(0, 20),
                 "/w");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls.begin()->first, (std::pair<std::string, std::int64_t>("/w/k.c", 7)));
  ASSERT_EQ(calls.begin()->second.size(), 1U);
  EXPECT_EQ(calls.begin()->second.front().chip, "bm1684");
}

TEST(LastRun, AnythingElseIsRefused) {
  for (const char* const text : {"", "{}", "[]", "{\"findings\":[{}]}", "{\"findings\":[3]}", "3"})
    EXPECT_THROW(read_faults(text, "/w"), UserError) << text;
  EXPECT_TRUE(read_faults("{\"runs\":[{\"results\":[]}]}", "/w").empty());
}

TEST(Settings, WrongOnesAreNamed) {
  const Settings before;
  for (const char* const text :
       {R"({"program":3})", R"({"program":[3]})", R"({"chip":"nope"})", R"({"language":"fr"})",
        R"({"runOnSave":1})", R"({"expect":{}})", R"({"expect":[{}]})", R"({"pictures":"gif"})"})
    EXPECT_THROW(read_settings(Json::parse(text), before), UserError) << text;
  const Settings settings = read_settings(
      Json::parse(R"({"program":"./a","build":["make"],"chip":"bm1684x","else":1})"), before);
  EXPECT_EQ(settings.program, (std::vector<std::string>{"/bin/sh", "-c", "./a"}));
  EXPECT_EQ(settings.chip, "bm1684x");
}

}  // namespace
}  // namespace tensorlane::lsp
