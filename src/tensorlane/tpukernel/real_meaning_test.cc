// Every function on random legal calls: its formula says what it
// computes.
#include <gtest/gtest.h>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/precision/meaning_test_support.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

constexpr unsigned kCalls = 12;  // per function

class RealMeanings : public testing::TestWithParam<const Op*> {};

TEST_P(RealMeanings, AreWhatIsComputed) {
  static DeviceMemory memory(bm1684x());
  const Op& op = *GetParam();
  Random random(4321);
  for (unsigned k = 0; k < kCalls; ++k) {
    const std::optional<std::vector<Arg>> args = random_call(op, random);
    ASSERT_TRUE(args) << "no legal call came out";
    Command command;
    decode(op, *args, bm1684x(), false, command);
    const std::string found = precision::meaning_violation(command, memory, k);
    ASSERT_TRUE(found.empty()) << call_text(op, *args) << "\n" << found;
  }
}

// Bits are no numbers; what looks up, selects by an index, or counts with zero points and regions
// of interest is not in the extents and the documentation alone.
constexpr std::string_view kWithoutMeaning =
    "tpu_bdc_and tpu_bdc_and_C tpu_bdc_or tpu_bdc_or_C tpu_bdc_xor tpu_bdc_xor_C "
    "tpu_bdc_vc_and tpu_bdc_vc_or tpu_bdc_vc_xor "
    "tpu_bdc_not tpu_bdc_sign tpu_bdc_logical_shift "
    "tpu_bdc_logical_shift_C tpu_bdc_fp_round "
    "tpu_bdc_fp_floor tpu_bdc_fp_ceil tpu_bdc_fp32_logx tpu_bdc_fp_isfinite tpu_bdc_fp_taylor "
    "tpu_bdc_table_lookup tpu_bdc_fp_exponent_part tpu_bdc_npu_bcast_from_static "
    "tpu_bdc_fp_roi_max_pool2d tpu_bdc_fp_roi_avg_pool2d "
    "tpu_bdc_int8_roi_max_pool2d tpu_bdc_int8_roi_avg_pool2d tpu_bdc_int_pc_requant "
    "tpu_bdc_fp32_pc_requant tpu_bdc_int_pc_dequant tpu_bdc_fp32_pc_dequant "
    "tpu_bdc_int8_asym_quant_conv2d tpu_bdc_int8_asym_quant_conv2d_kernel_const "
    "tpu_bdc_int8_asym_quant_conv2d_for_deconv2d tpu_bdc_int8_asym_pc_quant_conv2d "
    "tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d tpu_bdc_int8_pc_pad_depthwise2d "
    "tpu_bdc_int8_pc_pad_depthwise_for_deconv2d tpu_bdc_int_pcs_mm tpu_bdc_int_pcs_mm_L_trans "
    "tpu_bdc_int_pcs_mm_L_const tpu_bdc_int8_zp_mm tpu_bdc_int8_zp_mm_R_trans "
    "tpu_bdc_int8_zp_mm_all_trans tpu_bdc_int8_zp_mm_L_const tpu_bdc_int8_zp_mm_R_const "
    "tpu_bdc_int8_zp_mm_L_const_R_trans tpu_bdc_int8_zp_mm_L_const_all_trans "
    "tpu_bdc_int8_zp_mm_R_const_all_trans tpu_bdc_int8_pc_zp_mm tpu_bdc_int8_pc_zp_mm_R_trans "
    "tpu_bdc_int8_pc_zp_mm_all_trans tpu_bdc_int8_pc_zp_mm_L_const "
    "tpu_bdc_int8_pc_zp_mm_R_const tpu_bdc_int8_pc_zp_mm_L_const_R_trans "
    "tpu_bdc_int8_pc_zp_mm_L_const_all_trans tpu_bdc_int8_pc_zp_mm_R_const_all_trans";

INSTANTIATE_TEST_SUITE_P(, RealMeanings, testing::ValuesIn(precision::with_meaning(ops())),
                         [](const auto& info) { return std::string(info.param->name()); });

TEST(RealMeaning, OnlyTheseHaveNone) {
  EXPECT_EQ(precision::without_meaning(ops()), kWithoutMeaning);
}

}  // namespace
}  // namespace tensorlane::tpukernel
