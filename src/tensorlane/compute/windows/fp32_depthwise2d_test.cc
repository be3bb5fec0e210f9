#include "tensorlane/compute/windows/fp32_depthwise2d.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/compute/bands/operands_test_support.h"

namespace tensorlane {
namespace {

using operands_test::any_values;
using operands_test::any_window;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::Values;

Depthwise2dArgs rebase(Depthwise2dArgs args, OperandMemory& memory) {
  for (LocalView* view : {&args.input, &args.weight, &args.bias, &args.output}) {
    *view = memory.here(*view);
  }
  return args;
}

void place_and_fill(Depthwise2dArgs& args, OperandMemory& memory, int start, Values values,
                    unsigned seed) {
  std::mt19937 random(seed);
  const Window2d& window = args.window;
  args.input = memory.place_aligned(start, args.n, args.c, args.input_h, args.input_w);
  args.weight = memory.place(start, 1, args.c, window.kernel_h, window.kernel_w);
  args.bias = memory.place(start, 1, args.c, 1, 1);
  args.output = memory.place_aligned(start, args.n, args.c, window.output_h, window.output_w);
  fill(args.input, args.n, args.c, args.input_h, args.input_w, values, random);
  fill(args.weight, 1, args.c, window.kernel_h, window.kernel_w, values, random);
  fill(args.bias, 1, args.c, 1, 1, values, random);
}

Depthwise2dArgs any_problem() {
  Depthwise2dArgs args;
  args.n = in_range(1, 3);
  args.c = in_range(1, 13);
  args.input_h = in_range(1, 20);
  args.input_w = in_range(1, 50);
  args.window = any_window(args.input_h, args.input_w, 6, 3);
  args.using_bias = *rc::gen::arbitrary<bool>();
  return args;
}

RC_GTEST_PROP(Depthwise2d, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(4, 1 << 17);
  Depthwise2dArgs args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), any_values(), *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, depthwise2d_reference, depthwise2d_simd);
}

TEST(Depthwise2d, SimdEqualsReferenceOnAWholeNetworkLayer) {
  OperandMemory memory(64, 1 << 19);
  Depthwise2dArgs args;
  args.n = 2;
  args.c = 96;
  args.input_h = args.input_w = 56;
  args.window = {.kernel_h = 3,
                 .kernel_w = 3,
                 .stride_h = 2,
                 .stride_w = 2,
                 .pad_top = 1,
                 .pad_left = 1,
                 .output_h = 28,
                 .output_w = 28};
  args.using_bias = true;
  place_and_fill(args, memory, 40, Values::kWide, 1);
  OperandMemory fast = memory;
  depthwise2d_reference(args);
  ASSERT_TRUE(depthwise2d_simd(rebase(args, fast)));
  EXPECT_EQ(first_difference(memory, fast), "");
}

// The same sum in double, without chains: catches a wrong index.
RC_GTEST_PROP(Depthwise2d, ReferenceIsTheConvolutionUpToRounding, ()) {
  OperandMemory memory(4, 1 << 17);
  Depthwise2dArgs args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), Values::kPlain, *rc::gen::arbitrary<unsigned>());
  const Window2d& window = args.window;
  depthwise2d_reference(args);
  for (int n = 0; n < args.n; ++n)
    for (int c = 0; c < args.c; ++c)
      for (int oh = 0; oh < window.output_h; ++oh)
        for (int ow = 0; ow < window.output_w; ++ow) {
          double sum = args.using_bias ? *args.bias.at(0, c, 0, 0) : 0.0;
          for (int kh = 0; kh < window.kernel_h; ++kh)
            for (int kw = 0; kw < window.kernel_w; ++kw) {
              const int ih = oh * window.stride_h + kh * window.dilation_h - window.pad_top;
              const int iw = ow * window.stride_w + kw * window.dilation_w - window.pad_left;
              if (ih < 0 || iw < 0 || ih >= args.input_h || iw >= args.input_w) continue;
              sum +=
                  static_cast<double>(*args.input.at(n, c, ih, iw)) * *args.weight.at(0, c, kh, kw);
            }
          RC_ASSERT(std::abs(sum - *args.output.at(n, c, oh, ow)) < 1e-3);
        }
}

// One output of a kernel as wide as the input (less the padding at the left).
class Depthwise2dRule : public testing::TestWithParam<bool> {
 protected:
  float run(const std::vector<float>& input, const std::vector<float>& weight) {
    args_.input_w = static_cast<int>(input.size());
    args_.window.kernel_w = static_cast<int>(weight.size());
    args_.window.output_h = args_.window.output_w = 1;
    place_and_fill(args_, memory_, 1, Values::kSpecial, 3);
    for (int w = 0; w < args_.input_w; ++w) *args_.input.at(0, 0, 0, w) = input[w];
    for (int w = 0; w < args_.window.kernel_w; ++w) *args_.weight.at(0, 0, 0, w) = weight[w];
    *args_.bias.at(0, 0, 0, 0) = 0x1p24F;
    if (!GetParam() || !depthwise2d_simd(args_)) depthwise2d_reference(args_);
    return *args_.output.at(0, 0, 0, 0);
  }

  OperandMemory memory_{2, 1 << 14};
  Depthwise2dArgs args_;
};

TEST_P(Depthwise2dRule, PositionsAlternateBetweenTwoChains) {
  EXPECT_EQ(run({1, 1, 1, 1}, {0x1p40F, 1, -0x1p40F, 1}), 2.0F);
}

TEST_P(Depthwise2dRule, BiasIsAddedLast) {
  args_.using_bias = true;
  EXPECT_EQ(run({1, 1}, {1, 1}), 0x1p24F + 2.0F);
}

TEST_P(Depthwise2dRule, AKernelOfOnePositionGivesTheProduct) {
  EXPECT_TRUE(std::signbit(run({-0.0F}, {1})));
}

TEST_P(Depthwise2dRule, ALargerKernelStartsAtPlusZero) {
  EXPECT_FALSE(std::signbit(run({-0.0F, -0.0F}, {1, 1})));
}

TEST_P(Depthwise2dRule, PaddingIsMultiplied) {
  args_.window.pad_left = 1;
  EXPECT_TRUE(std::isnan(run({1}, {INFINITY, 1})));
  EXPECT_EQ(run({3}, {2, 2}), 6.0F);
}

INSTANTIATE_TEST_SUITE_P(BothPaths, Depthwise2dRule, testing::Bool(),
                         [](const auto& info) { return info.param ? "Simd" : "Reference"; });

}  // namespace
}  // namespace tensorlane
