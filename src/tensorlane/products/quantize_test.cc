#include "tensorlane/products/quantize.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/products/any_type_test_support.h"

namespace tensorlane {
namespace {

using operands_test::fill_any_type;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::place_any_type;
using operands_test::Values;

QuantArgs rebase(QuantArgs args, OperandMemory& memory) {
  for (LocalView* view : {&args.dst, &args.src, &args.quant}) *view = memory.here(*view);
  return args;
}

Dtype any_destination(QuantRule rule) {
  switch (rule) {
    case QuantRule::kIntDequant:
      return *rc::gen::element(Dtype::kInt16, Dtype::kUint16, Dtype::kInt32, Dtype::kUint32);
    case QuantRule::kFloatDequant:
      return Dtype::kFp32;
    default:
      return *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16);
  }
}

RC_GTEST_PROP(Quantize, RowsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 19);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  QuantArgs args;
  args.rule = static_cast<QuantRule>(in_range(0, 3));
  args.src_type = *rc::gen::element(Dtype::kInt32, Dtype::kInt16, Dtype::kUint16, Dtype::kInt8,
                                    Dtype::kUint8, Dtype::kUint32);
  args.dst_type = any_destination(args.rule);
  args.n = in_range(1, 2);
  args.h = in_range(1, 4);
  args.w = in_range(1, 5) == 1 ? in_range(1, 1500) : in_range(1, 40);
  args.c = args.w <= 40 && in_range(1, 4) == 1 ? in_range(1, 150) : in_range(1, 11);
  const bool is_float =
      args.rule == QuantRule::kFloatRequant || args.rule == QuantRule::kFloatDequant;
  args.rounding = static_cast<RoundingMode>(in_range(0, is_float ? 4 : 6));
  args.source_rounding = static_cast<RoundingMode>(in_range(0, 4));
  const int start = in_range(0, 7);
  args.dst = place_any_type(memory, args.dst_type, start, args.n, args.c, args.h, args.w);
  args.src = place_any_type(memory, args.src_type, start, args.n, args.c, args.h, args.w);
  args.quant = place_any_type(memory, Dtype::kInt32, start, 1, args.c, 1, 3);
  fill_any_type(args.src, args.src_type, args.n, args.c, args.h, args.w, Values::kPlain, random);
  fill_any_type(args.quant, Dtype::kFp32, 1, args.c, 1, 3, operands_test::any_values(), random);
  args.per_channel = *rc::gen::arbitrary<bool>();
  if (args.per_channel && !is_float) {
    const int shift_at = args.rule == QuantRule::kIntRequant ? 1 : 2;
    for (int c = 0; c < args.c; ++c) {
      store_integer(args.quant.address(0, c, 0, shift_at), Dtype::kInt32, in_range(-64, 31));
    }
  }
  const auto multiplier = static_cast<std::int32_t>(random());
  args.numbers = {.multiplier = in_range(0, 1) == 0 ? multiplier : multiplier % 1000,
                  .shift = in_range(-64, 31),
                  .offset = in_range(-300, 300),
                  .scale = operands_test::draw(operands_test::any_values(), random),
                  .float_offset = 0.5F};
  expect_simd_equals_reference(memory, args, rebase, quantize_reference, quantize_rows);
}

}  // namespace
}  // namespace tensorlane
