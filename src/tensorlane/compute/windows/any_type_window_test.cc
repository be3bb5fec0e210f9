#include "tensorlane/compute/windows/any_type_window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/compute/products/any_type_test_support.h"

namespace tensorlane {
namespace {

using operands_test::any_bits;
using operands_test::any_values;
using operands_test::any_window;
using operands_test::fill_any_type;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::place_any_type;
using operands_test::Values;

AnyTypeWindowArgs rebase(AnyTypeWindowArgs args, OperandMemory& memory) {
  for (LocalView* view :
       {&args.input, &args.weight, &args.bias, &args.output, &args.padding.view}) {
    *view = memory.here(*view);
  }
  return args;
}

AnyTypeWindowArgs any_shape(int least_w = 1, int most_w = 40) {
  AnyTypeWindowArgs args;
  args.n = in_range(1, 2);
  args.c = in_range(1, 11);
  args.input_h = in_range(1, 12);
  args.input_w = in_range(least_w, most_w);
  args.rotate = *rc::gen::arbitrary<bool>();
  args.weight_is_constant = in_range(0, 2) == 0;
  if (in_range(0, 2) == 0) {
    args.insert_h = in_range(0, 3);
    args.insert_w = in_range(0, 3);
  }
  args.window = any_window(args.inserted_h(), args.inserted_w(), 4, 3);
  return args;
}

void place_and_fill(AnyTypeWindowArgs& args, OperandMemory& memory, Values values) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const int start = in_range(0, 7);
  const Window2d& window = args.window;
  args.input =
      place_any_type(memory, args.input_type, start, args.n, args.c, args.input_h, args.input_w);
  args.output = place_any_type(memory, args.output_type, start, args.n, args.c, window.output_h,
                               window.output_w);
  args.weight = place_any_type(memory, args.weight_type, start, 1, args.c, window.kernel_h,
                               window.kernel_w, false);
  args.bias = place_any_type(memory, args.bias_type, start, 1, args.c, 1, 1, false);
  fill_any_type(args.input, args.input_type, args.n, args.c, args.input_h, args.input_w, values,
                random);
  fill_any_type(args.weight, args.weight_type, 1, args.c, window.kernel_h, window.kernel_w, values,
                random);
  fill_any_type(args.bias, args.bias_type, 1, args.c, 1, 1, values, random);
  args.weight_bits = any_bits(args.weight_type, values, random);
  if (*rc::gen::arbitrary<bool>()) {
    args.padding.per_channel = true;
    args.padding.type = args.input_type;
    args.padding.view = place_any_type(memory, Dtype::kInt8, start, 1, args.c, 1, 1, false);
    fill_any_type(args.padding.view, Dtype::kInt8, 1, args.c, 1, 1, values, random);
  } else {
    args.padding.value = in_range(0, 100);  // of every type
  }
  args.insert_value.value = in_range(0, 100);
}

RC_GTEST_PROP(AnyTypeWindow, SimdEqualsReferenceBitForBitOnFloats, ()) {
  OperandMemory memory(8, 1 << 17);
  AnyTypeWindowArgs args = any_shape();
  args.rule = *rc::gen::element(WindowRule::kSum, WindowRule::kMaximum);
  args.input_type = *rc::gen::element(Dtype::kFp32, Dtype::kFp16, Dtype::kBf16);
  args.weight_type = args.bias_type = args.output_type = args.input_type;
  args.has_bias = *rc::gen::arbitrary<bool>();
  if (args.rule == WindowRule::kMaximum) args.padding_bits = float_to_bits(-1.5F, args.input_type);
  place_and_fill(args, memory, any_values());
  expect_simd_equals_reference(memory, args, rebase, any_type_window_reference,
                               any_type_window_simd);
}

void compare_integers(OperandMemory& memory, AnyTypeWindowArgs args) {
  const auto int8 = [] { return *rc::gen::element(Dtype::kInt8, Dtype::kUint8); };
  args.rule = *rc::gen::element(WindowRule::kSum, WindowRule::kSum, WindowRule::kMaximum);
  args.input_type = int8();
  args.weight_type = int8();
  args.bias_type = Dtype::kInt32;
  args.output_type = args.rule == WindowRule::kMaximum
                         ? args.input_type
                         : *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16,
                                             Dtype::kUint16, Dtype::kInt32);
  args.has_bias = *rc::gen::arbitrary<bool>();
  args.finish = {.output = args.output_type,
                 .multiplier = in_range(0, 1) == 0 ? 1 : in_range(0, 255),
                 .shift = -in_range(0, 31),
                 .rounding = static_cast<RoundingMode>(in_range(0, 6)),
                 .relu = *rc::gen::arbitrary<bool>()};
  place_and_fill(args, memory, Values::kPlain);
  expect_simd_equals_reference(memory, args, rebase, any_type_window_reference,
                               any_type_window_simd);
}

RC_GTEST_PROP(AnyTypeWindow, SimdEqualsReferenceBitForBitOnIntegers, ()) {
  OperandMemory memory(8, 1 << 17);
  compare_integers(memory, any_shape());
}

// Rows so long that each is finished by itself.
RC_GTEST_PROP(AnyTypeWindow, LongRowsOfIntegersEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 18);
  compare_integers(memory, any_shape(48, 110));
}

TEST(AnyTypeWindow, Fp16RoundsAtEveryStep) {
  // 2048 + 1 needs 12 bits: every second 1 is added to 2048 and lost.
  OperandMemory memory(1, 1 << 12);
  AnyTypeWindowArgs args;
  args.input_type = args.weight_type = args.output_type = Dtype::kFp16;
  args.input_w = args.window.kernel_w = 4;
  args.window.output_h = args.window.output_w = 1;
  args.weight_is_constant = true;
  args.weight_bits = float_to_fp16(1.0F);
  args.input = place_any_type(memory, Dtype::kFp16, 0, 1, 1, 1, 4);
  args.output = place_any_type(memory, Dtype::kFp16, 0, 1, 1, 1, 1);
  const float inputs[] = {2048.0F, 1.0F, 1.0F, 1.0F};
  for (int i = 0; i < 4; ++i) store_float(args.input.address(0, 0, 0, i), Dtype::kFp16, inputs[i]);
  for (const bool simd : {false, true}) {
    if (!simd || !any_type_window_simd(args)) any_type_window_reference(args);
    EXPECT_EQ(load_float(args.output.address(0, 0, 0, 0), Dtype::kFp16), 2050.0F);
  }
}

}  // namespace
}  // namespace tensorlane
