// Quantisation in rows of each number of vectors, by channels of each kind of numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <random>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/compute/products/any_type_test_support.h"
#include "tensorlane/compute/products/quantize.h"
#include "tensorlane/compute/products/quantize_test_support.h"
#include "tensorlane/compute/products/quantize_words.h"

namespace tensorlane {
namespace {

using operands_test::fill_any_type;
using operands_test::OperandMemory;
using operands_test::place_any_type;
using operands_test::rebase;
using operands_test::Values;

// A number that is small, at an end of the range of an offset or a factor, or any.
std::int32_t any_number(std::mt19937& random) {
  constexpr std::int32_t kEnds[] = {0,         1,          -1,       INT8_MAX, 64,
                                    INT16_MAX, INT16_MIN,  1 << 14,  40000,    UINT16_MAX,
                                    INT32_MAX, -INT32_MAX, INT32_MIN};
  if (random() % 3 == 0) return kEnds[random() % std::size(kEnds)];
  return random() % 8 == 0 ? static_cast<std::int32_t>(random())
                           : static_cast<std::int32_t>(random() % 33) - 16;
}
// Of fp32, where some are none.
float any_scale(std::mt19937& random) {
  constexpr float kSpecial[] = {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1e-40F, 3e38F};
  if (random() % 8 == 0) return kSpecial[random() % std::size(kSpecial)];
  return std::ldexp(static_cast<float>(random() % 401) - 200.0F,
                    -static_cast<int>(random() % 12) - 1);
}

// Numbers up to one size, its ends among them, or any.
class Sizes {
 public:
  explicit Sizes(std::mt19937& random) : most_(random() % 3 == 0 ? 0 : 1 << (random() % 16)) {}
  std::int32_t draw(std::mt19937& random) const {
    if (most_ == 0) return any_number(random);
    if (random() % 8 == 0) return random() % 2 == 0 ? most_ : -most_;
    return static_cast<std::int32_t>(random() % (2U * static_cast<unsigned>(most_) + 1)) - most_;
  }

 private:
  int most_;
};

// The words of channels: those of a run have numbers of the same sizes, the next run others.
void fill_numbers(const QuantArgs& args, std::mt19937& random) {
  const bool floats =
      args.rule == QuantRule::kFloatRequant || args.rule == QuantRule::kFloatDequant;
  const auto word_of = [](float number) { return std::bit_cast<std::int32_t>(number); };
  for (int c = 0; c < args.c;) {
    const int end = std::min(args.c, c + 1 + static_cast<int>(random() % 40));
    const Sizes multipliers(random), offsets(random);
    const int least_shift = random() % 2 == 0 ? 0 : -20;
    const unsigned shifts = 1 + random() % 50;
    for (; c < end; ++c) {
      const std::int32_t multiplier = multipliers.draw(random), offset = offsets.draw(random);
      const std::int32_t shift = least_shift + static_cast<int>(random() % shifts);
      std::array<std::int32_t, 3> words = {multiplier, shift, offset};
      if (args.rule == QuantRule::kIntDequant) words = {offset, multiplier, shift};
      if (args.packed)
        words = {
            multiplier,
            static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) << 16U) | (shift & 0xff),
            0};
      if (floats) words[1] = word_of(any_scale(random));
      if (args.rule == QuantRule::kFloatRequant) words[0] = word_of(any_scale(random));
      if (args.rule == QuantRule::kFloatDequant) words[0] = offset;
      for (int i = 0; i < 3; ++i)
        store_integer(args.quant.address(0, c, 0, i), Dtype::kInt32, words[i]);
    }
  }
}

// As threads share a call: some end and begin between the batches of a channel.
bool quantize_in_parts(const QuantArgs& args) {
  if (!quantizes_channels(args)) return false;
  constexpr int kPart = 5;
  const std::int64_t count = std::int64_t{args.n} * args.c;
  for (std::int64_t begin = 0; begin < count; begin += kPart)
    quantize_channels(args, {args.h, args.w}, begin, std::min(count, begin + kPart));
  return true;
}

// Lengths of up to five of the longest vectors, most of them near the end of one of some vector.
int any_length(std::mt19937& random) {
  constexpr int kLanes[] = {4, 8, 16, 32};
  if (random() % 4 == 0) return 1 + static_cast<int>(random() % 170);
  const int near = static_cast<int>(random() % 3) - 1;
  return std::max(1, kLanes[random() % 4] * static_cast<int>(1 + random() % 5) + near);
}

struct AnyCase {
  QuantRule rule;
  Dtype src_type, dst_type;
};

AnyCase any_case(std::mt19937& random) {
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  const auto rule = static_cast<QuantRule>(random() % 4);
  const Dtype src =
      one_of(std::array{Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16, Dtype::kInt32});
  if (rule == QuantRule::kFloatDequant) return {rule, src, Dtype::kFp32};
  if (rule == QuantRule::kIntDequant)
    return {rule, src,
            one_of(std::array{Dtype::kInt16, Dtype::kUint16, Dtype::kInt16, Dtype::kUint16,
                              Dtype::kInt32, Dtype::kUint32})};
  return {rule, src,
          one_of(std::array{Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16})};
}

// A call of them, in place as well; every eighth has many channels.
void expect_any_call(int k, std::mt19937& random) {
  const bool many = k % 8 == 0;
  OperandMemory memory(8, many ? 1 << 16 : 1 << 15);
  const AnyCase types = any_case(random);
  QuantArgs args;
  args.rule = types.rule;
  args.src_type = types.src_type;
  args.dst_type = types.dst_type;
  const bool floats =
      args.rule == QuantRule::kFloatRequant || args.rule == QuantRule::kFloatDequant;
  const unsigned modes = floats ? 5 : kRoundingModeCount;
  args.rounding = static_cast<RoundingMode>(random() % 2 == 0 ? 0 : random() % modes);
  args.n = 1 + static_cast<int>(random() % 3);
  args.c = 1 + static_cast<int>(random() % (many ? 90 : 12));
  args.h = !many && random() % 3 == 0 ? 2 : 1;
  args.w = any_length(random);
  const int start = static_cast<int>(random() % 8), gap = args.h == 1 ? 0 : 3;
  const auto placed = [&](Dtype type) {
    const int bytes = dtype_bytes(type), pitch = args.w + gap;
    const std::int64_t plane = operands_test::align_up(std::int64_t{args.h} * pitch, 64 / bytes);
    return memory.place(start, args.n, args.c, args.h, args.w, plane, pitch, 1, bytes);
  };
  args.src = placed(args.src_type);
  const bool in_place =
      random() % 2 == 0 && dtype_bytes(args.src_type) == dtype_bytes(args.dst_type);
  args.dst = in_place ? args.src : placed(args.dst_type);
  args.quant = place_any_type(memory, Dtype::kInt32, start, 1, args.c, 1, 3);
  fill_any_type(args.src, args.src_type, args.n, args.c, args.h, args.w, Values::kPlain, random);
  args.per_channel = random() % 4 != 0;
  args.packed = args.per_channel && random() % 3 == 0;
  fill_numbers(args, random);
  if (!args.per_channel) {
    args.numbers = {.multiplier = any_number(random) % 5000,
                    .shift = static_cast<int>(random() % 64) - 32,
                    .offset = floats ? any_number(random) : any_number(random) % 40000,
                    .scale = any_scale(random),
                    .float_offset = any_scale(random)};
  }
  ASSERT_NO_THROW(
      expect_simd_equals_reference(memory, args, rebase, quantize_reference,
                                   random() % 4 == 0 ? quantize_in_parts : quantize_rows))
      << "rule " << static_cast<int>(args.rule) << ", " << dtype_name(args.src_type) << " -> "
      << dtype_name(args.dst_type) << ", " << args.n << 'x' << args.c << 'x' << args.h << 'x'
      << args.w << ", per channel " << args.per_channel << ", in place " << in_place;
}

// Each number of vectors of each kind of lanes, by numbers of the call and of channels whose kinds
// change in some.
TEST(QuantizeChannels, ChannelsOfAnyKindInRowsOfAnyLength) {
  targets_test::on_every_target([] {
    std::mt19937 random(11);
    for (int k = 0; k < 2500 && !testing::Test::HasFatalFailure(); ++k) expect_any_call(k, random);
  });
}

}  // namespace
}  // namespace tensorlane
