#include "tensorlane/base/fp_environment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tensorlane {
namespace {

constexpr float kSmallestNormal = std::numeric_limits<float>::min();

// volatile keeps the product out of the compiler's hands, which would fold it without flushing.
float product(float a, float b) {
  volatile float x = a;
  volatile float y = b;
  return x * y;
}

TEST(ChipFloatScope, FlushesDenormalResultsToZeroOfTheirSign) {
  ChipFloatScope scope;
  const float positive = product(kSmallestNormal, 0.5F);
  const float negative = product(kSmallestNormal, -0.5F);
  EXPECT_EQ(positive, 0.0F);
  EXPECT_FALSE(std::signbit(positive));
  EXPECT_EQ(negative, 0.0F);
  EXPECT_TRUE(std::signbit(negative));
}

TEST(ChipFloatScope, ReadsDenormalInputsAsZero) {
  const float denormal = std::numeric_limits<float>::denorm_min();
  ChipFloatScope scope;
  EXPECT_EQ(product(denormal, 0x1p100F), 0.0F);
}

TEST(ChipFloatScope, RestoresTheCallersEnvironmentAlsoWhenNested) {
  {
    ChipFloatScope outer;
    { ChipFloatScope inner; }
    EXPECT_EQ(product(kSmallestNormal, 0.5F), 0.0F);
  }
  EXPECT_GT(product(kSmallestNormal, 0.5F), 0.0F);
}

}  // namespace
}  // namespace tensorlane
