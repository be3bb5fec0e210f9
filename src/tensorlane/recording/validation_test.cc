// The model against the board: the figures of docs/timing.md.
#include "tensorlane/recording/validation.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tensorlane/base/error.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/recorder.h"
#include "tensorlane/recording/estimate.h"
#include "tensorlane/recording/recording.h"

namespace tensorlane {
namespace {

const std::string kBoard = TENSORLANE_TESTDATA "/../data/board";

TEST(Validation, OddCasesAreWithinTheStatedErrorsOfTheEvenCalibration) {
  const auto cases = validate_board(kBoard, bm1684(), Calibration::kEven);
  ASSERT_EQ(cases.size(), 45u);
  const ErrorSummary odd =
      summarise_errors(cases, [](const BoardCase& board) { return !board.calibration(); });
  EXPECT_EQ(odd.cases, 21);
  EXPECT_LE(odd.median, 3.5);
  EXPECT_LE(odd.p90, 10);
  const ErrorSummary all = summarise_errors(cases, [](const BoardCase&) { return true; });
  EXPECT_LE(all.median, 3);
}

// Figures of an independent implementation of the same model, per entrant, in microseconds.
TEST(Validation, AgreesWithTheModelItWasFittedWith) {
  struct Known {
    const char* file;
    double us;
  };
  const Known known[] = {
      {"conv2d_0_E", 4534}, {"conv2d_1_E", 98669}, {"matmul_0_B", 358428}, {"softmax_0_E", 102}};
  for (const Known& entry : known) {
    const Estimate estimate =
        estimate_recording(kBoard + "/recordings/" + entry.file + ".jsonl.gz", bm1684(),
                           timing_parameters(bm1684(), Calibration::kEven));
    EXPECT_NEAR(estimate.host_us / entry.us, 1, 0.01) << entry.file;
  }
}

TEST(Recording, EveryCallSurvivesWritingAndReading) {
  for (const auto& file : std::filesystem::directory_iterator(kBoard + "/recordings")) {
    if (file.file_size() > 700) continue;
    RecordingReader reader(file.path());
    while (const auto call = reader.next()) {
      const std::string line = observe::recorded_line(*call->op, call->args);
      const std::string path = testing::TempDir() + "/one_call.jsonl";
      std::ofstream(path) << line << '\n';
      RecordingReader again(path);
      const auto same = again.next();
      ASSERT_TRUE(same);
      ASSERT_EQ(same->op, call->op);
      for (std::size_t k = 0; k < call->args.size(); ++k) {
        ASSERT_EQ(same->args[k].field, call->args[k].field) << line;
        ASSERT_EQ(same->args[k].is_null, call->args[k].is_null) << line;
      }
    }
  }
}

// What an argument of a type may look like in a recording; nothing for types it does not hold.
std::optional<Json> example_of(const Param& param, int seed) {
  const ArgType& type = arg_type(param.type);
  const int odd = seed % 2;
  if (type.spelling == "const variable_t*")
    return odd ? Json{{"type", 1}, {"val", 1077936128}} : Json{{"type", 2}, {"addr", 4096}};
  switch (type.kind) {
    case ArgKind::kPointer:
      return std::nullopt;
    case ArgKind::kStruct: {
      if (odd) return nullptr;
      Json list = Json::array();
      for (int k = 0; k < field_count(type); ++k) list.push_back(seed + k);
      return list;
    }
    case ArgKind::kFloat:
      return 0.25 * seed;
    case ArgKind::kValueOrAddress:
      return odd ? Json{{"is_addr", 1}, {"addr", 64 * seed}} : Json{{"is_addr", 0}, {"val", seed}};
    default:
      return seed;
  }
}

// A line with the example of every parameter comes out as it went in.
TEST(Recording, EveryCommandOfBothChipsSurvivesReadingAndWriting) {
  const std::string path = testing::TempDir() + "/every_command.jsonl";
  for (const Chip* chip : {&bm1684(), &bm1684x()}) {
    std::vector<Json> lines;
    std::ofstream file(path);
    file << Json{{"header", 1}, {"chip", chip->name}} << '\n';
    int left_out = 0;
    for (const Op* op : front_end_of(*chip).ops().all()) {
      if (op->engine() == Engine::kNone) continue;
      for (int seed = 1; seed <= 2; ++seed) {
        Json line = {{"op", op->name().substr(chip->api.prefix.size())}};
        bool whole = true;
        for (const Param& param : op->params()) {
          const auto example = example_of(param, seed);
          whole = whole && example;
          if (example) line[std::string(param.name)] = *example;
        }
        left_out += !whole;
        if (!whole) continue;
        file << line << '\n';
        lines.push_back(line);
      }
    }
    file.close();
    EXPECT_LE(left_out, 20);
    RecordingReader reader(path);
    ASSERT_EQ(&reader.chip(), chip);
    for (const Json& line : lines) {
      const auto call = reader.next();
      ASSERT_TRUE(call) << line;
      EXPECT_EQ(Json::parse(observe::recorded_line(*call->op, call->args)), line);
    }
    EXPECT_FALSE(reader.next());
  }
}

TEST(Recording, TheHeaderNamesTheChip) {
  const auto write = [](const std::string& text) {
    const std::string path = testing::TempDir() + "/chip.jsonl";
    std::ofstream(path) << text;
    return path;
  };
  const std::string poll = "{\"op\":\"hau_poll\"}\n";
  EXPECT_TRUE(RecordingReader(write("{\"header\":1,\"chip\":\"bm1684x\"}\n" + poll)).next());
  EXPECT_TRUE(RecordingReader(write(poll), &bm1684x()).next());
  EXPECT_THROW(RecordingReader(write(poll)).next(), UserError);
  EXPECT_THROW(RecordingReader(write("{\"header\":1,\"chip\":\"bm1688z\"}\n")), UserError);
}

TEST(Recording, BadLinesAreNamed) {
  const auto message = [](const std::string& text) -> std::string {
    const std::string path = testing::TempDir() + "/bad.jsonl";
    std::ofstream(path) << text;
    try {
      RecordingReader reader(path);
      while (reader.next()) {
      }
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("{\"op\":\"pol\"}\n").find("did you mean 'poll'?"), std::string::npos);
  EXPECT_NE(message("{\"op\":\"poll\"}\n{broken\n").find("bad.jsonl:2:"), std::string::npos);
  EXPECT_NE(message("{\"op\":\"bdc_32bit_set_C\",\"dst_addr\":0,\"C\":1,\"shape\":[1,2,3],\"dst_"
                    "stride\":null}")
                .find("list of 4 numbers"),
            std::string::npos);
  EXPECT_NE(message("{\"op\":\"bdc_32bit_set_C\"}").find("'dst_addr'"), std::string::npos);
  const std::string fill =
      R"({"op":"bdc_32bit_set_C","dst_addr":0,"C":1,"dst_stride":null,"shape":)";
  EXPECT_NE(message(fill + "[1,2,3,1.5]}").find("whole number"), std::string::npos);
  EXPECT_NE(message(fill + "[1,2,3,1e300]}").find("whole number"), std::string::npos);
  EXPECT_NE(message(fill + "[1,2,3,\"4\"]}").find("a number is expected"), std::string::npos);
  EXPECT_NE(message("[]"), "");
  EXPECT_NE(message(std::string("\0garbage", 8)), "");
  EXPECT_NE(message("{\"op\":7}"), "");
  EXPECT_NE(message(std::string(2 << 20, 'x')).find("longer than 1 MiB"), std::string::npos);
  EXPECT_EQ(message(""), "");
  EXPECT_THROW(RecordingReader("/no/such/file"), UserError);
  EXPECT_THROW(RecordingReader("/"), UserError);
}

TEST(Recording, ATruncatedFileIsAnError) {
  std::ifstream whole(kBoard + "/recordings/softmax_0_E.jsonl.gz", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  const std::string path = testing::TempDir() + "/cut.jsonl.gz";
  for (const std::size_t size : {bytes.size() / 2, bytes.size() - 9, bytes.size() - 1}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    EXPECT_THROW(estimate_recording(path, bm1684(), timing_parameters(bm1684())), UserError)
        << size << " of " << bytes.size() << " bytes";
  }
}

TEST(Recording, RegionsDoNotNest) {
  const std::string path = testing::TempDir() + "/regions.jsonl";
  std::ofstream(path) << "{\"op\":\"parallel_start\"}\n{\"op\":\"parallel_start\"}\n";
  EXPECT_THROW(estimate_recording(path, bm1684(), timing_parameters(bm1684())), UserError);
}

}  // namespace
}  // namespace tensorlane
