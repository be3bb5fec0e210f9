#include "tensorlane/observe/finding_picture.h"

#include <gtest/gtest.h>

#include <string>

#include "tensorlane/base/error.h"

namespace tensorlane::observe {
namespace {

Json place(const char* role, const char* where, const char* source) {
  return {{"role", role}, {"place", where}, {"source", source}};
}

Json race() {
  return {
      {"id", "TL-RACE-001"},
      {"severity", "error"},
      {"message", "okk_bdc_add_C reads what okk_gdma_32bit_cpy_S2L writes"},
      {"locations", Json::array({place("reader", "k.c:13 in k", "okk_bdc_add_C(a < b);"),
                                 place("writer", "k.c:12 in k", "")})},
      {"regions",
       Json::array({Json{
           {"memory", "local memory"}, {"npu", 4}, {"npus", 8}, {"begin", 512}, {"end", 1024}}})},
      {"notes", Json::array({"missing  nothing orders them"})},
      {"repair", "end the parallel region between the two"}};
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// What it says against bad input.
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(FindingPicture, NamesAllThatAPersonNeeds) {
  const std::string svg = finding_picture(race());
  for (const char* part :
       {"error TL-RACE-001", "reader k.c:13 in k", "okk_bdc_add_C(a &lt; b);", "writer k.c:12 in k",
        "missing: nothing orders them", "repair: end the parallel region", "local memory", "NPU 63",
        ">0x200<", ">0x400<"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
}

TEST(FindingPicture, ShowsTheBytesInTheirNpus) {
  // Columns of 256/64 = 4 from x = 620: NPUs 4 to 11 begin at 636 and are 32 wide.
  EXPECT_NE(finding_picture(race()).find(
                "<rect x=\"636\" y=\"111.5\" width=\"32\" height=\"95\" fill=\"#ef9a9a\""),
            std::string::npos)
      << finding_picture(race());
}

TEST(FindingPicture, OtherMemoriesAreOneColumn) {
  Json finding = race();
  finding["regions"] = Json::array(
      {Json{{"memory", "global memory"}, {"npu", 0}, {"npus", 0}, {"begin", 4096}, {"end", 4100}}});
  const std::string svg = finding_picture(finding);
  EXPECT_EQ(count(svg, "fill=\"#f1f5f9\""), 1);
  EXPECT_EQ(svg.find("NPU 0"), std::string::npos);
}

TEST(FindingPicture, WithoutBytesThereIsNoMemory) {
  Json finding = race();
  finding["regions"] = Json::array();
  EXPECT_EQ(finding_picture(finding).find("#f1f5f9"), std::string::npos);
}

// The same text and bytes on a phone, the bytes below; nothing stands out on the right.
TEST(FindingPicture, NarrowHasTheMemoryBelowTheText) {
  const std::string wide = finding_picture(race());
  const std::string svg = finding_picture(race(), PictureForm::kNarrow);
  EXPECT_NE(
      svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tensorlane\" width=\"400\""),
      std::string::npos);
  EXPECT_EQ(count(svg, "fill=\"#f1f5f9\""), count(wide, "fill=\"#f1f5f9\""));
  EXPECT_EQ(count(svg, "fill=\"#ef9a9a\""), count(wide, "fill=\"#ef9a9a\""));
  EXPECT_GT(svg.find("NPU 63"), svg.find("repair"));
  EXPECT_EQ(svg.find("<rect x=\"4"), std::string::npos);
}

TEST(FindingPicture, SaysWhatIsNoFinding) {
  EXPECT_NE(error_of([&] { finding_picture(Json::array()); }).find("'locations'"),
            std::string::npos);
  const Json report{{"findings", Json::array({race()})}};
  EXPECT_EQ(finding_of_report(report, 0, "r.json")["id"].text(), "TL-RACE-001");
  EXPECT_NE(error_of([&] {
              finding_of_report(report, 1, "r.json");
            }).find("'r.json' has findings 0 to 0"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              finding_of_report(Json::object(), 0, "r.json");
            }).find("no member 'findings'"),
            std::string::npos);
}

}  // namespace
}  // namespace tensorlane::observe
