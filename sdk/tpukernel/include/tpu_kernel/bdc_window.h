// SPDX-License-Identifier: Apache-2.0
//
// BDC: convolution, pooling, scale and bias. Included by tpu_kernel.h, where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_BDC_WINDOW_H_
#define TENSORLANE_TPU_KERNEL_BDC_WINDOW_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// D=S+B[c].
void tpu_bdc_fp_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                     const dim4* shape, data_type_t dtype);

// D=(S+B[c])^2.
void tpu_bdc_fp_add_bias_sqr(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                             const dim4* shape, data_type_t dtype);

// D=(S+C)^2.
void tpu_bdc_fp_add_C_sqr(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                          const dim4* shape, data_type_t dtype);

// D=(S-B[c])^2.
void tpu_bdc_fp_sub_bias_sqr(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                             const dim4* shape, data_type_t dtype);

// D=(S-C)^2.
void tpu_bdc_fp_sub_C_sqr(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                          const dim4* shape, data_type_t dtype);

// D=S*K[c].
void tpu_bdc_fp_scale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                      const dim4* shape, data_type_t dtype);

// D=S*K[c]+B[c].
void tpu_bdc_fp_scale_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                           local_addr_t bias_addr, const dim4* shape, data_type_t dtype);

// D=S*scale+bias.
void tpu_bdc_fp_scale_bias_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t scale,
                             scalar_t bias, const dim4* shape, data_type_t dtype);

// O[n,oc,oh,ow]=sum_{ic,kh,kw} I_pad[n,ic,oh*sh+kh*dh,ow*sw+kw*dw]*W[oc,ic,kh,kw] (correlation);
// +bias[oc] if has_bias; + previous output if result_add.
void tpu_bdc_fp_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                       local_addr_t bias_addr, const dim4* input_shape, const dim4* input_stride,
                       int output_c, const dim2* kernel, const padding_t* padding,
                       const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                       data_type_t input_dtype, bool has_bias, bool result_add);

// tpu_bdc_fp_conv2d as a command of full length, whatever its operands.
void tpu_bdc_fp_conv2d_long_instr(local_addr_t output_addr, local_addr_t input_addr,
                                  local_addr_t weight_addr, local_addr_t bias_addr,
                                  const dim4* input_shape, const dim4* input_stride, int output_c,
                                  const dim2* kernel, const padding_t* padding, const dim2* stride,
                                  const dim2* dilation, data_type_t output_dtype,
                                  data_type_t input_dtype, bool has_bias, bool result_add);

// Zero-insert `insert` elements between input pixels, pad, stride 1, kernel rotated 180 degrees:
// transposed convolution; +bias[oc] if has_bias; + previous output if result_add.
void tpu_bdc_fp_conv2d_for_deconv2d(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t weight_addr, local_addr_t bias_addr,
                                    const dim4* input_shape, const dim4* input_stride, int output_c,
                                    const dim2* kernel, const dim2* insert,
                                    const padding_t* padding, const dim2* dilation,
                                    data_type_t output_dtype, data_type_t input_dtype,
                                    bool has_bias, bool result_add);

// Per-channel correlation (no kernel flip) + bias[c]; kernel [1,C,kh,kw] compact; deconv form:
// zero-insert input and rotate kernel by 180 degrees.
void tpu_bdc_fp_depthwise_for_deconv2d(local_addr_t output_addr, local_addr_t input_addr,
                                       local_addr_t weight_addr, local_addr_t bias_addr,
                                       const dim4* input_shape, const dim2* kernel,
                                       const dim2* insert, const padding_t* padding,
                                       const dim2* dilation, data_type_t output_dtype,
                                       data_type_t input_dtype, bool kernel_is_const,
                                       bool has_bias);

// O[n,oc,oh,ow]=sum_{ic,kh,kw} I_pad[n,ic,oh*sh+kh*dh,ow*sw+kw*dw]*W[oc,ic,kh,kw] (correlation);
// +bias[oc] if has_bias; + previous output if result_add.
void tpu_bdc_fp_conv2d_kernel_const(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t bias_addr, scalar_t C, const dim4* input_shape,
                                    const dim4* input_stride, int output_c, const dim2* kernel,
                                    const padding_t* padding, const dim2* stride,
                                    const dim2* dilation, data_type_t output_dtype,
                                    data_type_t input_dtype, bool has_bias, bool result_add);

// O=max over window; pad with pad_val.
void tpu_bdc_fp_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                           const dim2* stride, const dim2* dilation, data_type_t dtype,
                           scalar_t pad_val);

// O=scale*sum over window, padding contributes 0; ins inserts zeros between input elements.
void tpu_bdc_fp_ins_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               const dim4* input_shape, const dim2* kernel,
                               const padding_t* padding, const dim2* stride, const dim2* dilation,
                               const dim2* ins, data_type_t dtype, scalar_t scale);

// The same with a result of its own type; here both types are one.
void tpu_bdc_fp_avg_pool2d_ex(local_addr_t output_addr, local_addr_t input_addr,
                              const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                              const dim2* stride, const dim2* dilation, const dim2* ins,
                              data_type_t in_dtype, data_type_t out_dtype, scalar_t scale);

// Mean of each channel, [n, c, 1, 1]: of every 16th (fp32) or 32nd element first, then of these
// sums, [n, c, 1, 16 or 32] in buffer. Two of the three tensors may be one.
void tpu_bdc_fp_hw_reduce_mean(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t buffer_addr, const dim4* shape, data_type_t dtype);

// O=scale*sum over window, padding contributes 0.
void tpu_bdc_fp_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                           const dim2* stride, const dim2* dilation, data_type_t dtype,
                           scalar_t scale);

// Per-channel correlation (no kernel flip) + bias[c]; kernel [1,C,kh,kw] compact.
void tpu_bdc_fp_ins_depthwise(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr,
                              const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                              const dim2* stride, const dim2* ins, const dim2* dilation,
                              data_type_t dtype, bool has_bias);
void tpu_bdc_fp_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                            local_addr_t weight_addr, local_addr_t bias_addr,
                            const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                            const dim2* stride, const dim2* dilation, data_type_t dtype,
                            bool has_bias);

// ROI pooling/depthwise over windows given by roi tensor (start/end pairs as u16); windows outside
// use except_val.
void tpu_bdc_fp_roi_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t roi_addr, const dim4* input_shape, int output_w,
                               const dim2* kernel, data_type_t dtype, scalar_t except_val);
void tpu_bdc_fp_roi_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t roi_addr, const dim4* input_shape, int output_w,
                               const dim2* kernel, data_type_t dtype, scalar_t except_val,
                               scalar_t scale);
void tpu_bdc_fp_roi_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                                local_addr_t weight_addr, local_addr_t roi_addr,
                                const dim4* input_shape, int output_w, const dim2* kernel,
                                data_type_t dtype, scalar_t except_val);

// O[n,oc,oh,ow]=sum_{ic,kh,kw} I_pad[n,ic,oh*sh+kh*dh,ow*sw+kw*dw]*W[oc,ic,kh,kw] (correlation);
// weight replaced by (W-kzp); padding uses pad_val; INT32 output, += when result_add.
void tpu_bdc_int8_asym_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t weight_addr, scalar_t kzp_val, scalar_t pad_val,
                                    const dim4* input_shape, const dim4* input_stride, int output_c,
                                    const dim2* kernel, const padding_t* padding,
                                    const dim2* stride, const dim2* dilation,
                                    data_type_t output_dtype, data_type_t input_dtype,
                                    data_type_t weight_dtype, data_type_t kzp_dtype,
                                    bool result_add);
void tpu_bdc_int8_asym_pc_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                       local_addr_t weight_addr, local_addr_t kzp_addr,
                                       local_addr_t pad_addr, const dim4* input_shape,
                                       const dim4* input_stride, int output_c, const dim2* kernel,
                                       const padding_t* padding, const dim2* stride,
                                       const dim2* dilation, data_type_t output_dtype,
                                       data_type_t input_dtype, data_type_t weight_dtype,
                                       data_type_t kzp_dtype, bool result_add);
void tpu_bdc_int8_asym_quant_conv2d_kernel_const(local_addr_t output_addr, local_addr_t input_addr,
                                                 scalar_t C, scalar_t kzp_val, scalar_t pad_val,
                                                 const dim4* input_shape, const dim4* input_stride,
                                                 int output_c, const dim2* kernel,
                                                 const padding_t* padding, const dim2* stride,
                                                 const dim2* dilation, data_type_t output_dtype,
                                                 data_type_t input_dtype, data_type_t weight_dtype,
                                                 data_type_t kzp_dtype, bool result_add);

// Zero-insert `insert` elements between input pixels, pad, stride 1, kernel rotated 180 degrees:
// transposed convolution; weight replaced by (W-kzp); padding uses pad_val; INT32 output, += when
// result_add.
void tpu_bdc_int8_asym_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr, scalar_t kzp_val,
    scalar_t pad_val, scalar_t insert_val, const dim4* input_shape, const dim4* input_stride,
    int output_c, const dim2* kernel, const dim2* insert, const padding_t* padding,
    const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t kzp_dtype, bool result_add);
void tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t kzp_addr, local_addr_t pad_insert_addr, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const dim2* insert,
    const padding_t* padding, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t kzp_dtype, bool result_add);

// O[n,oc,oh,ow]=sum_{ic,kh,kw} I_pad[n,ic,oh*sh+kh*dh,ow*sw+kw*dw]*W[oc,ic,kh,kw] (correlation);
// +bias(16-bit); rshift with half-up rounding; saturate; result_relu requires an unsigned output
// type.
void tpu_bdc_int8_sym_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                   local_addr_t weight_addr, local_addr_t bias_addr,
                                   const dim4* input_shape, const dim4* input_stride, int output_c,
                                   const dim2* kernel, const padding_t* padding, const dim2* stride,
                                   const dim2* dilation, data_type_t output_dtype,
                                   data_type_t input_dtype, data_type_t weight_dtype,
                                   data_type_t bias_dtype, unsigned char rshift, bool has_bias,
                                   bool result_relu);

// Zero-insert `insert` elements between input pixels, pad, stride 1, kernel rotated 180 degrees:
// transposed convolution; +bias(16-bit); rshift with half-up rounding; saturate; result_relu
// requires an unsigned output type.
void tpu_bdc_int8_sym_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, const dim4* input_shape, const dim4* input_stride, int output_c,
    const dim2* kernel, const dim2* insert, const padding_t* padding, const dim2* dilation,
    data_type_t output_dtype, data_type_t input_dtype, data_type_t weight_dtype,
    data_type_t bias_dtype, unsigned char rshift, bool has_bias, bool result_relu);

// O[n,oc,oh,ow]=sum_{ic,kh,kw} I_pad[n,ic,oh*sh+kh*dh,ow*sw+kw*dw]*W[oc,ic,kh,kw] (correlation).
// Not on the BM1684X.
void tpu_bdc_conv2d_requant_pc(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t weight_addr, local_addr_t bias_addr,
                               local_addr_t requant_addr, const dim4* input_shape,
                               const dim4* input_stride, int output_c, const dim2* kernel,
                               const padding_t* padding, const dim2* stride, const dim2* dilation,
                               data_type_t output_dtype, data_type_t input_dtype,
                               data_type_t weight_dtype, data_type_t bias_dtype, bool has_bias,
                               bool result_relu, bool has_requant, bool sym_range);
void tpu_bdc_conv2d_requant_C(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr,
                              const dim4* input_shape, const dim4* input_stride, int output_c,
                              const dim2* kernel, const padding_t* padding, const dim2* stride,
                              const dim2* dilation, data_type_t output_dtype,
                              data_type_t input_dtype, data_type_t weight_dtype,
                              data_type_t bias_dtype, int multiplier, char rshift, short output_zp,
                              bool has_bias, bool result_relu, bool has_requant, bool sym_range);

// O[n,oc,oh,ow]=sum_{ic,kh,kw} I_pad[n,ic,oh*sh+kh*dh,ow*sw+kw*dw]*W[oc,ic,kh,kw] (correlation);
// weight replaced by (W-kzp); padding uses pad_val; INT32 output, += when result_add. Not on the
// BM1684X.
void tpu_bdc_conv2d_requant_pc_asym_pc(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t kzp_addr, local_addr_t pad_addr, local_addr_t requant_addr,
    const dim4* input_shape, const dim4* input_stride, int output_c, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, bool has_requant,
    bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);
void tpu_bdc_conv2d_requant_C_asym_pc(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t kzp_addr, local_addr_t pad_addr, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, int multiplier, char rshift, short output_zp,
    bool has_requant, bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);
void tpu_bdc_conv2d_requant_C_asym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, scalar_t kzp_val, scalar_t pad_val, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, int multiplier, char rshift, short output_zp,
    bool has_requant, bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);
void tpu_bdc_conv2d_requant_pc_asym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t requant_addr, scalar_t kzp_val, scalar_t pad_val,
    const dim4* input_shape, const dim4* input_stride, int output_c, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, bool has_requant,
    bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);

// Per-channel correlation (no kernel flip) + bias[c]; kernel [1,C,kh,kw] compact; int: rshift with
// rounding_mode, saturate, optional relu. Not on the BM1684X.
void tpu_bdc_depthwise2d_requant_pc_asym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t requant_addr, scalar_t pad_val, const dim4* input_shape,
    const dim2* kernel, const padding_t* padding, const dim2* stride, const dim2* dilation,
    data_type_t output_dtype, data_type_t input_dtype, data_type_t weight_dtype,
    data_type_t bias_dtype, bool has_bias, bool has_requant, bool result_relu, bool sym_range,
    rounding_mode_t rounding_mode);
void tpu_bdc_depthwise2d_requant_C_sym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, scalar_t pad_val, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, bool sym_range, rounding_mode_t rounding_mode);

// O=max over window; pad with pad_val.
void tpu_bdc_int8_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                             const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                             const dim2* stride, const dim2* dilation, data_type_t dtype,
                             scalar_t pad_val);

// O=sat(rshift_half_up(sum*scale, rshift)); ins inserts zeros between input elements.
void tpu_bdc_int8_ins_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 const dim4* input_shape, const dim2* kernel,
                                 const padding_t* padding, const dim2* stride, const dim2* ins,
                                 const dim2* dilation, data_type_t output_dtype,
                                 data_type_t input_dtype, unsigned char scale,
                                 unsigned char rshift);

// O=sat(rshift_half_up(sum*scale, rshift)).
void tpu_bdc_int8_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                             const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                             const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                             data_type_t input_dtype, unsigned char scale, unsigned char rshift);

// Per-channel correlation (no kernel flip) + bias[c]; kernel [1,C,kh,kw] compact; int: rshift with
// rounding_mode, saturate, optional relu.
void tpu_bdc_int8_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr, scalar_t pad_val,
                              const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                              const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                              data_type_t input_dtype, data_type_t weight_dtype,
                              data_type_t bias_dtype, unsigned char rshift, bool has_bias,
                              bool result_relu, rounding_mode_t rounding_mode);
void tpu_bdc_int8_depthwise2d_kernel_const(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t bias_addr, scalar_t C,
    scalar_t pad_val, const dim4* input_shape, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift, bool has_bias,
    bool result_relu, rounding_mode_t rounding_mode);
void tpu_bdc_int8_pc_pad_depthwise2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t pad_addr, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode);

// Per-channel correlation (no kernel flip) + bias[c]; kernel [1,C,kh,kw] compact; deconv form:
// zero-insert input and rotate kernel by 180 degrees; int: rshift with rounding_mode, saturate,
// optional relu.
void tpu_bdc_int8_pc_pad_depthwise_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t pad_addr, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* insert, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode);
void tpu_bdc_int8_depthwise_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, scalar_t pad_val, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* insert, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode);

// ROI pooling/depthwise over windows given by roi tensor (start/end pairs as u16); windows outside
// use except_val.
void tpu_bdc_int8_roi_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 local_addr_t roi_addr, const dim4* input_shape, int output_w,
                                 const dim2* kernel, data_type_t dtype, scalar_t except_val);
void tpu_bdc_int8_roi_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 local_addr_t roi_addr, const dim4* input_shape, int output_w,
                                 const dim2* kernel, data_type_t output_dtype,
                                 data_type_t input_dtype, scalar_t except_val, scalar_t scale);
void tpu_bdc_int8_roi_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                                  local_addr_t weight_addr, local_addr_t roi_addr,
                                  const dim4* input_shape, int output_w, const dim2* kernel,
                                  data_type_t output_dtype, data_type_t input_dtype,
                                  data_type_t weight_dtype, scalar_t except_val);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_BDC_WINDOW_H_
