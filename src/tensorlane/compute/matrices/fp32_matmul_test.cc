#include "tensorlane/compute/matrices/fp32_matmul.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/compute/bands/operands_test_support.h"

namespace tensorlane {
namespace {

using operands_test::any_values;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::Values;

MatmulArgs rebase(MatmulArgs args, OperandMemory& memory) {
  for (LocalView* view : {&args.left, &args.right, &args.bias, &args.output}) {
    *view = memory.here(*view);
  }
  return args;
}

LocalView place_matrix(OperandMemory& memory, int start, int rows, int cols, int cols_per_channel) {
  return memory.place_aligned(start, rows, (cols + cols_per_channel - 1) / cols_per_channel, 1,
                              cols_per_channel);
}

float& element(const LocalView& view, int cols_per_channel, int row, int column) {
  return *view.at(row, column / cols_per_channel, 0, column % cols_per_channel);
}

void fill_matrix(const LocalView& view, int rows, int cols, int cols_per_channel, Values values,
                 std::mt19937& random) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < cols; ++column)
      element(view, cols_per_channel, row, column) = operands_test::draw(values, random);
}

void place_and_fill(MatmulArgs& args, OperandMemory& memory, int left_start, int start,
                    Values values, unsigned seed) {
  std::mt19937 random(seed);
  const int left_cpc = args.left_cols_per_channel;
  const int cpc = args.right_cols_per_channel;
  args.left = place_matrix(memory, left_start, args.left_rows, args.left_cols, left_cpc);
  args.right = place_matrix(memory, start, args.left_cols, args.right_cols, cpc);
  args.bias = place_matrix(memory, start, 1, args.right_cols, cpc);
  args.output = place_matrix(memory, start, args.left_rows, args.right_cols, cpc);
  fill_matrix(args.left, args.left_rows, args.left_cols, left_cpc, values, random);
  fill_matrix(args.right, args.left_cols, args.right_cols, cpc, values, random);
  fill_matrix(args.bias, 1, args.right_cols, cpc, values, random);
  fill_matrix(args.output, args.left_rows, args.right_cols, cpc, values, random);
}

MatmulArgs any_problem() {
  MatmulArgs args;
  args.left_rows = in_range(1, 30);
  args.left_cols = in_range(1, 40);
  args.right_cols = in_range(1, 200);
  args.left_cols_per_channel = in_range(1, std::min(args.left_cols, 128));
  args.right_cols_per_channel = in_range(1, std::min(args.right_cols, 128));
  args.using_bias = *rc::gen::arbitrary<bool>();
  args.result_add = *rc::gen::arbitrary<bool>();
  return args;
}

RC_GTEST_PROP(Matmul, SimdEqualsReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 18);
  MatmulArgs args = any_problem();
  place_and_fill(args, memory, in_range(0, 7), in_range(0, 7), any_values(),
                 *rc::gen::arbitrary<unsigned>());
  expect_simd_equals_reference(memory, args, rebase, matmul_reference, matmul_simd);
}

TEST(Matmul, SimdEqualsReferenceOnLargeMatrices) {
  struct Case {
    int rows, inner, cols, left_cpc, right_cpc;
  };
  for (const Case& c : {Case{128, 300, 512, 32, 128}, Case{1, 1000, 1000, 16, 16},
                        Case{1000, 17, 5, 17, 5}, Case{37, 2000, 70, 100, 64}}) {
    SCOPED_TRACE(testing::Message() << c.rows << " x " << c.inner << " x " << c.cols);
    OperandMemory memory(64, 1 << 20);
    MatmulArgs args;
    args.left_rows = c.rows;
    args.left_cols = c.inner;
    args.right_cols = c.cols;
    args.left_cols_per_channel = c.left_cpc;
    args.right_cols_per_channel = c.right_cpc;
    args.using_bias = args.result_add = true;
    place_and_fill(args, memory, 3, 60, Values::kWide, 1);
    OperandMemory fast = memory;
    matmul_reference(args);
    ASSERT_TRUE(matmul_simd(rebase(args, fast)));
    EXPECT_EQ(first_difference(memory, fast), "");
  }
}

RC_GTEST_PROP(Matmul, ReferenceIsTheProductUpToRounding, ()) {
  OperandMemory memory(8, 1 << 18);
  MatmulArgs args = any_problem();
  args.result_add = false;
  place_and_fill(args, memory, in_range(0, 7), in_range(0, 7), Values::kPlain,
                 *rc::gen::arbitrary<unsigned>());
  matmul_reference(args);
  const int cpc = args.right_cols_per_channel;
  for (int row = 0; row < args.left_rows; ++row)
    for (int column = 0; column < args.right_cols; ++column) {
      double sum = args.using_bias ? element(args.bias, cpc, 0, column) : 0.0;
      for (int k = 0; k < args.left_cols; ++k) {
        sum += static_cast<double>(element(args.left, args.left_cols_per_channel, row, k)) *
               element(args.right, cpc, k, column);
      }
      RC_ASSERT(std::abs(sum - element(args.output, cpc, row, column)) < 1e-3);
    }
}

// A row times a column.
class MatmulRule : public testing::TestWithParam<bool> {
 protected:
  float run(const std::vector<float>& left, const std::vector<float>& right) {
    OperandMemory memory(2, 1 << 14);
    args_.left_cols = static_cast<int>(left.size());
    place_and_fill(args_, memory, 1, 0, Values::kSpecial, 3);
    for (int k = 0; k < args_.left_cols; ++k) {
      element(args_.left, 1, 0, k) = left[k];
      element(args_.right, 1, k, 0) = right[k];
    }
    element(args_.bias, 1, 0, 0) = 1.0F;
    element(args_.output, 1, 0, 0) = 0x1p24F;
    if (!GetParam() || !matmul_simd(args_)) matmul_reference(args_);
    return element(args_.output, 1, 0, 0);
  }

  MatmulArgs args_;
};

TEST_P(MatmulRule, TermsAlternateBetweenTwoChains) {
  EXPECT_EQ(run({1, 1, 1, 1}, {0x1p40F, 1, -0x1p40F, 1}), 2.0F);
}

TEST_P(MatmulRule, ProductsAreRoundedBeforeTheyAreAdded) {
  const float a = 1.0F + 0x1p-12F;
  EXPECT_EQ(run({1.0F + 0x1p-11F, 0, a}, {-1, 0, a}), 0.0F);  // fused: 2^-24
}

TEST_P(MatmulRule, ASingleTermIsTheProduct) {
  EXPECT_TRUE(std::signbit(run({-0.0F}, {1})));
  EXPECT_FALSE(std::signbit(run({-0.0F, -0.0F}, {1, 1})));
}

TEST_P(MatmulRule, BiasIsAddedBeforeTheOldResult) {
  args_.using_bias = args_.result_add = true;
  EXPECT_EQ(run({1}, {1}), 0x1p24F + 2.0F);
}

TEST_P(MatmulRule, DenormalsAreZero) {
  EXPECT_EQ(run({1e-40F, 1e-30F}, {0x1p100F, 1e-10F}), 0.0F);
}

INSTANTIATE_TEST_SUITE_P(BothPaths, MatmulRule, testing::Bool(),
                         [](const auto& info) { return info.param ? "Simd" : "Reference"; });

}  // namespace
}  // namespace tensorlane
