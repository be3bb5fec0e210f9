#include "tensorlane/compute/windows/fp32_conv2d.h"

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

Conv2dArgs rebase(Conv2dArgs args, OperandMemory& memory) {
  for (LocalView* view : {&args.input, &args.weight, &args.bias, &args.output}) {
    *view = memory.here(*view);
  }
  return args;
}

struct Sizes {
  int n, input_c, input_h, input_w, output_c;
};

Conv2dArgs sized(const Sizes& sizes, const Window2d& window) {
  Conv2dArgs args;
  args.n = sizes.n;
  args.input_c = sizes.input_c;
  args.input_h = sizes.input_h;
  args.input_w = sizes.input_w;
  args.output_c = sizes.output_c;
  args.window = window;
  return args;
}

// Places all operands with the usual layouts and fills them.
void place_and_fill(Conv2dArgs& args, OperandMemory& memory, int input_start, int output_start,
                    Values values, unsigned seed) {
  std::mt19937 random(seed);
  const Window2d& window = args.window;
  const int pairs = (args.input_c + 1) / 2;
  args.weight = memory.place(output_start, pairs, args.output_c, window.kernel_h, window.kernel_w,
                             0, 0, 1, 8);
  args.bias = memory.place(output_start, 1, args.output_c, 1, 1);
  args.output =
      memory.place_aligned(output_start, args.n, args.output_c, window.output_h, window.output_w);
  if (args.input.memory == nullptr) {
    args.input =
        memory.place_aligned(input_start, args.n, args.input_c, args.input_h, args.input_w);
  }
  fill(args.input, args.n, args.input_c, args.input_h, args.input_w, values, random);
  fill(args.weight, pairs, args.output_c, window.kernel_h, window.kernel_w, values, random);
  fill(args.bias, 1, args.output_c, 1, 1, values, random);
  fill(args.output, args.n, args.output_c, window.output_h, window.output_w, values, random);
}

RC_GTEST_PROP(Conv2d, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 17);
  Sizes sizes{in_range(1, 3), in_range(1, 19), in_range(1, 20), in_range(1, 40), in_range(1, 21)};
  Conv2dArgs args = sized(sizes, any_window(sizes.input_h, sizes.input_w, 5, 3));
  args.using_bias = *rc::gen::arbitrary<bool>();
  args.result_add = *rc::gen::arbitrary<bool>();
  const int start = in_range(0, 7);
  if (in_range(0, 3) == 0) {  // gaps between elements and rows
    args.input = memory.place(start, sizes.n, sizes.input_c, sizes.input_h, sizes.input_w, 0,
                              2 * sizes.input_w + in_range(0, 5), 2);
  }
  place_and_fill(args, memory, start, in_range(0, 7), any_values(),
                 *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, conv2d_reference, conv2d_simd);
}

RC_GTEST_PROP(Conv2d, SimdEqualsReferenceWhenTheInputIsBroadcast, ()) {
  OperandMemory memory(4, 1 << 16);
  Sizes sizes{in_range(1, 2), in_range(1, 6), in_range(1, 9), in_range(1, 9), in_range(1, 9)};
  Conv2dArgs args = sized(sizes, any_window(sizes.input_h, sizes.input_w, 3, 2));
  args.input = memory.place_aligned(0, sizes.n, sizes.input_c, sizes.input_h, sizes.input_w);
  args.input.w = in_range(0, 1);
  args.input.h = 0;
  place_and_fill(args, memory, 0, 0, Values::kPlain, *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, conv2d_reference, conv2d_simd);
}

TEST(Conv2d, SimdDeclinesAnOutputWithGapsAndWritesNothing) {
  OperandMemory memory(2, 1 << 14);
  Window2d window;
  window.output_h = window.output_w = 4;
  Conv2dArgs args = sized({1, 1, 4, 4, 1}, window);
  place_and_fill(args, memory, 0, 0, Values::kPlain, 1);
  args.output = memory.place(0, 1, 1, 4, 4, 0, 0, 2);
  const OperandMemory before = memory;
  EXPECT_FALSE(conv2d_simd(args));
  EXPECT_EQ(first_difference(before, memory), "");
}

// Sizes like those of networks, large enough for every block of the fast path and for threads.
TEST(Conv2d, SimdEqualsReferenceOnNetworkSizes) {
  struct Case {
    Sizes sizes;
    int kernel, stride, pad;
  };
  for (const Case& c : {Case{{1, 64, 28, 28, 64}, 3, 1, 1}, Case{{2, 32, 14, 14, 130}, 1, 1, 0},
                        Case{{1, 3, 64, 64, 32}, 7, 2, 3}, Case{{3, 48, 7, 7, 40}, 3, 1, 1},
                        Case{{1, 130, 1, 1, 70}, 1, 1, 0}, Case{{2, 16, 9, 200, 8}, 3, 2, 1}}) {
    SCOPED_TRACE(testing::Message() << c.sizes.input_c << " -> " << c.sizes.output_c);
    OperandMemory memory(64, 1 << 19);
    Window2d window;
    window.kernel_h = window.kernel_w = c.kernel;
    window.stride_h = window.stride_w = c.stride;
    window.pad_top = window.pad_left = c.pad;
    window.output_h = window_output_extent(c.sizes.input_h, c.pad, c.pad, c.kernel, c.stride, 1);
    window.output_w = window_output_extent(c.sizes.input_w, c.pad, c.pad, c.kernel, c.stride, 1);
    Conv2dArgs args = sized(c.sizes, window);
    args.using_bias = args.result_add = true;
    place_and_fill(args, memory, 5, 62, Values::kWide, 1);
    OperandMemory fast = memory;
    conv2d_reference(args);
    ASSERT_TRUE(conv2d_simd(rebase(args, fast)));
    EXPECT_EQ(first_difference(memory, fast), "");
  }
}

// The same sum in double, over dense arrays, without chains: catches a wrong index.
RC_GTEST_PROP(Conv2d, ReferenceIsTheConvolutionUpToRounding, ()) {
  OperandMemory memory(4, 1 << 17);
  Sizes sizes{in_range(1, 2), in_range(1, 7), in_range(1, 12), in_range(1, 12), in_range(1, 7)};
  Conv2dArgs args = sized(sizes, any_window(sizes.input_h, sizes.input_w, 4, 2));
  args.using_bias = true;
  place_and_fill(args, memory, in_range(0, 3), in_range(0, 3), Values::kPlain,
                 *rc::gen::arbitrary<unsigned>());
  const Window2d& window = args.window;
  conv2d_reference(args);
  for (int n = 0; n < sizes.n; ++n)
    for (int oc = 0; oc < sizes.output_c; ++oc)
      for (int oh = 0; oh < window.output_h; ++oh)
        for (int ow = 0; ow < window.output_w; ++ow) {
          double sum = *args.bias.at(0, oc, 0, 0);
          for (int ic = 0; ic < sizes.input_c; ++ic)
            for (int kh = 0; kh < window.kernel_h; ++kh)
              for (int kw = 0; kw < window.kernel_w; ++kw) {
                const int ih = oh * window.stride_h + kh * window.dilation_h - window.pad_top;
                const int iw = ow * window.stride_w + kw * window.dilation_w - window.pad_left;
                if (ih < 0 || iw < 0 || ih >= sizes.input_h || iw >= sizes.input_w) continue;
                sum += static_cast<double>(*args.input.at(n, ic, ih, iw)) *
                       args.weight.at(ic / 2, oc, kh, kw)[ic % 2];
              }
          RC_ASSERT(std::abs(sum - *args.output.at(n, oc, oh, ow)) < 1e-3);
        }
}

// One output, computed by reference and fast path. Kernel and input have one row unless a test says
// otherwise.
class Conv2dRule : public testing::TestWithParam<bool> {
 protected:
  // inputs[ic] and weights[ic] row by row
  float run(const std::vector<std::vector<float>>& inputs,
            const std::vector<std::vector<float>>& weights) {
    const int channels = static_cast<int>(inputs.size());
    const int positions = static_cast<int>(weights[0].size());
    const int kernel_w = positions / args_.window.kernel_h;
    args_.input_c = channels;
    args_.input_w = static_cast<int>(inputs[0].size()) / args_.input_h;
    args_.window.kernel_w = kernel_w;
    args_.window.output_h = 1;
    args_.window.output_w = 1;
    place_and_fill(args_, memory_, 0, 0, Values::kSpecial, 3);
    for (int ic = 0; ic < channels; ++ic) {
      for (int i = 0; i < args_.input_h * args_.input_w; ++i) {
        *args_.input.at(0, ic, i / args_.input_w, i % args_.input_w) = inputs[ic][i];
      }
      for (int i = 0; i < positions; ++i) {
        args_.weight.at(ic / 2, 0, i / kernel_w, i % kernel_w)[ic % 2] = weights[ic][i];
        if (channels % 2 == 1) {
          args_.weight.at(channels / 2, 0, i / kernel_w, i % kernel_w)[1] = dummy_;
        }
      }
    }
    *args_.bias.at(0, 0, 0, 0) = bias_;
    *args_.output.at(0, 0, 0, 0) = old_;
    if (!GetParam() || !conv2d_simd(args_)) conv2d_reference(args_);
    return *args_.output.at(0, 0, 0, 0);
  }

  OperandMemory memory_{2, 1 << 14};
  Conv2dArgs args_;
  float dummy_ = NAN;
  float bias_ = 0.0F;
  float old_ = 0.0F;
};

TEST_P(Conv2dRule, StepsOfOneChannelAlternateBetweenTwoChains) {
  // One chain would absorb a 1 into 2^40 and give 1.
  EXPECT_EQ(run({{1, 1, 1, 1}}, {{0x1p40F, 1, -0x1p40F, 1}}), 2.0F);
}

TEST_P(Conv2dRule, ChannelsOfAPairHaveChainsOfTheirOwn) {
  EXPECT_EQ(run({{1, 0, 1}, {1, 0, 1}}, {{0x1p40F, 0, -0x1p40F}, {1, 0, 1}}), 2.0F);
}

TEST_P(Conv2dRule, PairsOfOneKernelPositionAreConsecutiveSteps) {
  // Channels 0 and 2 are steps 0 and 1 and never meet before the end; 0 and 4 share a chain.
  EXPECT_EQ(run({{1}, {0}, {1}, {0}, {1}, {0}}, {{0x1p40F}, {0}, {1}, {0}, {-0x1p40F}, {0}}), 1.0F);
}

TEST_P(Conv2dRule, ChainsOfOneLaneAreJoinedFirst) {
  // (2^24 + -2^24) + (1 + 0): joining by step instead would lose the 1 in 2^24 + 1.
  EXPECT_EQ(run({{1, 1}, {1, 1}}, {{0x1p24F, -0x1p24F}, {1, 0}}), 1.0F);
}

TEST_P(Conv2dRule, ProductsAreRoundedBeforeTheyAreAdded) {
  const float a = 1.0F + 0x1p-12F;
  EXPECT_EQ(run({{1.0F + 0x1p-11F, 0, a}}, {{-1, 0, a}}), 0.0F);  // fused: 2^-24
}

TEST_P(Conv2dRule, TheDummyChannelOfAnOddCountIsNeverUsed) {
  EXPECT_EQ(run({{2}}, {{3}}), 6.0F);
  dummy_ = std::numeric_limits<float>::infinity();
  EXPECT_EQ(run({{1}, {2}, {3}}, {{1}, {1}, {1}}), 6.0F);
}

TEST_P(Conv2dRule, PaddingCountsAsAStep) {
  // Every second position is padding, so the three values share a chain, which loses the 1.
  args_.window.pad_left = 1;
  args_.window.kernel_h = 3;
  args_.input_h = 3;
  EXPECT_EQ(run({{1, 1, 1}}, {{5, 0x1p40F, 5, 1, 5, -0x1p40F}}), 0.0F);
}

TEST_P(Conv2dRule, PaddingIsMultiplied) {
  args_.window.pad_left = 1;
  EXPECT_TRUE(std::isnan(run({{1, 1}}, {{INFINITY, 1, 1}})));
}

TEST_P(Conv2dRule, BiasIsAddedBeforeTheOldResult) {
  args_.using_bias = args_.result_add = true;
  bias_ = 1.0F;
  old_ = 0x1p24F;
  EXPECT_EQ(run({{1}}, {{1}}), 0x1p24F + 2.0F);
}

TEST_P(Conv2dRule, DenormalsAreZero) {
  EXPECT_EQ(run({{1e-40F}}, {{0x1p100F}}), 0.0F);
  EXPECT_EQ(run({{1e-30F}}, {{1e-10F}}), 0.0F);
}

TEST_P(Conv2dRule, ChainsStartAtPlusZero) {
  EXPECT_FALSE(std::signbit(run({{-0.0F}}, {{1}})));
}

INSTANTIATE_TEST_SUITE_P(BothPaths, Conv2dRule, testing::Bool(),
                         [](const auto& info) { return info.param ? "Simd" : "Reference"; });

}  // namespace
}  // namespace tensorlane
