// Every amount within the lanes and beyond them, in every mode, by vectors of every instruction
// set, against the rule element by element.
#include "tensorlane/compute/rows/integer_shifts.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <random>
#include <vector>

namespace tensorlane {
namespace {

constexpr std::int64_t kRows = 3, kWord = 4;

// A row of amounts from `least` on, with values of which half are extremes.
void compare(RoundingMode mode, Dtype value, Dtype amount, std::int32_t least, std::int64_t count,
             bool one_amount) {
  static std::mt19937 random(1);
  constexpr std::array<std::uint32_t, 6> kExtremes = {0,           1,           0x7fffffffU,
                                                      0x80000000U, 0xffffffffU, 0xc0000000U};
  const IntegerRule rule{IntegerOperation::kShift, 0, 0, mode, false};
  const std::array types = {value, amount};
  const std::optional<IntegerShifts> shifts = integer_shifts(rule, types, value);
  ASSERT_TRUE(shifts);
  const auto size = static_cast<std::size_t>(kRows * count);
  std::vector<std::uint32_t> values(size), amounts(size), got(size), want(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = random() % 2 == 0 ? kExtremes[random() % kExtremes.size()]
                                  : static_cast<std::uint32_t>(random());
    amounts[i] = static_cast<std::uint32_t>(least) + static_cast<std::uint32_t>(i % 11);
  }
  Row frame{};
  frame.count = count;
  frame.rows = kRows;
  frame.dst_step = frame.src_step[0] = kWord;
  frame.src_step[1] = one_amount ? 0 : kWord;
  frame.dst_next = frame.src_next[0] = frame.src_next[1] = count * kWord;
  frame.src[0] = reinterpret_cast<const std::byte*>(values.data());
  frame.src[1] = reinterpret_cast<const std::byte*>(amounts.data());
  frame.dst = reinterpret_cast<std::byte*>(want.data());
  integer_scalar_row(rule, types, value)(frame);
  frame.dst = reinterpret_cast<std::byte*>(got.data());
  ASSERT_TRUE(run_shifts(*shifts, frame));
  EXPECT_EQ(got, want) << dtype_name(value) << " by " << dtype_name(amount) << " from " << least
                       << ", mode " << static_cast<int>(mode);
}

// All by one amount of the call, into a type with sign or without; one element for a row too.
void compare_by_one(RoundingMode mode, Dtype value, Dtype dst, int amount, bool one_value) {
  static std::mt19937 random(2);
  constexpr std::int64_t kCount = 43;
  const IntegerRule rule = with_shift({IntegerOperation::kFirst, 0, 0, mode, false}, amount);
  const std::array types = {value};
  const std::optional<IntegerShifts> shifts = integer_shifts(rule, types, dst);
  ASSERT_TRUE(shifts);
  const std::int64_t bytes = dtype_bytes(value);
  const auto bits = static_cast<std::uint32_t>(dtype_bits(value));
  std::array<std::uint32_t, kRows * kCount> values{}, got{}, want{};
  for (std::uint32_t& each : values) {
    const auto near_end = static_cast<std::uint32_t>(random() % 5 - 2);
    each = random() % 2 == 0 ? static_cast<std::uint32_t>(random())
                             : near_end << (random() % bits) | near_end;
    if (bits == 16)
      each = each << 16U | static_cast<std::uint16_t>(random() % 2 == 0 ? each : ~each);
  }
  Row frame{};
  frame.count = kCount;
  frame.rows = kRows;
  frame.dst_step = bytes;
  frame.src_step[0] = one_value ? 0 : bytes;
  frame.dst_next = frame.src_next[0] = kCount * bytes;
  frame.src[0] = reinterpret_cast<const std::byte*>(values.data());
  frame.dst = reinterpret_cast<std::byte*>(want.data());
  integer_scalar_row(rule, types, dst)(frame);
  frame.dst = reinterpret_cast<std::byte*>(got.data());
  ASSERT_TRUE(run_shifts(*shifts, frame));
  EXPECT_EQ(got, want) << dtype_name(value) << " -> " << dtype_name(dst) << " by " << amount
                       << ", mode " << static_cast<int>(mode);
}
void compare_all_by_one(RoundingMode mode) {
  for (const auto& [is_signed, is_not] :
       {std::pair(Dtype::kInt32, Dtype::kUint32), std::pair(Dtype::kInt16, Dtype::kUint16)}) {
    for (const Dtype value : {is_signed, is_not}) {
      for (const Dtype dst : {is_signed, is_not}) {
        for (int amount = 1 - dtype_bits(value); amount < dtype_bits(value); ++amount)
          compare_by_one(mode, value, dst, amount, amount % 4 == 0);
      }
    }
  }
}

TEST(IntegerShifts, AreTheRule) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (int mode = 0; mode < kRoundingModeCount; ++mode) {
      compare_all_by_one(static_cast<RoundingMode>(mode));
      for (const Dtype value : {Dtype::kInt32, Dtype::kUint32}) {
        for (const Dtype amount : {Dtype::kInt32, Dtype::kUint32}) {
          for (const std::int32_t least : {-100, -70, -42, -34, -31, -20, -10, -5, 0, 10, 20, 30,
                                           60, INT32_MIN, INT32_MAX - 10}) {
            compare(static_cast<RoundingMode>(mode), value, amount, least, 37, false);
            compare(static_cast<RoundingMode>(mode), value, amount, least, 5, true);
          }
        }
      }
    }
    if (HasFailure()) break;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(IntegerShifts, LeaveOthersToWiderLanes) {
  constexpr std::array kWords = {Dtype::kInt32, Dtype::kInt32};
  constexpr std::array kShort = {Dtype::kInt16, Dtype::kInt16};
  IntegerRule rule{IntegerOperation::kShift, 0, 0, RoundingMode::kDown, false};
  EXPECT_TRUE(integer_shifts(rule, kWords, Dtype::kInt32));
  EXPECT_FALSE(integer_shifts(rule, kWords, Dtype::kInt16));
  EXPECT_FALSE(integer_shifts(rule, kShort, Dtype::kInt32));
  EXPECT_FALSE(integer_shifts(rule, kShort, Dtype::kInt16));  // by numbers of their own
  const std::span kOneShort(kShort.data(), 1);
  const auto by = [](int amount) {
    return with_shift({IntegerOperation::kFirst, 0, 0, RoundingMode::kDown, false}, amount);
  };
  EXPECT_TRUE(integer_shifts(by(-15), kOneShort, Dtype::kInt16));
  EXPECT_FALSE(integer_shifts(by(-16), kOneShort, Dtype::kInt16));
  EXPECT_FALSE(integer_shifts(by(16), kOneShort, Dtype::kInt16));
  EXPECT_FALSE(integer_shifts(by(1), kOneShort, Dtype::kInt32));
  constexpr std::array kByte = {Dtype::kInt8}, kHalf = {Dtype::kFp16};
  EXPECT_FALSE(integer_shifts(by(1), kByte, Dtype::kInt8));
  EXPECT_FALSE(integer_shifts(by(1), kHalf, Dtype::kInt16));
  Row frame{};
  frame.dst_step = 8;
  frame.src_step = {kWord, kWord};
  EXPECT_FALSE(run_shifts(*integer_shifts(rule, kWords, Dtype::kInt32), frame));
  rule.saturate = true;
  EXPECT_FALSE(integer_shifts(rule, kWords, Dtype::kInt32));
}

}  // namespace
}  // namespace tensorlane
