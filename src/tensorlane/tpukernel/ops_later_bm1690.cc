// What only the BM1690 and the chips after it have: calling one ends the launch and says what it
// needs.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_bm1690);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

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

TL_TPU_OP(void, tpu_bdc_f16_dequant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (scalar_t, offset), (uint16_t, scale), (data_type_t, src_dtype),
          (data_type_t, dst_dtype),
          (rounding_mode_t, rounding_mode)) = later("bdc-quant", kDequantisationAnyF16);
TL_TPU_OP(void, tpu_bdc_f16_pc_dequant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, quant_addr), (const dim4*, shape), (data_type_t, src_dtype),
          (data_type_t, dst_dtype),
          (rounding_mode_t, rounding_mode)) = later("bdc-quant", kDequantisationAnyF16);

TL_TPU_OP(void, tpu_bdc_fp8_bq_mm2_nt, (local_addr_t, Y_addr), (local_addr_t, L_addr),
          (local_addr_t, R_addr), (local_addr_t, L_scale_addr), (local_addr_t, R_scale_addr),
          (int, L_row_num), (int, L_col_num), (int, R_col_num), (int, gsize), (int, add_result),
          (data_type_t, R_dtype), (data_type_t, scale_dtype), (data_type_t, Y_dtype),
          (int, L_fp8_type), (int, R_fp8_type), (int, saturate)) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(void, tpu_bdc_fp8_bq_mm2_wblock_nt, (local_addr_t, Y_addr), (local_addr_t, L_addr),
          (local_addr_t, R_addr), (local_addr_t, L_scale_addr), (local_addr_t, R_scale_addr),
          (int, L_row_num), (int, L_col_num), (int, R_col_num), (int, gsize), (int, add_result),
          (data_type_t, R_dtype), (data_type_t, scale_dtype), (data_type_t, Y_dtype),
          (int, L_fp8_type), (int, R_fp8_type), (int, saturate)) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(void, tpu_bdc_fp_dq2_mm2_nt, (local_addr_t, Y_addr), (local_addr_t, L_addr),
          (local_addr_t, R_addr), (local_addr_t, DQ2_addr), (int, L_row_num), (int, L_col_num),
          (int, R_col_num), (int, gsize), (int, add_result), (data_type_t, L_dtype),
          (data_type_t, R_dtype), (data_type_t, DQ2_dtype), (data_type_t, Y_dtype),
          (int, L_fp8_type), (int, Y_fp8_type), (int, R_sign),
          (int, saturate)) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(void, tpu_bdc_fp_dq2_mm2_nt_requant, (local_addr_t, Y_addr), (local_addr_t, L_addr),
          (local_addr_t, R_addr), (local_addr_t, DQ2_addr), (local_addr_t, RQ_addr),
          (int, L_row_num), (int, L_col_num), (int, R_col_num), (int, gsize), (int, rq_is_const),
          (int, add_result), (data_type_t, L_dtype), (data_type_t, R_dtype),
          (data_type_t, DQ2_dtype), (data_type_t, Y_dtype), (int, L_fp8_type), (int, Y_fp8_type),
          (int, R_sign), (int, saturate)) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(void, tpu_bdc_fp_dq2_mm2_tt, (local_addr_t, Y_addr), (local_addr_t, L_addr),
          (local_addr_t, R_addr), (local_addr_t, DQ2_addr), (int, L_row_num), (int, L_col_num),
          (int, R_col_num), (int, gsize), (int, add_result), (data_type_t, L_dtype),
          (data_type_t, R_dtype), (data_type_t, DQ2_dtype), (data_type_t, Y_dtype),
          (int, L_fp8_type), (int, Y_fp8_type), (int, R_sign),
          (int, saturate)) = later("bdc-mm", kBlockProducts);
TL_TPU_OP(void, tpu_bdc_fp_dq2_mm2_tt_requant, (local_addr_t, Y_addr), (local_addr_t, L_addr),
          (local_addr_t, R_addr), (local_addr_t, DQ2_addr), (local_addr_t, RQ_addr),
          (int, L_row_num), (int, L_col_num), (int, R_col_num), (int, gsize), (int, rq_is_const),
          (int, add_result), (data_type_t, L_dtype), (data_type_t, R_dtype),
          (data_type_t, DQ2_dtype), (data_type_t, Y_dtype), (int, L_fp8_type), (int, Y_fp8_type),
          (int, R_sign), (int, saturate)) = later("bdc-mm", kBlockProducts);

TL_TPU_OP(void, tpu_bdc_qt0_quant, (local_addr_t, R_addr), (local_addr_t, R1_addr),
          (local_addr_t, A_addr), (uint16_t, range_val), (uint16_t, r_range_val),
          (int, A_short_str), (const dim4*, shape), (data_type_t, dst_dtype),
          (data_type_t, src_dtype)) = later("bdc-quant", kBlockQuantisation);

TL_TPU_OP(void, tpu_bdc_fp_div2, (local_addr_t, dst_addr), (local_addr_t, src0_addr),
          (local_addr_t, src1_addr), (const dim4*, shape), (const dim4*, dst_stride),
          (const dim4*, src0_stride), (const dim4*, src1_stride), (data_type_t, dtype),
          (bool, saturate)) = later("bdc-fp", kSaturatingDivision);
TL_TPU_OP(void, tpu_bdc_fp_div2_C, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (scalar_t, C), (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype), (bool, saturate)) = later("bdc-fp", kSaturatingDivision);
TL_TPU_OP(void, tpu_bdc_fp_C_div2, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (scalar_t, C), (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype), (bool, saturate)) = later("bdc-fp", kSaturatingDivision);

TL_TPU_OP(void, tpu_bdc_fp_arctan, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, work_addr), (local_addr_t, work2_addr), (local_addr_t, coeff_addr),
          (const dim4*, shape), (data_type_t, dtype)) = later("bdc-special", kArctangentSeries);
TL_TPU_OP(void, tpu_bdc_load_fp_arctan_coeff, (local_addr_t, coeff_addr),
          (data_type_t, dtype)) = later("bdc-special", kArctangentSeries);

TL_TPU_OP(void, tpu_bdc_fp_fast_exp, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, work0_addr), (local_addr_t, work1_addr), (const dim4*, shape),
          (data_type_t, dtype)) = later("bdc-special", kExponentialUnit);
TL_TPU_OP(void, tpu_bdc_fuse_exp_with_range, (local_addr_t, R_addr), (local_addr_t, A_addr),
          (local_addr_t, B_addr), (local_addr_t, table_start_addr), (local_addr_t, R1_addr),
          (local_addr_t, R2_addr), (const dim4*, shape), (bool, B_n_is_1), (scalar_t, range_start),
          (scalar_t, range_end), (int, B_is_const), (int, B_short_str),
          (data_type_t, dtype)) = later("bdc-special", kExponentialUnit);
TL_TPU_OP(void, tpu_bdc_load_fuse_exp_coeff, (local_addr_t, coeff_addr),
          (data_type_t, dtype)) = later("bdc-special", kExponentialUnit);

TL_TPU_OP(void, tpu_bdc_fp_conv2d_for_deconv2d_without_rotate, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const dim2*, insert), (const padding_t*, padding),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (bool, has_bias), (bool, result_add)) = later("bdc-nn", kUnrotatedKernels);
TL_TPU_OP(void, tpu_bdc_int8_asym_quant_conv2d_for_deconv2d_without_rotate,
          (local_addr_t, output_addr), (local_addr_t, input_addr), (local_addr_t, weight_addr),
          (scalar_t, kzp_val), (scalar_t, pad_val), (scalar_t, insert_val),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const dim2*, insert), (const padding_t*, padding),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, kzp_dtype),
          (bool, result_add)) = later("bdc-nn", kUnrotatedKernels);

TL_TPU_OP(dim2, tpu_cube_shape, (data_type_t, dtype)) = later("common", kMatrixUnitShape);

TL_TPU_OP(void, tpu_gdma_c_gather_S2L, (local_addr_t, output_addr), (system_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (scalar_t, C), (const dim4*, shape),
          (int, param_c), (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);
TL_TPU_OP(void, tpu_gdma_c_gather_L2S, (system_addr_t, output_addr), (local_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (scalar_t, C), (const dim4*, shape),
          (int, param_c), (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);
TL_TPU_OP(void, tpu_gdma_c_gather_L2L, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (scalar_t, C), (const dim4*, shape),
          (int, param_c), (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);
TL_TPU_OP(void, tpu_gdma_c_gather_S2S, (system_addr_t, output_addr), (system_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (scalar_t, C), (const dim4*, shape),
          (int, param_c), (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);
TL_TPU_OP(void, tpu_gdma_c_scatter_S2L, (local_addr_t, output_addr), (system_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (const dim4*, shape), (int, param_c),
          (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);
TL_TPU_OP(void, tpu_gdma_c_scatter_L2S, (system_addr_t, output_addr), (local_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (const dim4*, shape), (int, param_c),
          (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);
TL_TPU_OP(void, tpu_gdma_c_scatter_L2L, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (const dim4*, shape), (int, param_c),
          (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);
TL_TPU_OP(void, tpu_gdma_c_scatter_S2S, (system_addr_t, output_addr), (system_addr_t, input_addr),
          (addr_t, index_addr), (bool, index_is_local), (const dim4*, shape), (int, param_c),
          (const dim4*, output_stride), (const dim4*, param_stride),
          (data_type_t, dtype)) = later("gdma", kChannelMoves);

TL_TPU_OP(void, tpu_gdma_cpy_reduce_mac_L2S, (system_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype), (scalar_t, scale_val)) = later("gdma", kScalingReduction);
TL_TPU_OP(void, tpu_gdma_cpy_reduce_mac_S2S, (system_addr_t, dst_addr), (system_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype), (scalar_t, scale_val)) = later("gdma", kScalingReduction);

TL_TPU_OP(void, tpu_cdma_read, (int, src_chipid), (int, dst_chipid), (system_addr_t, src_addr),
          (system_addr_t, dst_addr), (unsigned short, src_n), (unsigned short, src_c),
          (unsigned int, src_h), (unsigned int, src_w), (unsigned int, src_n_stride),
          (unsigned int, src_c_stride), (unsigned int, src_h_stride), (unsigned short, dst_n),
          (unsigned short, dst_c), (unsigned int, dst_h), (unsigned int, dst_w),
          (unsigned int, dst_n_stride), (unsigned int, dst_c_stride), (unsigned int, dst_h_stride),
          (data_type_t, dtype), (int, opcode), (int, stride_enable),
          (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_scatter, (int, chip_id), (system_addr_t, src_addr),
          (system_addr_t, index_list_addr), (int, index_list_num), (int, length_shift),
          (data_type_t, dtype), (int, opcode), (u32, msg_en), (u32, msg_id), (u32, wcnt),
          (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_remote_msgsend, (int, chip_id), (system_addr_t, index_list_addr),
          (int, index_list_num), (u32, msg_id), (u32, wcnt),
          (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_port_set_base_msg_id, (int, port),
          (int, msg_id)) = later("cdma", kLinkBetweenChips);

TL_TPU_OP(void, tpu_set_mem_guard, (int, id), (system_addr_t, addr), (uint64_t, size),
          (mem_guard_attr_t, attr)) = later("common", kMemoryGuards);
