// Where sums of blocks are said to be exact, the tile that takes them so gives the rule's bits,
// with every instruction set; and what is known of numbers is true of them.
#include "tensorlane/compute/tiles/exact_tile.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {
namespace {

constexpr int kExactSteps = 61;  // a block, one that is short, and one of a single product
constexpr int kExactEnds[] = {kBlockChannels, kExactSteps - 1, kExactSteps};

void for_each_exact_target(const std::function<void()>& test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const ChipFloatScope chip_float;
    if (!testing::Test::HasFatalFailure()) test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

using DrawExact = std::function<float()>;

// Numbers of `bits` of mantissa whose exponents are up to `down` below `exponent`.
DrawExact exact_numbers(std::mt19937& random, int bits, int exponent, int down) {
  return [=, &random] {
    if (random() % 8 == 0) return random() % 2 == 0 ? -0.0F : 1e-39F;
    const unsigned units = 1U << (bits - 1);
    const float mantissa = 1 + static_cast<float>(random() % units) / static_cast<float>(units);
    const int lower = static_cast<int>(random() % (static_cast<unsigned>(down) + 1));
    return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent - lower);
  };
}

// A tile of such numbers; whether it serves.
bool gives_exact_rule(int rows, int positions, const DrawExact& input, const DrawExact& weight,
                      bool starts) {
  const auto width = static_cast<std::size_t>(block_tile_shape().width);
  const auto row_count = static_cast<std::size_t>(rows);
  std::vector<float> inputs(kExactSteps * width, std::numeric_limits<float>::infinity());
  std::vector<float> weights(kExactSteps * row_count), sums(row_count * width), start(sums.size());
  std::vector<std::int32_t> offsets;
  for (int k = 0; k < kExactSteps; ++k) {
    offsets.push_back((kExactSteps - 1 - k) * static_cast<int>(width));
    for (int i = 0; i < positions; ++i)
      inputs[static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(i)] = input();
  }
  for (float& number : weights) number = weight();
  for (float& number : start) number = input() / 3;
  const NumberRange of_weights =
      range_of(weights.data(), static_cast<std::int64_t>(weights.size()));
  const NumberRange of_inputs = range_of(inputs.data(), offsets.data(), kExactSteps, positions);
  if (!exact_tile_serves(of_inputs, of_weights)) return false;
  EXPECT_TRUE(exact_tile_may_serve(of_weights));
  run_exact_tile({.rows = rows,
                  .positions = positions,
                  .inputs = inputs.data(),
                  .weights = weights.data(),
                  .offsets = offsets.data(),
                  .block_ends = kExactEnds,
                  .blocks = 3,
                  .start = starts ? start.data() : nullptr,
                  .sums = sums.data()});
  for (std::size_t r = 0; r < row_count; ++r) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(positions); ++i) {
      BlockSum want({.has_bias = starts, .bias = start[r * width + i]});
      for (std::size_t k = 0; k < kExactSteps; ++k) {
        want.add(weights[k * row_count + r], inputs[static_cast<std::size_t>(offsets[k]) + i]);
        if (std::ranges::count(kExactEnds, static_cast<int>(k) + 1) > 0) want.end_block();
      }
      const float got = sums[r * width + i];
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want.result()))
          << got << " and not " << want.result() << " in row " << r << ", column " << i;
    }
  }
  return true;
}

TEST(ExactTile, KnowsWhatNumbersAreMultiplesOf) {
  for_each_exact_target([] {
    for (int count = 1; count < 40; ++count) {
      std::vector<float> numbers(static_cast<std::size_t>(count), 0.0F);
      numbers.back() = -6.0F;  // 3 * 2^1
      NumberRange range = range_of(numbers.data(), count);
      EXPECT_EQ(range.lowest, 1);
      EXPECT_EQ(range.largest, 3);
      numbers.front() = 0x1p-30F;
      range = range_of(numbers.data(), count);
      EXPECT_LE(range.lowest, -30);
      EXPECT_EQ(range.largest, count == 1 ? -29 : 3);
    }
    const float infinite[] = {1.0F, std::numeric_limits<float>::infinity()};
    EXPECT_FALSE(exact_tile_serves(range_of(infinite, 2), {0, 1}));
    const float none[] = {std::numeric_limits<float>::quiet_NaN()};
    EXPECT_FALSE(exact_tile_serves(range_of(none, 1), {0, 1}));
    const NumberRange least{-126, -125};  // weights that are as small as numbers are
    EXPECT_FALSE(exact_tile_serves(range_of(none, 1), least));
    EXPECT_FALSE(exact_tile_serves(range_of(infinite + 1, 1), least));
  });
}

TEST(ExactTile, GivesTheRulesBitsForAllSizesOfTiles) {
  for_each_exact_target([] {
    std::mt19937 random(1);
    const TileShape shape = block_tile_shape();
    for (int rows = 1; rows <= shape.rows; ++rows) {
      for (int positions = 1; positions <= shape.width; ++positions)
        ASSERT_TRUE(gives_exact_rule(rows, positions, exact_numbers(random, 4, 0, 5),
                                     exact_numbers(random, 3, -1, 6), positions % 2 == 0));
    }
  });
}

TEST(ExactTile, GivesTheRulesBitsWhereverItServes) {
  for_each_exact_target([] {
    std::mt19937 random(2);
    const int rows = block_tile_shape().rows, width = block_tile_shape().width;
    int served = 0, refused = 0;
    for (int bits = 1; bits <= 11; ++bits) {
      for (int exponent = -150; exponent <= 140; exponent += 5) {
        const int left = std::clamp(exponent / 2, -125, 126);
        for (const int down : {0, 2, 6}) {
          const bool serves =
              gives_exact_rule(rows, width, exact_numbers(random, bits, left, down),
                               exact_numbers(random, 5, exponent - left, down), false);
          ++(serves ? served : refused);
        }
      }
    }
    EXPECT_GT(served, 100);
    EXPECT_GT(refused, 100);
  });
}

}  // namespace
}  // namespace tensorlane
