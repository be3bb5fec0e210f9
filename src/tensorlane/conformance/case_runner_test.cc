// What the runner notices: recordings made here, each wrong in one way.
#include "tensorlane/conformance/case_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/digest.h"
#include "tensorlane/conformance/element.h"
#include "tensorlane/conformance/result_text.h"

namespace tensorlane::conformance {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// A folder with a recording; its data are bytes 0, 1, 2, ... 255 and then the words 2.0f and 3.0f.
class TestRecording {
 public:
  TestRecording() {
    std::ofstream data(folder_ / "data.bin", std::ios::binary);
    for (int byte = 0; byte < 256; ++byte) data.put(static_cast<char>(byte));
    data.write("\x00\x00\x00\x40\x00\x00\x40\x40", 8);
    std::ofstream(folder_ / "cases.jsonl").close();
  }

  void add(const std::string& line) { add_to("cases.jsonl", line); }
  void add_to(const std::string& file, const std::string& line) {
    std::ofstream(folder_ / file, std::ios::app) << line << '\n';
  }
  // Behind the data that all recordings here have.
  void add_data(std::uint64_t value) {
    std::ofstream data(folder_ / "data.bin", std::ios::app | std::ios::binary);
    data.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const json& recorded) { add(recorded.dump()); }

  Result run_cases(const RunOptions& options = {}) const {
    CaseReader recording(folder_.path());
    return conformance::run_cases(recording, bm1684(), options);
  }
  std::string folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

json shape(int n, int c, int h, int w) {
  return {{"n", n}, {"c", c}, {"h", h}, {"w", w}};
}

json arg(const char* name, const json& value) {
  return {{"name", name}, {"type", "any"}, {"value", value}};
}

// okk_bdc_add_C(4096, 0, 1.0f, (1, 1, 1, 2)) on the words 2.0f and 3.0f... whatever `expected`
// says.
json add_one(const std::string& id, const json& expected_ranges, int w = 1) {
  return {{"id", id},
          {"function", "okk_bdc_add_C"},
          {"args", json::array({arg("dst_addr", 4096), arg("src_addr", 0),
                                arg("C", {{"bits", "0x3f800000"}}), arg("shape", shape(1, 1, 1, w)),
                                arg("dst_stride", nullptr), arg("src_stride", nullptr)})},
          {"loads", json::array({{{"param", "src"}, {"ranges", {{0, 0, 4, 256}}}}})},
          {"expects", json::array({{{"param", "dst"}, {"ranges", expected_ranges}}})}};
}

TEST(Replay, PassesWhatIsAsRecorded) {
  TestRecording recording;
  recording.add(add_one("a/0", {{0, 4096, 4, 260}}));
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.passed, 1) << failures_text(result);
  EXPECT_EQ(result.total.failed, 0);
}

TEST(Replay, ShowsTheFirstDifferenceWithTheCall) {
  TestRecording recording;
  recording.add(add_one("a/0", {{0, 4096, 4, 256}}));
  const Result result = recording.run_cases();
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_THAT(result.failures[0].call, HasSubstr("okk_bdc_add_C(dst_addr="));
  EXPECT_THAT(result.failures[0].why, HasSubstr("NPU 0 offset 0x1000, element 0 (0, 0, 0, 0)"));
  EXPECT_THAT(result.failures[0].why, HasSubstr("expected 0x40000000 = 2\n"));
  EXPECT_THAT(result.failures[0].why, HasSubstr("got      0x40400000 = 3"));
}

// The second word of the result is written but not recorded.
TEST(Replay, FailsOnAByteBesideTheRecordedOnes) {
  TestRecording recording;
  recording.add(add_one("a/0", {{0, 4096, 4, 260}}, 2));
  const Result result = recording.run_cases();
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_THAT(result.failures[0].why, HasSubstr("outside the recorded results"));
  EXPECT_THAT(result.failures[0].why, HasSubstr("NPU 0 offset 0x1004"));
}

// A result far from everything recorded is found by the sweep, and blamed on the case that wrote it
// although good cases stand before and after it.
TEST(Replay, FindsTheCaseThatWroteFarAway) {
  TestRecording recording;
  json far = add_one("far/0", json::array());
  far["args"][0] = arg("dst_addr", 5 * 524288 + 0x40000);
  far["args"][1] = arg("src_addr", 5 * 524288);
  far["loads"] = json::array();
  far.erase("expects");
  recording.add(add_one("good/0", {{0, 4096, 4, 260}}));
  recording.add(far);
  recording.add(add_one("good/1", {{0, 4096, 4, 260}}));
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.passed, 2);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].id, "far/0");
  EXPECT_THAT(result.failures[0].why, HasSubstr("NPU 5 offset 0x40000"));
}

// The stray byte lies where a later case loads its operand: it must not vanish unseen.
TEST(Replay, FindsAStrayByteThatALaterCaseWouldOverwrite) {
  TestRecording recording;
  json stray = add_one("stray/0", json::array());
  stray["args"][0] = arg("dst_addr", 0);
  stray["args"][1] = arg("src_addr", 0x20000);
  stray["loads"] = json::array();
  stray.erase("expects");
  recording.add(stray);
  recording.add(add_one("good/0", {{0, 4096, 4, 260}}));
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.passed, 1);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].id, "stray/0");
}

TEST(Replay, ADigestStandsForAResult) {
  TestRecording recording;
  const float three = 3;
  recording.add_data(digest(std::as_bytes(std::span(&three, 1)), std::nullopt));
  json good = add_one("good/0", {{0, 4096, 4, 264}});
  json bad = add_one("bad/0", {{0, 4096, 4, 0}});
  good["expects"][0]["digest_bytes"] = bad["expects"][0]["digest_bytes"] = 4;
  recording.add(good);
  recording.add(bad);
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.passed, 1);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].id, "bad/0");
  EXPECT_THAT(result.failures[0].why, HasSubstr("the 4 bytes from NPU 0 offset 0x1000"));
}

TEST(Replay, DigestsTellFloatsApartButNotNans) {
  const auto of = [](std::uint32_t bits, std::optional<Dtype> floats) {
    return digest(std::as_bytes(std::span(&bits, 1)), floats);
  };
  EXPECT_EQ(of(0x7fc00000, Dtype::kFp32), of(0xffc00001, Dtype::kFp32));
  EXPECT_NE(of(0x7fc00000, Dtype::kFp32), of(0x7f800000, Dtype::kFp32));
  EXPECT_NE(of(0x00000000, Dtype::kFp32), of(0x80000000, Dtype::kFp32));
  EXPECT_NE(of(0x7fc00000, std::nullopt), of(0xffc00001, std::nullopt));
  EXPECT_EQ(of(0x7e017e01, Dtype::kFp16), of(0xffffffff, Dtype::kFp16));
}

TEST(Replay, ExceptionsAreNamedAndTheirResultsNotCompared) {
  TestRecording recording;
  recording.add(add_one("a/0", {{0, 4096, 4, 0}}));
  recording.add(add_one("a/1", {{0, 4096, 4, 0}}));
  recording.add_to("exceptions.jsonl", R"({"id":"a/0","why":"newer"})");
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.quirk, 1);
  EXPECT_EQ(result.total.failed, 1);
  EXPECT_THAT(result.exceptions, testing::ElementsAre("a/0: newer"));
  recording.add_to("exceptions.jsonl", "{}");
  EXPECT_THROW(recording.run_cases(), UserError);
}

TEST(Replay, DenseCasesFollowTheOthers) {
  TestRecording recording;
  recording.add(add_one("a/0", {{0, 4096, 4, 260}}));
  recording.add_to("dense.jsonl", add_one("a/1", {{0, 4096, 4, 260}}).dump());
  EXPECT_EQ(recording.run_cases().total.passed, 2);
}

TEST(Replay, BytesThatNeedNotMatchMayChange) {
  TestRecording recording;
  json work = add_one("a/0", {{0, 4096, 4, -1}});
  work["expects"][0]["must_match"] = false;
  recording.add(work);
  EXPECT_EQ(recording.run_cases().total.passed, 1);
}

TEST(Replay, QuirksCountApartButMustBeLegal) {
  TestRecording recording;
  json quirk = add_one("a/0", {{0, 4096, 4, 256}});
  quirk["bit_exact_expected"] = false;
  recording.add(quirk);
  quirk["id"] = "a/1";
  quirk["args"][3] = arg("shape", shape(1, 4096, 1, 1));
  recording.add(quirk);
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.quirk, 1);
  EXPECT_EQ(result.total.failed, 1);
  EXPECT_THAT(failures_text(result), HasSubstr("shape.c = 4096"));
}

TEST(Replay, UnknownFunctionsFail) {
  TestRecording recording;
  recording.add(json{{"id", "a/0"}, {"function", "okk_bdc_dream"}, {"args", json::array()}});
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.failed, 1);
  EXPECT_THAT(result.failures[0].why, HasSubstr("not implemented"));
  EXPECT_EQ(json::parse(json_text(result)),
            json::parse(R"({"total":{"passed":0,"failed":1,"skipped":0,"quirk":0},"functions":[
              {"name":"okk_bdc_dream","passed":0,"failed":1,"skipped":0,"quirk":0}]})"));
}

TEST(Replay, ComparesReturnedValuesAndOutParameters) {
  TestRecording recording;
  json call{{"id", "npu_num/0"}, {"function", "okk_npu_num"}, {"args", json::array()}};
  call["returns"] = 64;
  recording.add(call);
  call["id"] = "npu_num/1";
  call["returns"] = 63;
  recording.add(call);
  json stride{{"id", "stride/0"},
              {"function", "okk_continuous_stride"},
              {"args", json::array({arg("stride", nullptr), arg("shape", shape(2, 3, 4, 5))})},
              {"outs", {{"stride", {{"n", 60}, {"c", 20}, {"h", 5}, {"w", 1}}}}}};
  recording.add(stride);
  stride["id"] = "stride/1";
  stride["outs"]["stride"]["c"] = 21;
  recording.add(stride);
  const Result result = recording.run_cases();
  EXPECT_EQ(result.total.passed, 2);
  ASSERT_EQ(result.failures.size(), 2U);
  EXPECT_THAT(result.failures[0].why, HasSubstr("returned 64 (0x40), recorded 63 (0x3f)"));
  EXPECT_THAT(result.failures[1].why, HasSubstr("stride->c is 20, recorded 21"));
}

TEST(Replay, FilterKeepsWhatItNames) {
  TestRecording recording;
  recording.add(add_one("a/0", {{0, 4096, 4, 260}}));
  recording.add(add_one("b/0", {{0, 4096, 4, 260}}));
  RunOptions options;
  options.filter = "b/";
  EXPECT_EQ(recording.run_cases(options).total.all(), 1);
}

// A range with a count stands for the same bytes on consecutive NPUs.
TEST(CaseReader, ExpandsRangesOverNpus) {
  TestRecording folder;
  json counted = add_one("a/0", {{3, 16, 4, 0, 2}});
  counted["tolerance_ulp"] = 2;
  counted["dtypes"] = {"fp16", "fp16"};
  folder.add(counted);
  CaseReader recording(folder.folder());
  RecordedCase recorded;
  ASSERT_TRUE(recording.next(recorded));
  ASSERT_EQ(recorded.expects[0].ranges.size(), 2U);
  EXPECT_EQ(recorded.expects[0].ranges[1].buffer, 4);
  EXPECT_EQ(recorded.expects[0].ranges[1].data, 4);
  EXPECT_EQ(recording.bytes(recorded.expects[0].ranges[1])[0], std::byte{4});
  EXPECT_EQ(recorded.tolerance->ulp, 2);
  EXPECT_EQ(recorded.dtype, Dtype::kFp16);
  EXPECT_FALSE(recording.next(recorded));
}

std::string error_of(const TestRecording& recording) {
  try {
    recording.run_cases();
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CaseReader, RefusesWhatItCannotReadWithFileAndLine) {
  EXPECT_THROW(CaseReader("/no/such/folder"), UserError);
  TestRecording garbage;
  garbage.add(std::string("{\"id\":"));
  EXPECT_THAT(error_of(garbage), HasSubstr("cases.jsonl:1: not a recorded call"));
  TestRecording beyond;
  beyond.add(add_one("a/0", {{0, 4096, 4, 1000}}));
  EXPECT_THAT(error_of(beyond), HasSubstr("reads past the data's 264 bytes"));
  TestRecording negative;
  negative.add(add_one("a/0", {{0, 4096, 4, -7}}));
  EXPECT_THAT(error_of(negative), HasSubstr("reads past"));
}

std::span<const std::byte> bytes_of(const std::uint32_t& word, std::size_t size) {
  return std::as_bytes(std::span(&word, 1)).first(size);
}

TEST(Element, ToleranceCountsValuesOfTheFormat) {
  RecordedCase recorded;
  const auto close = [&](std::uint32_t actual, std::uint32_t expected) {
    const auto size = static_cast<std::size_t>(dtype_bytes(recorded.dtype));
    return acceptable(recorded, bytes_of(actual, size), bytes_of(expected, size));
  };
  EXPECT_TRUE(close(0x3f800000, 0x3f800000));
  EXPECT_FALSE(close(0x3f800001, 0x3f800000));
  EXPECT_FALSE(close(0x7fc00001, 0x7fc00000));
  recorded.any_nan = true;
  EXPECT_TRUE(close(0xffc00001, 0x7fc00000));
  EXPECT_FALSE(close(0x7f800000, 0x7fc00000));
  recorded.tolerance = {2, 0};
  EXPECT_TRUE(close(0x3f800002, 0x3f800000));
  EXPECT_FALSE(close(0x3f800003, 0x3f800000));
  EXPECT_TRUE(close(0x80000001, 0x00000001));  // both sides of zero
  EXPECT_FALSE(close(0x7fc00000, 0x3f800000));
  recorded.tolerance = {0, 0.5};
  EXPECT_TRUE(close(0x3fc00000, 0x3f800000));
  EXPECT_FALSE(close(0x40000000, 0x3f800000));
  recorded.dtype = Dtype::kFp16;
  recorded.tolerance = {1, 0};
  EXPECT_TRUE(close(0x3c01, 0x3c00));
  EXPECT_FALSE(close(0x3c02, 0x3c00));
}

TEST(Element, TextHasBitsAndValue) {
  EXPECT_EQ(element_text(Dtype::kFp32, bytes_of(0x40400000, 4)), "0x40400000 = 3");
  EXPECT_EQ(element_text(Dtype::kFp16, bytes_of(0x3c00, 2)), "0x3c00 = 1");
  EXPECT_EQ(element_text(Dtype::kInt8, bytes_of(0xfe, 1)), "0xfe = -2");
  EXPECT_EQ(element_text(Dtype::kUint8, bytes_of(0xfe, 1)), "0xfe = 254");
  EXPECT_EQ(element_text(Dtype::kX32, bytes_of(0x3f800000, 4)), "0x3f800000 = 1065353216 = 1f");
}

}  // namespace
}  // namespace tensorlane::conformance
