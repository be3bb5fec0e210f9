// `tensorlane why` as a user runs it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_test_support.h"

#include "tensorlane/base/temporary_folder_test_support.h"

namespace tensorlane::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Result why(std::vector<std::string> words) {
  words.insert(words.begin(), "why");
  return run_words(words);
}

// A question that is refused before the program starts.
std::string refusal(std::vector<std::string> words) {
  words.insert(words.end(), {"--", "/no/such/program"});
  const Result result = why(words);
  EXPECT_EQ(result.status, 2) << result.err;
  return result.err;
}

TEST(Why, SaysWhatIsWrongWithAQuestion) {
  EXPECT_THAT(why({"--global", "0x0"}).err, HasSubstr("no program given"));
  EXPECT_THAT(refusal({}), HasSubstr("give one of --element, --global, --local and --expect"));
  EXPECT_THAT(refusal({"--global", "0x0", "--local", "0:0"}), HasSubstr("give one of"));
  EXPECT_THAT(refusal({"--global", "here"}), HasSubstr("--global 'here'"));
  EXPECT_THAT(refusal({"--global", "0:4"}), HasSubstr("are for --local"));
  EXPECT_THAT(refusal({"--local", "17"}), HasSubstr("it must be NPU:OFFSET"));
  EXPECT_THAT(refusal({"--global", "0", "--read", "1", "--end"}),
              HasSubstr("give one of --read, --launch and --end"));
  EXPECT_THAT(refusal({"--global", "0", "--read", "-1"}), HasSubstr("reads count from 0"));
  EXPECT_THAT(refusal({"--global", "0", "--launch", "-1"}), HasSubstr("launches count from 0"));
  EXPECT_THAT(refusal({"--global", "0", "--chip", "bm1685"}), HasSubstr("bm1684"));
  EXPECT_THAT(refusal({"--global", "0", "--dma", "later"}), HasSubstr("later"));
}

TEST(Why, SaysWhatIsWrongWithAnElement) {
  for (const char* text : {"output", "[0]", "output[0", "output]"})
    EXPECT_THAT(refusal({"--element", text}), HasSubstr("it must be a name and an index"));
  for (const char* index : {"", "a", "1,", "-1", "1;2"}) {
    EXPECT_THAT(refusal({"--element", fmt::format("x[{}]", index)}),
                HasSubstr("the index in --element"));
  }
  EXPECT_THAT(refusal({"--element", "read:a[0]"}), HasSubstr("the read in --element"));
  EXPECT_THAT(refusal({"--element", "read:1[0]", "--end"}), HasSubstr("says when as well"));
  EXPECT_THAT(refusal({"--element", "x[0,1]", "--shape", "2,2,2"}),
              HasSubstr("--shape 2,2,2 has 3"));
  EXPECT_THAT(refusal({"--element", "x[0,2]", "--shape", "2,2"}), HasSubstr("outside --shape 2,2"));
  EXPECT_THAT(refusal({"--element", "x[0]", "--dtype", "fp33"}), HasSubstr("did you mean 'fp32'"));
}

TEST(Why, SaysWhyAProgramCannotBeAsked) {
  EXPECT_EQ(why({"--global", "0", "--", "/no/such/program"}).status, 127);
  const Result none = why({"--global", "0", "--", "true"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("opened no emulated device"));
}

// The reference of a program's first read: as many numbers as it reads, or one.
std::string reference(const TemporaryFolder& folder, std::size_t count) {
  const std::string path = folder / "reference.npy";
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", count);
  header.resize(117, ' ');
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header << '\n'
       << std::string(4 * count, '\0');
  return path;
}

TEST(Why, TakesAReferenceInPlaceOfAnElement) {
  const TemporaryFolder folder;
  const std::string file = reference(folder, 1);
  EXPECT_THAT(refusal({"--expect", file, "--global", "0"}), HasSubstr("give one of --element"));
  EXPECT_THAT(refusal({"--expect", file, "--read", "0"}),
              HasSubstr("--expect FILE says which element, when"));
  EXPECT_THAT(refusal({"--expect", file, "--expected", "1"}), HasSubstr("what should stand there"));
  EXPECT_THAT(refusal({"--expect", folder / "none.npy"}), HasSubstr("none.npy"));
  EXPECT_THAT(refusal({"--output", "x", "--global", "0"}), HasSubstr("it belongs to an --expect"));
  EXPECT_THAT(why({"--expect", file, "--", "true"}).err, HasSubstr("opened no emulated device"));
}

#ifdef TENSORLANE_EXAMPLE
TEST(Why, AsksAboutWhatDiffersFromAReference) {
  const TemporaryFolder folder;
  const Result differs =
      why({"--expect", reference(folder, 200704), "--output", "read:0", "--", TENSORLANE_EXAMPLE});
  EXPECT_EQ(differs.status, 0) << differs.err;
  EXPECT_THAT(differs.out, HasSubstr("when the host read it (read 0)"));
  EXPECT_THAT(differs.out, HasSubstr("#0 okk_gdma_32bit_cpy_L2S at "));
  const Result never =
      why({"--expect", reference(folder, 3), "--output", "read:99", "--", TENSORLANE_EXAMPLE});
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.err, HasSubstr("was never read"));
}

// Element 5 of the output of the first launch: the input, 802816 bytes, takes 196 granules, and its
// red zone as many.
constexpr const char* kElement = "0x105288014";

TEST(Why, KnowsWhatTheHostReads) {
  const Result result = why({"--element", "read:0[5]", "--", TENSORLANE_EXAMPLE});
  EXPECT_THAT(result.out, HasSubstr(std::string("global memory ") + kElement));
  EXPECT_THAT(result.out, HasSubstr("when the host read it (read 0)"));
}

TEST(Why, PrintsTheChainBackToTheHost) {
  const Result result = why({"--global", kElement, "--launch", "0", "--", TENSORLANE_EXAMPLE});
  ASSERT_EQ(result.status, 0) << result.err;
  std::size_t at = 0;
  for (const char* line :
       {"at the end of launch 0", "#0 okk_gdma_32bit_cpy_L2S at ",
        "dst_addr[0,0,0,5] = ", "#1 okk_bdc_add_C at ", "1.0f", "#2 okk_gdma_32bit_cpy_S2L at ",
        "#3 the host: bm_memcpy_s2d at ", "byte 20 of the 802816"}) {
    at = result.out.find(line, at);
    ASSERT_NE(at, std::string::npos) << line << "\n" << result.out;
  }
}

TEST(Why, RunsAgainWhenThePastDoesNotFit) {
  const auto steps = [](const std::vector<std::string>& options) {
    const TemporaryFolder folder;
    const std::string file = folder / "why.json";
    std::vector<std::string> words = {"--global", kElement, "--launch", "0", "--json=" + file};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", TENSORLANE_EXAMPLE});
    const Result result = why(words);
    EXPECT_EQ(result.status, 0) << result.err;
    std::ifstream stream(file);
    return json::parse(stream);
  };
  const json once = steps({}), again = steps({"--memory", "1"});
  EXPECT_EQ(once["runs"], 1);
  EXPECT_GT(again["runs"], 1);
  EXPECT_EQ(once["steps"], again["steps"]);
}

TEST(Why, SaysWhichPlacesAndTimesThereAre) {
  EXPECT_THAT(why({"--global", kElement, "--launch", "9", "--", TENSORLANE_EXAMPLE}).err,
              HasSubstr("there were only 5 launches"));
  EXPECT_THAT(why({"--element", "read:0[0,1]", "--", TENSORLANE_EXAMPLE}).err,
              HasSubstr("read:0 has no known shape: give --shape"));
  EXPECT_EQ(why({"--element", "no_such_name[0]", "--", TENSORLANE_EXAMPLE}).status, 2);
  EXPECT_THAT(why({"--global", "0x10", "--", TENSORLANE_EXAMPLE}).err,
              HasSubstr("is in no memory of bm1684"));
  EXPECT_THAT(why({"--global", "0x105100000", "--device", "3", "--", TENSORLANE_EXAMPLE}).err,
              HasSubstr("opened no such device"));
}
#endif

}  // namespace
}  // namespace tensorlane::cli
