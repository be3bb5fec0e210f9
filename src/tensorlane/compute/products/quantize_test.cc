#include "tensorlane/compute/products/quantize.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "tensorlane/compute/products/any_type_test_support.h"
#include "tensorlane/compute/products/quantize_test_support.h"

namespace tensorlane {
namespace {

using operands_test::fill_any_type;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::place_any_type;
using operands_test::rebase;
using operands_test::Values;

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
  // Some with gaps behind their rows.
  const auto placed = [&](Dtype type) {
    const int gap = in_range(1, 3) == 1 ? in_range(1, 5) : 0;
    const int bytes = dtype_bytes(type), pitch = args.w + gap;
    const std::int64_t plane = operands_test::align_up(std::int64_t{args.h} * pitch, 64 / bytes);
    return memory.place(start, args.n, args.c, args.h, args.w, plane, pitch, 1, bytes);
  };
  args.dst = placed(args.dst_type);
  args.src = placed(args.src_type);
  args.quant = place_any_type(memory, Dtype::kInt32, start, 1, args.c, 1, 3);
  fill_any_type(args.src, args.src_type, args.n, args.c, args.h, args.w, Values::kPlain, random);
  fill_any_type(args.quant, Dtype::kFp32, 1, args.c, 1, 3, operands_test::any_values(), random);
  args.per_channel = *rc::gen::arbitrary<bool>();
  args.packed = args.per_channel && *rc::gen::arbitrary<bool>();
  if (args.per_channel && !is_float) {
    const int shift_at = args.packed || args.rule == QuantRule::kIntRequant ? 1 : 2;
    for (int c = 0; c < args.c; ++c) {
      const int shift = in_range(-64, 31), offset = in_range(-300, 300);
      store_integer(args.quant.address(0, c, 0, shift_at), Dtype::kInt32,
                    args.packed ? offset * 65536 + (shift & 0xff) : shift);
      if (in_range(0, 1) == 0) continue;
      const int multiplier_at = !args.packed && args.rule == QuantRule::kIntDequant ? 1 : 0;
      const int most = *rc::gen::element(40, 40000);
      store_integer(args.quant.address(0, c, 0, multiplier_at), Dtype::kInt32,
                    in_range(-most, most));
    }
  }
  const auto multiplier = static_cast<std::int32_t>(random());
  const int most_of_multiplier = *rc::gen::element(INT32_MAX, 1000, 40);
  args.numbers = {.multiplier = multiplier % most_of_multiplier,
                  .shift = in_range(0, 1) == 0 ? in_range(-64, 31) : in_range(-16, 1),
                  .offset = in_range(-300, 300),
                  .scale = operands_test::draw(operands_test::any_values(), random),
                  .float_offset = 0.5F};
  expect_simd_equals_reference(memory, args, rebase, quantize_reference, quantize_rows);
}

// Words that are rounded on their way to fp32 and from there: every pair of modes, halves included.
RC_GTEST_PROP(Quantize, WordsToFloatsAndBackRoundInEveryMode, ()) {
  constexpr int kModes = 5, kCount = 96;
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  for (int mode = 0; mode < kModes * kModes; ++mode) {
    OperandMemory memory(2, 1 << 12);
    QuantArgs args;
    args.rule = QuantRule::kFloatRequant;
    args.w = kCount;
    args.rounding = static_cast<RoundingMode>(mode % kModes);
    args.source_rounding = static_cast<RoundingMode>(mode / kModes);
    args.dst = place_any_type(memory, args.dst_type, 0, 1, 1, 1, kCount);
    args.src = place_any_type(memory, args.src_type, 0, 1, 1, 1, kCount);
    // Small numbers, and those with more digits than fp32 has.
    const bool large = in_range(0, 1) == 1;
    for (int w = 0; w < kCount; ++w) {
      const auto small = static_cast<std::int64_t>(random() % 401) - 200;
      store_integer(args.src.address(0, 0, 0, w), args.src_type,
                    large ? small * (1 << 23) + static_cast<std::int64_t>(random() % 8) : small);
    }
    args.numbers = {.scale = large ? 0x1p-25F : 0.25F, .float_offset = large ? 0.0F : -0.5F};
    expect_simd_equals_reference(memory, args, rebase, quantize_reference, quantize_rows);
  }
}

// Differences that 32 bits do not hold, beside others.
TEST(Quantize, DifferencesOfWordsAreExact) {
  constexpr int kCount = 70;
  std::mt19937 random(5);
  for (const std::int64_t offset : {1, -1, 300, -40000, 65535, INT32_MAX, INT32_MIN}) {
    OperandMemory memory(2, 1 << 12);
    QuantArgs args;
    args.rule = QuantRule::kFloatDequant;
    args.dst_type = Dtype::kFp32;
    args.w = kCount;
    args.dst = place_any_type(memory, args.dst_type, 0, 1, 1, 1, kCount);
    args.src = place_any_type(memory, args.src_type, 0, 1, 1, 1, kCount);
    for (int w = 0; w < kCount; ++w) {
      const auto far = static_cast<std::int64_t>(random() % 3) - 1;  // some at either end
      const std::int64_t word = far == 0  ? static_cast<std::int32_t>(random())
                                : far < 0 ? INT32_MIN + static_cast<std::int64_t>(random() % 99)
                                          : INT32_MAX - static_cast<std::int64_t>(random() % 99);
      store_integer(args.src.address(0, 0, 0, w), args.src_type, w < 40 ? word : word % 1000);
    }
    args.numbers = {.offset = offset, .scale = 0.75F};
    expect_simd_equals_reference(memory, args, rebase, quantize_reference, quantize_rows);
  }
}

// Elements of 16 bits and less by numbers that lanes of 16 hold, or nearly: shifts to both sides,
// at and around the numbers where results leave their type.
TEST(Quantize, ShortLanesHoldWhatTheyTake) {
  constexpr int kShort = 70, kLong = 300;
  constexpr std::int32_t kMultipliers[] = {1, -1, 3, -120, 127, 4000, INT16_MAX, INT16_MIN};
  constexpr std::int64_t kOffsets[] = {0, 1, -1, 5, -300, INT16_MAX, INT16_MIN, UINT16_MAX};
  std::mt19937 random(3);
  for (int k = 0; k < 6000; ++k) {
    OperandMemory memory(1, 1 << 12);
    const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
    QuantArgs args;
    args.rule = one_of(std::array{QuantRule::kIntRequant, QuantRule::kIntDequant});
    args.src_type = one_of(std::array{Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16});
    args.dst_type = one_of(std::array{Dtype::kInt16, Dtype::kUint16});
    args.rounding = static_cast<RoundingMode>(random() % kRoundingModeCount);
    args.w = random() % 8 == 0 ? kLong : kShort;
    args.dst = place_any_type(memory, args.dst_type, 0, 1, 1, 1, args.w);
    args.src = place_any_type(memory, args.src_type, 0, 1, 1, 1, args.w);
    const int shift = static_cast<int>(random() % 47) - 16;
    args.numbers = {.multiplier = one_of(kMultipliers), .shift = shift, .offset = one_of(kOffsets)};
    // Around what a shift makes of the ends, and any.
    const std::int64_t end = std::int64_t{1} << std::clamp(15 - shift, 0, 16);
    for (int w = 0; w < args.w; ++w) {
      const auto near = static_cast<std::int64_t>(random() % 7) - 3;
      const std::int64_t values[] = {near,         end + near,
                                     -end + near,  end / 2 + near,
                                     32767 + near, static_cast<std::int64_t>(random())};
      store_integer(args.src.address(0, 0, 0, w), args.src_type, one_of(values));
    }
    ASSERT_NO_THROW(
        expect_simd_equals_reference(memory, args, rebase, quantize_reference, quantize_rows))
        << dtype_name(args.src_type) << " -> " << dtype_name(args.dst_type) << ", multiplier "
        << args.numbers.multiplier << ", shift " << shift << ", offset " << args.numbers.offset;
  }
}

// A channel's shift is the low eight bits of its word: left by six of them, right by all.
TEST(Quantize, ShiftsOfChannelsAreSignedBytes) {
  OperandMemory memory(1, 1 << 10);
  QuantArgs args;
  args.per_channel = true;
  args.quant = place_any_type(memory, Dtype::kInt32, 0, 1, 1, 1, 3);
  for (const QuantRule rule : {QuantRule::kIntRequant, QuantRule::kIntDequant}) {
    args.rule = rule;
    const int at = rule == QuantRule::kIntRequant ? 1 : 2;
    for (int word = -300; word < 300; ++word) {
      store_integer(args.quant.address(0, 0, 0, at), Dtype::kInt32, word);
      const int byte = ((word + 128) & 0xff) - 128;
      EXPECT_EQ(args.of(0).shift, byte > 0 ? byte % 64 : byte) << word;
    }
  }
}

}  // namespace
}  // namespace tensorlane
