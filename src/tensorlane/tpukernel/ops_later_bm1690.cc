// What only the BM1690 and the chips after it have: calling one ends the launch and says what it
// needs.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_bm1690);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kDequantisationAnyF16 = "dequantisation to any 16-bit float (BM1690)";
constexpr std::string_view kBlockProducts = "products of operands with scales per block (BM1690)";
constexpr std::string_view kBlockQuantisation = "quantisation with scales per block (BM1690)";
constexpr std::string_view kSaturatingDivision = "division that saturates (BM1690)";
constexpr std::string_view kArctangentSeries = "a series of the arctangent (BM1690)";
constexpr std::string_view kExponentialUnit = "an exponential in one command (BM1690)";
constexpr std::string_view kUnrotatedKernels =
    "transposed convolution with kernels as they lie (BM1690)";
constexpr std::string_view kMatrixUnitShape = "a matrix unit that tells its shape (BM1690)";
constexpr std::string_view kChannelMoves = "gathers and scatters of channels in the GDMA (BM1690)";
constexpr std::string_view kScalingReduction = "copies that scale and add (BM1690)";
constexpr std::string_view kLinkBetweenChips = "a link between chips (SG2260)";
constexpr std::string_view kMemoryGuards = "guards of memory ranges (BM1690)";

}  // namespace

TL_TPU_OP(tpu_bdc_f16_dequant) = later("bdc-quant", kDequantisationAnyF16);
TL_TPU_OP(tpu_bdc_f16_pc_dequant) = later("bdc-quant", kDequantisationAnyF16);

TL_TPU_OP(tpu_bdc_fp8_bq_mm2_nt) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(tpu_bdc_fp8_bq_mm2_wblock_nt) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(tpu_bdc_fp_dq2_mm2_nt) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(tpu_bdc_fp_dq2_mm2_nt_requant) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(tpu_bdc_fp_dq2_mm2_tt) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(tpu_bdc_fp_dq2_mm2_tt_requant) = later("bdc-mm", kBlockProducts);

TL_TPU_OP(tpu_bdc_qt0_quant) = later("bdc-quant", kBlockQuantisation);

TL_TPU_OP(tpu_bdc_fp_div2) = later("bdc-fp", kSaturatingDivision);
TL_TPU_OP(tpu_bdc_fp_div2_C) = later("bdc-fp", kSaturatingDivision);
TL_TPU_OP(tpu_bdc_fp_C_div2) = later("bdc-fp", kSaturatingDivision);

TL_TPU_OP(tpu_bdc_fp_arctan) = later("bdc-special", kArctangentSeries);
TL_TPU_OP(tpu_bdc_load_fp_arctan_coeff) = later("bdc-special", kArctangentSeries);

TL_TPU_OP(tpu_bdc_fp_fast_exp) = later("bdc-special", kExponentialUnit);
TL_TPU_OP(tpu_bdc_fuse_exp_with_range) = later("bdc-special", kExponentialUnit);
TL_TPU_OP(tpu_bdc_load_fuse_exp_coeff) = later("bdc-special", kExponentialUnit);

TL_TPU_OP(tpu_bdc_fp_conv2d_for_deconv2d_without_rotate) = later("bdc-nn", kUnrotatedKernels);
TL_TPU_OP(tpu_bdc_int8_asym_quant_conv2d_for_deconv2d_without_rotate) = later("bdc-nn",
                                                                              kUnrotatedKernels);

TL_TPU_OP(tpu_cube_shape) = later("common", kMatrixUnitShape);

TL_TPU_OP(tpu_gdma_c_gather_S2L) = later("gdma", kChannelMoves);
TL_TPU_OP(tpu_gdma_c_gather_L2S) = later("gdma", kChannelMoves);
TL_TPU_OP(tpu_gdma_c_gather_L2L) = later("gdma", kChannelMoves);
TL_TPU_OP(tpu_gdma_c_gather_S2S) = later("gdma", kChannelMoves);
TL_TPU_OP(tpu_gdma_c_scatter_S2L) = later("gdma", kChannelMoves);
TL_TPU_OP(tpu_gdma_c_scatter_L2S) = later("gdma", kChannelMoves);
TL_TPU_OP(tpu_gdma_c_scatter_L2L) = later("gdma", kChannelMoves);
TL_TPU_OP(tpu_gdma_c_scatter_S2S) = later("gdma", kChannelMoves);

TL_TPU_OP(tpu_gdma_cpy_reduce_mac_L2S) = later("gdma", kScalingReduction);
TL_TPU_OP(tpu_gdma_cpy_reduce_mac_S2S) = later("gdma", kScalingReduction);

TL_TPU_OP(tpu_cdma_read) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_scatter) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_remote_msgsend) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_port_set_base_msg_id) = later("cdma", kLinkBetweenChips);

TL_TPU_OP(tpu_set_mem_guard) = later("common", kMemoryGuards);

}  // namespace tensorlane::tpukernel
