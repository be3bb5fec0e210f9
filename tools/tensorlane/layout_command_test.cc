// The layout commands as a user runs them: output, exit status, messages.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_test_support.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/front_ends/layout_owner.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/layout/named.h"

namespace tensorlane::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Runs "tensorlane layout" with the words of a line.
Result run(const std::string& line) {
  return run_line("layout " + line);
}

json read_json(const std::string& name) {
  std::ifstream file(TENSORLANE_TESTDATA "/layout/" + name);
  return json::parse(file);
}

std::string comma(const json& list) {
  std::string text;
  for (const json& value : list) text += (text.empty() ? "" : ",") + value.dump();
  return text;
}

TEST(LayoutWritten, StandsWhereANameDoes) {
  const Result described =
      run("describe --layout aligned --shape 2,5,4,5 --npus 4 --start-npu 3 --json");
  ASSERT_EQ(described.status, 0) << described.err;
  const std::string text = json::parse(described.out)["notation"];
  EXPECT_EQ(text, "NCHW (2,5+3 of (4,2),4,5):(64,(npu,32),5,1) size 128");
  for (const char* index : {"0,0,0,0", "1,2,3,4", "1,4,3,0"}) {
    const Result named = run_words({"layout", "locate", "--layout", "aligned", "--shape", "2,5,4,5",
                                    "--npus", "4", "--start-npu", "3", "--index", index}),
                 written = run_words(
                     {"layout", "locate", "--layout", text, "--npus", "4", "--index", index});
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.out, named.out);
  }
  EXPECT_THAT(run("describe --layout nChw16c --dtype fp16 --shape 1,40,7,7").out,
              HasSubstr("NCHW (1,40 of (16,3),7,7):(2352,(1,784),112,16)"));
  EXPECT_THAT(run("describe --layout nChw16x --shape 1,40,7,7").err,
              HasSubstr("character 5 is '1'; expected an axis that stands before its blocks"));
  EXPECT_THAT(run("describe --layout aligned").err, HasSubstr("--shape is required"));
}

TEST(LayoutWritten, ConvertsBothWays) {
  const TemporaryFolder folder;
  Tensor tensor{.dtype = Dtype::kFp32, .shape = {2, 20, 3, 2, 2}, .data = {}};
  tensor.data.resize(std::size_t{2} * 20 * 3 * 2 * 2 * 4);
  for (std::size_t i = 0; i < tensor.data.size(); ++i) tensor.data[i] = std::byte(i * 7 % 251);
  const std::string in = folder.path() / "in.npy", blocked = folder.path() / "blocked.npy",
                    back = folder.path() / "back.npy";
  write_tensor(in, tensor);
  const Result there =
      run_words({"layout", "convert", in, blocked, "--from", "NCDHW", "--to", "mace:nCdhw16c"});
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(read_tensor(blocked).shape, Shape{2 * 2 * 16 * 3 * 2 * 2});
  const Result again = run_words({"layout", "convert", blocked, back, "--from", "nCdhw16c", "--to",
                                  "NCDHW", "--shape", "2,20,3,2,2"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(read_tensor(back).data, tensor.data);
  EXPECT_EQ(read_tensor(back).shape, tensor.shape);
}

TEST(LayoutLocate, TakesAddressesAsADebuggerShowsThem) {
  const std::string line = "locate --layout aligned --shape 2,3,4,5 --start-npu 63 --npus 64 ";
  const Result element = run(line + "--index 1,2,3,4 --json");
  const auto address = json::parse(element.out)["address"].get<std::int64_t>();
  const Result found = run(line + fmt::format("--at {:#x},{},0x50", address, address + 2));
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(found.out, fmt::format("{:#x}: element (n, c, h, w) = (1, 2, 3, 4), byte 0 of it\n"
                                   "{:#x}: element (n, c, h, w) = (1, 2, 3, 4), byte 2 of it\n"
                                   "0x50: padding: no element lies there\n",
                                   address, address + 2));
  const json rows = json::parse(run(line + fmt::format("--json --at {}", address + 3)).out);
  EXPECT_EQ(rows, json::parse(fmt::format(R"([{{"address":{},"index":[1,2,3,4],"byte":3}}])",
                                          address + 3)));
  EXPECT_THAT(run(line + "--at 0x2000000").err,
              HasSubstr("the memory has the addresses 0 to 0x1ffffff"));
  EXPECT_THAT(run(line + "--at 0x80,").err, HasSubstr("expected addresses separated by commas"));
  EXPECT_THAT(run("locate --layout nChw4c --shape 1,6,2,2 --dtype fp16 --at 18").out,
              HasSubstr("(0, 1, 1, 0), byte 0"));
}

TEST(LayoutVerify, SaysWhatWentWrong) {
  const TemporaryFolder folder;
  const std::string in = folder.path() / "in.npy", packed = folder.path() / "packed.raw";
  Tensor tensor{.dtype = Dtype::kInt16, .shape = {6, 5, 3, 4}, .data = {}};
  for (int i = 0; i < 6 * 5 * 3 * 4 * 2; ++i) tensor.data.push_back(std::byte(i * 37 % 241));
  write_tensor(in, tensor);
  ASSERT_EQ(run("convert " + in + " " + packed + " --from NCHW --to 2N").status, 0);
  const std::string line = "verify " + packed + " " + in + " --to 2N";
  const Result right = run(line + " --padding zero");
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_THAT(right.out, HasSubstr("all 360 elements are right"));
  ASSERT_EQ(run("convert " + in + " " + packed + " --from NCHW --to aligned").status, 0);
  const Result longer = run(line);
  EXPECT_EQ(longer.status, 2);
  EXPECT_THAT(longer.err, HasSubstr("packed.raw"));
  ASSERT_EQ(run("convert " + in + " " + packed + " --from NCHW --to 2N --shape 6,3,5,4").status, 0);
  const Result swapped = run(line);
  EXPECT_EQ(swapped.status, 1);
  EXPECT_THAT(swapped.out, HasSubstr("elements are wrong"));
  const Result wrong =
      run("verify " + packed + " " + in + " --to 2N --shape 6,3,5,4 --start-npu 2");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("it looks as if: it begins at NPU 0, not 2"));
  EXPECT_THAT(wrong.out, HasSubstr("(n, c, h, w) = (0, 0, 0, 0), NPU 2, offset 0: 0x"));
}

TEST(LayoutWritten, GoesBackwards) {
  const TemporaryFolder folder;
  const std::string in = folder.path() / "in.npy", out = folder.path() / "out.npy";
  Tensor tensor{.dtype = Dtype::kInt8, .shape = {2, 3}, .data = {}};
  for (int i = 0; i < 6; ++i) tensor.data.push_back(std::byte(i));
  write_tensor(in, tensor);
  const Result result = run_words(
      {"layout", "convert", in, out, "--from", "RK (2,3):(3,1)", "--to", "RK (2,3):(3,-1) + 12"});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<std::byte> turned = {std::byte{2}, std::byte{1}, std::byte{0},
                                         std::byte{5}, std::byte{4}, std::byte{3}};
  EXPECT_EQ(read_tensor(out).data, turned);
}

TEST(LayoutTable, PrintsTheFiguresOfTheDocuments) {
  const json figures = read_json("figures.json");
  for (const char* name : {"align_fp32_start_0_2_3_4_5", "align_fp32_start_2_2_3_4_5",
                           "compact_fp32_start_2_2_3_4_5", "aligned_4N", "aligned_2N"}) {
    const json& figure = figures[name];
    const std::string layout = figure["layout"];
    const bool packed = layout.find('N') != std::string::npos;
    const json& s = figure["shape"];
    const Result result =
        run("table --npus 4 --npu-bytes 1024 --format json --layout " +
            (packed ? layout.substr(0, 2) : layout) + " --start-npu " + figure["start_npu"].dump() +
            " --shape " + comma({s["n"], s["c"], s["h"], s["w"]}) + " --dtype " +
            (packed ? figure["element_dtype"].get<std::string>() : "fp32"));
    ASSERT_EQ(result.status, 0) << result.err;
    json expected = json::array();
    for (const json& row : figure["mapping"]) {
      expected.push_back(
          {{"index", {row[0], row[1], row[2], row[3]}}, {"npu", row[4]}, {"offset", row[5]}});
    }
    json table = json::parse(result.out);
    const auto by_index = [](const json& a, const json& b) { return a["index"] < b["index"]; };
    std::sort(expected.begin(), expected.end(), by_index);
    EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), by_index));
    EXPECT_EQ(table, expected) << name;
  }
}

TEST(LayoutTable, KindsOfMemoryAndFormats) {
  EXPECT_EQ(run("table --chip mace --layout IN_OUT_CHANNEL --shape 1,1,1,2 --format json").out,
            "[\n{\"index\":[0,0,0,0],\"x\":0,\"y\":0,\"lane\":0},\n"
            "{\"index\":[0,0,0,1],\"x\":0,\"y\":0,\"lane\":1}\n]\n");
  EXPECT_EQ(run("table --layout continuous --shape 1,1,2,1 --dtype int16 --format json").out,
            "[\n{\"index\":[0,0,0,0],\"offset\":0},\n{\"index\":[0,0,1,0],\"offset\":2}\n]\n");
  EXPECT_EQ(run("table --layout matrix --shape 1,3 --cols-per-channel 2 --format csv").out,
            "row,col,npu,offset\n0,0,0,0\n0,1,0,4\n0,2,1,0\n");
  EXPECT_EQ(
      run("table --chip bm1684x --layout compact --shape 1,1,1,3 --dtype int4 --format csv").out,
      "n,c,h,w,npu,offset,nibble\n0,0,0,0,0,0,0\n0,0,0,1,0,0,1\n0,0,0,2,0,1,0\n");
  EXPECT_EQ(run("table --chip mace --layout DW_CONV2D_FILTER --shape 2,5,2,2 --format json").out,
            "[]\n");
}

TEST(LayoutLocate, BothWays) {
  const std::string tensor = "locate --layout aligned --shape 2,3,4,5 --start-npu 63 ";
  EXPECT_EQ(run(tensor + "--index 1,2,3,4").out, "NPU 1, offset 460, bank 0, address 524748\n");
  EXPECT_EQ(run(tensor + "--npu 1 --byte 463").out, "element (n, c, h, w) = (1, 2, 3, 4)\n");
  EXPECT_EQ(json::parse(run(tensor + "--npu 1 --byte 464 --format json").out),
            json::parse("{\"index\":null}"));
  const std::string image = "locate --chip mace --layout IN_OUT_HEIGHT --shape 2,5,3,2 ";
  EXPECT_EQ(json::parse(run(image + "--pixel 4,3,0 --format json").out),
            json::parse("{\"index\":[1,4,1,1]}"));
  EXPECT_EQ(run(image + "--index 1,4,1,1").out, "pixel (4, 3), lane 0 (R)\n");
  EXPECT_THAT(run(image + "--pixel 6,0,0").err, HasSubstr("6 x 4 pixels"));
}

TEST(LayoutDescribe, AdvisesOnMatrices) {
  const json result = json::parse(
      run("describe --layout matrix --shape 256,1000 --cols-per-channel 128 --format json").out);
  EXPECT_EQ(result["bytes_per_npu"], 256 * 128 * 4);
  EXPECT_EQ(result["npus_used"], 8);
  EXPECT_THAT(result["advice"].dump(), HasSubstr("cols_per_channel 16 would use 63 NPUs"));
  EXPECT_THAT(
      run("describe --layout matrix --shape 2,40 --cols-per-channel 40").out,
      HasSubstr("cols_per_channel 1 would use 40 NPUs and 256 bytes per NPU (now 40: 1 NPU,"));
  EXPECT_THAT(run("describe --layout matrix --shape 2,40 --cols-per-channel 1").out,
              HasSubstr("cols_per_channel 1 is the best"));
  // From NPU 32 on: one row of 32 channels of 128 columns, or three rows of channels of 26.
  EXPECT_THAT(
      run("describe --layout matrix --shape 3,4096 --cols-per-channel 64 --start-npu 32").out,
      HasSubstr("cols_per_channel 26 would use 64 NPUs"));
  EXPECT_THAT(run("describe --layout aligned --shape 9,64,200,200").out, HasSubstr("does not fit"));
}

// No other number of columns takes less memory.
TEST(LayoutDescribe, TheBestColumnsPerChannelAreTheBest) {
  for (const char* chip : {"bm1684", "bm1684x"}) {
    for (const int columns : {1, 5, 64, 100, 333}) {
      for (const int start : {0, 1, 31, 63}) {
        const auto bytes = [&](int width) {
          LayoutSpec spec{.system = find_owner(chip).system,
                          .layout = "matrix",
                          .dtype = Dtype::kFp16,
                          .shape = {3, columns},
                          .start_npu = start,
                          .cols_per_channel = width,
                          .memory = find_owner(chip).chip->local};
          return make_layout(spec).bytes_per_npu;
        };
        const std::int64_t best =
            best_cols_per_channel(find_owner(chip).chip->local, start, columns, 16);
        for (int width = 1; width <= columns; ++width)
          EXPECT_LE(bytes(static_cast<int>(best)), bytes(width)) << chip << columns << start;
      }
    }
  }
}

TEST(LayoutDescribe, SmallestMemoriesDivideNothingByZero) {
  for (const char* bytes : {"1", "2", "3"}) {
    const Result result =
        run(fmt::format("describe --npu-bytes {} --layout aligned --shape 1,7,4,16", bytes));
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("does not fit"));
  }
  EXPECT_EQ(run("describe --layout matrix --shape 2,40 --start-npu 100").status, 2);
}

TEST(LayoutDescribe, JsonHasBanksWasteAndAddresses) {
  const json said = json::parse(
      run("describe --json --layout aligned --shape 2,3,4,5 --offset 65408 --start-npu 2").out);
  EXPECT_EQ(said["banks"], json::parse("{\"first\":0,\"last\":1}"));
  EXPECT_EQ(said["waste_bytes"], 64 * 256 - 480);
  const json place = json::parse(
      run("locate --json --layout aligned --shape 2,3,4,5 --start-npu 2 --index 1,2,3,4").out);
  EXPECT_EQ(place["address"], 4 * 524288 + place["offset"].get<int>());
}

class LayoutConvert : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  const TemporaryFolder folder_;
};

TEST_F(LayoutConvert, FilesGoThereAndBack) {
  Tensor tensor{Dtype::kFp32, {2, 3, 4, 5}, {}};
  tensor.data.resize(480);
  for (int i = 0; i < 120; ++i) {
    const float value = static_cast<float>(i) - 60;
    std::memcpy(tensor.data.data() + i * 4, &value, 4);
  }
  write_tensor(path("in.npy"), tensor);
  const auto convert = [&](const std::string& line) {
    const Result result = run("convert --quiet " + line);
    EXPECT_EQ(result.status, 0) << result.err;
  };
  convert(path("in.npy") + " " + path("local.npz") +
          " --from continuous --to aligned --start-npu 63");
  EXPECT_EQ(read_tensor(path("local.npz")).shape, (Shape{64, 128}));
  convert(path("local.npz") + " " + path("image.safetensors") +
          " --from aligned --from-start-npu 63 --shape 2,3,4,5 --to mace:IN_OUT_CHANNEL "
          "--to-dtype fp16");
  EXPECT_EQ(read_tensor(path("image.safetensors")).shape, (Shape{8, 5, 4}));
  convert(path("image.safetensors") + " " + path("packed.raw") +
          " --from mace:IN_OUT_CHANNEL --shape 2,4,5,3 --to bm1684:4N --to-dtype int8");
  convert(path("packed.raw") + " " + path("out.npy") +
          " --from 4N --dtype int8 --shape 2,3,4,5 --to continuous --to-dtype fp32");
  EXPECT_EQ(read_tensor(path("out.npy")), tensor);
}

TEST_F(LayoutConvert, WrongFilesGiveOneLine) {
  write_tensor(path("in.npy"), {Dtype::kFp32, {2, 3}, std::vector<std::byte>(24)});
  const auto expect = [&](const std::string& line, const std::string& part) {
    const Result result = run("convert " + line);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_THAT(result.err, HasSubstr(part)) << line;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  const std::string in = path("in.npy"), out = " " + path("out.npy");
  expect(path("none.npy") + out + " --from continuous --to aligned", "none.npy");
  expect(in + out + " --from continuous --to aligned", "takes 4");
  expect(in + out + " --from aligned --to continuous", "say --shape");
  expect(in + out + " --from continuous --shape 1,2,3,4 --to aligned", "24 bytes");
  expect(in + " " + path("out.xyz") + " --from continuous --shape 1,1,2,3 --to aligned", "out.xyz");
  expect(in + out + " --from continuous --shape 1,1,2,3 --to alinged", "did you mean 'aligned'?");
  std::ofstream(path("bad.npy")) << "\x93NUMPY\x01";
  expect(path("bad.npy") + out + " --from continuous --to aligned", "bad.npy");
}

// Rows and columns are a matrix as they are, a line is a vector.
TEST_F(LayoutConvert, MatricesAndVectorsNeedNoExtentsOfOne) {
  Tensor matrix{Dtype::kFp32, {3, 4}, std::vector<std::byte>(48)};
  for (std::size_t i = 0; i < 48; ++i) matrix.data[i] = static_cast<std::byte>(i);
  write_tensor(path("m.npy"), matrix);
  const Result there = run("convert " + path("m.npy") + " " + path("lm.npy") +
                           " --from continuous --to matrix --to-cols-per-channel 2");
  EXPECT_EQ(there.status, 0) << there.err;
  EXPECT_THAT(there.out, HasSubstr("matrix [3,4]"));
  EXPECT_EQ(run("convert --quiet " + path("lm.npy") + " " + path("back.npy") +
                " --from matrix --shape 3,4 --from-cols-per-channel 2 --to continuous")
                .status,
            0);
  EXPECT_EQ(read_tensor(path("back.npy")).data, matrix.data);
  write_tensor(path("v.npy"), {Dtype::kFp32, {12}, matrix.data});
  const Result line = run("convert " + path("v.npy") + " " + path("lv.npy") +
                          " --chip bm1684x --from continuous --to vector --to-cols-per-channel 2");
  EXPECT_EQ(line.status, 0) << line.err;
  EXPECT_THAT(line.out, HasSubstr("vector [12]"));
  // To anything else the axes have to be said.
  EXPECT_EQ(
      run("convert " + path("m.npy") + " " + path("x.npy") + " --from continuous --to aligned")
          .status,
      2);
}

TEST_F(LayoutConvert, ATensorKeepsItsName) {
  const Tensor tensor{Dtype::kFp32, {1, 2, 1, 1}, std::vector<std::byte>(8)};
  const NamedTensor both[] = {{"bias", tensor}, {"scale", tensor}};
  write_tensors(path("in.safetensors"), both);
  EXPECT_EQ(run("convert --quiet " + path("in.safetensors") + " " + path("out.npz") +
                " --tensor scale --from continuous --to continuous")
                .status,
            0);
  EXPECT_EQ(list_tensors(path("out.npz"))[0].name, "scale");
}

TEST_F(LayoutConvert, WhatMaceDoesNotStoreIsSaid) {
  write_tensor(path("w.npy"), {Dtype::kFp32, {2, 3, 3, 3}, std::vector<std::byte>(216)});
  const std::string line = "convert " + path("w.npy") + " " + path("w2.npy") +
                           " --from mace:MIHW --to mace:DW_CONV2D_FILTER";
  const Result result = run(line);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("no element of the source is stored"));
  EXPECT_EQ(run(line + " --shape 1,6,3,3").err, "");
}

TEST_F(LayoutConvert, WeightsWithoutAxesAreReadWithANote) {
  write_tensor(path("w.npy"), {Dtype::kFp32, {4, 2, 1, 1}, std::vector<std::byte>(32)});
  const std::string files = "convert " + path("w.npy") + " " + path("w2.npy");
  EXPECT_THAT(run(files + " --from continuous --to 2IC").err,
              HasSubstr("taken as (i, o, h, w) = (4, 2, 1, 1)"));
  EXPECT_EQ(run(files + " --from mace:OIHW --to 2IC").err, "");
}

// Other extents of the same axes: the elements keep their row-major order.
TEST_F(LayoutConvert, ToShapeReshapes) {
  std::vector<std::byte> data(96);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i);
  write_tensor(path("in.npy"), {Dtype::kFp32, {2, 3, 4, 1}, data});
  EXPECT_EQ(run("convert " + path("in.npy") + " " + path("out.npy") +
                " --from continuous --to continuous --to-shape 1,24,1,1")
                .err,
            "");
  const Tensor out = read_tensor(path("out.npy"));
  EXPECT_EQ(out.shape, (Shape{1, 24, 1, 1}));
  EXPECT_EQ(out.data, data);
}

TEST(LayoutDescribe, SaysWhatTheDocumentsSay) {
  const std::string packed = run("describe --layout 4N --dtype int8 --shape 6,5,4,5 --npus 4").out;
  for (const char* part :
       {"4 int8 of axis n side by side, 32 bits together", "(2, 5, 4, 5), 200 dummies",
        "40, 20, 5, 1 32-bit words by okk_compact_stride: 320 bytes per NPU",
        "2 per NPU = ceil((0 + 5) / 4)", "okk_128_byte_aligned_stride_for_32bit"})
    EXPECT_THAT(packed, HasSubstr(part));
  const std::string weights = run("describe --layout 2IC --shape 3,64,3,3").out;
  EXPECT_THAT(weights, HasSubstr("fp32 (i, o, h, w) = (3, 64, 3, 3)"));
  EXPECT_THAT(weights, HasSubstr("(2, 64, 3, 3), 576 dummies"));
  EXPECT_THAT(run("describe --layout aligned --shape 1,64,4,5").out,
              HasSubstr("n, c may be anything"));
  EXPECT_THAT(run("describe --chip bm1684x --layout line-aligned --shape 2,3,4,5").out,
              HasSubstr("tpu_line_aligned_stride"));
}

TEST(LayoutDescribe, WhatDoesNotFitIsCut) {
  EXPECT_THAT(run("describe --layout aligned --shape 16,64,112,112").out,
              HasSubstr("cut along N: 10 of 16 at a time make 2 parts"));
  const std::string matrix =
      run("describe --layout matrix --shape 5000,1000 --cols-per-channel 128").out;
  EXPECT_THAT(matrix, HasSubstr("cut along the rows: 1024 of 5000"));
  EXPECT_THAT(matrix, testing::Not(HasSubstr("banks")));
  const std::string offset =
      run("describe --layout aligned --shape 1,64,200,200 --offset 409600").out;
  EXPECT_THAT(offset, HasSubstr("160000 bytes per NPU from offset 409600 on, of 524288"));
  EXPECT_THAT(offset, HasSubstr("it fits at offset 0"));
}

TEST(LayoutIdentify, NamesTheLayoutAndTheCall) {
  EXPECT_THAT(run("identify --shape 2,3,4,5 --strides 32,32,5,1").out,
              HasSubstr("aligned: local memory"));
  EXPECT_EQ(run("identify --shape 2,3,4,5 --strides 60,20,5,1 --memory system").out,
            run("identify --shape 2,3,4,5 --strides 60,20,5,1").out);
  EXPECT_THAT(run("identify --shape 2,3,4,5 --strides 60,20,5,1 --memory local").out,
              testing::StartsWith("none"));
  EXPECT_THAT(run("identify --shape 2,3,4,5 --strides 60,20,5,1 --memory system").out,
              HasSubstr("okk_continuous_stride(&stride, &shape)"));
  // The channels of one row: their stride means nothing.
  const std::string idle = run("identify --shape 2,3,4,8 --strides 32,7,8,1").out;
  EXPECT_THAT(idle, HasSubstr("aligned"));
  EXPECT_THAT(idle, HasSubstr("compact"));
  EXPECT_THAT(idle, HasSubstr("c may be anything"));
  const std::string none = run("identify --shape 2,70,4,5 --strides 50,25,5,1").out;
  EXPECT_THAT(none, HasSubstr("none"));
  EXPECT_THAT(none, HasSubstr("aligned      has 64, 32, 5, 1"));
}

// Every layout with strides of its own is recognised by them.
TEST(LayoutIdentify, FindsWhatDescribeSays) {
  const struct {
    const char *chip, *layout, *memory;
  } cases[] = {{"bm1684", "aligned", "local"},       {"bm1684", "compact", "local"},
               {"bm1684", "continuous", "system"},   {"bm1684x", "aligned", "local"},
               {"bm1684x", "line-aligned", "local"}, {"bm1684x", "continuous", "system"}};
  for (const auto& one : cases) {
    const std::string of = fmt::format(" --chip {} --shape 3,70,5,7 --dtype fp16", one.chip);
    const json said =
        json::parse(run(fmt::format("describe --json --layout {}{}", one.layout, of)).out);
    const json found = json::parse(run(fmt::format("identify --json{} --memory {} --strides {}", of,
                                                   one.memory, comma(said["strides"])))
                                       .out);
    ASSERT_FALSE(found.empty()) << one.chip << " " << one.layout;
    EXPECT_EQ(found[0]["layout"], one.layout);
    EXPECT_EQ(found[0]["same_strides"], true);
  }
}

// The others, whose numbers count words or pairs or run along axes of their own.
TEST(LayoutIdentify, KnowsEveryLayoutWhoseStridesDescribePrints) {
  const struct {
    std::string_view request, layout;
  } cases[] = {{"--dtype int8 --shape 6,5,4,5", "4N"},
               {"--dtype fp16 --shape 6,5,4,5", "2N"},
               {"--shape 3,64,3,3", "2IC"},
               {"--shape 6,50 --cols-per-channel 10", "matrix"},
               {"--chip bm1684x --dtype fp16 --shape 3,64,3,3", "32IC"},
               {"--chip bm1684x --dtype int8 --shape 3,70,3,3", "64IC"},
               {"--chip mace --shape 1,4,5,6", "NHWC"},
               {"--chip mace --shape 1,4,5,6", "NCHW"},
               {"--chip mace --shape 8,4,3,3", "OIHW"}};
  for (const auto& [request, layout] : cases) {
    const json said =
        json::parse(run(fmt::format("describe --json --layout {} {}", layout, request)).out);
    ASSERT_FALSE(said["strides"].empty()) << layout;
    const json found = json::parse(
        run(fmt::format("identify --json {} --strides {}", request, comma(said["strides"]))).out);
    const auto named = [&](const json& one) { return one["layout"] == layout; };
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), named)) << layout << " " << found;
  }
  // Channels last, asked for along n, c, h, w.
  for (const char* chip : {"", " --chip bm1684x", " --chip mace"}) {
    EXPECT_THAT(run(fmt::format("identify --shape 2,3,4,5 --strides 60,1,15,3{}", chip)).out,
                HasSubstr("NHWC"));
  }
  const Result wrong = run("identify --shape 2,3,4,5 --strides 60,1,15");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("has 3 numbers"));
}

TEST(LayoutPlan, SaysPartsAndAddresses) {
  const std::string text = run("plan input:16,64,112,112:x2 output:16,64,112,112:x2").out;
  for (const char* part :
       {"3211264 bytes per NPU with all buffers, does not fit", "0x40000, 0x60000",
        "8 parts (N 2 of 16); every buffer in banks of its own"})
    EXPECT_THAT(text, HasSubstr(part));
  const json plan = json::parse(
      run("plan --json --chip bm1684x x:4,64,56,56:float16:x2 w:64,64,3,3:fp16:32IC:whole").out);
  EXPECT_EQ(plan["fits"], true);
  EXPECT_EQ(plan["tensors"][1]["layout"], "32IC");
  EXPECT_EQ(plan["tensors"][0]["addresses"].size(), 2U);
  const auto expect = [](const std::string& line, const std::string& part) {
    const Result result = run("plan " + line);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_THAT(result.err, HasSubstr(part)) << line;
  };
  expect("x", "expected NAME:SHAPE");
  expect("x:1,2,3", "takes 4: N,C,H,W");
  expect("x:1,2,3,4 x:1,2,3,4", "two tensors are called 'x'");
  expect("x:1,2,3,4:alinged", "did you mean 'aligned'?");
  expect("x:1,2,3,4:continuous", "a plan is about local memory");
  expect("x:1,2,3,4:x0", "at least 1");
  expect("--chip mace x:1,2,3,4", "no local memory");
}

TEST(LayoutPlan, NothingThatFitsIsAnErrorWithAWayOut) {
  const Result result = run("plan a:1,64,300,300:x2 b:1,64,400,400:whole");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("one fits where 'b' need not be whole"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("0x")));  // no addresses
  const Result both = run("plan --json a:1,64,1024,1024:whole");
  EXPECT_EQ(both.status, 2);
  EXPECT_EQ(json::parse(both.out)["tensors"][0]["addresses"].size(), 0U);
}

TEST(LayoutDraw, WritesTextAndSvg) {
  EXPECT_THAT(run("draw --layout compact --shape 1,2,1,3 --npus 2").out, HasSubstr("0,1,0,2"));
  EXPECT_THAT(run("draw --layout compact --shape 1,2,1,3 --npus 2 --svg").out,
              testing::StartsWith("<svg"));
  EXPECT_EQ(run("draw --layout compact --shape 1,2,1,3 -o /nowhere/a.svg").status, 2);
}

TEST(LayoutCommand, EveryLayoutIsListed) {
  const std::string list = run("list").out;
  for (const char* name : {"aligned", "4N", "2IC", "line-aligned", "64IC", "IN_OUT_WIDTH",
                           "WINOGRAD_FILTER", "CONV2D_FILTER@v0.6.3"}) {
    EXPECT_THAT(list, HasSubstr(name));
  }
}

TEST(LayoutCommand, WrongInputGivesOneLineAndStatus2) {
  const auto expect = [](const std::string& line, const std::string& part) {
    const Result result = run(line);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_THAT(result.err, HasSubstr(part)) << line;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  expect("table --layout alligned --shape 2,3,4,5", "did you mean 'aligned'?");
  expect("table --layout aligned --shape 2,3,4", "takes 4: N,C,H,W");
  expect("table --layout aligned --shape 2,3,4,-5", "extent 3 is -5");
  expect("table --layout aligned --shape 2,3,4,0", "extent 3 is 0");
  expect("table --layout aligned --shape 2,3,4,99999999999999999999", "too large");
  expect("table --layout aligned --shape 2,3,4,2147483648", "per NPU");
  expect("table --layout aligned --shape 2,3,4,b", "--shape '2,3,4,b'");
  expect("table --layout aligned --shape ,", "--shape");
  expect("table --layout aligned", "--shape is required");
  expect("table --layout aligned --shape 2,3,4,5 --chip bm1685", "did you mean 'bm1684'?");
  expect("table --layout aligned --shape 2,3,4,5 --dtype fp33", "did you mean 'fp32'?");
  expect("table --layout aligned --shape 2,3,4,5 --start-npu 64", "NPUs 0 to 63");
  expect("table --layout aligned --shape 2,3,4,5 --start-npu x", "--start-npu");
  expect("table --layout aligned --shape 2,3,4,5 --format xml", "--format");
  expect("table --layout free --shape 2,3,4,5 --strides 1,1,1,1", "overlap");
  expect("table --layout free --shape 2,3,4,5", "needs strides");
  expect("table --layout matrix --shape 2,40", "columns per channel");
  expect("table --layout aligned --shap 2,3,4,5", "did you mean '--shape'?");
  expect("tabel", "did you mean 'table'?");
  expect("table --layout aligned --shape 2,3,4,5 --dtype fp8", "did you mean 'fp8e4m3'?");
}

TEST(LayoutCommand, NothingAskedForShowsHelp) {
  const Result result = run("");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("describe"));
}

TEST(LayoutCommand, HelpShowsExamples) {
  for (const char* command : {"table", "locate", "describe", "list"}) {
    const Result result = run(std::string(command) + " --help");
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("tensorlane layout " + std::string(command)));
  }
}

}  // namespace
}  // namespace tensorlane::cli
