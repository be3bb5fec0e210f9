// SPDX-License-Identifier: Apache-2.0
//
// BDC: integer arithmetic, requantisation. Included by tpu_kernel.h, where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_BDC_INTEGER_H_
#define TENSORLANE_TPU_KERNEL_BDC_INTEGER_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// BDC: integer arithmetic

// Shift>0: left shift (wraps, no saturation); shift<0: right shift by -shift with rounding_mode.
void tpu_bdc_arithmetic_shift(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                              const dim4* shift_stride, data_type_t dst_dtype,
                              data_type_t src_dtype, data_type_t shift_dtype,
                              rounding_mode_t rounding_mode);
void tpu_bdc_arithmetic_shift_C(local_addr_t dst_addr, local_addr_t src_addr, char C,
                                const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                                data_type_t dst_dtype, data_type_t src_dtype,
                                rounding_mode_t rounding_mode);

// Shift>0: left shift (wraps, no saturation); shift<0: right shift by -shift with rounding_mode;
// logical shift treats S as unsigned.
void tpu_bdc_logical_shift(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                           const dim4* shift_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t shift_dtype, rounding_mode_t rounding_mode);
void tpu_bdc_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr, char C,
                             const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                             data_type_t dst_dtype, data_type_t src_dtype,
                             rounding_mode_t rounding_mode);

// T=exact(S0+S1); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,
                     data_type_t src1_dtype, char shift, rounding_mode_t rounding_mode,
                     bool saturation);

// T=exact(S+C); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_add_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);

// T=exact(S0+S1); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t); shift is per channel: S8 tensor [1,C,1,1] compact at
// shift_addr.
void tpu_bdc_int_pcs_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride,
                         const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                         data_type_t src0_dtype, data_type_t src1_dtype,
                         rounding_mode_t rounding_mode, bool saturation);

// T=exact(S+C); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t); shift is per channel: S8 tensor [1,C,1,1] compact at
// shift_addr.
void tpu_bdc_int_pcs_add_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);

// T=exact(S0-S1); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,
                     data_type_t src1_dtype, char shift, rounding_mode_t rounding_mode,
                     bool saturation);

// T=exact(S-C); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_sub_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);

// T=exact(C-S); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_C_sub(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);

// T=exact(S0-S1); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t); shift is per channel: S8 tensor [1,C,1,1] compact at
// shift_addr.
void tpu_bdc_int_pcs_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride,
                         const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                         data_type_t src0_dtype, data_type_t src1_dtype,
                         rounding_mode_t rounding_mode, bool saturation);

// T=exact(S-C); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t); shift is per channel: S8 tensor [1,C,1,1] compact at
// shift_addr.
void tpu_bdc_int_pcs_sub_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);

// T=exact(C-S); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t); shift is per channel: S8 tensor [1,C,1,1] compact at
// shift_addr.
void tpu_bdc_int_pcs_C_sub(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);

// T=exact(S0*S1); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,
                     data_type_t src1_dtype, char shift, rounding_mode_t rounding_mode,
                     bool saturation);

// T=exact(S*S); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_square(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                        data_type_t src_dtype, char shift, rounding_mode_t rounding_mode,
                        bool saturation);

// T=exact(S*C); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t).
void tpu_bdc_int_mul_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);

// T=exact(S0*S1); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t); shift is per channel: S8 tensor [1,C,1,1] compact at
// shift_addr.
void tpu_bdc_int_pcs_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride,
                         const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                         data_type_t src0_dtype, data_type_t src1_dtype,
                         rounding_mode_t rounding_mode, bool saturation);

// T=exact(S*C); t = shift>=0 ? t<<shift : rshift_round(t,-shift,rounding_mode); D = saturation ?
// clamp(t,dst range) : truncate(t); shift is per channel: S8 tensor [1,C,1,1] compact at
// shift_addr.
void tpu_bdc_int_pcs_mul_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);

// T=min/max(S,C) then shift with rounding.
void tpu_bdc_int_min_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                       char shift, rounding_mode_t rounding_mode);
void tpu_bdc_int_max_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                       char shift, rounding_mode_t rounding_mode);

// D(16-bit) = rshift_round((D<<lshift) + S0*S1, rshift, mode).
void tpu_bdc_int8_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, data_type_t src0_dtype, data_type_t src1_dtype,
                      unsigned char lshift, unsigned char rshift, rounding_mode_t rounding_mode);
void tpu_bdc_int8_mac_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride, data_type_t src_dtype,
                        data_type_t C_dtype, unsigned char lshift, unsigned char rshift,
                        rounding_mode_t rounding_mode);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0+S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_int_vc_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src0_dtype,
                        data_type_t src1_dtype, bool saturation);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0-S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_int_vc_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src0_dtype,
                        data_type_t src1_dtype, bool saturation);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0*S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_int_vc_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src0_dtype,
                        data_type_t src1_dtype, bool saturation);

// ---------------------------------------------------------------------------------------------
// BDC: requantisation and dequantisation

// D=sat(shift_round(S*multiplier, shift) + offset); shift>0 left, else right by -shift with
// rounding; offset added AFTER the shift.
void tpu_bdc_int_requant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                         int multiplier, char shift, scalar_t offset, data_type_t dst_dtype,
                         data_type_t src_dtype, rounding_mode_t rounding_mode);

// As int_requant with per-channel INT32 triple Q[c]=(multiplier,shift,offset).
void tpu_bdc_int_pc_requant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                            const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t rounding_mode);

// D=sat(f2i_dst_rounding( i2f_src_rounding(S)*scale + offset )).
void tpu_bdc_fp32_requant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          float scale, float offset, data_type_t dst_dtype, data_type_t src_dtype,
                          rounding_mode_t dst_rounding_mode, rounding_mode_t src_rounding_mode);

// As fp32_requant with per-channel FP32 pair Q[c]=(scale,offset).
void tpu_bdc_fp32_pc_requant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                             rounding_mode_t dst_rounding_mode, rounding_mode_t src_rounding_mode);

// D=sat(shift_round((S-offset)*multiplier, shift)).
void tpu_bdc_int_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                         scalar_t offset, int multiplier, char shift, data_type_t dst_dtype,
                         data_type_t src_dtype, rounding_mode_t rounding_mode);

// Per-channel INT32 triple Q[c]=(offset,multiplier,shift).
void tpu_bdc_int_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                            const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t rounding_mode);

// D(fp32)=i2f(S-offset)*scale.
void tpu_bdc_fp32_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          scalar_t offset, float scale, data_type_t src_dtype,
                          rounding_mode_t rounding_mode);

// Per-channel pair Q[c]=(offset as INT32, scale as FP32).
void tpu_bdc_fp32_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t src_dtype,
                             rounding_mode_t rounding_mode);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_BDC_INTEGER_H_
