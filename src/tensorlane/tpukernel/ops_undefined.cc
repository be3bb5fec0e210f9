// Functions whose meaning no public source defines: calling one ends the launch and says so.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(undefined_functions);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

TL_TPU_OP(unsigned int, tpu_gdma_mask_select_S2S_with_ret, (global_addr_t, dst_addr),
          (global_addr_t, src_addr), (addr_t, mask_addr), (int, mask_in_lmem), (const dim4*, shape),
          (data_type_t, data_dtype), (data_type_t, mask_dtype)) = undefined("gdma", Engine::kGdma);

TL_TPU_OP(void, tpu_bdc_fp32_mm, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (local_addr_t, bias_addr), (int, left_rows), (int, left_cols),
          (int, right_cols), (int, left_cols_per_channel), (int, right_cols_per_channel),
          (bool, has_bias), (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp32_mm_L_trans, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (local_addr_t, bias_addr), (int, left_rows), (int, left_cols),
          (int, right_cols), (int, left_cols_per_channel), (int, right_cols_per_channel),
          (bool, has_bias), (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp32_mm_L_const, (local_addr_t, output_addr), (local_addr_t, right_addr),
          (local_addr_t, bias_addr), (float, C), (int, left_rows), (int, left_cols),
          (int, right_cols), (int, right_cols_per_channel), (bool, has_bias),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (int, left_rows), (int, left_cols), (int, right_cols),
          (data_type_t, output_dtype), (data_type_t, left_right_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_R_trans, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (int, left_rows), (int, left_cols), (int, right_rows),
          (data_type_t, output_dtype),
          (data_type_t, left_right_dtype)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_all_trans, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (int, left_rows), (int, left_cols), (int, right_rows),
          (data_type_t, output_dtype), (data_type_t, left_right_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_L_const, (local_addr_t, output_addr), (local_addr_t, right_addr),
          (scalar_t, C), (int, left_rows), (int, left_cols), (int, right_cols),
          (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_R_const, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (scalar_t, C), (int, left_rows), (int, left_cols), (int, right_cols),
          (data_type_t, output_dtype), (data_type_t, left_C_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_R_trans, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype),
          (data_type_t, right_C_dtype)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_all_trans, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_R_const_all_trans, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, left_C_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_with_bias, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (int, left_rows), (int, left_cols), (int, right_cols),
          (data_type_t, output_dtype), (data_type_t, left_right_dtype), (data_type_t, bias_dtype),
          (bool, result_add), (bool, bias_is_const), (var_context_t, bias_data),
          (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_R_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (local_addr_t, right_addr), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, left_right_dtype),
          (data_type_t, bias_dtype), (bool, add_result), (bool, bias_is_const),
          (var_context_t, bias_data), (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_all_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (local_addr_t, right_addr), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, left_right_dtype),
          (data_type_t, bias_dtype), (bool, result_add), (bool, bias_is_const),
          (var_context_t, bias_data), (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_with_bias, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_cols), (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add), (bool, bias_is_const),
          (var_context_t, bias_data), (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_R_const_with_bias, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_cols), (data_type_t, output_dtype), (data_type_t, left_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add), (bool, bias_is_const),
          (var_context_t, bias_data), (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_R_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add), (bool, bias_is_const),
          (var_context_t, bias_data), (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_all_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add), (bool, bias_is_const),
          (var_context_t, bias_data), (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_mm_R_const_all_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, left_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add), (bool, bias_is_const),
          (var_context_t, bias_data), (bool, do_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_mm, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (int, left_rows), (int, left_cols), (int, right_cols),
          (int, left_cols_per_channel), (int, right_cols_per_channel), (data_type_t, left_dtype),
          (data_type_t, right_dtype), (char, shift),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_mm_L_trans, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (int, left_rows), (int, left_cols), (int, right_cols),
          (int, left_cols_per_channel), (int, right_cols_per_channel), (data_type_t, left_dtype),
          (data_type_t, right_dtype), (char, shift),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_mm_L_const, (local_addr_t, output_addr), (local_addr_t, right_addr),
          (scalar_t, C), (int, left_rows), (int, left_cols), (int, right_cols),
          (int, right_cols_per_channel), (data_type_t, C_dtype), (data_type_t, right_dtype),
          (char, shift), (rounding_mode_t, rounding_mode)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_pcs_mm, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (local_addr_t, shift_addr), (int, left_rows),
          (int, left_cols), (int, right_cols), (int, left_cols_per_channel),
          (int, right_cols_per_channel), (data_type_t, left_dtype), (data_type_t, right_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_pcs_mm_L_trans, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (local_addr_t, shift_addr), (int, left_rows),
          (int, left_cols), (int, right_cols), (int, left_cols_per_channel),
          (int, right_cols_per_channel), (data_type_t, left_dtype), (data_type_t, right_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_pcs_mm_L_const, (local_addr_t, output_addr), (local_addr_t, right_addr),
          (local_addr_t, shift_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_cols), (int, right_cols_per_channel), (data_type_t, C_dtype),
          (data_type_t, right_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_mm, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (local_addr_t, bias_addr), (int, left_rows), (int, left_cols),
          (int, right_cols), (int, left_cols_per_channel), (int, right_cols_per_channel),
          (data_type_t, output_dtype), (data_type_t, left_dtype), (data_type_t, right_dtype),
          (data_type_t, bias_dtype), (unsigned char, lshift), (unsigned char, rshift),
          (bool, has_bias), (bool, result_add),
          (bool, result_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_mm_L_trans, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (local_addr_t, bias_addr), (int, left_rows), (int, left_cols),
          (int, right_cols), (int, left_cols_per_channel), (int, right_cols_per_channel),
          (data_type_t, output_dtype), (data_type_t, left_dtype), (data_type_t, right_dtype),
          (data_type_t, bias_dtype), (unsigned char, lshift), (unsigned char, rshift),
          (bool, has_bias), (bool, result_add),
          (bool, result_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_mm_L_const, (local_addr_t, output_addr), (local_addr_t, right_addr),
          (local_addr_t, bias_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_cols), (int, right_cols_per_channel), (data_type_t, output_dtype),
          (data_type_t, C_dtype), (data_type_t, right_dtype), (data_type_t, bias_dtype),
          (unsigned char, lshift), (unsigned char, rshift), (bool, has_bias), (bool, result_add),
          (bool, result_relu)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (scalar_t, zp_val), (int, left_rows), (int, left_cols),
          (int, right_cols), (data_type_t, left_dtype), (data_type_t, right_zp_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm_R_trans, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (scalar_t, zp_val), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, left_dtype),
          (data_type_t, right_zp_dtype)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm_all_trans, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (local_addr_t, right_addr), (scalar_t, zp_val),
          (int, left_rows), (int, left_cols), (int, right_rows), (data_type_t, left_dtype),
          (data_type_t, right_zp_dtype), (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm_L_const, (local_addr_t, output_addr), (local_addr_t, right_addr),
          (scalar_t, C), (scalar_t, zp_val), (int, left_rows), (int, left_cols), (int, right_cols),
          (data_type_t, C_dtype), (data_type_t, right_zp_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm_R_const, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (scalar_t, C), (scalar_t, zp_val), (int, left_rows), (int, left_cols), (int, right_cols),
          (data_type_t, left_dtype), (data_type_t, C_zp_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm_L_const_R_trans, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (scalar_t, zp_val), (int, left_rows),
          (int, left_cols), (int, right_rows), (data_type_t, C_dtype),
          (data_type_t, right_zp_dtype)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm_L_const_all_trans, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (scalar_t, zp_val), (int, left_rows),
          (int, left_cols), (int, right_rows), (data_type_t, C_dtype),
          (data_type_t, right_zp_dtype), (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_zp_mm_R_const_all_trans, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (scalar_t, C), (scalar_t, zp_val), (int, left_rows),
          (int, left_cols), (int, right_rows), (data_type_t, left_dtype), (data_type_t, C_zp_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm, (local_addr_t, output_addr), (local_addr_t, left_addr),
          (local_addr_t, right_addr), (local_addr_t, zp_addr), (int, left_rows), (int, left_cols),
          (int, right_cols), (data_type_t, left_dtype), (data_type_t, right_zp_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm_R_trans, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (local_addr_t, right_addr), (local_addr_t, zp_addr),
          (int, left_rows), (int, left_cols), (int, right_rows), (data_type_t, left_dtype),
          (data_type_t, right_zp_dtype)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm_all_trans, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (local_addr_t, right_addr), (local_addr_t, zp_addr),
          (int, left_rows), (int, left_cols), (int, right_rows), (data_type_t, left_dtype),
          (data_type_t, right_zp_dtype), (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm_L_const, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (local_addr_t, zp_addr), (scalar_t, C), (int, left_rows),
          (int, left_cols), (int, right_cols), (data_type_t, C_dtype),
          (data_type_t, right_zp_dtype), (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm_R_const, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (local_addr_t, zp_addr), (scalar_t, C), (int, left_rows),
          (int, left_cols), (int, right_cols), (data_type_t, left_dtype), (data_type_t, C_zp_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm_L_const_R_trans, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (local_addr_t, zp_addr), (scalar_t, C), (int, left_rows),
          (int, left_cols), (int, right_rows), (data_type_t, C_dtype),
          (data_type_t, right_zp_dtype)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm_L_const_all_trans, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (local_addr_t, zp_addr), (scalar_t, C), (int, left_rows),
          (int, left_cols), (int, right_rows), (data_type_t, C_dtype),
          (data_type_t, right_zp_dtype), (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_zp_mm_R_const_all_trans, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (local_addr_t, zp_addr), (scalar_t, C), (int, left_rows),
          (int, left_cols), (int, right_rows), (data_type_t, left_dtype), (data_type_t, C_zp_dtype),
          (bool, result_add)) = undefined("bdc-mm", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_conv2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, bias_addr), (const dim4*, input_shape),
          (const dim4*, input_stride), (int, output_c), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, stride), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (bool, has_bias),
          (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_conv2d_for_deconv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const dim2*, insert), (const padding_t*, padding),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (bool, has_bias), (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_depthwise_for_deconv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (const dim4*, input_shape), (const dim2*, kernel), (const dim2*, insert),
          (const padding_t*, padding), (const dim2*, dilation), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (bool, kernel_is_const),
          (bool, has_bias)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_conv2d_kernel_const, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, bias_addr), (scalar_t, C),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (bool, has_bias), (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_max_pool2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, dtype),
          (scalar_t, pad_val)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_ins_avg_pool2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (const dim2*, ins), (data_type_t, dtype),
          (scalar_t, scale)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_avg_pool2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, dtype),
          (scalar_t, scale)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_ins_depthwise, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, bias_addr), (const dim4*, input_shape),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, ins), (const dim2*, dilation), (data_type_t, dtype),
          (bool, has_bias)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_depthwise2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, bias_addr), (const dim4*, input_shape),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, dtype),
          (bool, has_bias)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_roi_max_pool2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, roi_addr), (const dim4*, input_shape), (int, output_w),
          (const dim2*, kernel), (data_type_t, dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_roi_avg_pool2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, roi_addr), (const dim4*, input_shape), (int, output_w),
          (const dim2*, kernel), (data_type_t, dtype), (scalar_t, except_val),
          (scalar_t, scale)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp_roi_depthwise2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, roi_addr), (const dim4*, input_shape),
          (int, output_w), (const dim2*, kernel), (data_type_t, dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_asym_quant_conv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (scalar_t, kzp_val),
          (scalar_t, pad_val), (const dim4*, input_shape), (const dim4*, input_stride),
          (int, output_c), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (data_type_t, weight_dtype), (data_type_t, kzp_dtype),
          (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_asym_pc_quant_conv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, kzp_addr),
          (local_addr_t, pad_addr), (const dim4*, input_shape), (const dim4*, input_stride),
          (int, output_c), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (data_type_t, weight_dtype), (data_type_t, kzp_dtype),
          (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_asym_quant_conv2d_kernel_const, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (scalar_t, C), (scalar_t, kzp_val), (scalar_t, pad_val),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, kzp_dtype),
          (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_asym_quant_conv2d_for_deconv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (scalar_t, kzp_val),
          (scalar_t, pad_val), (scalar_t, insert_val), (const dim4*, input_shape),
          (const dim4*, input_stride), (int, output_c), (const dim2*, kernel),
          (const dim2*, insert), (const padding_t*, padding), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, kzp_dtype), (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, kzp_addr),
          (local_addr_t, pad_insert_addr), (const dim4*, input_shape), (const dim4*, input_stride),
          (int, output_c), (const dim2*, kernel), (const dim2*, insert),
          (const padding_t*, padding), (const dim2*, dilation), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (data_type_t, weight_dtype), (data_type_t, kzp_dtype),
          (bool, result_add)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_sym_quant_conv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, bias_dtype), (unsigned char, rshift),
          (bool, has_bias), (bool, result_relu)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_sym_quant_conv2d_for_deconv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const dim2*, insert), (const padding_t*, padding),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (data_type_t, weight_dtype), (data_type_t, bias_dtype), (unsigned char, rshift),
          (bool, has_bias), (bool, result_relu)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_max_pool2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, dtype),
          (scalar_t, pad_val)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_ins_avg_pool2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (const dim4*, input_shape), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, stride), (const dim2*, ins),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (unsigned char, scale), (unsigned char, rshift)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_avg_pool2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (unsigned char, scale),
          (unsigned char, rshift)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_depthwise2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, bias_addr), (scalar_t, pad_val),
          (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (data_type_t, weight_dtype), (data_type_t, bias_dtype),
          (unsigned char, rshift), (bool, has_bias), (bool, result_relu),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_depthwise2d_kernel_const, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, bias_addr), (scalar_t, C), (scalar_t, pad_val),
          (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding),
          (const dim2*, stride), (const dim2*, dilation), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (data_type_t, weight_dtype), (data_type_t, bias_dtype),
          (unsigned char, rshift), (bool, has_bias), (bool, result_relu),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_pad_depthwise2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (local_addr_t, pad_addr), (const dim4*, input_shape), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, stride), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, bias_dtype), (unsigned char, rshift), (bool, has_bias), (bool, result_relu),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_pc_pad_depthwise_for_deconv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (local_addr_t, pad_addr), (const dim4*, input_shape), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, insert), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, bias_dtype), (unsigned char, rshift), (bool, has_bias), (bool, result_relu),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_depthwise_for_deconv2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, bias_addr),
          (scalar_t, pad_val), (const dim4*, input_shape), (const dim2*, kernel),
          (const padding_t*, padding), (const dim2*, insert), (const dim2*, dilation),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (data_type_t, bias_dtype), (unsigned char, rshift), (bool, has_bias), (bool, result_relu),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_roi_max_pool2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, roi_addr), (const dim4*, input_shape),
          (int, output_w), (const dim2*, kernel), (data_type_t, dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_roi_avg_pool2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, roi_addr), (const dim4*, input_shape),
          (int, output_w), (const dim2*, kernel), (data_type_t, output_dtype),
          (data_type_t, input_dtype), (scalar_t, except_val),
          (scalar_t, scale)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_roi_depthwise2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, roi_addr),
          (const dim4*, input_shape), (int, output_w), (const dim2*, kernel),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_requant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (int, multiplier), (char, shift), (scalar_t, offset),
          (data_type_t, dst_dtype), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_pc_requant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, quant_addr), (const dim4*, shape), (data_type_t, dst_dtype),
          (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp32_requant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (float, scale), (float, offset), (data_type_t, dst_dtype),
          (data_type_t, src_dtype), (rounding_mode_t, dst_rounding_mode),
          (rounding_mode_t, src_rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp32_pc_requant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, quant_addr), (const dim4*, shape), (data_type_t, dst_dtype),
          (data_type_t, src_dtype), (rounding_mode_t, dst_rounding_mode),
          (rounding_mode_t, src_rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_dequant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (scalar_t, offset), (int, multiplier), (char, shift),
          (data_type_t, dst_dtype), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int_pc_dequant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, quant_addr), (const dim4*, shape), (data_type_t, dst_dtype),
          (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp32_dequant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (scalar_t, offset), (float, scale), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_fp32_pc_dequant, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, quant_addr), (const dim4*, shape), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = undefined("bdc-quant", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_generate_arithmetic_sequence, (local_addr_t, dst_addr), (int, num),
          (data_type_t, dtype)) = undefined("bdc-special", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_4bank_w_gather, (local_addr_t, output_addr), (local_addr_t, param_addr),
          (local_addr_t, index_addr), (const dim4*, shape), (int, param_w), (data_type_t, dtype),
          (data_type_t, index_dtype),
          (bool, is_param_repeated)) = undefined("bdc-gather", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_4bank_w_gather_exception, (local_addr_t, output_addr),
          (local_addr_t, param_addr), (local_addr_t, index_addr), (scalar_t, C),
          (const dim4*, shape), (int, param_w), (data_type_t, dtype), (data_type_t, index_dtype),
          (bool, is_param_repeated), (bool, fill_const)) = undefined("bdc-gather", Engine::kBdc);

TL_TPU_OP(void, tpu_hau_sort_general, (system_addr_t, src_data_addr), (system_addr_t, src_idx_addr),
          (system_addr_t, dst_data_addr), (system_addr_t, dst_idx_addr), (int, dtype_flags),
          (int, len), (int, is_descend), (int, idx_enable), (int, idx_auto),
          (int, topk)) = undefined("hau", Engine::kHau);

TL_TPU_OP(void, tpu_hau_hard_nms, (system_addr_t, output_addr), (system_addr_t, input_addr),
          (int, box_num), (int, keep_num)) = undefined("hau", Engine::kHau);

TL_TPU_OP(void, tpu_hau_soft_nms, (system_addr_t, output_addr), (system_addr_t, iou_addr),
          (system_addr_t, score_addr), (float, threshold), (int, box_num),
          (int, keep_num)) = undefined("hau", Engine::kHau);
