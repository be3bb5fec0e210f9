#include "tensorlane/compute/windows/fp32_pool2d.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tensorlane/compute/bands/operands_test_support.h"

namespace tensorlane {
namespace {

using operands_test::any_values;
using operands_test::any_window;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::Values;

constexpr float kLowest = std::numeric_limits<float>::lowest();

Pool2dArgs rebase(Pool2dArgs args, OperandMemory& memory) {
  args.input = memory.here(args.input);
  args.output = memory.here(args.output);
  return args;
}

void place_and_fill(Pool2dArgs& args, OperandMemory& memory, int start, Values values,
                    unsigned seed) {
  std::mt19937 random(seed);
  const Window2d& window = args.window;
  args.input = memory.place_aligned(start, args.n, args.c, args.input_h, args.input_w);
  args.output = memory.place_aligned(start, args.n, args.c, window.output_h, window.output_w);
  fill(args.input, args.n, args.c, args.input_h, args.input_w, values, random);
}

Pool2dArgs any_problem() {
  Pool2dArgs args;
  args.n = in_range(1, 3);
  args.c = in_range(1, 13);
  args.input_h = in_range(1, 20);
  args.input_w = in_range(1, 50);
  args.window = any_window(args.input_h, args.input_w, 6, 1);
  return args;
}

RC_GTEST_PROP(AvgPool2d, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(4, 1 << 17);
  Pool2dArgs args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), any_values(), *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, avg_pool2d_reference, avg_pool2d_simd);
}

RC_GTEST_PROP(MaxPool2d, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(4, 1 << 17);
  Pool2dArgs args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), any_values(), *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, max_pool2d_reference, max_pool2d_simd);
}

// Calls visit(n, c, oh, ow, values inside the input) for every output.
template <class Visit>
void for_each_window(const Pool2dArgs& args, Visit visit) {
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
  Pool2dArgs args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), Values::kPlain, *rc::gen::arbitrary<unsigned>());
  avg_pool2d_reference(args);
  for_each_window(args, [&](int n, int c, int oh, int ow, const std::vector<double>& values) {
    double sum = 0;
    for (double value : values) sum += value;
    const double average = sum / (args.window.kernel_h * args.window.kernel_w);
    RC_ASSERT(std::abs(average - *args.output.at(n, c, oh, ow)) < 1e-5);
  });
}

RC_GTEST_PROP(MaxPool2d, ReferenceIsTheMaximum, ()) {
  OperandMemory memory(4, 1 << 17);
  Pool2dArgs args = any_problem();
  place_and_fill(args, memory, in_range(0, 3), Values::kPlain, *rc::gen::arbitrary<unsigned>());
  max_pool2d_reference(args);
  for_each_window(args, [&](int n, int c, int oh, int ow, const std::vector<double>& values) {
    const double maximum =
        values.empty() ? kLowest : *std::max_element(values.begin(), values.end());
    RC_ASSERT(*args.output.at(n, c, oh, ow) == maximum);
  });
}

// One output of a window as wide as the input, with `padding` columns on its left.
class Pool2dRule : public testing::TestWithParam<bool> {
 protected:
  float run(const std::vector<float>& input, int padding, void (*reference)(const Pool2dArgs&),
            bool (*simd)(const Pool2dArgs&)) {
    OperandMemory memory(2, 1 << 14);
    Pool2dArgs args;
    args.input_w = static_cast<int>(input.size());
    args.window.kernel_w = args.input_w + padding;
    args.window.pad_left = padding;
    args.window.output_h = args.window.output_w = 1;
    place_and_fill(args, memory, 1, Values::kSpecial, 3);
    for (int w = 0; w < args.input_w; ++w) *args.input.at(0, 0, 0, w) = input[w];
    if (!GetParam() || !simd(args)) reference(args);
    return *args.output.at(0, 0, 0, 0);
  }
  float average(const std::vector<float>& input, int padding = 0) {
    return run(input, padding, avg_pool2d_reference, avg_pool2d_simd);
  }
  float maximum(const std::vector<float>& input, int padding = 0) {
    return run(input, padding, max_pool2d_reference, max_pool2d_simd);
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
