// Functions whose meaning no public source defines: calling one ends the launch and says so.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(undefined_functions);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

TL_TPU_OP(unsigned int, tpu_gdma_mask_select_S2S_with_ret, (global_addr_t, dst_addr),
          (global_addr_t, src_addr), (addr_t, mask_addr), (int, mask_in_lmem), (const dim4*, shape),
          (data_type_t, data_dtype), (data_type_t, mask_dtype)) = undefined("gdma", Engine::kGdma);

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

TL_TPU_OP(void, tpu_hau_hard_nms, (system_addr_t, output_addr), (system_addr_t, input_addr),
          (int, box_num), (int, keep_num)) = undefined("hau", Engine::kHau);

TL_TPU_OP(void, tpu_hau_soft_nms, (system_addr_t, output_addr), (system_addr_t, iou_addr),
          (system_addr_t, score_addr), (float, threshold), (int, box_num),
          (int, keep_num)) = undefined("hau", Engine::kHau);
