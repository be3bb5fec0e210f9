// Rows of random rules, types, lengths and strides by vectors of every instruction set, against
// exact arithmetic element by element.
#include "tensorlane/compute/rows/integer_vectors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace tensorlane {
namespace {

__extension__ using Exact = __int128;
using Operation = IntegerOperation;

constexpr std::array kTypes = {Dtype::kInt8,   Dtype::kUint8, Dtype::kInt16,
                               Dtype::kUint16, Dtype::kInt32, Dtype::kUint32};

struct Case {
  IntegerRule rule;
  std::vector<Dtype> sources;
  Dtype dst;
};

class Numbers {
 public:
  int below(int end) { return std::uniform_int_distribution(0, end - 1)(engine_); }
  Dtype type() { return kTypes[static_cast<std::size_t>(below(kTypes.size()))]; }
  // Any bits, with the extremes among them more often than not.
  std::uint32_t bits() {
    constexpr std::array<std::uint32_t, 6> kExtremes = {0,           1,           0x80808080U,
                                                        0x7fff7fffU, 0x80000000U, 0xffffffffU};
    return below(2) == 0 ? kExtremes[static_cast<std::size_t>(below(kExtremes.size()))]
                         : static_cast<std::uint32_t>(engine_());
  }

 private:
  std::mt19937 engine_{1};
};

Case random_case(Numbers& random) {
  Case made;
  made.rule = {static_cast<Operation>(random.below(10)), 0, 0,
               static_cast<RoundingMode>(random.below(kRoundingModeCount)), random.below(2) == 0};
  if (random.below(3) == 0) made.rule.left = random.below(34);
  if (random.below(3) != 0) made.rule.right = random.below(34);
  const bool takes_three = made.rule.operation == Operation::kMultiplyAdd ||
                           made.rule.operation == Operation::kMultiplyPair;
  const int sources = takes_three ? 3 : made.rule.operation == Operation::kFirst ? 1 : 2;
  for (int k = 0; k < sources; ++k) made.sources.push_back(random.type());
  made.dst = random.type();
  return made;
}

Exact value_at(const std::byte* at, Dtype dtype) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(dtype_bytes(dtype)));
  const IntegerRange range = integer_range(dtype);
  const Exact value = bits;
  return value > range.max ? value - (Exact{1} << dtype_bits(dtype)) : value;
}

// rounding_shift_right of numbers of any size: what it looks at are the sign, the last bit that
// stays and what is shifted out.
Exact shifted_right(Exact value, int shift, RoundingMode mode) {
  const Exact kept = value >> shift;
  const auto stand_in = static_cast<std::int64_t>(kept & 1) - (value < 0 ? 2 : 0);
  const auto out = static_cast<std::int64_t>(value - (kept << shift));
  return kept - stand_in + rounding_shift_right((stand_in << shift) + out, shift, mode);
}

// The meaning in exact numbers.
std::uint32_t expected(const IntegerRule& rule, Dtype dst, const std::array<Exact, 3>& x) {
  Exact value = 0;
  switch (rule.operation) {
    case Operation::kAdd:
      value = x[0] + x[1];
      break;
    case Operation::kSubtract:
      value = x[0] - x[1];
      break;
    case Operation::kMultiply:
      value = x[0] * x[1];
      break;
    case Operation::kMultiplyAdd:
      value = x[0] * (Exact{1} << rule.left) + x[1] * x[2];
      break;
    case Operation::kFirst:
      value = x[0];
      break;
    case Operation::kMultiplyPair:
      value = (x[0] * 256 + x[1]) * x[2];
      break;
    case Operation::kShift: {
      const auto amount = static_cast<std::int64_t>(x[1]);
      const int places =
          amount > 0 ? left_places(amount) : static_cast<int>(std::max<std::int64_t>(amount, -64));
      return static_cast<std::uint32_t>(
          rounding_shift(static_cast<std::int64_t>(x[0]), places, rule.mode));
    }
    case Operation::kShiftByByte: {
      const int amount = static_cast<std::int8_t>(x[1]);
      const auto raised = [&] { return amount > 31 ? Exact{0} : x[0] * (Exact{1} << amount); };
      return static_cast<std::uint32_t>(
          amount > 0 ? raised() : shifted_right(x[0], std::min(-amount, 63), rule.mode));
    }
    case Operation::kMaximum:
      value = std::max(x[0], x[1]);
      break;
    case Operation::kMinimum:
      value = std::min(x[0], x[1]);
      break;
  }
  if (rule.operation != Operation::kMultiplyAdd) value *= Exact{1} << rule.left;
  if (rule.right > 0) value = shifted_right(value, rule.right, rule.mode);
  const IntegerRange range = integer_range(dst);
  if (rule.saturate) value = std::clamp<Exact>(value, range.min, range.max);
  return static_cast<std::uint32_t>(value);
}

// A frame of 2 blocks: 3 rows of elements side by side, with gaps or one to a word of 32 bits that
// holds others too, or many rows of two elements, as packed words make them; a source constant or
// not, or where the result goes.
void compare(const Case& tested, const RowFunction& function, Numbers& random) {
  constexpr std::int64_t kBlocks = 2, kWord = 4;
  const bool pairs = random.below(4) == 0;
  const std::int64_t rows = pairs ? 5 + random.below(90) : 3;
  const std::int64_t count = pairs ? 2 : 1 + random.below(random.below(4) == 0 ? 2500 : 70);
  const std::int64_t gap = pairs ? 1 : 1 + random.below(2);
  const bool words = !pairs && random.below(3) == 0;
  Row frame{};
  frame.owns_words = random.below(4) != 0;
  frame.count = count;
  frame.rows = rows;
  frame.blocks = kBlocks;
  std::vector<std::vector<std::byte>> memory(4);
  for (std::vector<std::byte>& bytes : memory) {
    bytes.resize(static_cast<std::size_t>(kBlocks * rows * count * gap * kWord));
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      const std::uint32_t word = random.bits();
      std::memcpy(bytes.data() + i, &word, sizeof word);
    }
  }
  const std::vector<std::byte> before = memory[3];
  const auto steps = [&](Dtype dtype) { return words ? kWord : gap * dtype_bytes(dtype); };
  const auto inside = [&](Dtype dtype) {
    if (pairs) return dtype_bytes(dtype) == 1 ? 2 * random.below(2) : 0;
    return words ? dtype_bytes(dtype) * random.below(4 / dtype_bytes(dtype)) : 0;
  };
  const auto next = [&](Dtype dtype) {
    const std::int64_t dense = count * steps(dtype);
    return pairs && random.below(2) == 0 ? std::max(dense, kWord) : dense;
  };
  const int dst_inside = inside(tested.dst);
  frame.dst = memory[3].data() + dst_inside;
  frame.dst_step = steps(tested.dst);
  frame.dst_next = next(tested.dst);
  frame.dst_block = rows * frame.dst_next;
  for (std::size_t k = 0; k < tested.sources.size(); ++k) {
    frame.src[k] = memory[k].data() + inside(tested.sources[k]);
    if (random.below(4) == 0) continue;
    if (tested.sources[k] == tested.dst && random.below(3) == 0) {  // in place
      frame.src[k] = frame.dst;
      frame.src_step[k] = frame.dst_step;
      frame.src_next[k] = frame.dst_next;
      frame.src_block[k] = frame.dst_block;
      continue;
    }
    frame.src_step[k] = random.below(4) == 0 ? 0 : steps(tested.sources[k]);
    frame.src_next[k] = next(tested.sources[k]);
    frame.src_block[k] = rows * frame.src_next[k];
  }
  function(frame);
  ASSERT_TRUE(std::equal(before.begin(), before.begin() + dst_inside, memory[3].begin()));
  const auto bytes = static_cast<std::size_t>(dtype_bytes(tested.dst));
  for (std::int64_t at = 0; at < kBlocks * rows * count; ++at) {
    const std::int64_t i = at % count, r = at / count % rows, b = at / count / rows;
    std::array<Exact, 3> x{};
    for (std::size_t k = 0; k < tested.sources.size(); ++k) {
      const std::byte* const from =
          frame.src[k] == frame.dst ? before.data() + dst_inside : frame.src[k];
      x[k] = value_at(from + b * frame.src_block[k] + r * frame.src_next[k] + i * frame.src_step[k],
                      tested.sources[k]);
    }
    const std::uint32_t want = expected(tested.rule, tested.dst, x);
    const std::byte* const got =
        frame.dst + b * frame.dst_block + r * frame.dst_next + i * frame.dst_step;
    ASSERT_EQ(std::memcmp(got, &want, bytes), 0)
        << fmt::format("operation {} left {} right {} mode {} saturate {} to {}, element {} of {}",
                       static_cast<int>(tested.rule.operation), tested.rule.left, tested.rule.right,
                       rounding_mode_name(tested.rule.mode), tested.rule.saturate,
                       dtype_name(tested.dst), i, count);
    // What lies between stays.
    const std::int64_t after = i + 1 < count ? frame.dst_step : frame.dst_next - i * frame.dst_step;
    const std::int64_t between = std::min(after, memory[3].data() + memory[3].size() - got) -
                                 static_cast<std::int64_t>(bytes);
    ASSERT_EQ(std::memcmp(got + bytes, before.data() + (got - memory[3].data()) + bytes,
                          static_cast<std::size_t>(between)),
              0);
  }
}

TEST(IntegerVectors, AreExactOnEveryInstructionSet) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    Numbers random;
    int computed = 0;
    for (int k = 0; k < 4000; ++k) {
      const Case tested = random_case(random);
      const RowFunction function = integer_vector_row(tested.rule, tested.sources, tested.dst);
      if (!function) continue;
      ++computed;
      ASSERT_NO_FATAL_FAILURE(compare(tested, function, random));
    }
    EXPECT_GT(computed, 2400);  // of 4000: lanes of 64 bits hold most of what kernels do
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Lanes of 16 bits that do not hold every step: sums with products of bytes, products of 16 bits.
TEST(IntegerVectors, ShortLanesAreExact) {
  const auto bytes = [](Numbers& random) {
    return random.below(2) == 0 ? Dtype::kInt8 : Dtype::kUint8;
  };
  const auto shorts = [](Numbers& random) {
    return random.below(2) == 0 ? Dtype::kInt16 : Dtype::kUint16;
  };
  const auto any_case = [&](Numbers& random) {
    Case made;
    made.rule.mode = static_cast<RoundingMode>(random.below(kRoundingModeCount));
    made.rule.right = random.below(4) == 0 ? random.below(34) : random.below(18);
    made.rule.saturate = random.below(4) != 0;
    made.dst = random.below(4) == 0 ? bytes(random) : shorts(random);
    switch (random.below(3)) {
      case 0:
        made.rule.operation = Operation::kMultiplyAdd;
        made.sources = {made.dst, bytes(random), bytes(random)};
        break;
      case 1:
        made.rule.operation = Operation::kMultiplyPair;
        made.sources = {bytes(random), Dtype::kUint8, bytes(random)};
        break;
      default:
        made.rule.operation = Operation::kMultiply;
        made.sources = {shorts(random), random.below(2) == 0 ? shorts(random) : bytes(random)};
        if (random.below(2) == 0) std::swap(made.sources[0], made.sources[1]);
    }
    return made;
  };
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    Numbers random;
    std::array<int, 3> short_lanes{};
    for (int k = 0; k < 700; ++k) {
      const Case tested = any_case(random);
      const unsigned lanes = lanes_that_hold(tested.rule, tested.sources, tested.dst);
      if (lanes == 0) continue;
      const auto first = static_cast<int>(first_lanes(lanes));
      constexpr auto kSums = static_cast<int>(IntegerLanes::kSums16);
      if (first >= kSums && first < kSums + 3)
        ++short_lanes[static_cast<std::size_t>(first - kSums)];
      ASSERT_NO_FATAL_FAILURE(
          compare(tested, integer_vector_row(tested.rule, tested.sources, tested.dst), random));
    }
    for (const int count : short_lanes) EXPECT_GT(count, 20);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Lanes are chosen by the values that they hold, and no instruction set shifts a lane by its width
// alike: products of 16 bits shifted right by 32 were 1 on some.
TEST(IntegerVectors, ShiftsByTheBitsOfALaneAreExact) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    Numbers random;
    for (const Operation operation : {Operation::kAdd, Operation::kMultiply, Operation::kFirst}) {
      for (const int right : {7, 8, 9, 15, 16, 17, 31, 32, 33}) {
        for (int mode = 0; mode < kRoundingModeCount; ++mode) {
          for (const Dtype type : kTypes) {
            const IntegerRule rule{operation, 0, right, static_cast<RoundingMode>(mode), true};
            const std::vector<Dtype> sources(operation == Operation::kFirst ? 1 : 2, type);
            const RowFunction function = integer_vector_row(rule, sources, type);
            if (!function) continue;
            ASSERT_NO_FATAL_FAILURE(compare({rule, sources, type}, function, random));
          }
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace tensorlane
