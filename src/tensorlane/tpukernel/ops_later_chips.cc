// Functions of tpu_kernel.h that only later chips have: calling one ends the launch and says which.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_chips);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

TL_TPU_OP(void, tpu_poll_descriptor) = later("common", "command descriptors (BM1688)");

TL_TPU_OP(void, tpu_cdma_initialize) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(void, tpu_cdma_poll) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(void, tpu_gdma_compress_normal_L2S, (global_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, src_stride), (data_type_t, dtype),
          (unsigned char, bias0), (unsigned char, bias1),
          (bool, zero_guard)) = later("gdma", "compression in the GDMA (BM1688)");

TL_TPU_OP(int, tpu_gdma_compress_normal_max_bytes, (const dim4*, shape),
          (data_type_t, dtype)) = later("gdma", "compression in the GDMA (BM1688)");

TL_TPU_OP(void, tpu_gdma_decompress_normal_S2L, (local_addr_t, dst_addr), (global_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (data_type_t, dtype),
          (unsigned char, bias0), (unsigned char, bias1),
          (bool, zero_guard)) = later("gdma", "compression in the GDMA (BM1688)");

TL_TPU_OP(void, tpu_gdma_compress_RACU_L2S, (global_addr_t, dst_racu_addr),
          (global_addr_t, dst_meta_addr), (local_addr_t, src_addr), (const dim4*, shape),
          (dim4*, dst_racu_stride), (dim4*, dst_meta_stride), (const dim4*, src_stride),
          (data_type_t, dtype), (unsigned char, bias0), (unsigned char, bias1),
          (bool, zero_guard)) = later("gdma", "compression in the GDMA (BM1688)");

TL_TPU_OP(void, tpu_gdma_decompress_RACU_S2L, (local_addr_t, dst_addr),
          (global_addr_t, src_racu_addr), (global_addr_t, src_meta_addr), (const dim4*, shape),
          (const dim4*, dst_stride), (const dim4*, src_racu_stride), (const dim4*, src_meta_stride),
          (data_type_t, dtype), (unsigned char, bias0), (unsigned char, bias1),
          (bool, zero_guard)) = later("gdma", "compression in the GDMA (BM1688)");

TL_TPU_OP(int, tpu_gdma_compress_RACU_max_meta_bytes, (const dim4*, shape),
          (data_type_t, dtype)) = later("gdma", "compression in the GDMA (BM1688)");

TL_TPU_OP(int, tpu_gdma_compress_RACU_max_racu_bytes, (const dim4*, shape),
          (data_type_t, dtype)) = later("gdma", "compression in the GDMA (BM1688)");

TL_TPU_OP(void, tpu_gdma_lossy_compress, (global_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride),
          (const dim4*, src_stride)) = later("gdma", "lossy compression in the GDMA (SG2260)");

TL_TPU_OP(void, tpu_gdma_lossy_decompress, (local_addr_t, dst_addr), (global_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride),
          (const dim4*, src_stride)) = later("gdma", "lossy compression in the GDMA (SG2260)");

TL_TPU_OP(void, tpu_gdma_cpy_reduce_L12L2, (system_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype), (int, reduce_psum_op),
          (int, reduce_opcode)) = later("gdma", "reducing copies between L1 and L2 (SG2260)");

TL_TPU_OP(void, tpu_sdma_cpy_S2S, (system_addr_t, dst_addr), (system_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_cpy_S2S_with_thread, (system_addr_t, dst_addr), (system_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype), (int, thread_id)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_cpy_nc_trans_S2S, (system_addr_t, dst_addr), (system_addr_t, src_addr),
          (const dim4*, dst_shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_cpy_cw_trans_S2S, (system_addr_t, dst_addr), (system_addr_t, src_addr),
          (const dim4*, dst_shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_set_C_system, (system_addr_t, dst_addr), (scalar_t, C),
          (const dim4*, shape), (const dim4*, dst_stride),
          (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_h_gather_S2S, (system_addr_t, output_addr), (system_addr_t, param_addr),
          (system_addr_t, index_addr), (scalar_t, C), (const dim4*, shape), (int, param_h),
          (const dim4*, output_stride), (const dim4*, param_stride), (const dim4*, index_stride),
          (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_h_scatter_S2S, (system_addr_t, output_addr), (system_addr_t, param_addr),
          (system_addr_t, index_addr), (const dim4*, shape), (int, param_h),
          (const dim4*, output_stride), (const dim4*, param_stride), (const dim4*, index_stride),
          (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_system_cpy, (system_addr_t, dst_addr), (system_addr_t, src_addr),
          (unsigned int, count), (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_system_set, (system_addr_t, dst_addr), (scalar_t, C),
          (unsigned int, count), (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_reverse_S2S, (system_addr_t, dst_addr), (system_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride),
          (int, reverse_axis), (data_type_t, dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_mask_select_S2S, (global_addr_t, dst_addr), (global_addr_t, src_addr),
          (global_addr_t, mask_addr), (const dim4*, shape), (data_type_t, data_dtype),
          (data_type_t, mask_dtype)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_sdma_nonzero_S2S, (global_addr_t, dst_addr), (global_addr_t, src_addr),
          (const dim4*, shape), (data_type_t, data_dtype),
          (unsigned int, base_idx)) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(unsigned int, tpu_sdma_get_filter_num) = later("sdma", "an SDMA engine (SG2260)");

TL_TPU_OP(void, tpu_cdma_send, (int, dst_chipid), (int, src_chipid), (system_addr_t, src_addr),
          (int, src_n), (int, src_c), (int, src_h), (int, src_w), (int, src_n_stride),
          (int, src_c_stride), (int, src_h_stride), (int, opcode),
          (data_type_t, dtype)) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(void, tpu_cdma_recv, (int, src_chipid), (int, dst_chipid), (system_addr_t, dst_addr),
          (int, dst_n), (int, dst_c), (int, dst_h), (int, dst_w), (int, dst_n_stride),
          (int, dst_c_stride), (int, dst_h_stride), (system_addr_t, input_addr), (int, opcode),
          (data_type_t, dtype)) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(void, tpu_cdma_fake_all_reduce, (int, dst_chipid), (system_addr_t, src_addr),
          (int, dst_n), (int, dst_c), (int, dst_h), (int, dst_w), (int, dst_n_stride),
          (int, dst_c_stride), (int, dst_h_stride), (int, opcode),
          (data_type_t, dtype)) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(void, tpu_cdma_fake_p2p, (int, dst_chipid), (system_addr_t, src_addr), (int, dst_n),
          (int, dst_c), (int, dst_h), (int, dst_w), (int, dst_n_stride), (int, dst_c_stride),
          (int, dst_h_stride), (int, opcode),
          (data_type_t, dtype)) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(void, tpu_bdc_quant_mm, (local_addr_t, output_addr), (data_type_t, output_dtype),
          (optional_info_t*, left), (optional_info_t*, right), (int, output_rows),
          (int, inner_cols), (int, output_cols), (bool, left_trans), (bool, right_trans),
          (bool, result_add), (bool, do_relu), (optional_info_t*, rzp), (optional_info_t*, bias),
          (requant_int_info_t*, requant)) = later("bdc-mm",
                                                  "matrix products with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_conv2d_requant_pc, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, bias_addr), (local_addr_t, requant_addr),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, bias_dtype), (bool, has_bias),
          (bool, result_relu), (bool, has_requant),
          (bool, sym_range)) = later("bdc-nn", "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_conv2d_requant_C, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, bias_addr), (const dim4*, input_shape),
          (const dim4*, input_stride), (int, output_c), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, stride), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, bias_dtype), (int, multiplier), (char, rshift), (short, output_zp),
          (bool, has_bias), (bool, result_relu), (bool, has_requant),
          (bool, sym_range)) = later("bdc-nn", "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_conv2d_requant_pc_asym_pc, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (local_addr_t, kzp_addr), (local_addr_t, pad_addr), (local_addr_t, requant_addr),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, bias_dtype), (bool, has_requant),
          (bool, has_bias), (bool, result_relu), (bool, result_add), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn",
                                                    "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_conv2d_requant_C_asym_pc, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (local_addr_t, kzp_addr), (local_addr_t, pad_addr), (const dim4*, input_shape),
          (const dim4*, input_stride), (int, output_c), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, stride), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, bias_dtype), (int, multiplier), (char, rshift), (short, output_zp),
          (bool, has_requant), (bool, has_bias), (bool, result_relu), (bool, result_add),
          (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn",
                                                    "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_conv2d_requant_C_asym_C, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (scalar_t, kzp_val), (scalar_t, pad_val), (const dim4*, input_shape),
          (const dim4*, input_stride), (int, output_c), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, stride), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, bias_dtype), (int, multiplier), (char, rshift), (short, output_zp),
          (bool, has_requant), (bool, has_bias), (bool, result_relu), (bool, result_add),
          (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn",
                                                    "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_conv2d_requant_pc_asym_C, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (local_addr_t, requant_addr), (scalar_t, kzp_val), (scalar_t, pad_val),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, bias_dtype), (bool, has_requant),
          (bool, has_bias), (bool, result_relu), (bool, result_add), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn",
                                                    "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_depthwise2d_requant_pc_asym_C, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (local_addr_t, requant_addr), (scalar_t, pad_val), (const dim4*, input_shape),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, bias_dtype), (bool, has_bias),
          (bool, has_requant), (bool, result_relu), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn",
                                                    "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_depthwise2d_requant_C_sym_C, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (scalar_t, pad_val), (const dim4*, input_shape), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, stride), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, bias_dtype), (unsigned char, rshift), (bool, has_bias), (bool, result_relu),
          (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn",
                                                    "convolution with requantisation (BM1688)");

TL_TPU_OP(void, tpu_bdc_random_gen_init,
          (uint64_t, seed)) = later("bdc-special", "a random number generator (BM1688)");

TL_TPU_OP(void, tpu_bdc_random_gen, (local_addr_t, addr), (const dim4*, shape),
          (const dim4*, stride),
          (data_type_t, dtype)) = later("bdc-special", "a random number generator (BM1688)");

TL_TPU_OP(void, tpu_bdc_random_gen_load_state,
          (local_addr_t, state_addr)) = later("bdc-special", "a random number generator (BM1688)");

TL_TPU_OP(void, tpu_bdc_random_gen_store_state,
          (local_addr_t, state_addr)) = later("bdc-special", "a random number generator (BM1688)");

TL_TPU_OP(int, tpu_workitem_num) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(int, tpu_workitem_index) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(int, tpu_group_num) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(int, tpu_group_index) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_sync_core) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_sync_finish) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(int, tpu_next_msg_id) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_set_base_msg_id, (int, base_msg_id)) = later("multi-core",
                                                                 "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_core_context_setup, (int, core_idx), (int, core_num),
          (int, core_msg_id)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_bdc_send_msg, (int, msg_id),
          (int, wait_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_bdc_wait_msg, (int, msg_id),
          (int, send_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_gdma_send_msg, (int, msg_id),
          (int, wait_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_gdma_wait_msg, (int, msg_id),
          (int, send_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_hau_send_msg, (int, msg_id),
          (int, wait_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_hau_wait_msg, (int, msg_id),
          (int, send_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_sdma_send_msg, (int, msg_id),
          (int, wait_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_sdma_wait_msg, (int, msg_id),
          (int, send_cnt)) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(void, tpu_cdma_send_msg, (int, port), (int, msg_id),
          (int, wait_cnt)) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(void, tpu_cdma_wait_msg, (int, port), (int, msg_id),
          (int, send_cnt)) = later("cdma", "a link between chips (SG2260)");

TL_TPU_OP(int, tpu_chip_id) = later("multi-core", "several cores (BM1688, SG2260)");

TL_TPU_OP(int, tpu_chip_num) = later("multi-core", "several cores (BM1688, SG2260)");
