// `layout loops`, `plan --command`, `takers`, and what `identify` and `locate` know of several
// tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command_test_support.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/io/tensor_file.h"

namespace tensorlane::cli {
namespace {

using testing::HasSubstr;

Result layout_line(const std::string& line) {
  return run_line("layout " + line);
}

TEST(LayoutLoops, SayWhatAConversionIs) {
  EXPECT_THAT(layout_line("loops --from NCHW --to NCHW --chip mace --shape 2,3,4,5").out,
              HasSubstr("a view: no byte moves"));
  const std::string copy = layout_line("loops --from NCHW --to aligned --shape 2,3,4,5").out;
  EXPECT_THAT(copy, HasSubstr("a copy of runs, 6 of them, the shortest of 80 bytes"));
  EXPECT_THAT(copy, HasSubstr("memcpy(to + "));
  const std::string transpose =
      layout_line("loops --from mace:NCHW --to mace:NHWC --shape 2,3,4,5 --language python").out;
  EXPECT_THAT(transpose, HasSubstr("a transpose of blocks: 3 elements stand side by side"));
  EXPECT_THAT(transpose, HasSubstr("for i in range(2):"));
  const auto json = nlohmann::json::parse(
      layout_line("loops --from NCHW --to nChw16c --shape 1,32,7,7 --json").out);
  EXPECT_EQ(json["kind"], "transpose");
  EXPECT_EQ(json["boxes"][0]["loops"].size(), 3U);
}

TEST(LayoutDescribe, PrintsTheInverseAndWhatCuTeHas) {
  const Result swizzled = run_words(
      {"layout", "describe", "--layout", "Sw<3,0,3> o 0 o RK (8,8):(8,1)", "--dtype", "fp16"});
  ASSERT_EQ(swizzled.status, 0) << swizzled.err;
  for (const char* part :
       {"RK (8,8):(8,1) swizzle 3,0,3", "Sw<3,0,3> o 0 o (8,8):(8,1)",
        "row = sw<3,0,3>(p) / 8, col = sw<3,0,3>(p) % 8", "in 64 runs, the shortest of 2 bytes"})
    EXPECT_THAT(swizzled.out, HasSubstr(part));
  EXPECT_THAT(layout_line("describe --layout aligned --shape 2,3,4,5").out,
              HasSubstr("in 6 runs, the shortest of 80 bytes"));
  EXPECT_THAT(layout_line("describe --layout aligned --shape 2,3,4,5").out,
              HasSubstr("2 of 128 bytes in the NPU with the most, 2 would do"));
  EXPECT_THAT(layout_line("describe --layout aligned --shape 1,256,1,1").out,
              HasSubstr("4 of 128 bytes in the NPU with the most, 1 would do"));
  const Result bad = run_words({"layout", "describe", "--layout", "(8,8):(8,1) swizzle 3,0,2"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("character 21 is '3'; expected a swizzle whose distance"));
}

constexpr const char* kLayer =
    "plan --chip bm1684x x:1,64,224,224:fp16:x2 w:128,64,3,3:fp16:32IC y:1,128,224,224:fp16:x2 "
    "--command y=x,w:kernel=3x3:pad=1";

TEST(LayoutPlan, PlansALayer) {
  const std::string text = layout_line(kLayer).out;
  EXPECT_THAT(text, HasSubstr("plan: "));
  EXPECT_THAT(text, HasSubstr("the parts load "));
  const auto json = nlohmann::json::parse(layout_line(std::string(kLayer) + " --json").out);
  std::int64_t parts = 1, next = 0;
  for (const auto& cut : json["cuts"]) parts *= cut["parts"].get<std::int64_t>();
  EXPECT_EQ(json["parts"], parts);
  for (const auto& span : json["tensors"][2]["spans"]["h"]) {
    EXPECT_EQ(span[0], next);
    next += span[1].get<std::int64_t>();
  }
  EXPECT_EQ(next, 224);
  EXPECT_EQ(json["commands"][0]["bank_conflicts"].size(), 0U);
  EXPECT_EQ(json["commands"][0]["eu_rows"].size(), 3U);
  // Six planes of 100 bytes behind each other, in rows of 128: 1 + 2 + 2 + 2 + 1 + 2 rows, of 5.
  const Result rows = layout_line("plan x:2,130,5,5:compact y:2,130,5,5 --command y=x");
  EXPECT_THAT(rows.out, HasSubstr("EU rows of 128 bytes: x 5, 5 times two channels meet in one; "
                                  "y 6 (5 would do)"));
  // What does not fit an NPU has no rows: its addresses would go on in the next one.
  const Result large = layout_line("describe --layout aligned --shape 1,65,512,513");
  EXPECT_THAT(large.out, HasSubstr("EU rows      not counted: the tensor does not fit an NPU"));
  const auto large_json = nlohmann::json::parse(
      layout_line("describe --layout aligned --shape 1,65,512,513 --json").out);
  EXPECT_FALSE(large_json["fits"]);
  EXPECT_FALSE(large_json.contains("eu_rows"));
  EXPECT_THAT(layout_line(std::string(kLayer) + " --emit c").out, HasSubstr("#define Y_ADDR_1 0x"));
  EXPECT_THAT(layout_line(std::string(kLayer) + " --emit python").out,
              HasSubstr("Y_PAD_H = [(1, 0)"));
}

TEST(LayoutPlan, SaysWhatIsWrongWithALayer) {
  const Result full = layout_line(
      "plan --chip bm1684x x:1,2048,7,7:fp16:x40 w:64,2048,7,7:fp16:32IC y:1,64,1,1:fp16 "
      "--command y=x,w:kernel=7");
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.err, HasSubstr("one fits with one buffer of 'x'"));
  EXPECT_THAT(layout_line("plan x:1,8,8,8 y:1,8,8,8 --command y=x:window=3").err,
              HasSubstr("'window=3' is none of kernel="));
  EXPECT_THAT(layout_line("plan x:1,8,8,8 y:1,8,8,8 --command y:kernel=3").err,
              HasSubstr("expected RESULT=INPUT"));
  EXPECT_THAT(layout_line("plan x:1,8,8,8 y:1,8,8,8 --emit c").err, HasSubstr("of a --command"));
  EXPECT_THAT(layout_line("plan x:1,8,8,8 y:1,8,8,8 --command y=x:kernel=3xx").err,
              HasSubstr("does not end in numbers"));
}

TEST(LayoutIdentify, KnowsPartsWrittenLayoutsAndDumps) {
  const std::string part = layout_line("identify --shape 2,3,4,5 --strides 32,?,?,1").out;
  EXPECT_THAT(part, HasSubstr("aligned"));
  EXPECT_THAT(layout_line("identify --shape 2,3,4,5 --strides 33,?,?,1").out, HasSubstr("none"));
  const Result written =
      run_words({"layout", "identify", "--layout", "NCHW (2,3,4,5):(60,1,15,3)"});
  EXPECT_THAT(written.out, HasSubstr("mace:NHWC"));
  EXPECT_THAT(layout_line("identify --dtype int8 --shape 6,5,4,5 --strides 20,20,5,1").out,
              HasSubstr("4N: 8-bit data"));
  EXPECT_THAT(layout_line("identify --shape 2,3,4,5").err, HasSubstr("say what is known"));

  const TemporaryFolder folder;
  Tensor tensor{.dtype = Dtype::kInt8, .shape = {6, 5, 4, 5}, .data = {}};
  tensor.data.resize(600);
  for (std::size_t i = 0; i < tensor.data.size(); ++i) tensor.data[i] = std::byte(i * 7 + i / 256);
  const std::string in = folder.path() / "in.npy", packed = folder.path() / "packed.raw";
  write_tensor(in, tensor);
  ASSERT_EQ(run_words({"layout", "convert", in, packed, "--from", "continuous", "--to", "4N",
                       "--to-start-npu", "3"})
                .status,
            0);
  const Result found = run_words({"layout", "identify", "--dump", packed, "--original", in});
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("4N: 8-bit data"));
  EXPECT_THAT(found.out, HasSubstr("from NPU 3"));
  EXPECT_THAT(run_words({"layout", "identify", "--dump", packed}).err, HasSubstr("say both"));
  EXPECT_THAT(run_words({"layout", "identify", "--dump", in, "--original", in}).out,
              HasSubstr("continuous"));
}

TEST(LayoutLocate, SaysWhichOfSeveralTensors) {
  const std::string list = "locate --tensor x:2,3,4,5:@0x80 --tensor y:2,3,4,5:fp16:@0x1000 --at ";
  EXPECT_THAT(layout_line(list + "0x80080").out,
              HasSubstr("'x', element (n, c, h, w) = (0, 1, 0, 0)"));
  EXPECT_THAT(layout_line(list + "0x1002").out,
              HasSubstr("'y', element (n, c, h, w) = (0, 0, 0, 1)"));
  EXPECT_THAT(layout_line(list + "0xd8").out, HasSubstr("'x', padding"));
  EXPECT_THAT(layout_line(list + "0x7000").out, HasSubstr("in none of the tensors"));
  EXPECT_THAT(layout_line("locate --tensor x:2,3,4,5:@0x80").err, HasSubstr("goes with --at"));
  const auto json = nlohmann::json::parse(layout_line(list + "0x80080 --json").out);
  EXPECT_EQ(json[0]["owners"][0]["tensor"], "x");
}

// The layouts of other systems on the page are read and drawn, and their first element is where the
// text says.
TEST(LayoutWritten, LayoutsOfOtherSystemsAreDrawn) {
  std::ifstream page(TENSORLANE_SOURCE_DIR "/docs/layouts.md");
  int drawn = 0;
  for (std::string line; std::getline(page, line);) {
    // | oneDNN | nChw16c | `nChw16c` | 2,20,3,4 |
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
    if (cells.size() != 5 || !cells[3].starts_with(" `")) continue;
    const std::string text = cells[3].substr(2, cells[3].size() - 4);
    const std::string shape = cells[4].substr(1, cells[4].size() - 2);
    if (text.find_first_of("(:") == std::string::npos && shape.empty()) continue;
    SCOPED_TRACE(text);
    std::vector<std::string> words = {"layout",   "draw", "--chip", "mace",
                                      "--layout", text,   "--svg"};
    if (!shape.empty() && shape.find_first_not_of(' ') != std::string::npos)
      words.insert(words.end(), {"--shape", shape});
    const Result picture = run_words(words);
    ASSERT_EQ(picture.status, 0) << picture.err;
    EXPECT_THAT(picture.out, HasSubstr("<svg"));
    words[1] = "describe";
    words.erase(words.begin() + 6);
    EXPECT_THAT(run_words(words).out, HasSubstr("inverse"));
    ++drawn;
  }
  EXPECT_GE(drawn, 40);
}

TEST(LayoutTakers, AreThoseOfTheListOfFunctions) {
  const std::string packed = layout_line("takers --layout 4N --dtype int8 --shape 6,5,4,5").out;
  EXPECT_THAT(packed, HasSubstr("okk_bdc_4N_int8_to_fp32"));
  EXPECT_THAT(packed, testing::Not(HasSubstr("okk_bdc_matmul")));
  const std::string weights =
      layout_line("takers --chip bm1684x --layout 32IC --dtype fp16 --shape 64,64,3,3").out;
  EXPECT_THAT(weights, HasSubstr("tpu_bdc_fp_conv2d"));
  EXPECT_THAT(layout_line("takers --layout matrix --shape 8,64 --cols-per-channel 4").out,
              HasSubstr("okk_bdc_matmul"));
}

}  // namespace
}  // namespace tensorlane::cli
