// Every shift, mode and pair of types that the sums hold, on random numbers and extremes, by
// vectors of every instruction set, against the rule element by element.
#include "tensorlane/compute/rows/integer_sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace tensorlane {
namespace {

constexpr std::int64_t kCount = 37, kRows = 2, kBlocks = 2;

using Bytes = std::vector<std::byte>;

class SumTest {
 public:
  // Elements with a gap behind each row.
  Bytes operand(std::int64_t bytes) {
    constexpr std::array<std::uint32_t, 7> kExtremes = {
        0, 1, 0x7fff7fffU, 0x80008000U, 0x7fffffffU, 0x80000000U, 0xffffffffU};
    Bytes all(static_cast<std::size_t>(kBlocks * kRows * (kCount + 3) * bytes));
    for (std::size_t at = 0; at < all.size(); at += 4) {
      const std::uint32_t word = random_() % 2 == 0 ? kExtremes[random_() % kExtremes.size()]
                                                    : static_cast<std::uint32_t>(random_());
      std::memcpy(&all[at], &word, 4);
    }
    return all;
  }

  void compare(const IntegerRule& rule, Dtype source, Dtype dst, bool by_row) {
    const std::array<Dtype, 2> types = {source, source};
    const std::int64_t bytes = dtype_bytes(dst);
    std::optional<IntegerSums> sums = integer_sums(rule, types, dst);
    ASSERT_TRUE(sums);
    const std::array<Bytes, 2> sources = {operand(bytes), operand(bytes)};
    Bytes got = operand(bytes), want = got;
    Row frame{};
    frame.count = kCount;
    frame.rows = kRows;
    frame.blocks = kBlocks;
    frame.dst_step = bytes;
    frame.dst_next = (kCount + 3) * bytes;
    frame.dst_block = kRows * frame.dst_next;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool is_constant = random_() % 4 == 0;
      frame.src[k] = sources[k].data();
      frame.src_step[k] = is_constant ? 0 : frame.dst_step;
      frame.src_next[k] = is_constant && random_() % 2 == 0 ? 0 : frame.dst_next;
      frame.src_block[k] = frame.dst_block;
    }
    frame.dst = want.data();
    integer_scalar_row(rule, types, dst)(frame);
    frame.dst = got.data();
    // The shift of the rule, as a byte that each row has for itself.
    const std::array<std::uint8_t, kRows* kBlocks> row_bytes = {7, 7, 7, 7};
    std::array<IntegerShift, 256> shifts{};
    if (by_row) {
      shifts[7] = sums->shift;
      sums->by_byte = shifts.data();
      frame.src[2] = reinterpret_cast<const std::byte*>(row_bytes.data());
      frame.src_next[2] = random_() % 2 == 0 ? 0 : 1;
      frame.src_block[2] = random_() % 2 == 0 ? 0 : 2;
    }
    ASSERT_TRUE(run_sums(*sums, frame));
    EXPECT_EQ(got, want) << fmt::format(
        "{} {} -> {}, left {}, right {}, mode {}{}", static_cast<int>(rule.operation),
        dtype_name(source), dtype_name(dst), rule.left, rule.right, static_cast<int>(rule.mode),
        rule.saturate ? ", saturated" : "");
  }

 private:
  std::mt19937 random_{1};
};

void compare_all() {
  SumTest test;
  for (const auto& [is_signed, is_not] :
       {std::pair(Dtype::kInt16, Dtype::kUint16), std::pair(Dtype::kInt32, Dtype::kUint32)}) {
    for (const Dtype source : {is_signed, is_not}) {
      for (const Dtype dst : {is_signed, is_not}) {
        for (const auto operation : {IntegerOperation::kAdd, IntegerOperation::kSubtract}) {
          for (int shift = 1 - dtype_bits(dst); shift < dtype_bits(dst); ++shift) {
            for (int mode = 0; mode < (shift < 0 ? kRoundingModeCount : 1); ++mode) {
              for (const bool saturate : {false, true}) {
                const IntegerRule rule{operation, std::max(shift, 0), std::max(-shift, 0),
                                       static_cast<RoundingMode>(mode), saturate};
                test.compare(rule, source, dst, (shift + mode) % 3 == 0);
                if (testing::Test::HasFailure()) return;
              }
            }
          }
        }
      }
    }
  }
}

TEST(IntegerSums, AreTheRule) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    compare_all();
    if (HasFailure()) break;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(IntegerSums, LeaveOthersToWiderLanes) {
  constexpr std::array kShort = {Dtype::kInt16, Dtype::kInt16};
  constexpr std::array kMixed = {Dtype::kInt16, Dtype::kUint16};
  constexpr std::array kBytes = {Dtype::kInt8, Dtype::kInt8};
  IntegerRule rule{IntegerOperation::kAdd};
  EXPECT_TRUE(integer_sums(rule, kShort, Dtype::kInt16));
  EXPECT_FALSE(integer_sums(rule, kShort, Dtype::kInt32));
  EXPECT_FALSE(integer_sums(rule, kMixed, Dtype::kInt16));
  EXPECT_FALSE(integer_sums(rule, kBytes, Dtype::kInt8));
  rule.right = 16;
  EXPECT_FALSE(integer_sums(rule, kShort, Dtype::kInt16));
  rule = {IntegerOperation::kAdd, 16};
  EXPECT_FALSE(integer_sums(rule, kShort, Dtype::kInt16));
  rule = {IntegerOperation::kMultiply};
  EXPECT_FALSE(integer_sums(rule, kShort, Dtype::kInt16));
  // Elements that do not stand side by side.
  rule = {IntegerOperation::kAdd};
  Row frame{};
  frame.dst_step = 4;
  frame.src_step = {2, 2};
  frame.count = 1;
  EXPECT_FALSE(run_sums(*integer_sums(rule, kShort, Dtype::kInt16), frame));
}

}  // namespace
}  // namespace tensorlane
