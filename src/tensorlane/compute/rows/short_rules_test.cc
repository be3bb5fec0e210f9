// Every shift and pair of types of the rules in lanes of 16 bits, on random numbers and extremes,
// rows apart and constants, by vectors of every instruction set, against the rule element by
// element.
#include "tensorlane/compute/rows/short_rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace tensorlane {
namespace {

constexpr std::int64_t kRows = 2, kBlocks = 2, kGap = 3, kBytes = 2;
constexpr std::array kTypes = {Dtype::kInt16, Dtype::kUint16};

class ShortTest {
 public:
  explicit ShortTest(bool is_plain) : is_plain_(is_plain) {}

  void compare(const IntegerRule& rule, const std::vector<Dtype>& types, Dtype dst) {
    for (const std::int64_t count : {3, 32, 49, 98}) compare(rule, types, dst, count);
  }
  std::int64_t taken() const { return taken_; }

 private:
  std::vector<std::uint16_t> operand(std::int64_t count) {
    constexpr std::array<std::uint16_t, 6> kExtremes = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    std::vector<std::uint16_t> all(static_cast<std::size_t>(kBlocks * kRows * (count + kGap)));
    for (std::uint16_t& element : all) {
      element = random_() % 3 == 0   ? kExtremes[random_() % kExtremes.size()]
                : random_() % 3 == 0 ? static_cast<std::uint16_t>(random_() % 40 - 20)
                                     : static_cast<std::uint16_t>(random_());
    }
    return all;
  }
  void compare(const IntegerRule& rule, const std::vector<Dtype>& types, Dtype dst,
               std::int64_t count) {
    const std::optional<ShortRule> shorts = short_rule(rule, types, dst);
    ASSERT_TRUE(shorts);
    std::vector<std::vector<std::uint16_t>> sources;
    std::vector<std::uint16_t> got = operand(count), want = got;
    Row frame{};
    frame.count = count;
    frame.rows = kRows;
    frame.blocks = kBlocks;
    frame.dst_step = kBytes;
    frame.dst_next = (count + kGap) * kBytes;
    frame.dst_block = kRows * frame.dst_next;
    const bool shifts_constant = rule.operation == IntegerOperation::kShiftByByte;
    for (std::size_t k = 0; k < types.size(); ++k) {
      sources.push_back(operand(count));
      const bool is_constant = shifts_constant ? k == 0 : random_() % 4 == 0;
      frame.src[k] = reinterpret_cast<const std::byte*>(sources[k].data());
      frame.src_step[k] = is_constant ? 0 : kBytes;
      frame.src_next[k] = is_constant && random_() % 2 == 0 ? 0 : frame.dst_next;
      frame.src_block[k] = frame.dst_block;
    }
    const bool in_place = !shifts_constant && frame.src_step[0] != 0 && random_() % 2 == 0;
    if (in_place) got = want = sources[0];
    frame.dst = reinterpret_cast<std::byte*>(want.data());
    integer_scalar_row(rule, types, dst)(frame);
    frame.dst = reinterpret_cast<std::byte*>(got.data());
    if (in_place) frame.src[0] = frame.dst;
    const bool runs = run_short_rule(*shorts, frame);
    if (runs) ++taken_;
    EXPECT_TRUE(runs || is_plain_ || count < 32);
    if (!runs) return;
    EXPECT_EQ(got, want) << fmt::format("{} {} {} -> {}, left {}, right {}, {} elements",
                                        static_cast<int>(rule.operation), dtype_name(types[0]),
                                        dtype_name(types.back()), dtype_name(dst), rule.left,
                                        rule.right, count);
  }

  bool is_plain_;
  std::int64_t taken_ = 0;
  std::mt19937 random_{1};
};

void compare_all(ShortTest& test) {
  using Operation = IntegerOperation;
  for (const Dtype a : kTypes) {
    for (int shift = -16; shift <= 16; ++shift) {
      test.compare({.operation = Operation::kFirst,
                    .left = std::max(shift, 0),
                    .right = std::max(-shift, 0),
                    .saturate = false},
                   {a}, a);
    }
    for (int time = 0; time < 20; ++time)
      test.compare({.operation = Operation::kShiftByByte, .saturate = false}, {a, Dtype::kInt16},
                   a);
    for (const Dtype b : kTypes) {
      for (const Dtype dst : kTypes) {
        for (const Operation operation : {Operation::kAdd, Operation::kSubtract}) {
          for (int right = 1; right < 16; ++right)
            test.compare({operation, 0, right, RoundingMode::kHalfUp}, {a, b}, dst);
        }
      }
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ShortRules, AreTheRule) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    // SSSE3 runs the plain form: base/simd_targets.h.
    const bool is_plain = (target & (HWY_SCALAR | HWY_EMU128 | HWY_SSSE3)) != 0;
    ShortTest test(is_plain);
    compare_all(test);
    EXPECT_NE(test.taken() > 0, is_plain);
    if (HasFailure()) break;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(ShortRules, LeaveOthersToWiderLanes) {
  constexpr std::array kMixed = {Dtype::kInt16, Dtype::kUint16};
  constexpr std::array kBytes = {Dtype::kInt8, Dtype::kInt8};
  IntegerRule rule{IntegerOperation::kAdd, 0, 1, RoundingMode::kHalfUp};
  EXPECT_TRUE(short_rule(rule, kMixed, Dtype::kInt16));
  EXPECT_FALSE(short_rule(rule, kMixed, Dtype::kInt8));
  EXPECT_FALSE(short_rule(rule, kBytes, Dtype::kInt16));
  // Elements that do not stand side by side.
  Row frame{};
  frame.dst_step = 4;
  frame.src_step = {2, 2};
  frame.count = 98;
  EXPECT_FALSE(run_short_rule(*short_rule(rule, kMixed, Dtype::kInt16), frame));
  rule.right = 16;
  EXPECT_FALSE(short_rule(rule, kMixed, Dtype::kInt16));
  rule.right = 0;
  EXPECT_FALSE(short_rule(rule, kMixed, Dtype::kInt16));
  rule.right = 1;
  rule.mode = RoundingMode::kHalfToEven;
  EXPECT_FALSE(short_rule(rule, kMixed, Dtype::kInt16));
  rule = {IntegerOperation::kMultiply, 0, 1, RoundingMode::kHalfUp};
  EXPECT_FALSE(short_rule(rule, kMixed, Dtype::kInt16));
  rule = {.operation = IntegerOperation::kFirst, .left = 1};
  EXPECT_FALSE(short_rule(rule, std::array{Dtype::kInt16}, Dtype::kInt16));
}

}  // namespace
}  // namespace tensorlane
