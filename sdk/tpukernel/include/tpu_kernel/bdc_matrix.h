// SPDX-License-Identifier: Apache-2.0
//
// BDC: matrix products. Included by tpu_kernel.h, where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_BDC_MATRIX_H_
#define TENSORLANE_TPU_KERNEL_BDC_MATRIX_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; result_add: Y+=; has_bias: per-column bias (1,ceil(cols/rw),1,rw).
void tpu_bdc_fp32_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                     local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                     int left_cols_per_channel, int right_cols_per_channel, bool has_bias,
                     bool result_add);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; L stored transposed: left_rows/left_cols describe the stored matrix, result has
// left_cols rows; result_add: Y+=; has_bias: per-column bias (1,ceil(cols/rw),1,rw).
void tpu_bdc_fp32_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, local_addr_t bias_addr, int left_rows,
                             int left_cols, int right_cols, int left_cols_per_channel,
                             int right_cols_per_channel, bool has_bias, bool result_add);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; result_add: Y+=; has_bias: per-column bias (1,ceil(cols/rw),1,rw).
void tpu_bdc_fp32_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                             local_addr_t bias_addr, float C, int left_rows, int left_cols,
                             int right_cols, int right_cols_per_channel, bool has_bias,
                             bool result_add);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add.
void tpu_bdc_fp_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                   int left_rows, int left_cols, int right_cols, data_type_t output_dtype,
                   data_type_t left_right_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0.
void tpu_bdc_fp_mm_R_trans(local_addr_t output_addr, local_addr_t left_addr,
                           local_addr_t right_addr, int left_rows, int left_cols, int right_rows,
                           data_type_t output_dtype, data_type_t left_right_dtype);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add.
void tpu_bdc_fp_mm_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, int left_rows, int left_cols, int right_rows,
                             data_type_t output_dtype, data_type_t left_right_dtype,
                             bool result_add);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add; the
// constant operand is a matrix of C.
void tpu_bdc_fp_mm_L_const(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                           int left_rows, int left_cols, int right_cols, data_type_t output_dtype,
                           data_type_t right_C_dtype, bool result_add);
void tpu_bdc_fp_mm_R_const(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                           int left_rows, int left_cols, int right_cols, data_type_t output_dtype,
                           data_type_t left_C_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0; the constant operand is a
// matrix of C.
void tpu_bdc_fp_mm_L_const_R_trans(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                   int left_rows, int left_cols, int right_rows,
                                   data_type_t output_dtype, data_type_t right_C_dtype);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add; the constant operand is a matrix of C.
void tpu_bdc_fp_mm_L_const_all_trans(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_rows,
                                     data_type_t output_dtype, data_type_t right_C_dtype,
                                     bool result_add);
void tpu_bdc_fp_mm_R_const_all_trans(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_rows,
                                     data_type_t output_dtype, data_type_t left_C_dtype,
                                     bool result_add);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add; + bias
// (constant FP32 or row [1,64?,1,N]); do_relu.
void tpu_bdc_fp_mm_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, int left_rows, int left_cols, int right_cols,
                             data_type_t output_dtype, data_type_t left_right_dtype,
                             data_type_t bias_dtype, bool result_add, bool bias_is_const,
                             var_context_t bias_data, bool do_relu);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0; + bias (constant FP32 or
// row [1,64?,1,N]); do_relu.
void tpu_bdc_fp_mm_R_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                     local_addr_t right_addr, int left_rows, int left_cols,
                                     int right_rows, data_type_t output_dtype,
                                     data_type_t left_right_dtype, data_type_t bias_dtype,
                                     bool add_result, bool bias_is_const, var_context_t bias_data,
                                     bool do_relu);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add; + bias (constant FP32 or row [1,64?,1,N]); do_relu.
void tpu_bdc_fp_mm_all_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                       local_addr_t right_addr, int left_rows, int left_cols,
                                       int right_rows, data_type_t output_dtype,
                                       data_type_t left_right_dtype, data_type_t bias_dtype,
                                       bool result_add, bool bias_is_const, var_context_t bias_data,
                                       bool do_relu);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add; the
// constant operand is a matrix of C; + bias (constant FP32 or row [1,64?,1,N]); do_relu.
void tpu_bdc_fp_mm_L_const_with_bias(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_cols,
                                     data_type_t output_dtype, data_type_t right_C_dtype,
                                     data_type_t bias_dtype, bool result_add, bool bias_is_const,
                                     var_context_t bias_data, bool do_relu);
void tpu_bdc_fp_mm_R_const_with_bias(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_cols,
                                     data_type_t output_dtype, data_type_t left_C_dtype,
                                     data_type_t bias_dtype, bool result_add, bool bias_is_const,
                                     var_context_t bias_data, bool do_relu);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add; the
// constant operand is a matrix of C; + bias (constant FP32 or row [1,64?,1,N]); do_relu.
void tpu_bdc_fp_mm_L_const_R_trans_with_bias(local_addr_t output_addr, local_addr_t right_addr,
                                             scalar_t C, int left_rows, int left_cols,
                                             int right_rows, data_type_t output_dtype,
                                             data_type_t right_C_dtype, data_type_t bias_dtype,
                                             bool result_add, bool bias_is_const,
                                             var_context_t bias_data, bool do_relu);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add; the constant operand is a matrix of C; + bias (constant FP32 or row [1,64?,1,N]);
// do_relu.
void tpu_bdc_fp_mm_L_const_all_trans_with_bias(local_addr_t output_addr, local_addr_t right_addr,
                                               scalar_t C, int left_rows, int left_cols,
                                               int right_rows, data_type_t output_dtype,
                                               data_type_t right_C_dtype, data_type_t bias_dtype,
                                               bool result_add, bool bias_is_const,
                                               var_context_t bias_data, bool do_relu);
void tpu_bdc_fp_mm_R_const_all_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                               scalar_t C, int left_rows, int left_cols,
                                               int right_rows, data_type_t output_dtype,
                                               data_type_t left_C_dtype, data_type_t bias_dtype,
                                               bool result_add, bool bias_is_const,
                                               var_context_t bias_data, bool do_relu);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; INT32 result, then shift with rounding_mode.
void tpu_bdc_int_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                    int left_rows, int left_cols, int right_cols, int left_cols_per_channel,
                    int right_cols_per_channel, data_type_t left_dtype, data_type_t right_dtype,
                    char shift, rounding_mode_t rounding_mode);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; L stored transposed: left_rows/left_cols describe the stored matrix, result has
// left_cols rows; INT32 result, then shift with rounding_mode.
void tpu_bdc_int_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                            local_addr_t right_addr, int left_rows, int left_cols, int right_cols,
                            int left_cols_per_channel, int right_cols_per_channel,
                            data_type_t left_dtype, data_type_t right_dtype, char shift,
                            rounding_mode_t rounding_mode);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; INT32 result, then shift with rounding_mode.
void tpu_bdc_int_mm_L_const(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                            int left_rows, int left_cols, int right_cols,
                            int right_cols_per_channel, data_type_t C_dtype,
                            data_type_t right_dtype, char shift, rounding_mode_t rounding_mode);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; INT32 result, then shift with rounding_mode per channel.
void tpu_bdc_int_pcs_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                        local_addr_t shift_addr, int left_rows, int left_cols, int right_cols,
                        int left_cols_per_channel, int right_cols_per_channel,
                        data_type_t left_dtype, data_type_t right_dtype,
                        rounding_mode_t rounding_mode);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; L stored transposed: left_rows/left_cols describe the stored matrix, result has
// left_cols rows; INT32 result, then shift with rounding_mode per channel.
void tpu_bdc_int_pcs_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                                local_addr_t right_addr, local_addr_t shift_addr, int left_rows,
                                int left_cols, int right_cols, int left_cols_per_channel,
                                int right_cols_per_channel, data_type_t left_dtype,
                                data_type_t right_dtype, rounding_mode_t rounding_mode);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; INT32 result, then shift with rounding_mode per channel.
void tpu_bdc_int_pcs_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                                local_addr_t shift_addr, scalar_t C, int left_rows, int left_cols,
                                int right_cols, int right_cols_per_channel, data_type_t C_dtype,
                                data_type_t right_dtype, rounding_mode_t rounding_mode);

// MM2 int8 with optional rzp/bias/requant described by optional_info_t/requant_int_info_t. Not on
// the BM1684X.
void tpu_bdc_quant_mm(local_addr_t output_addr, data_type_t output_dtype, optional_info_t* left,
                      optional_info_t* right, int output_rows, int inner_cols, int output_cols,
                      bool left_trans, bool right_trans, bool result_add, bool do_relu,
                      optional_info_t* rzp, optional_info_t* bias, requant_int_info_t* requant);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; t=((Yprev<<lshift if result_add) + L*R + bias); Y=sat(rshift_half_up(t,rshift));
// previous Y is read as 16-bit, so result_add is only meaningful for 16-bit output.
void tpu_bdc_int8_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                     local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                     int left_cols_per_channel, int right_cols_per_channel,
                     data_type_t output_dtype, data_type_t left_dtype, data_type_t right_dtype,
                     data_type_t bias_dtype, unsigned char lshift, unsigned char rshift,
                     bool has_bias, bool result_add, bool result_relu);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; L stored transposed: left_rows/left_cols describe the stored matrix, result has
// left_cols rows; t=((Yprev<<lshift if result_add) + L*R + bias); Y=sat(rshift_half_up(t,rshift));
// previous Y is read as 16-bit, so result_add is only meaningful for 16-bit output.
void tpu_bdc_int8_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, local_addr_t bias_addr, int left_rows,
                             int left_cols, int right_cols, int left_cols_per_channel,
                             int right_cols_per_channel, data_type_t output_dtype,
                             data_type_t left_dtype, data_type_t right_dtype,
                             data_type_t bias_dtype, unsigned char lshift, unsigned char rshift,
                             bool has_bias, bool result_add, bool result_relu);

// Y = L*R; matrix layouts: L (rows,ceil(cols/lw),1,lw), R and Y (rows,ceil(right_cols/rw),1,rw),
// aligned64; t=((Yprev<<lshift if result_add) + L*R + bias); Y=sat(rshift_half_up(t,rshift));
// previous Y is read as 16-bit, so result_add is only meaningful for 16-bit output.
void tpu_bdc_int8_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                             local_addr_t bias_addr, scalar_t C, int left_rows, int left_cols,
                             int right_cols, int right_cols_per_channel, data_type_t output_dtype,
                             data_type_t C_dtype, data_type_t right_dtype, data_type_t bias_dtype,
                             unsigned char lshift, unsigned char rshift, bool has_bias,
                             bool result_add, bool result_relu);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add;
// Y(INT32)=sum L*(R-zp).
void tpu_bdc_int8_zp_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                        scalar_t zp_val, int left_rows, int left_cols, int right_cols,
                        data_type_t left_dtype, data_type_t right_zp_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0; Y(INT32)=sum L*(R-zp).
void tpu_bdc_int8_zp_mm_R_trans(local_addr_t output_addr, local_addr_t left_addr,
                                local_addr_t right_addr, scalar_t zp_val, int left_rows,
                                int left_cols, int right_rows, data_type_t left_dtype,
                                data_type_t right_zp_dtype);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add; Y(INT32)=sum L*(R-zp).
void tpu_bdc_int8_zp_mm_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                  local_addr_t right_addr, scalar_t zp_val, int left_rows,
                                  int left_cols, int right_rows, data_type_t left_dtype,
                                  data_type_t right_zp_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add;
// Y(INT32)=sum L*(R-zp); the constant operand is a matrix of C.
void tpu_bdc_int8_zp_mm_L_const(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                scalar_t zp_val, int left_rows, int left_cols, int right_cols,
                                data_type_t C_dtype, data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_zp_mm_R_const(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                                scalar_t zp_val, int left_rows, int left_cols, int right_cols,
                                data_type_t left_dtype, data_type_t C_zp_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0; Y(INT32)=sum L*(R-zp); the
// constant operand is a matrix of C.
void tpu_bdc_int8_zp_mm_L_const_R_trans(local_addr_t output_addr, local_addr_t right_addr,
                                        scalar_t C, scalar_t zp_val, int left_rows, int left_cols,
                                        int right_rows, data_type_t C_dtype,
                                        data_type_t right_zp_dtype);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add; Y(INT32)=sum L*(R-zp); the constant operand is a matrix of C.
void tpu_bdc_int8_zp_mm_L_const_all_trans(local_addr_t output_addr, local_addr_t right_addr,
                                          scalar_t C, scalar_t zp_val, int left_rows, int left_cols,
                                          int right_rows, data_type_t C_dtype,
                                          data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_zp_mm_R_const_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                          scalar_t C, scalar_t zp_val, int left_rows, int left_cols,
                                          int right_rows, data_type_t left_dtype,
                                          data_type_t C_zp_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add;
// Y(INT32)=sum L*(R-zp); zp per column: [1,64,1,N] (NN/NT), [1,N,1,1] compact (TT), INT16.
void tpu_bdc_int8_pc_zp_mm(local_addr_t output_addr, local_addr_t left_addr,
                           local_addr_t right_addr, local_addr_t zp_addr, int left_rows,
                           int left_cols, int right_cols, data_type_t left_dtype,
                           data_type_t right_zp_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0; Y(INT32)=sum L*(R-zp); zp
// per column: [1,64,1,N] (NN/NT), [1,N,1,1] compact (TT), INT16.
void tpu_bdc_int8_pc_zp_mm_R_trans(local_addr_t output_addr, local_addr_t left_addr,
                                   local_addr_t right_addr, local_addr_t zp_addr, int left_rows,
                                   int left_cols, int right_rows, data_type_t left_dtype,
                                   data_type_t right_zp_dtype);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add; Y(INT32)=sum L*(R-zp); zp per column: [1,64,1,N] (NN/NT), [1,N,1,1] compact (TT),
// INT16.
void tpu_bdc_int8_pc_zp_mm_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                     local_addr_t right_addr, local_addr_t zp_addr, int left_rows,
                                     int left_cols, int right_rows, data_type_t left_dtype,
                                     data_type_t right_zp_dtype, bool result_add);

// MM2: L [1,M,1,K], R [1,K,1,N], Y [1,M,1,N], all aligned64 from NPU 0; Y+= when result_add;
// Y(INT32)=sum L*(R-zp); zp per column: [1,64,1,N] (NN/NT), [1,N,1,1] compact (TT), INT16; the
// constant operand is a matrix of C.
void tpu_bdc_int8_pc_zp_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                                   local_addr_t zp_addr, scalar_t C, int left_rows, int left_cols,
                                   int right_cols, data_type_t C_dtype, data_type_t right_zp_dtype,
                                   bool result_add);
void tpu_bdc_int8_pc_zp_mm_R_const(local_addr_t output_addr, local_addr_t left_addr,
                                   local_addr_t zp_addr, scalar_t C, int left_rows, int left_cols,
                                   int right_cols, data_type_t left_dtype, data_type_t C_zp_dtype,
                                   bool result_add);

// MM2: L [1,M,1,K], R [1,N,1,K], Y [1,M,1,N], all aligned64 from NPU 0; Y(INT32)=sum L*(R-zp); zp
// per column: [1,64,1,N] (NN/NT), [1,N,1,1] compact (TT), INT16; the constant operand is a matrix
// of C.
void tpu_bdc_int8_pc_zp_mm_L_const_R_trans(local_addr_t output_addr, local_addr_t right_addr,
                                           local_addr_t zp_addr, scalar_t C, int left_rows,
                                           int left_cols, int right_rows, data_type_t C_dtype,
                                           data_type_t right_zp_dtype);

// MM2: L [1,K,1,M], R [1,N,1,K], Y [1,N,1,M] (Y transposed), all aligned64 from NPU 0; Y+= when
// result_add; Y(INT32)=sum L*(R-zp); zp per column: [1,64,1,N] (NN/NT), [1,N,1,1] compact (TT),
// INT16; the constant operand is a matrix of C.
void tpu_bdc_int8_pc_zp_mm_L_const_all_trans(local_addr_t output_addr, local_addr_t right_addr,
                                             local_addr_t zp_addr, scalar_t C, int left_rows,
                                             int left_cols, int right_rows, data_type_t C_dtype,
                                             data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_pc_zp_mm_R_const_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                             local_addr_t zp_addr, scalar_t C, int left_rows,
                                             int left_cols, int right_rows, data_type_t left_dtype,
                                             data_type_t C_zp_dtype, bool result_add);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_BDC_MATRIX_H_
