// How times of the clock go with shapes: more of anything never takes less, and a command is never
// dearer than two that do the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/recording/command_list.h"

namespace tensorlane {
namespace {

// A function of the shapes that the issue of the clock names: its call for some extents.
struct Family {
  const char* name;
  std::vector<int> largest;  // of each extent
  std::vector<int> step;     // between those that are looked at
  std::function<std::string(const std::vector<int>&)> call;
};

std::string shape_of(const std::vector<int>& extents) {
  return fmt::format("\"shape\":[{},{},{},{}]", extents[0], extents[1], extents[2], extents[3]);
}

std::string move(const char* op, bool in, const std::vector<int>& extents, int dtype) {
  const std::string local = "0", system = "4294967296";
  return fmt::format(
      R"({{"op":"{}","dst_addr":{},"src_addr":{},{},"dst_stride":null,"src_stride":null,"dtype":{}}})",
      op, in ? local : system, in ? system : local, shape_of(extents), dtype);
}

std::vector<Family> families() {
  // Rows of whole bursts: those that end inside one are a matter of their own, see below.
  return {
      {"table lookup",
       {2, 100, 10, 70},
       {1, 9, 3, 7},
       [](const std::vector<int>& extents) {
         return fmt::format(
             R"({{"op":"bdc_table_lookup","dst_addr":65536,"src_addr":16384,"table_addr":0,{},"len":256,"dst_dtype":1,"src_dtype":0}})",
             shape_of(extents));
       }},
      {"cast of fp32 to fp16",
       {2, 100, 10, 70},
       {1, 9, 3, 7},
       [](const std::vector<int>& extents) {
         return fmt::format(
             R"({{"op":"bdc_cast","dst_addr":65536,"src_addr":0,{},"dst_stride":null,"src_stride":null,"dst_dtype":3,"src_dtype":5,"mode":0}})",
             shape_of(extents));
       }},
      {"requantisation",
       {2, 100, 10, 70},
       {1, 9, 3, 7},
       [](const std::vector<int>& extents) {
         return fmt::format(
             R"({{"op":"bdc_fp32_requant","dst_addr":65536,"src_addr":0,{},"scale":0.5,"offset":0.0,"dst_dtype":1,"src_dtype":9,"dst_rounding_mode":0,"src_rounding_mode":0}})",
             shape_of(extents));
       }},
      {"load",
       {2, 100, 10, 512},
       {1, 9, 3, 64},
       [](const std::vector<int>& extents) { return move("gdma_cpy_S2L", true, extents, 1); }},
      {"store",
       {2, 100, 10, 512},
       {1, 9, 3, 64},
       [](const std::vector<int>& extents) { return move("gdma_cpy_L2S", false, extents, 1); }},
      {"product of fp16",
       {300, 300, 300},
       {13, 13, 13},
       [](const std::vector<int>& extents) {
         return fmt::format(
             R"({{"op":"bdc_fp_mm","output_addr":65536,"left_addr":0,"right_addr":32768,"left_rows":{},"left_cols":{},"right_cols":{},"output_dtype":5,"left_right_dtype":3,"result_add":0}})",
             extents[0], extents[1], extents[2]);
       }},
      {"product of bytes",
       {300, 300, 300},
       {13, 13, 13},
       [](const std::vector<int>& extents) {
         return fmt::format(
             R"({{"op":"bdc_int8_zp_mm","output_addr":65536,"left_addr":0,"right_addr":32768,"zp_val":0,"left_rows":{},"left_cols":{},"right_cols":{},"left_dtype":1,"right_zp_dtype":1,"result_add":0}})",
             extents[0], extents[1], extents[2]);
       }},
  };
}

double time_of(const std::string& call, const Chip& chip) {
  const TemporaryFolder folder;
  const std::string path = folder / "call.jsonl";
  std::ofstream(path) << call << '\n';
  return CommandList(path, chip).estimate(prebuilt(chip.timing)).kernel_us;
}

class ShapeLaws : public ::testing::TestWithParam<const char*> {};

TEST_P(ShapeLaws, TimesRiseWithEveryExtentAndWithoutJumps) {
  const Chip& chip = find_chip(GetParam());
  for (const Family& family : families()) {
    for (std::size_t dimension = 0; dimension < family.largest.size(); ++dimension) {
      std::vector<int> extents;  // of the others: half of the largest
      for (std::size_t k = 0; k < family.largest.size(); ++k)
        extents.push_back(std::max(1, family.largest[k] / 2 / family.step[k]) * family.step[k]);
      const int step = family.step[dimension];
      std::vector<double> times;  // of 1, 2, 3, ... steps
      for (int extent = step; extent <= family.largest[dimension]; extent += step) {
        extents[dimension] = extent;
        times.push_back(time_of(family.call(extents), chip));
      }
      for (std::size_t k = 1; k < times.size(); ++k) {
        const std::string where =
            fmt::format("{}: {}, extent {} of {} steps", chip.name, family.name, dimension, k + 1);
        ASSERT_GE(times[k], times[k - 1]) << where;
        for (std::size_t part = 0; 2 * part < k; ++part)
          ASSERT_LE(times[k], (times[part] + times[k - 1 - part]) * (1 + 1e-9)) << where;
      }
      ASSERT_GT(times.back(), times.front())
          << chip.name << ": " << family.name << ", " << dimension;
    }
  }
}

// Rows that end inside a burst are the exception, on the chip where a published load says so: they
// take longer than rows filled up to the next burst, and with longer rows longer still.
TEST(ShapeLaws, RowsThatEndInsideABurstTakeLongerThanFilledOnes) {
  const auto load = [](int columns) {
    return time_of(move("gdma_cpy_S2L", true, {1, 768, 1, columns}, 1), bm1684x());
  };
  EXPECT_GT(load(1000), load(1024));
  EXPECT_LE(load(1000), bm1684x().timing.misaligned_rows * load(1024));
  EXPECT_GT(load(1001), load(1000));
  EXPECT_GT(load(1088), load(1024));
}

INSTANTIATE_TEST_SUITE_P(Chips, ShapeLaws,
                         ::testing::Values("bm1684x", "bm1688", "bm1690", "sg2260e"),
                         [](const auto& chip) { return std::string(chip.param); });

}  // namespace
}  // namespace tensorlane
