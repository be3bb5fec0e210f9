// Every function on random legal calls: its formula says what it
// computes.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/precision/meaning_test_support.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/okk/random_call_test_support.h"

namespace tensorlane::okk {
namespace {

DeviceMemory& memory() {
  static DeviceMemory memory(bm1684());
  return memory;
}

class RealMeanings : public testing::TestWithParam<const Op*> {};

TEST_P(RealMeanings, AreWhatIsComputed) {
  const Op& op = *GetParam();
  int tried = 0;
  const bool held = rc::check(std::string(op.name()), [&] {
    const RandomCall call = *random_call(op);
    RC_PRE(call.legal);
    Command command;
    decode(op, call.args, bm1684(), false, command);
    for (const Operand& operand : command.operands()) {
      RC_PRE(!operand.writes() || operand.layout.nested());
      // In place the result is what it is of the sources; elsewhere on them it is anything.
      for (const Operand& other : command.operands()) {
        const auto a = operand.layout.loose_bounds(true), b = other.layout.loose_bounds(true);
        RC_PRE(&operand == &other || !(operand.writes() || other.writes()) ||
               operand.space != other.space || a.end <= b.begin || b.end <= a.begin);
      }
    }
    ++tried;
    const std::string found = precision::meaning_violation(command, memory(), call.seed);
    if (!found.empty()) RC_FAIL(found);
  });
  EXPECT_TRUE(held) << op.name();
  EXPECT_GT(tried, 0) << op.name();
}

// Bits are no numbers; what looks up, selects by an index, or counts with zero points and regions
// of interest is not in the extents and the documentation alone.
constexpr std::string_view kWithoutMeaning =
    "okk_bdc_equal_select_value okk_bdc_equal_C_select_value "
    "okk_bdc_32bit_and okk_bdc_32bit_and_C okk_bdc_32bit_or okk_bdc_32bit_or_C "
    "okk_bdc_32bit_xor okk_bdc_32bit_xor_C okk_bdc_32bit_arithmetic_shift "
    "okk_bdc_32bit_logical_shift okk_bdc_32bit_arithmetic_shift_C "
    "okk_bdc_32bit_logical_shift_C okk_bdc_32bit_C_arithmetic_shift "
    "okk_bdc_32bit_C_logical_shift okk_bdc_fixed_point_packed_16bit_arithmetic_shift "
    "okk_bdc_fixed_point_packed_16bit_logical_shift "
    "okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C "
    "okk_bdc_fixed_point_packed_16bit_logical_shift_C "
    "okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift "
    "okk_bdc_fixed_point_packed_16bit_C_logical_shift "
    "okk_bdc_fixed_point_packed_16bit_split_high_8bit "
    "okk_bdc_fixed_point_packed_16bit_split_low_8bit "
    "okk_bdc_fixed_point_packed_s16_mul_u8_to_s16";

INSTANTIATE_TEST_SUITE_P(, RealMeanings, testing::ValuesIn(precision::with_meaning(ops())),
                         [](const auto& info) { return std::string(info.param->name()); });

TEST(RealMeaning, OnlyTheseHaveNone) {
  EXPECT_EQ(precision::without_meaning(ops()), kWithoutMeaning);
}

}  // namespace
}  // namespace tensorlane::okk
