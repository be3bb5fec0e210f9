// Windows of fp32 as the BM1684 computes them: its rules, and what they are up to rounding.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tensorlane/compute/bands/operands_test_support.h"
#include "tensorlane/compute/windows/any_type_window.h"

namespace tensorlane {
namespace {

using operands_test::any_values;
using operands_test::any_window;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::Values;

using Args = AnyTypeWindowArgs;

constexpr float kLowest = std::numeric_limits<float>::lowest();

Args windows(Args args) {
  args.starts_empty = args.window.kernel_h * args.window.kernel_w == 1;
  return args;
}
Args depthwise(Args args) {
  args = windows(args);
  args.bias_is_last = true;
  return args;
}
Args averages(Args args) {
  args = windows(args);
  const int positions = args.window.kernel_h * args.window.kernel_w;
  args.has_bias = false;
  args.weight_is_constant = true;
  args.weight_bits = std::bit_cast<std::uint32_t>(1.0F / static_cast<float>(positions));
  return args;
}
Args maxima(Args args) {
  args.rule = WindowRule::kMaximum;
  args.nan_loses = true;
  args.padding_bits = std::bit_cast<std::uint32_t>(kLowest);
  return args;
}
using Kind = Args (*)(Args);
template <Kind kKind>
void reference(const Args& args) {
  any_type_window_reference(kKind(args));
}
template <Kind kKind>
bool simd(const Args& args) {
  return any_type_window_simd(kKind(args));
}

Args rebase(Args args, OperandMemory& memory) {
  for (LocalView* view : {&args.input, &args.weight, &args.bias, &args.output})
    *view = memory.here(*view);
  return args;
}

void place_and_fill(Args& args, OperandMemory& memory, int start, Values values, unsigned seed) {
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

Args any_problem() {
  Args args;
  args.n = in_range(1, 3);
  args.c = in_range(1, 13);
  args.input_h = in_range(1, 20);
  args.input_w = in_range(1, 50);
  args.window = any_window(args.input_h, args.input_w, 6, 3);
  args.has_bias = *rc::gen::arbitrary<bool>();
  return args;
}

RC_GTEST_PROP(Depthwise2d, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(4, 1 << 17);
  Args args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), any_values(), *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, reference<depthwise>, simd<depthwise>);
}

TEST(Depthwise2d, SimdEqualsReferenceOnAWholeNetworkLayer) {
  OperandMemory memory(64, 1 << 19);
  Args args;
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
  args.has_bias = true;
  place_and_fill(args, memory, 40, Values::kWide, 1);
  OperandMemory fast = memory;
  reference<depthwise>(args);
  ASSERT_TRUE(simd<depthwise>(rebase(args, fast)));
  EXPECT_EQ(first_difference(memory, fast), "");
}

// The same sum in double, without chains: catches a wrong index.
RC_GTEST_PROP(Depthwise2d, ReferenceIsTheConvolutionUpToRounding, ()) {
  OperandMemory memory(4, 1 << 17);
  Args args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), Values::kPlain, *rc::gen::arbitrary<unsigned>());
  const Window2d& window = args.window;
  reference<depthwise>(args);
  for (int n = 0; n < args.n; ++n)
    for (int c = 0; c < args.c; ++c)
      for (int oh = 0; oh < window.output_h; ++oh)
        for (int ow = 0; ow < window.output_w; ++ow) {
          double sum = args.has_bias ? *args.bias.at(0, c, 0, 0) : 0.0;
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
    if (!GetParam() || !simd<depthwise>(args_)) reference<depthwise>(args_);
    return *args_.output.at(0, 0, 0, 0);
  }

  OperandMemory memory_{2, 1 << 14};
  Args args_;
};

TEST_P(Depthwise2dRule, PositionsAlternateBetweenTwoChains) {
  EXPECT_EQ(run({1, 1, 1, 1}, {0x1p40F, 1, -0x1p40F, 1}), 2.0F);
}

TEST_P(Depthwise2dRule, BiasIsAddedLast) {
  args_.has_bias = true;
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

Args any_pool() {
  Args args = any_problem();
  args.window = any_window(args.input_h, args.input_w, 6, 1);
  return args;
}

RC_GTEST_PROP(AvgPool2d, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(4, 1 << 17);
  Args args = any_pool();
  place_and_fill(args, memory, in_range(0, 3), any_values(), *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, reference<averages>, simd<averages>);
}

RC_GTEST_PROP(MaxPool2d, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(4, 1 << 17);
  Args args = any_pool();
  place_and_fill(args, memory, in_range(0, 3), any_values(), *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, reference<maxima>, simd<maxima>);
}

// Calls visit(n, c, oh, ow, values inside the input) for every output.
template <class Visit>
void for_each_window(const Args& args, Visit visit) {
  const Window2d& window = args.window;
  for (int n = 0; n < args.n; ++n)
    for (int c = 0; c < args.c; ++c)
      for (int oh = 0; oh < window.output_h; ++oh)
        for (int ow = 0; ow < window.output_w; ++ow) {
          std::vector<double> values;
          for (int kh = 0; kh < window.kernel_h; ++kh)
            for (int kw = 0; kw < window.kernel_w; ++kw) {
              const int ih = oh * window.stride_h + kh - window.pad_top;
              const int iw = ow * window.stride_w + kw - window.pad_left;
              if (ih < 0 || iw < 0 || ih >= args.input_h || iw >= args.input_w) continue;
              values.push_back(*args.input.at(n, c, ih, iw));
            }
          visit(n, c, oh, ow, values);
        }
}

RC_GTEST_PROP(AvgPool2d, ReferenceIsTheAverageUpToRounding, ()) {
  OperandMemory memory(4, 1 << 17);
  Args args = any_pool();
  place_and_fill(args, memory, in_range(0, 3), Values::kPlain, *rc::gen::arbitrary<unsigned>());
  reference<averages>(args);
  for_each_window(args, [&](int n, int c, int oh, int ow, const std::vector<double>& values) {
    double sum = 0;
    for (double value : values) sum += value;
    const double average = sum / (args.window.kernel_h * args.window.kernel_w);
    RC_ASSERT(std::abs(average - *args.output.at(n, c, oh, ow)) < 1e-5);
  });
}

RC_GTEST_PROP(MaxPool2d, ReferenceIsTheMaximum, ()) {
  OperandMemory memory(4, 1 << 17);
  Args args = any_pool();
  place_and_fill(args, memory, in_range(0, 3), Values::kPlain, *rc::gen::arbitrary<unsigned>());
  reference<maxima>(args);
  for_each_window(args, [&](int n, int c, int oh, int ow, const std::vector<double>& values) {
    const double maximum =
        values.empty() ? kLowest : *std::max_element(values.begin(), values.end());
    RC_ASSERT(*args.output.at(n, c, oh, ow) == maximum);
  });
}

// One output of a window as wide as the input, with `padding` columns on its left.
class Pool2dRule : public testing::TestWithParam<bool> {
 protected:
  float run(const std::vector<float>& input, int padding, void (*plain)(const Args&),
            bool (*fast)(const Args&)) {
    OperandMemory memory(2, 1 << 14);
    Args args;
    args.input_w = static_cast<int>(input.size());
    args.window.kernel_w = args.input_w + padding;
    args.window.pad_left = padding;
    args.window.output_h = args.window.output_w = 1;
    place_and_fill(args, memory, 1, Values::kSpecial, 3);
    for (int w = 0; w < args.input_w; ++w) *args.input.at(0, 0, 0, w) = input[w];
    if (!GetParam() || !fast(args)) plain(args);
    return *args.output.at(0, 0, 0, 0);
  }
  float average(const std::vector<float>& input, int padding = 0) {
    return run(input, padding, reference<averages>, simd<averages>);
  }
  float maximum(const std::vector<float>& input, int padding = 0) {
    return run(input, padding, reference<maxima>, simd<maxima>);
  }
};

TEST_P(Pool2dRule, AverageScalesBeforeItSums) {
  EXPECT_EQ(average({0x1p127F, 0x1p127F, 0x1p127F, 0x1p127F}), 0x1p127F);  // the sum overflows
}

TEST_P(Pool2dRule, AverageCountsPaddingInTheDivisor) {
  EXPECT_EQ(average({8, 8}, 2), 4.0F);
}

TEST_P(Pool2dRule, AverageOfOneFlushesADenormal) {
  EXPECT_EQ(average({1e-40F}), 0.0F);
  EXPECT_TRUE(std::signbit(average({-0.0F})));
}

TEST_P(Pool2dRule, MaximumIgnoresNan) {
  EXPECT_EQ(maximum({NAN, -3, NAN}), -3.0F);
  EXPECT_EQ(maximum({NAN, NAN}), kLowest);
}

TEST_P(Pool2dRule, MaximumStartsAtTheLowestFinite) {
  EXPECT_EQ(maximum({-INFINITY, -INFINITY}), kLowest);
  EXPECT_EQ(maximum({-5}, 1), -5.0F);
}

TEST_P(Pool2dRule, MaximumFlushesADenormalToAZeroOfItsSign) {
  const float flushed = maximum({-1, -1e-40F});
  EXPECT_EQ(flushed, 0.0F);
  EXPECT_TRUE(std::signbit(flushed));
}

TEST_P(Pool2dRule, TheFirstOfTwoZerosStays) {
  EXPECT_TRUE(std::signbit(maximum({-0.0F, 0.0F})));
  EXPECT_FALSE(std::signbit(maximum({0.0F, -0.0F})));
}

INSTANTIATE_TEST_SUITE_P(BothPaths, Pool2dRule, testing::Bool(),
                         [](const auto& info) { return info.param ? "Simd" : "Reference"; });

}  // namespace
}  // namespace tensorlane
