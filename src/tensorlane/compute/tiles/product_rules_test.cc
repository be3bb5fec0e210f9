#include "tensorlane/compute/tiles/product_rules.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tensorlane/base/fp_environment.h"

namespace tensorlane {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

float block(std::initializer_list<float> products) {
  ChipFloatScope chip_float;
  return sum_of_block({products.begin(), products.size()});
}

TEST(SumOfBlock, MagnitudesAreCutToTheUnitOfTheLargest) {
  // E = 0, so the unit is 2^-24: what is below it is lost, whatever its sign.
  EXPECT_EQ(block({1.0F, 0x1p-24F, -1.0F}), 0x1p-24F);
  EXPECT_EQ(block({1.0F, 0x1p-25F, -1.0F}), 0.0F);
  EXPECT_EQ(block({1.0F, -0x1.8p-24F, -1.0F}), -0x1p-24F);
}

TEST(SumOfBlock, TheExponentIsThatOfTheLargestProductNotOfTheSum) {
  EXPECT_EQ(block({1.5F, 1.5F, -3.0F, 0x1p-23F}), 0x1p-23F);
  EXPECT_EQ(block({1.5F, 1.5F, -3.0F, 0x1p-24F}), 0.0F);  // 3 has E = 1
}

TEST(SumOfBlock, TheExactSumIsRoundedOnceToNearestEven) {
  EXPECT_EQ(block({1.0F, 0x1p-24F}), 1.0F);
  EXPECT_EQ(block({1.0F, 0x1.8p-23F}), 1.0F + 0x1p-22F);  // between two numbers: to the even one
  EXPECT_EQ(block({1.0F, 0x1p-24F, 0x1p-24F}), 1.0F + 0x1p-23F);
}

TEST(SumOfBlock, InfinitiesAndNans) {
  EXPECT_EQ(block({1.0F, -kInf, 2.0F}), -kInf);
  EXPECT_TRUE(std::isnan(block({kInf, -kInf})));
  EXPECT_TRUE(std::isnan(block({1.0F, NAN, 2.0F})));
  EXPECT_EQ(block({1.0F, NAN, kInf}), kInf);
  EXPECT_EQ(block({-kInf, NAN, -kInf}), -kInf);
  EXPECT_TRUE(std::isnan(block({-kInf, NAN, kInf})));
}

TEST(SumOfBlock, OnlyNegativeZerosGivePlusZero) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(block({-0.0F, -0.0F})), 0U);
}

TEST(SumOfBlock, UnitsBelowTheRangeOfFp32) {
  EXPECT_EQ(block({0x1.5p-126F, 0x1p-126F}), 0x1.28p-125F);
  EXPECT_EQ(block({0x1.5p-126F, -0x1p-126F}), 0.0F);  // a denormal result
}

TEST(ProductSteps, Orders) {
  const auto steps = product_steps(ProductRule::kFp32Chains, 2, 1, 2);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[1].channel, 0);
  EXPECT_EQ(steps[1].kernel_w, 1);
  const auto blocks = product_steps(ProductRule::kBlockSums, 33, 1, 2);
  ASSERT_EQ(blocks.size(), 66U);
  EXPECT_EQ(blocks[31].channel, 31);
  EXPECT_TRUE(blocks[31].ends_block);
  EXPECT_EQ(blocks[32].channel, 0);
  EXPECT_EQ(blocks[32].kernel_w, 1);
  EXPECT_EQ(blocks[64].channel, 32);
  EXPECT_TRUE(blocks[64].ends_block);
}

TEST(ChainSum, BiasAndOldResultStartTheChains) {
  // Chain 1 gets the odd products: 2^24 + 1 is lost there and not in chain 0.
  ChipFloatScope chip_float;
  ChainSum bias({.has_bias = true, .bias = 0x1p24F});
  bias.add(1.0F, 1.0F);
  bias.add(1.0F, 1.0F);
  EXPECT_EQ(bias.result(), 0x1p24F);
  ChainSum both({.has_bias = true, .has_old = true, .bias = 0x1p24F, .old = 1.0F});
  both.add(0.0F, 0.0F);
  both.add(1.0F, 1.0F);
  EXPECT_EQ(both.result(), 0x1p24F + 2.0F);
}

TEST(IntegerFinish, ShiftsThenClampsNegativesThenSaturates) {
  IntegerFinish finish{.output = Dtype::kInt8, .shift = -1};
  EXPECT_EQ(finish.apply(-3), -1);  // half up
  EXPECT_EQ(finish.apply(1000), 127);
  finish.relu = true;
  EXPECT_EQ(finish.apply(-300), 0);
  finish.saturate = false;
  EXPECT_EQ(finish.apply(1000), 500);
}

}  // namespace
}  // namespace tensorlane
