// The tile gives the rule's bits where its ways of scaling meet: at largest exponents from the
// smallest to the largest, among zeros and denormals, with every instruction set of the processor.
#include "tensorlane/compute/tiles/block_tile.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {
namespace {

constexpr int kSteps = 45;  // a block, and one that is short
constexpr int kEnds[] = {kBlockChannels, kSteps};

// Numbers of 8 bits of mantissa whose exponents are about `exponent`, every fifth 0 or denormal.
float number(std::mt19937& random, int exponent, bool zero) {
  if (zero) return random() % 2 == 0 ? -0.0F : 0.0F;
  if (random() % 5 == 0) return random() % 2 == 0 ? 0.0F : 1e-39F;
  const float mantissa = 1 + static_cast<float>(random() % 256) / 256;
  const int down = static_cast<int>(random() % 30);
  return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent - down);
}

void expect_rule(int left_exponent, int right_exponent) {
  const ChipFloatScope chip_float;
  const TileShape shape = block_tile_shape();
  std::mt19937 random(static_cast<unsigned>(1000 + left_exponent));
  const auto width = static_cast<std::size_t>(shape.width);
  std::vector<float> weights, inputs(kSteps * width), sums(shape.rows * width);
  std::vector<std::int32_t> offsets;
  for (int k = 0; k < kSteps; ++k) {
    offsets.push_back(k * shape.width);
    for (int r = 0; r < shape.rows; ++r)
      weights.push_back(number(random, left_exponent, k >= kBlockChannels && r == 1));
    for (std::size_t i = 0; i < width; ++i)
      inputs[static_cast<std::size_t>(k) * width + i] = number(random, right_exponent, i % 4 == 3);
  }
  run_block_tile({shape.rows, shape.width, inputs.data(), weights.data(), offsets.data(), kEnds, 2,
                  false, nullptr, sums.data()});
  for (int r = 0; r < shape.rows; ++r) {
    for (int i = 0; i < shape.width; ++i) {
      BlockSum want({});
      for (int k = 0; k < kSteps; ++k) {
        want.add(weights[static_cast<std::size_t>(k) * shape.rows + r],
                 inputs[static_cast<std::size_t>(k) * shape.width + i]);
        if (k + 1 == kEnds[0] || k + 1 == kSteps) want.end_block();
      }
      const float got = sums[static_cast<std::size_t>(r) * shape.width + i];
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want.result()))
          << got << " and not " << want.result() << " in row " << r << ", column " << i
          << ", exponents " << left_exponent << " and " << right_exponent;
    }
  }
}

TEST(BlockTile, GivesTheRulesBitsWhereWaysOfScalingMeet) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (int exponent = -140; exponent <= 126 && !HasFatalFailure(); ++exponent) {
      const int right = exponent / 2;
      expect_rule(exponent - right, right);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace tensorlane
