// Logarithms tell the exponent of every product from below, and the tile that goes by them gives
// the rule's bits: where they do not tell it, among zeros and denormals, for numbers far apart,
// with every instruction set of the processor that has it.
#include "tensorlane/compute/tiles/log_tile.h"

#include <gtest/gtest.h>
#include <hwy/aligned_allocator.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/tiles/block_tile.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {
namespace {

constexpr int kLogSteps = 61;  // a block, one that is short, and one of a single product
constexpr int kLogEnds[] = {kBlockChannels, kLogSteps - 1, kLogSteps};

void for_each_log_target(const std::function<void()>& test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const ChipFloatScope chip_float;
    if (has_log_tile() && !testing::Test::HasFatalFailure()) test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(LogTile, LogarithmsOfAllMantissasAreALittleLow) {
  for_each_log_target([] {
    std::vector<float> numbers;
    for (int mantissa = 1024; mantissa < 2048; ++mantissa)
      numbers.push_back(static_cast<float>(mantissa % 2 == 0 ? mantissa : -mantissa));
    std::vector<std::uint32_t> logs(numbers.size());
    const int base =
        make_weight_logs(numbers.data(), static_cast<std::int64_t>(numbers.size()), logs.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto log = static_cast<std::int16_t>(logs[i]);
      ASSERT_EQ(logs[i] >> 16, logs[i] & 0xFFFFU);
      const double exact = std::ldexp(std::log2(std::abs(double{numbers[i]})) - base, kLogPartBits);
      ASSERT_LE(log, exact) << numbers[i];
      ASSERT_GT(log, exact - 1.5) << numbers[i];
    }
  });
}

// A tile of such numbers by logarithms; whether they served.
using DrawNumber = std::function<float()>;
bool logs_give_rule(int rows, int positions, const DrawNumber& input, const DrawNumber& weight,
                    bool starts) {
  const auto width = static_cast<std::size_t>(block_tile_shape().width);
  const auto row_count = static_cast<std::size_t>(rows);
  std::vector<float> inputs(kLogSteps * width), weights(kLogSteps * row_count);
  const auto sums = hwy::AllocateAligned<float>(row_count * width);
  const auto logs = hwy::AllocateAligned<std::int16_t>(kLogSteps * width);
  std::vector<std::uint32_t> weight_logs(weights.size());
  std::vector<float> start(row_count * width);
  std::vector<std::int32_t> offsets;
  for (int k = 0; k < kLogSteps; ++k) {
    offsets.push_back((kLogSteps - 1 - k) * static_cast<int>(width));
    for (int i = 0; i < positions; ++i)
      inputs[static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(i)] = input();
  }
  for (float& number : weights) number = weight();
  for (float& number : start) number = input();
  const int weight_base = make_weight_logs(
      weights.data(), static_cast<std::int64_t>(weights.size()), weight_logs.data());
  const int input_base =
      make_input_logs(inputs.data(), offsets.data(), kLogSteps, positions, logs.get());
  if (!log_tile_serves(input_base + weight_base)) return false;
  run_log_tile({.rows = rows,
                .inputs = inputs.data(),
                .weights = weights.data(),
                .offsets = offsets.data(),
                .input_logs = logs.get(),
                .weight_logs = weight_logs.data(),
                .base = input_base + weight_base,
                .block_ends = kLogEnds,
                .blocks = 3,
                .start = starts ? start.data() : nullptr,
                .sums = sums.get()});
  for (std::size_t r = 0; r < row_count; ++r) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(positions); ++i) {
      BlockSum want({.has_bias = starts, .bias = start[r * width + i]});
      for (std::size_t k = 0; k < kLogSteps; ++k) {
        want.add(weights[k * row_count + r], inputs[static_cast<std::size_t>(offsets[k]) + i]);
        if (std::ranges::count(kLogEnds, static_cast<int>(k) + 1) > 0) want.end_block();
      }
      const float got = sums[r * width + i];
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want.result()))
          << got << " and not " << want.result() << " in row " << r << ", column " << i;
    }
  }
  return true;
}

// Numbers of `bits` of mantissa whose exponents are up to `down` below `exponent`.
DrawNumber numbers_of(std::mt19937& random, int bits, int exponent, int down, unsigned zeros) {
  return [=, &random] {
    if (zeros > 0 && random() % zeros == 0) return random() % 2 == 0 ? 0.0F : -1e-39F;
    const unsigned units = 1U << (bits - 1);
    const float mantissa = 1 + static_cast<float>(random() % units) / static_cast<float>(units);
    const int lower = static_cast<int>(random() % (static_cast<unsigned>(down) + 1));
    return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent - lower);
  };
}

TEST(LogTile, GivesTheRulesBitsForAllSizesOfTiles) {
  for_each_log_target([] {
    std::mt19937 random(1);
    const TileShape shape = block_tile_shape();
    for (int rows = 1; rows <= shape.rows; ++rows) {
      for (int positions = 1; positions <= shape.width; ++positions)
        ASSERT_TRUE(logs_give_rule(rows, positions, numbers_of(random, 11, 0, 6, 20),
                                   numbers_of(random, 11, -1, 6, 20), positions % 2 == 0));
    }
  });
}

TEST(LogTile, GivesTheRulesBitsWhereLogarithmsDoNotTell) {
  for_each_log_target([] {
    std::mt19937 random(2);
    const int rows = block_tile_shape().rows, width = block_tile_shape().width;
    for (const int down : {0, 3, 12, 28}) {
      for (const int bits : {1, 2, 8, 11}) {
        for (const unsigned zeros : {0U, 2U, 30U})
          ASSERT_TRUE(logs_give_rule(rows, width, numbers_of(random, bits, 1, down, zeros),
                                     numbers_of(random, bits, 1, down, zeros), false));
      }
    }
    // Products just below a power of two and just above, where the logarithms of both are as near.
    const auto near = [&](float low, float high) {
      return [&random, low, high] { return random() % 2 == 0 ? low : -high; };
    };
    for (int mantissa = 1025; mantissa < 2048; mantissa += 7) {
      const int whole = 2048 * 1024 / mantissa;
      const auto other = static_cast<float>(whole);
      ASSERT_TRUE(logs_give_rule(rows, width, near(static_cast<float>(mantissa), 1024),
                                 near(other / 2048, (other + 1) / 2048), false));
    }
  });
}

TEST(LogTile, GivesTheRulesBitsAtTheEndsOfItsRange) {
  for_each_log_target([] {
    std::mt19937 random(3);
    const int rows = block_tile_shape().rows, width = block_tile_shape().width;
    int served = 0, refused = 0;
    for (int exponent = -250; exponent <= 250; exponent += 3) {
      const int left = std::clamp(exponent / 2, -125, 126);
      const int right = std::clamp(exponent - left, -125, 126);
      const bool serves = logs_give_rule(rows, width, numbers_of(random, 8, left, 20, 9),
                                         numbers_of(random, 8, right, 20, 9), false);
      ++(serves ? served : refused);
    }
    EXPECT_GT(served, 20);
    EXPECT_GT(refused, 20);
    const auto zero = [] { return 0.0F; };
    EXPECT_FALSE(logs_give_rule(rows, width, zero, numbers_of(random, 8, 0, 0, 0), false));
  });
}

}  // namespace
}  // namespace tensorlane
