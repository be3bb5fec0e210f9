// Functions whose meaning no public source defines: calling one ends the launch and says so.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(undefined_functions);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

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

TL_TPU_OP(void, tpu_bdc_fp_roi_depthwise2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, roi_addr), (const dim4*, input_shape),
          (int, output_w), (const dim2*, kernel), (data_type_t, dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc);

TL_TPU_OP(void, tpu_bdc_int8_roi_depthwise2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, roi_addr),
          (const dim4*, input_shape), (int, output_w), (const dim2*, kernel),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc);
