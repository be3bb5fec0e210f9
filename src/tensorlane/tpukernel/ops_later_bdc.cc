// BDC, as later chips have it: calling one ends the launch and says what it needs.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_bdc);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

namespace {

constexpr std::string_view kFusedArithmetic = "fused arithmetic (later than the SG2260)";
constexpr std::string_view kDequantisation16Bits = "dequantisation to 16 bits (SG2260)";
constexpr std::string_view kSpecialFunctionUnit = "a special function unit (later than the BM1688)";
constexpr std::string_view kRandomNumberGenerator = "a random number generator (BM1688)";
constexpr std::string_view kSearchBins = "a search of bins (SG2260)";
constexpr std::string_view kMatrixProductsBias = "matrix products with a bias (BM1688)";
constexpr std::string_view k8BitFloatingPoint = "8-bit floating point (SG2260)";
constexpr std::string_view kMatrixProductsRequantisation =
    "matrix products with requantisation (BM1688)";
constexpr std::string_view kFloatingPointConvolutionRelu =
    "floating point convolution with ReLU (SG2260)";
constexpr std::string_view kConvolutionRescaling = "convolution with rescaling (SG2260)";
constexpr std::string_view kGradientsConvolutions = "gradients of convolutions (SG2260)";
constexpr std::string_view kConvolutionZerosInsertedGivenSize =
    "convolution with zeros inserted to a given size (SG2260)";
constexpr std::string_view kMinimumPooling = "minimum pooling (SG2260)";
constexpr std::string_view kConvolutionRequantisation = "convolution with requantisation (BM1688)";
constexpr std::string_view kPoolingAnyIntegers = "pooling of any integers (SG2260)";
constexpr std::string_view kSequencesAnyType = "sequences of any type (SG2260)";
constexpr std::string_view kTablesBf16Functions = "tables of bf16 functions (SG2260)";

}  // namespace

#define LATER_MM_BIAS (bool, bias_is_const), (var_context_t, bias_data), (bool, do_relu)
#define LATER_RESCALE (bool, do_rescale), (bool, rescale_is_const), (var_context_t, rescale_data)
#define LATER_OUTPUT_INPUT_WEIGHT_BIAS                                                  \
  (local_addr_t, output_addr), (local_addr_t, input_addr), (local_addr_t, weight_addr), \
      (local_addr_t, bias_addr)
#define LATER_CONV_WINDOW                                                                          \
  (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c), (const dim2*, kernel), \
      (const padding_t*, padding), (const dim2*, stride), (const dim2*, dilation)
#define LATER_POOL_WINDOW                                                         \
  (const dim4*, input_shape), (const dim2*, kernel), (const padding_t*, padding), \
      (const dim2*, stride), (const dim2*, dilation)
#define LATER_FOUR_TYPES                                                                \
  (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype), \
      (data_type_t, bias_dtype)
#define LATER_OUTPUT_INPUT (local_addr_t, output_addr), (local_addr_t, input_addr)
#define LATER_MATRICES                                                                \
  (local_addr_t, output_addr), (local_addr_t, left_addr), (local_addr_t, right_addr), \
      (int, left_rows), (int, left_cols)
#define LATER_MATRIX_TYPES \
  (data_type_t, output_dtype), (data_type_t, left_dtype), (data_type_t, right_dtype)
#define LATER_DST_SRC (local_addr_t, dst_addr), (local_addr_t, src_addr)

TL_TPU_OP(void, tpu_bdc_clamp, (local_addr_t, A_addr), (local_addr_t, R_addr), (u32, B_const_val),
          (u32, C_const_val), (const dim4*, shape), (const dim4*, A_stride),
          (const dim4*, R_stride), (int*, Short_str), (int, Sign),
          (data_type_t, dtype)) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(void, tpu_bdc_fuse_mul_cast, (local_addr_t, A_addr), (local_addr_t, B_addr),
          (local_addr_t, R_addr), (const dim4*, shape), (const dim4*, B_stride), (int, B_is_const),
          (int, B_short_str), (int, R_sign), (data_type_t, itype), (data_type_t, otype),
          (rounding_mode_t, round), (int, saturate)) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(void, tpu_bdc_fuse_sub_clamp, (local_addr_t, A_addr), (local_addr_t, B_addr),
          (local_addr_t, R_addr), (u32, B_const_val), (u32, C_const_val), (const dim4*, shape),
          (const dim4*, B_stride), (int, B_is_const), (int, B_short_str), (data_type_t, dtype),
          (int, saturate)) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(void, tpu_bdc_fuse_madd, (local_addr_t, A_addr), (local_addr_t, B_addr),
          (local_addr_t, C_addr), (local_addr_t, R_addr), (const dim4*, shape),
          (const dim4*, B_stride), (int, B_is_const), (int, B_short_str), (data_type_t, dtype),
          (int, saturate)) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(void, tpu_bdc_fuse_taylor_mul, (local_addr_t, A_addr), (local_addr_t, B_addr),
          (local_addr_t, table_start_addr), (local_addr_t, R_addr), (const dim4*, shape),
          (const dim4*, B_stride), (int, iter_w), (int, B_is_const), (int, B_short_str),
          (data_type_t, dtype), (int, saturate)) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(void, tpu_bdc_fuse_exp, (local_addr_t, A_addr), (local_addr_t, B_addr),
          (local_addr_t, table_start_addr), (local_addr_t, R_addr), (local_addr_t, R1_addr),
          (const dim4*, shape), (const dim4*, B_stride), (int, iter_w), (int, B_is_const),
          (int, B_short_str), (data_type_t, dtype)) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(void, tpu_bdc_reduce, (local_addr_t, A_addr), (local_addr_t, R_addr),
          (const dim4*, shape), (int, A_short_str), (int, B_short_str), (int, A_sign),
          (data_type_t, idtype), (data_type_t, odtype), (int, reduce_op),
          (int, saturate)) = later("bdc-fp", kFusedArithmetic);

TL_TPU_OP(void, tpu_bdc_fp16_dequant, LATER_DST_SRC, (const dim4*, shape), (scalar_t, offset),
          (uint16_t, scale_fp16), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = later("quant", kDequantisation16Bits);
TL_TPU_OP(void, tpu_bdc_fp16_pc_dequant, LATER_DST_SRC, (local_addr_t, quant_addr),
          (const dim4*, shape), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = later("quant", kDequantisation16Bits);
TL_TPU_OP(void, tpu_bdc_bf16_dequant, LATER_DST_SRC, (const dim4*, shape), (scalar_t, offset),
          (uint16_t, scale_bf16), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = later("quant", kDequantisation16Bits);
TL_TPU_OP(void, tpu_bdc_bf16_pc_dequant, LATER_DST_SRC, (local_addr_t, quant_addr),
          (const dim4*, shape), (data_type_t, src_dtype),
          (rounding_mode_t, rounding_mode)) = later("quant", kDequantisation16Bits);
TL_TPU_OP(void, tpu_bdc_f16_group_dequant, LATER_DST_SRC, (local_addr_t, quant_addr),
          (const dim4*, shape), (data_type_t, src_dtype), (data_type_t, dst_dtype),
          (int, group)) = later("quant", kDequantisation16Bits);

TL_TPU_OP(void, tpu_bdc_fp_frexp, (local_addr_t, dst0_addr), (local_addr_t, dst1_addr),
          (local_addr_t, src_addr), (const dim4*, shape),
          (data_type_t, dtype)) = later("bdc-special", kSpecialFunctionUnit);
TL_TPU_OP(void, tpu_bdc_fp_sfu_reciprocal, LATER_DST_SRC, (const dim4*, shape),
          (data_type_t, dtype)) = later("bdc-special", kSpecialFunctionUnit);
TL_TPU_OP(void, tpu_bdc_load_div_lut, (local_addr_t, table_addr)) = later("bdc-special",
                                                                          kSpecialFunctionUnit);

TL_TPU_OP(void, tpu_bd_set_random_gen_seed, (u64, seed)) = later("bdc-special",
                                                                 kRandomNumberGenerator);
TL_TPU_OP(void, tpu_bd_rand_seed_gen) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(void, tpu_bdc_random_gen_init, (local_addr_t, res_addr), (local_addr_t, store_state_addr),
          (int, need_store_state), (int, jump_cnt), (int, c_offset), (const dim4*, shape),
          (data_type_t, dtype)) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(void, tpu_bdc_random_gen, (local_addr_t, res_addr), (local_addr_t, store_state_addr),
          (int, need_store_state), (const dim4*, shape),
          (data_type_t, dtype)) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(void, tpu_bdc_random_gen_load_state, (local_addr_t, res_addr),
          (local_addr_t, store_state_addr), (local_addr_t, load_state_addr),
          (int, need_store_state), (const dim4*, shape),
          (data_type_t, dtype)) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(void, tpu_bdc_random_gen_store_state,
          (local_addr_t, state_addr)) = later("bdc-special", kRandomNumberGenerator);

TL_TPU_OP(void, tpu_bdc_srch_bin_select, (local_addr_t, dst_addr), (const variable_t*, src0),
          (const variable_t*, src1), (const dim4*, shape), (int, side), (int, bin_w),
          (data_type_t, src0_src1_dtype),
          (data_type_t, dst_dtype)) = later("bdc-select", kSearchBins);

TL_TPU_OP(void, tpu_bdc_fp_mm_with_bias, LATER_MATRICES, (int, right_cols),
          (data_type_t, output_dtype), (data_type_t, left_right_dtype), (data_type_t, bias_dtype),
          (bool, result_add), LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(void, tpu_bdc_fp_mm_R_trans_with_bias, LATER_MATRICES, (int, right_rows),
          (data_type_t, output_dtype), (data_type_t, left_right_dtype), (data_type_t, bias_dtype),
          (bool, add_result), LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(void, tpu_bdc_fp_mm_all_trans_with_bias, LATER_MATRICES, (int, right_rows),
          (data_type_t, output_dtype), (data_type_t, left_right_dtype), (data_type_t, bias_dtype),
          (bool, result_add), LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_with_bias, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_cols), (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add),
          LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(void, tpu_bdc_fp_mm_R_const_with_bias, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_cols), (data_type_t, output_dtype), (data_type_t, left_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add),
          LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_R_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add),
          LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(void, tpu_bdc_fp_mm_L_const_all_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, right_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, right_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add),
          LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(void, tpu_bdc_fp_mm_R_const_all_trans_with_bias, (local_addr_t, output_addr),
          (local_addr_t, left_addr), (scalar_t, C), (int, left_rows), (int, left_cols),
          (int, right_rows), (data_type_t, output_dtype), (data_type_t, left_C_dtype),
          (data_type_t, bias_dtype), (bool, result_add),
          LATER_MM_BIAS) = later("bdc-mm", kMatrixProductsBias);

TL_TPU_OP(void, tpu_bdc_fp8_mm_with_bias, LATER_MATRICES, (int, right_cols), LATER_MATRIX_TYPES,
          (data_type_t, bias_dtype), (bool, result_add), LATER_MM_BIAS,
          LATER_RESCALE) = later("bdc-mm", k8BitFloatingPoint);
TL_TPU_OP(void, tpu_bdc_fp8_mm_R_trans_with_bias, LATER_MATRICES, (int, right_rows),
          LATER_MATRIX_TYPES, (data_type_t, bias_dtype), (bool, result_add), LATER_MM_BIAS,
          LATER_RESCALE) = later("bdc-mm", k8BitFloatingPoint);
TL_TPU_OP(void, tpu_bdc_fp8_mm_all_trans_with_bias, LATER_MATRICES, (int, right_rows),
          LATER_MATRIX_TYPES, (data_type_t, bias_dtype), (bool, result_add), LATER_MM_BIAS,
          LATER_RESCALE) = later("bdc-mm", k8BitFloatingPoint);
TL_TPU_OP(void, tpu_bdc_fp8_avg_pool2d, LATER_OUTPUT_INPUT, LATER_POOL_WINDOW,
          (data_type_t, input_dtype), (data_type_t, output_dtype), (scalar_t, scale),
          (float, re_scale)) = later("bdc-nn", k8BitFloatingPoint);
TL_TPU_OP(void, tpu_bdc_quant_mm, (local_addr_t, output_addr), (data_type_t, output_dtype),
          (optional_info_t*, left), (optional_info_t*, right), (int, output_rows),
          (int, inner_cols), (int, output_cols), (bool, left_trans), (bool, right_trans),
          (bool, result_add), (bool, do_relu), (optional_info_t*, rzp), (optional_info_t*, bias),
          (requant_int_info_t*, requant)) = later("bdc-mm", kMatrixProductsRequantisation);

TL_TPU_OP(void, tpu_bdc_fp_conv2d_with_relu, LATER_OUTPUT_INPUT_WEIGHT_BIAS, LATER_CONV_WINDOW,
          (data_type_t, output_dtype), (data_type_t, input_dtype), (bool, has_bias),
          (bool, result_add), (bool, do_relu)) = later("bdc-nn", kFloatingPointConvolutionRelu);

TL_TPU_OP(void, tpu_bdc_fp_conv2d_with_rescale, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, rescale_addr), LATER_CONV_WINDOW, LATER_FOUR_TYPES, (bool, has_bias),
          (bool, result_add), (bool, do_relu), (bool, do_rescale),
          (bool, scale_const)) = later("bdc-nn", kConvolutionRescaling);
TL_TPU_OP(void, tpu_bdc_fp_conv2d_rescale_C, LATER_OUTPUT_INPUT_WEIGHT_BIAS, LATER_CONV_WINDOW,
          LATER_FOUR_TYPES, (float, rescale), (bool, has_bias), (bool, result_add),
          (bool, do_relu)) = later("bdc-nn", kConvolutionRescaling);
TL_TPU_OP(void, tpu_bdc_fp_conv2d_rescale_pc, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, rescale_addr), LATER_CONV_WINDOW, LATER_FOUR_TYPES, (bool, has_bias),
          (bool, result_add), (bool, do_relu)) = later("bdc-nn", kConvolutionRescaling);
TL_TPU_OP(void, tpu_bdc_fp_depthwise2d_with_scale, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, scale_addr), LATER_POOL_WINDOW, (data_type_t, out_dtype),
          (data_type_t, in_dtype), (data_type_t, weight_dtype), (data_type_t, bias_dtype),
          (float, scale), (bool, has_bias), (bool, do_relu), (bool, do_rescale),
          (bool, scale_is_const)) = later("bdc-nn", kConvolutionRescaling);

TL_TPU_OP(void, tpu_bdc_fp_conv_bw, LATER_OUTPUT_INPUT, (local_addr_t, gradout_addr),
          (const dim4*, input_shape), (const dim4*, input_stride), (const dim4*, output_shape),
          (const dim2*, kernel), (const padding_t*, padding), (const dim2*, stride),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (bool, result_add)) = later("bdc-nn", kGradientsConvolutions);
TL_TPU_OP(void, tpu_bdc_fp_conv2d_backward, (local_addr_t, grad_wight_local_addr),
          (local_addr_t, forward_input_local_addr), (local_addr_t, grad_output_local_addr),
          (local_addr_t, pad_ins_local_addr), (const dim4*, forwrad_input_shape),
          (const dim4*, forward_output_shape), (const dim2*, forward_kernel),
          (const dim2*, backward_insert), (const padding_t*, backward_padding),
          (const dim2*, backward_stride), (const dim2*, backward_dilation),
          (const dim4*, input_stride), (int, pad_ins_is_const), (int, insert_const_val),
          (int, pad_mode), (data_type_t, input_dtype),
          (data_type_t, grad_dtype)) = later("bdc-nn", kGradientsConvolutions);

TL_TPU_OP(void, tpu_bdc_fp_conv2d_with_ins, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (const dim4*, input_shape), (const dim4*, input_stride), (int, output_c),
          (const dim2*, kernel), (const dim2*, insert), (const padding_t*, padding),
          (const dim2*, dilation), (data_type_t, output_dtype), (data_type_t, input_dtype),
          (bool, has_bias), (bool, result_add), (int, ins_h),
          (int, ins_w)) = later("bdc-nn", kConvolutionZerosInsertedGivenSize);

TL_TPU_OP(void, tpu_bdc_fp_min_pool2d, LATER_OUTPUT_INPUT, LATER_POOL_WINDOW, (data_type_t, dtype),
          (scalar_t, pad_val)) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(void, tpu_bdc_fp_roi_min_pool2d, LATER_OUTPUT_INPUT, (local_addr_t, roi_addr),
          (const dim4*, input_shape), (int, output_w), (const dim2*, kernel), (data_type_t, dtype),
          (scalar_t, except_val)) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(void, tpu_bdc_int_min_pool2d, LATER_OUTPUT_INPUT, LATER_POOL_WINDOW, (data_type_t, dtype),
          (scalar_t, pad_val)) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(void, tpu_bdc_int8_min_pool2d, LATER_OUTPUT_INPUT, LATER_POOL_WINDOW,
          (data_type_t, dtype), (scalar_t, pad_val)) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(void, tpu_bdc_int8_roi_min_pool2d, LATER_OUTPUT_INPUT, (local_addr_t, roi_addr),
          (const dim4*, input_shape), (int, output_w), (const dim2*, kernel), (data_type_t, dtype),
          (scalar_t, except_val)) = later("bdc-nn", kMinimumPooling);

TL_TPU_OP(void, tpu_bdc_conv2d_requant_pc, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, requant_addr), LATER_CONV_WINDOW, LATER_FOUR_TYPES, (bool, has_bias),
          (bool, result_relu), (bool, has_requant),
          (bool, sym_range)) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(void, tpu_bdc_conv2d_requant_C, LATER_OUTPUT_INPUT_WEIGHT_BIAS, LATER_CONV_WINDOW,
          LATER_FOUR_TYPES, (int, multiplier), (char, rshift), (short, output_zp), (bool, has_bias),
          (bool, result_relu), (bool, has_requant),
          (bool, sym_range)) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(void, tpu_bdc_conv2d_requant_pc_asym_pc, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, kzp_addr), (local_addr_t, pad_addr), (local_addr_t, requant_addr),
          LATER_CONV_WINDOW, LATER_FOUR_TYPES, (bool, has_requant), (bool, has_bias),
          (bool, result_relu), (bool, result_add), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(void, tpu_bdc_conv2d_requant_C_asym_pc, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, kzp_addr), (local_addr_t, pad_addr), LATER_CONV_WINDOW, LATER_FOUR_TYPES,
          (int, multiplier), (char, rshift), (short, output_zp), (bool, has_requant),
          (bool, has_bias), (bool, result_relu), (bool, result_add), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(void, tpu_bdc_conv2d_requant_C_asym_C, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (scalar_t, kzp_val), (scalar_t, pad_val), LATER_CONV_WINDOW, LATER_FOUR_TYPES,
          (int, multiplier), (char, rshift), (short, output_zp), (bool, has_requant),
          (bool, has_bias), (bool, result_relu), (bool, result_add), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(void, tpu_bdc_conv2d_requant_pc_asym_C, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, requant_addr), (scalar_t, kzp_val), (scalar_t, pad_val), LATER_CONV_WINDOW,
          LATER_FOUR_TYPES, (bool, has_requant), (bool, has_bias), (bool, result_relu),
          (bool, result_add), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(void, tpu_bdc_depthwise2d_requant_pc_asym_C, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (local_addr_t, requant_addr), (scalar_t, pad_val), LATER_POOL_WINDOW, LATER_FOUR_TYPES,
          (bool, has_bias), (bool, has_requant), (bool, result_relu), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(void, tpu_bdc_depthwise2d_requant_C_sym_C, LATER_OUTPUT_INPUT_WEIGHT_BIAS,
          (scalar_t, pad_val), LATER_POOL_WINDOW, LATER_FOUR_TYPES, (unsigned char, rshift),
          (bool, has_bias), (bool, result_relu), (bool, sym_range),
          (rounding_mode_t, rounding_mode)) = later("bdc-nn", kConvolutionRequantisation);

TL_TPU_OP(void, tpu_bdc_int_max_pool2d, LATER_OUTPUT_INPUT, LATER_POOL_WINDOW, (data_type_t, dtype),
          (scalar_t, pad_val)) = later("bdc-nn", kPoolingAnyIntegers);

TL_TPU_OP(void, tpu_bdc_arithmetic_sequence_bcast_with_dtype, (local_addr_t, dst_addr),
          (int, npu_num), (int, start), (int, step), (int, num),
          (data_type_t, dtype)) = later("bdc-special", kSequencesAnyType);
TL_TPU_OP(void, tpu_bdc_arithmetic_sequence_distribute_with_dtype, (local_addr_t, dst_addr),
          (int, start), (int, step), (int, num),
          (data_type_t, dtype)) = later("bdc-special", kSequencesAnyType);
TL_TPU_OP(void, tpu_bdc_arithmetic_sequence_distribute_aligned_with_dtype, (local_addr_t, dst_addr),
          (int, start), (int, step), (int, num),
          (data_type_t, dtype)) = later("bdc-special", kSequencesAnyType);
TL_TPU_OP(void, tpu_bdc_arithmetic_sequence_general_with_dtype, (local_addr_t, dst_addr),
          (local_addr_t, buffer_addr), (int, npu_num), (int, start), (int, step), (int, num),
          (data_type_t, dtype)) = later("bdc-special", kSequencesAnyType);

TL_TPU_OP(void, tpu_bdc_bf16_sigmoid_fast, LATER_DST_SRC, (local_addr_t, work0_addr),
          (local_addr_t, work1_addr), (local_addr_t, coeff_addr), (local_addr_t, table_addr),
          (const dim4*, shape)) = later("bdc-special", kTablesBf16Functions);
TL_TPU_OP(void, tpu_bdc_bf16_gelu_fast2, LATER_DST_SRC, (local_addr_t, work0_addr),
          (local_addr_t, work1_addr), (local_addr_t, work2_addr), (local_addr_t, coeff_addr),
          (local_addr_t, table_addr),
          (const dim4*, shape)) = later("bdc-special", kTablesBf16Functions);
