// SPDX-License-Identifier: Apache-2.0
//
// BDC, as only later chips have it. Included by tpu_kernel.h.
//
// Calls compile and link; they end the launch with a message that says what they need.

#ifndef TENSORLANE_TPU_KERNEL_LATER_BDC_H_
#define TENSORLANE_TPU_KERNEL_LATER_BDC_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// Of chips with fused arithmetic (later than the SG2260).
void tpu_bdc_clamp(local_addr_t A_addr, local_addr_t R_addr, u32 B_const_val, u32 C_const_val,
                   const dim4* shape, const dim4* A_stride, const dim4* R_stride, int* Short_str,
                   int Sign, data_type_t dtype);
void tpu_bdc_fuse_mul_cast(local_addr_t A_addr, local_addr_t B_addr, local_addr_t R_addr,
                           const dim4* shape, const dim4* B_stride, int B_is_const, int B_short_str,
                           int R_sign, data_type_t itype, data_type_t otype, rounding_mode_t round,
                           int saturate);
void tpu_bdc_fuse_sub_clamp(local_addr_t A_addr, local_addr_t B_addr, local_addr_t R_addr,
                            u32 B_const_val, u32 C_const_val, const dim4* shape,
                            const dim4* B_stride, int B_is_const, int B_short_str,
                            data_type_t dtype, int saturate);
void tpu_bdc_fuse_madd(local_addr_t A_addr, local_addr_t B_addr, local_addr_t C_addr,
                       local_addr_t R_addr, const dim4* shape, const dim4* B_stride, int B_is_const,
                       int B_short_str, data_type_t dtype, int saturate);
void tpu_bdc_fuse_taylor_mul(local_addr_t A_addr, local_addr_t B_addr,
                             local_addr_t table_start_addr, local_addr_t R_addr, const dim4* shape,
                             const dim4* B_stride, int iter_w, int B_is_const, int B_short_str,
                             data_type_t dtype, int saturate);
void tpu_bdc_fuse_exp(local_addr_t A_addr, local_addr_t B_addr, local_addr_t table_start_addr,
                      local_addr_t R_addr, local_addr_t R1_addr, const dim4* shape,
                      const dim4* B_stride, int iter_w, int B_is_const, int B_short_str,
                      data_type_t dtype);
void tpu_bdc_reduce(local_addr_t A_addr, local_addr_t R_addr, const dim4* shape, int A_short_str,
                    int B_short_str, int A_sign, data_type_t idtype, data_type_t odtype,
                    int reduce_op, int saturate);

// Of chips with dequantisation to 16 bits (SG2260).
void tpu_bdc_fp16_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          scalar_t offset, uint16_t scale_fp16, data_type_t src_dtype,
                          rounding_mode_t rounding_mode);
void tpu_bdc_fp16_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t src_dtype,
                             rounding_mode_t rounding_mode);
void tpu_bdc_bf16_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          scalar_t offset, uint16_t scale_bf16, data_type_t src_dtype,
                          rounding_mode_t rounding_mode);
void tpu_bdc_bf16_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t src_dtype,
                             rounding_mode_t rounding_mode);
void tpu_bdc_f16_group_dequant(local_addr_t dst_addr, local_addr_t src_addr,
                               local_addr_t quant_addr, const dim4* shape, data_type_t src_dtype,
                               data_type_t dst_dtype, int group);

// Of chips with a special function unit (later than the BM1688).
void tpu_bdc_fp_frexp(local_addr_t dst0_addr, local_addr_t dst1_addr, local_addr_t src_addr,
                      const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_sfu_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                               data_type_t dtype);
void tpu_bdc_load_div_lut(local_addr_t table_addr);

// Of chips with a random number generator (BM1688).
void tpu_bd_set_random_gen_seed(u64 seed);
void tpu_bd_rand_seed_gen(void);

// Of chips with a search of bins (SG2260).
void tpu_bdc_srch_bin_select(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1,
                             const dim4* shape, int side, int bin_w, data_type_t src0_src1_dtype,
                             data_type_t dst_dtype);

// Of chips with 8-bit floating point (SG2260).
void tpu_bdc_fp8_mm_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                              local_addr_t right_addr, int left_rows, int left_cols, int right_cols,
                              data_type_t output_dtype, data_type_t left_dtype,
                              data_type_t right_dtype, data_type_t bias_dtype, bool result_add,
                              bool bias_is_const, var_context_t bias_data, bool do_relu,
                              bool do_rescale, bool rescale_is_const, var_context_t rescale_data);
void tpu_bdc_fp8_mm_R_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                      local_addr_t right_addr, int left_rows, int left_cols,
                                      int right_rows, data_type_t output_dtype,
                                      data_type_t left_dtype, data_type_t right_dtype,
                                      data_type_t bias_dtype, bool result_add, bool bias_is_const,
                                      var_context_t bias_data, bool do_relu, bool do_rescale,
                                      bool rescale_is_const, var_context_t rescale_data);
void tpu_bdc_fp8_mm_all_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                        local_addr_t right_addr, int left_rows, int left_cols,
                                        int right_rows, data_type_t output_dtype,
                                        data_type_t left_dtype, data_type_t right_dtype,
                                        data_type_t bias_dtype, bool result_add, bool bias_is_const,
                                        var_context_t bias_data, bool do_relu, bool do_rescale,
                                        bool rescale_is_const, var_context_t rescale_data);
void tpu_bdc_fp8_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                    int left_rows, int left_cols, int right_cols, data_type_t output_dtype,
                    data_type_t left_dtype, data_type_t right_dtype, bool result_add,
                    bool do_rescale, bool rescale_is_const, var_context_t rescale_data);
void tpu_bdc_fp8_mm_R_trans(local_addr_t output_addr, local_addr_t left_addr,
                            local_addr_t right_addr, int left_rows, int left_cols, int right_rows,
                            data_type_t output_dtype, data_type_t left_dtype,
                            data_type_t right_dtype, bool result_add, bool do_rescale,
                            bool rescale_is_const, var_context_t rescale_data);
void tpu_bdc_fp8_mm_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                              local_addr_t right_addr, int left_rows, int left_cols, int right_rows,
                              data_type_t output_dtype, data_type_t left_dtype,
                              data_type_t right_dtype, bool result_add, bool do_rescale,
                              bool rescale_is_const, var_context_t rescale_data);
void tpu_bdc_fp8_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                            const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                            const dim2* stride, const dim2* dilation, data_type_t input_dtype,
                            data_type_t output_dtype, scalar_t scale, float re_scale);
void tpu_bdc_fp8_add_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, int satu_mode);
void tpu_bdc_fp8_C_sub(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, int satu_mode);
void tpu_bdc_fp8_mul_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, int satu_mode);

// Of chips with floating point convolution with ReLU (SG2260).
void tpu_bdc_fp_conv2d_with_relu(local_addr_t output_addr, local_addr_t input_addr,
                                 local_addr_t weight_addr, local_addr_t bias_addr,
                                 const dim4* input_shape, const dim4* input_stride, int output_c,
                                 const dim2* kernel, const padding_t* padding, const dim2* stride,
                                 const dim2* dilation, data_type_t output_dtype,
                                 data_type_t input_dtype, bool has_bias, bool result_add,
                                 bool do_relu);

// Of chips with convolution with rescaling (SG2260).
void tpu_bdc_fp_conv2d_with_rescale(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t weight_addr, local_addr_t bias_addr,
                                    local_addr_t rescale_addr, const dim4* input_shape,
                                    const dim4* input_stride, int output_c, const dim2* kernel,
                                    const padding_t* padding, const dim2* stride,
                                    const dim2* dilation, data_type_t output_dtype,
                                    data_type_t input_dtype, data_type_t weight_dtype,
                                    data_type_t bias_dtype, bool has_bias, bool result_add,
                                    bool do_relu, bool do_rescale, bool scale_const);
void tpu_bdc_fp_conv2d_rescale_C(local_addr_t output_addr, local_addr_t input_addr,
                                 local_addr_t weight_addr, local_addr_t bias_addr,
                                 const dim4* input_shape, const dim4* input_stride, int output_c,
                                 const dim2* kernel, const padding_t* padding, const dim2* stride,
                                 const dim2* dilation, data_type_t output_dtype,
                                 data_type_t input_dtype, data_type_t weight_dtype,
                                 data_type_t bias_dtype, float rescale, bool has_bias,
                                 bool result_add, bool do_relu);
void tpu_bdc_fp_conv2d_rescale_pc(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t rescale_addr, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, bool has_bias, bool result_add, bool do_relu);
void tpu_bdc_fp_depthwise2d_with_scale(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t scale_addr, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t out_dtype,
    data_type_t in_dtype, data_type_t weight_dtype, data_type_t bias_dtype, float scale,
    bool has_bias, bool do_relu, bool do_rescale, bool scale_is_const);

// Of chips with gradients of convolutions (SG2260).
void tpu_bdc_fp_conv_bw(local_addr_t output_addr, local_addr_t input_addr,
                        local_addr_t gradout_addr, const dim4* input_shape,
                        const dim4* input_stride, const dim4* output_shape, const dim2* kernel,
                        const padding_t* padding, const dim2* stride, const dim2* dilation,
                        data_type_t output_dtype, data_type_t input_dtype, bool result_add);
void tpu_bdc_fp_conv2d_backward(
    local_addr_t grad_wight_local_addr, local_addr_t forward_input_local_addr,
    local_addr_t grad_output_local_addr, local_addr_t pad_ins_local_addr,
    const dim4* forwrad_input_shape, const dim4* forward_output_shape, const dim2* forward_kernel,
    const dim2* backward_insert, const padding_t* backward_padding, const dim2* backward_stride,
    const dim2* backward_dilation, const dim4* input_stride, int pad_ins_is_const,
    int insert_const_val, int pad_mode, data_type_t input_dtype, data_type_t grad_dtype);

// Of chips with convolution with zeros inserted to a given size (SG2260).
void tpu_bdc_fp_conv2d_with_ins(local_addr_t output_addr, local_addr_t input_addr,
                                local_addr_t weight_addr, local_addr_t bias_addr,
                                const dim4* input_shape, const dim4* input_stride, int output_c,
                                const dim2* kernel, const dim2* insert, const padding_t* padding,
                                const dim2* dilation, data_type_t output_dtype,
                                data_type_t input_dtype, bool has_bias, bool result_add, int ins_h,
                                int ins_w);

// Of chips with minimum pooling (SG2260).
void tpu_bdc_fp_min_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                           const dim2* stride, const dim2* dilation, data_type_t dtype,
                           scalar_t pad_val);
void tpu_bdc_fp_roi_min_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t roi_addr, const dim4* input_shape, int output_w,
                               const dim2* kernel, data_type_t dtype, scalar_t except_val);
void tpu_bdc_int_min_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                            const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                            const dim2* stride, const dim2* dilation, data_type_t dtype,
                            scalar_t pad_val);
void tpu_bdc_int8_min_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                             const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                             const dim2* stride, const dim2* dilation, data_type_t dtype,
                             scalar_t pad_val);
void tpu_bdc_int8_roi_min_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 local_addr_t roi_addr, const dim4* input_shape, int output_w,
                                 const dim2* kernel, data_type_t dtype, scalar_t except_val);

// Of chips with pooling of any integers (SG2260).
void tpu_bdc_int_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                            const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                            const dim2* stride, const dim2* dilation, data_type_t dtype,
                            scalar_t pad_val);

// Of chips with sequences of any type (SG2260).
void tpu_bdc_arithmetic_sequence_bcast_with_dtype(local_addr_t dst_addr, int npu_num, int start,
                                                  int step, int num, data_type_t dtype);
void tpu_bdc_arithmetic_sequence_distribute_with_dtype(local_addr_t dst_addr, int start, int step,
                                                       int num, data_type_t dtype);
void tpu_bdc_arithmetic_sequence_distribute_aligned_with_dtype(local_addr_t dst_addr, int start,
                                                               int step, int num,
                                                               data_type_t dtype);
void tpu_bdc_arithmetic_sequence_general_with_dtype(local_addr_t dst_addr, local_addr_t buffer_addr,
                                                    int npu_num, int start, int step, int num,
                                                    data_type_t dtype);

// Of chips with tables of bf16 functions (SG2260).
void tpu_bdc_bf16_sigmoid_fast(local_addr_t dst_addr, local_addr_t src_addr,
                               local_addr_t work0_addr, local_addr_t work1_addr,
                               local_addr_t coeff_addr, local_addr_t table_addr, const dim4* shape);
void tpu_bdc_bf16_gelu_fast2(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                             local_addr_t work1_addr, local_addr_t work2_addr,
                             local_addr_t coeff_addr, local_addr_t table_addr, const dim4* shape);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_LATER_BDC_H_
