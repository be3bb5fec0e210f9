// The fast paths give the reference's bits with every vector instruction set this processor has and
// with every kind of tile, not only with the best one: tile sizes and remainders differ.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>

#include "tensorlane/compute/bands/operands_test_support.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/fp32_matmul.h"
#include "tensorlane/compute/products/any_type_test_support.h"
#include "tensorlane/compute/products/quantize.h"
#include "tensorlane/compute/tiles/integer_tile_kinds.h"
#include "tensorlane/compute/windows/any_type_conv2d.h"
#include "tensorlane/compute/windows/any_type_window.h"
#include "tensorlane/compute/windows/fp32_conv2d.h"

namespace tensorlane {
namespace {

using operands_test::fill_any_type;
using operands_test::OperandMemory;
using operands_test::place_any_type;
using operands_test::Values;

constexpr Window2d kWindow{.kernel_h = 3,
                           .kernel_w = 3,
                           .stride_h = 1,
                           .stride_w = 2,
                           .dilation_h = 1,
                           .dilation_w = 1,
                           .pad_top = 1,
                           .pad_left = 1,
                           .output_h = 13,
                           .output_w = 12};
constexpr int kN = 2;
constexpr int kC = 19;
constexpr int kH = 13;
constexpr int kW = 23;

// Runs all functions into one memory, with the fast path where `simd` says so and it accepts.
OperandMemory results(bool simd) {
  OperandMemory memory(8, 1 << 20);
  std::mt19937 random(7);
  LocalView input = memory.place_aligned(3, kN, kC, kH, kW);
  LocalView pairs = memory.place(5, (kC + 1) / 2, kC, 3, 3, 0, 0, 1, 8);
  LocalView weight = memory.place(3, 1, kC, 3, 3);
  LocalView left = memory.place_aligned(0, 21, 3, 1, 30);
  LocalView right = memory.place_aligned(1, 85, 4, 1, 40);
  fill(input, kN, kC, kH, kW, Values::kWide, random);
  fill(pairs, (kC + 1) / 2, kC, 3, 3, Values::kWide, random);
  fill(weight, 1, kC, 3, 3, Values::kSpecial, random);
  fill(left, 21, 3, 1, 30, Values::kWide, random);
  fill(right, 85, 4, 1, 40, Values::kWide, random);
  const auto output = [&](int start) { return memory.place_aligned(start, kN, kC, 13, 12); };

  Conv2dArgs conv;
  conv.n = kN;
  conv.input_c = conv.output_c = kC;
  conv.input_h = kH;
  conv.input_w = kW;
  conv.window = kWindow;
  conv.input = input;
  conv.weight = pairs;
  conv.output = output(5);
  if (!simd || !conv2d_simd(conv)) conv2d_reference(conv);

  AnyTypeWindowArgs windows;
  windows.n = kN;
  windows.c = kC;
  windows.input_h = kH;
  windows.input_w = kW;
  windows.window = kWindow;
  windows.input = input;
  windows.weight = weight;
  const auto run_windows = [&] {
    windows.output = output(3);
    if (!simd || !any_type_window_simd(windows)) any_type_window_reference(windows);
  };
  windows.bias = weight;
  windows.has_bias = windows.bias_is_last = true;
  run_windows();
  windows.has_bias = false;
  windows.weight_is_constant = true;
  windows.weight_bits = std::bit_cast<std::uint32_t>(1.0F / 9);
  run_windows();
  windows.rule = WindowRule::kMaximum;
  windows.nan_loses = true;
  run_windows();

  MatmulArgs matmul;
  matmul.left_rows = 21;
  matmul.left_cols = 85;
  matmul.right_cols = 151;
  matmul.left_cols_per_channel = 30;
  matmul.right_cols_per_channel = 40;
  matmul.left = left;
  matmul.right = right;
  matmul.output = memory.place_aligned(1, 21, 4, 1, 40);
  if (!simd || !matmul_simd(matmul)) matmul_reference(matmul);

  const auto any_type_conv = [&](Dtype input_type, Dtype weight_type, Dtype output_type) {
    AnyTypeConv2dArgs problem;
    problem.input_type = input_type;
    problem.weight_type = weight_type;
    problem.output_type = output_type;
    problem.n = kN;
    problem.input_c = problem.output_c = kC;
    problem.input_h = kH;
    problem.input_w = kW;
    problem.window = kWindow;
    problem.finish = {.output = output_type, .shift = -6};
    problem.input = place_any_type(memory, input_type, 3, kN, kC, kH, kW);
    const auto weights = static_cast<int>(problem.weight_count());
    problem.weight = place_any_type(memory, weight_type, 5, 1, kC, 1, weights);
    problem.output = place_any_type(memory, output_type, 5, kN, kC, 13, 12);
    fill_any_type(problem.input, input_type, kN, kC, kH, kW, Values::kPlain, random);
    fill_any_type(problem.weight, weight_type, 1, kC, 1, weights, Values::kPlain, random);
    if (!simd || !any_type_conv2d_simd(problem)) any_type_conv2d_reference(problem);
  };
  any_type_conv(Dtype::kInt8, Dtype::kInt8, Dtype::kInt16);
  any_type_conv(Dtype::kUint8, Dtype::kInt8, Dtype::kInt8);
  any_type_conv(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16);
  any_type_conv(Dtype::kUint8, Dtype::kUint8, Dtype::kUint16);
  any_type_conv(Dtype::kFp16, Dtype::kFp16, Dtype::kFp32);

  const auto many_channels = [&](int input_c, Dtype input_type, Dtype weight_type,
                                 Dtype output_type) {
    constexpr int kOutputC = 41;
    AnyTypeConv2dArgs problem;
    problem.input_type = input_type;
    problem.weight_type = weight_type;
    problem.output_type = output_type;
    problem.input_c = input_c;
    problem.output_c = kOutputC;
    problem.input_h = 5;
    problem.input_w = 9;
    problem.window = {.kernel_h = 2, .kernel_w = 3, .pad_top = 1, .output_h = 5, .output_w = 7};
    problem.finish = {.output = output_type, .shift = -5};
    if (output_type == Dtype::kInt32) problem.finish = {.output = output_type, .saturate = false};
    const LocalView zero_points = place_any_type(memory, Dtype::kInt8, 5, 1, kOutputC, 1, 1);
    fill_any_type(zero_points, Dtype::kInt8, 1, kOutputC, 1, 1, Values::kPlain, random);
    problem.zero_point = {.per_channel = true, .view = zero_points, .type = Dtype::kInt8};
    problem.input = place_any_type(memory, input_type, 3, 1, input_c, 5, 9);
    const auto weights = static_cast<int>(problem.weight_count());
    problem.weight = place_any_type(memory, weight_type, 5, 1, kOutputC, 1, weights);
    problem.output = place_any_type(memory, output_type, 5, 1, kOutputC, 5, 7);
    fill_any_type(problem.input, input_type, 1, input_c, 5, 9, Values::kPlain, random);
    fill_any_type(problem.weight, weight_type, 1, kOutputC, 1, weights, Values::kPlain, random);
    if (!simd || !any_type_conv2d_simd(problem)) any_type_conv2d_reference(problem);
  };
  many_channels(128, Dtype::kUint8, Dtype::kInt8, Dtype::kInt32);
  many_channels(115, Dtype::kInt8, Dtype::kInt8, Dtype::kInt16);
  many_channels(70, Dtype::kUint8, Dtype::kUint8, Dtype::kInt32);
  many_channels(40, Dtype::kFp16, Dtype::kFp16, Dtype::kFp32);
  many_channels(33, Dtype::kBf16, Dtype::kBf16, Dtype::kBf16);

  const auto any_type_window = [&](WindowRule rule, Dtype type, Dtype output_type, Values values,
                                   RoundingMode rounding = RoundingMode::kHalfUp,
                                   int multiplier = 1) {
    AnyTypeWindowArgs problem;
    problem.rule = rule;
    problem.input_type = problem.weight_type = type;
    problem.output_type = output_type;
    problem.n = kN;
    problem.c = kC;
    problem.input_h = kH;
    problem.input_w = kW;
    problem.window = kWindow;
    problem.weight_is_constant = multiplier != 1;
    problem.weight_bits = 1;
    problem.finish = {
        .output = output_type, .multiplier = multiplier, .shift = -9, .rounding = rounding};
    problem.input = place_any_type(memory, type, 3, kN, kC, kH, kW);
    problem.weight = place_any_type(memory, type, 3, 1, kC, 3, 3, false);
    problem.output = place_any_type(memory, output_type, 3, kN, kC, 13, 12);
    fill_any_type(problem.input, type, kN, kC, kH, kW, values, random);
    fill_any_type(problem.weight, type, 1, kC, 3, 3, values, random);
    if (!simd || !any_type_window_simd(problem)) any_type_window_reference(problem);
  };
  for (const Values values : {Values::kPlain, Values::kWide, Values::kSpecial}) {
    for (const Dtype type : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
      any_type_window(WindowRule::kSum, type, type, values);
      any_type_window(WindowRule::kMaximum, type, type, values);
    }
  }
  for (int mode = 0; mode < kRoundingModeCount; ++mode) {
    const auto rounding = static_cast<RoundingMode>(mode);
    any_type_window(WindowRule::kSum, Dtype::kInt8, Dtype::kInt8, Values::kPlain, rounding);
    any_type_window(WindowRule::kSum, Dtype::kUint8, Dtype::kUint32, Values::kPlain, rounding);
    any_type_window(WindowRule::kSum, Dtype::kInt8, Dtype::kInt16, Values::kPlain, rounding, 201);
  }
  any_type_window(WindowRule::kMaximum, Dtype::kUint8, Dtype::kUint8, Values::kPlain);

  const auto quantisation = [&](QuantRule rule, Dtype src_type, Dtype dst_type,
                                RoundingMode rounding) {
    constexpr int kHeight = 7;
    constexpr int kWidth = 9;
    QuantArgs problem;
    problem.rule = rule;
    problem.src_type = src_type;
    problem.dst_type = dst_type;
    problem.c = kC;
    problem.h = kHeight;
    problem.w = kWidth;
    problem.rounding = rounding;
    problem.numbers = {.multiplier = static_cast<std::int32_t>(random()),
                       .shift = -static_cast<int>(random() % 50),
                       .offset = static_cast<std::int16_t>(random()),
                       .scale = 0.37F,
                       .float_offset = 3.5F};
    problem.src = place_any_type(memory, src_type, 3, 1, kC, kHeight, kWidth);
    problem.dst = place_any_type(memory, dst_type, 3, 1, kC, kHeight, kWidth);
    fill_any_type(problem.src, src_type, 1, kC, kHeight, kWidth, Values::kPlain, random);
    if (!simd || !quantize_rows(problem)) quantize_reference(problem);
  };
  for (const Dtype src : {Dtype::kInt8, Dtype::kUint16, Dtype::kInt32}) {
    for (int mode = 0; mode < kRoundingModeCount; ++mode) {
      const auto rounding = static_cast<RoundingMode>(mode);
      quantisation(QuantRule::kIntRequant, src, Dtype::kInt8, rounding);
      quantisation(QuantRule::kIntDequant, src, Dtype::kUint32, rounding);
      if (!legal_for_floats(rounding)) continue;
      quantisation(QuantRule::kFloatRequant, src, Dtype::kInt16, rounding);
      quantisation(QuantRule::kFloatDequant, src, Dtype::kFp32, rounding);
    }
  }

  const auto any_type_matmul = [&](int rows, Dtype type, Dtype output_type, int zero_point,
                                   Values values = Values::kPlain, int shift = 0) {
    constexpr int kInner = 150;
    constexpr int kCols = 101;
    AnyTypeMatmulArgs problem;
    problem.rows = rows;
    problem.inner = kInner;
    problem.cols = kCols;
    problem.left.type = problem.right.type = type;
    problem.output.type = output_type;
    problem.left.view = place_any_type(memory, type, 0, 1, rows, 1, kInner);
    problem.right.view = place_any_type(memory, type, 2, 1, kInner, 1, kCols);
    problem.output.view = place_any_type(memory, output_type, 0, 1, rows, 1, kCols);
    problem.zero_points =
        AnyTypeMatrix::constant(static_cast<std::uint32_t>(zero_point), Dtype::kInt8);
    problem.finish = {.output = output_type,
                      .shift = shift,
                      .rounding = RoundingMode::kHalfAwayFromZero,
                      .saturate = false};
    fill_any_type(problem.left.view, type, 1, rows, 1, kInner, values, random);
    fill_any_type(problem.right.view, type, 1, kInner, 1, kCols, values, random);
    if (!simd || !any_type_matmul_simd(problem)) any_type_matmul_reference(problem);
  };
  for (const int rows : {1, 3, 9, 35}) {
    any_type_matmul(rows, Dtype::kInt8, Dtype::kInt32, 5);
    any_type_matmul(rows, Dtype::kUint8, Dtype::kInt32, 0);
    any_type_matmul(rows, Dtype::kBf16, Dtype::kFp32, 0);
    any_type_matmul(rows, Dtype::kFp16, Dtype::kFp32, 0, Values::kSpecial);
    any_type_matmul(rows, Dtype::kInt8, Dtype::kInt32, 0, Values::kPlain, -3);
    for (const Dtype type : {Dtype::kInt16, Dtype::kUint16, Dtype::kInt32, Dtype::kUint32})
      any_type_matmul(rows, type, Dtype::kInt32, 0, Values::kPlain, -11);
  }
  return memory;
}

TEST(VectorTargets, EveryOneGivesTheReferencesBits) {
  const OperandMemory expected = results(false);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const IntegerTileKind& kind : integer_tile_kinds()) {
      SCOPED_TRACE(kind.name);
      leave_out_tiles_before(kind.name);
      EXPECT_EQ(first_difference(expected, results(true)), "");
    }
    leave_out_tiles_before({});
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace tensorlane
