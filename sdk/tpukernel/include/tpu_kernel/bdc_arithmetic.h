// SPDX-License-Identifier: Apache-2.0
//
// BDC: copies, bits, comparison, floating point arithmetic, conversion. Included by tpu_kernel.h,
// where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_BDC_ARITHMETIC_H_
#define TENSORLANE_TPU_KERNEL_BDC_ARITHMETIC_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// BDC: copies, bits, minimum and maximum, comparison

// D[n,c,h,w]: S0 & S1.
void tpu_bdc_and(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: S & C.
void tpu_bdc_and_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]: S0 | S1.
void tpu_bdc_or(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: S | C.
void tpu_bdc_or_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]: S0 ^ S1.
void tpu_bdc_xor(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: S ^ C.
void tpu_bdc_xor_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]: (S0>=S1)?S1:S0.
void tpu_bdc_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: (S>=C)?C:S.
void tpu_bdc_min_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]: (S0>S1)?S0:S1.
void tpu_bdc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: (S>C)?S:C.
void tpu_bdc_max_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]: S0>S1 ? true_val : 0.
void tpu_bdc_greater(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                     const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                     data_type_t src_dtype);

// D[n,c,h,w]: S>C ? true_val : 0.
void tpu_bdc_greater_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, scalar_t true_val,
                       const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                       data_type_t dst_dtype, data_type_t src_dtype);

// D[n,c,h,w]: S0<S1 ? true_val : 0.
void tpu_bdc_less(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                  scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                  const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                  data_type_t src_dtype);

// D[n,c,h,w]: S<C ? true_val : 0.
void tpu_bdc_less_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, scalar_t true_val,
                    const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                    data_type_t dst_dtype, data_type_t src_dtype);

// D[n,c,h,w]: S0==S1 ? true_val : 0.
void tpu_bdc_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                   scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                   const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                   data_type_t src_dtype);

// D[n,c,h,w]: S==C ? true_val : 0.
void tpu_bdc_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, scalar_t true_val,
                     const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                     data_type_t dst_dtype, data_type_t src_dtype);

// D[n,c,h,w]: S0>=S1 ? true_val : 0.
void tpu_bdc_greater_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                           scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                           const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                           data_type_t src_dtype);

// D[n,c,h,w]: S>=C ? true_val : 0.
void tpu_bdc_greater_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                             scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                             const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype);

// D[n,c,h,w]: S0<=S1 ? true_val : 0.
void tpu_bdc_less_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                        const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                        data_type_t src_dtype);

// D[n,c,h,w]: S<=C ? true_val : 0.
void tpu_bdc_less_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                          scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                          const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype);

// D[n,c,h,w]: S0!=S1 ? true_val : 0.
void tpu_bdc_not_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                       const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                       data_type_t src_dtype);

// D[n,c,h,w]: S!=C ? true_val : 0.
void tpu_bdc_not_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                         scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                         const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0 & S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_vc_and(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0 | S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_vc_or(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                   int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                   data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0 ^ S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_vc_xor(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: (S0>=S1)?S1:S0; S0,S1 vectors in vector layout, D in matrix
// layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel
// width receive 0-valued results.
void tpu_bdc_vc_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: (S0>S1)?S0:S1; S0,S1 vectors in vector layout, D in matrix
// layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel
// width receive 0-valued results.
void tpu_bdc_vc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0>S1 ? true_val : 0; S0,S1 vectors in vector layout, D in
// matrix layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the
// channel width receive 0-valued results.
void tpu_bdc_vc_greater(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0<S1 ? true_val : 0; S0,S1 vectors in vector layout, D in
// matrix layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the
// channel width receive 0-valued results.
void tpu_bdc_vc_less(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                     int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0==S1 ? true_val : 0; S0,S1 vectors in vector layout, D in
// matrix layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the
// channel width receive 0-valued results.
void tpu_bdc_vc_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                      int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0>=S1 ? true_val : 0; S0,S1 vectors in vector layout, D in
// matrix layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the
// channel width receive 0-valued results.
void tpu_bdc_vc_greater_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                              scalar_t true_val, int src0_len, int src1_len,
                              int src0_len_per_channel, int src1_len_per_channel,
                              data_type_t dst_dtype, data_type_t src_dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0<=S1 ? true_val : 0; S0,S1 vectors in vector layout, D in
// matrix layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the
// channel width receive 0-valued results.
void tpu_bdc_vc_less_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                           scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                           int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0!=S1 ? true_val : 0; S0,S1 vectors in vector layout, D in
// matrix layout (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the
// channel width receive 0-valued results.
void tpu_bdc_vc_not_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                          scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                          int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);

// D=S.
void tpu_bdc_cpy(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D=S where dst and src may start on different NPUs; channel c moves from npu (src_start+c) to
// (dst_start+c).
void tpu_bdc_cpy_cross_npu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           data_type_t dtype);

// D[n,c,h,w]=S[n,0,h,w] for c<shape.c; S lives on one NPU (the one in src_addr).
void tpu_bdc_npu_bcast(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       data_type_t dtype);

// D=C.
void tpu_bdc_set_C(local_addr_t dst_addr, scalar_t C, const dim4* shape, const dim4* dst_stride,
                   data_type_t dtype);

// D[n,c,h,w]=S[n,w,h,c]; shape is the destination shape.
void tpu_bdc_cw_trans(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype);
void tpu_bdc_wc_trans(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype);

// D=|S|.
void tpu_bdc_abs(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D=~S.
void tpu_bdc_not(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D=-S; implemented as 0-S so -0 and 0 -> 0.
void tpu_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// -1/0/1; NaN -> -1.
void tpu_bdc_sign(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  data_type_t dtype);

// ---------------------------------------------------------------------------------------------
// BDC: floating point arithmetic

// D[n,c,h,w]: S0+S1.
void tpu_bdc_fp_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: S+C.
void tpu_bdc_fp_add_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]: S0-S1.
void tpu_bdc_fp_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: S-C.
void tpu_bdc_fp_sub_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D = C - S.
void tpu_bdc_fp_C_sub(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]: S0*S1.
void tpu_bdc_fp_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: S*C.
void tpu_bdc_fp_mul_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D=S*S.
void tpu_bdc_fp_square(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// Approximate quotient: S * reciprocal iterate (default 3 Newton steps; num_iter in 1..4), not
// correctly rounded; 1/3 -> 0x3eaaaaaa, large/large can underflow to 0 because the reciprocal is
// denormal.
void tpu_bdc_fp32_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride);
void tpu_bdc_fp32_div_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
void tpu_bdc_fp32_C_div(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
void tpu_bdc_fp32_tunable_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                              const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                              const dim4* src1_stride, int num_iter);
void tpu_bdc_fp32_tunable_div_C(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                                int num_iter);
void tpu_bdc_fp32_tunable_C_div(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                                int num_iter);
void tpu_bdc_fp_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_fp_div_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_fp_C_div(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_fp_tunable_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                            const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                            const dim4* src1_stride, data_type_t dtype, int num_iter);
void tpu_bdc_fp_tunable_div_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype, int num_iter);
void tpu_bdc_fp_tunable_C_div(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype, int num_iter);

// D = D + S0*S1.
void tpu_bdc_fp32_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride);
void tpu_bdc_fp32_mac_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);

// D[n,c,h,w]: |S0-S1|.
void tpu_bdc_fp_diff_abs(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                         const dim4* src1_stride, data_type_t dtype);

// D[n,c,h,w]: |S-C|.
void tpu_bdc_fp_diff_abs_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                           const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                           data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0+S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_fp_vc_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       int src0_len, int src1_len, int src0_len_per_channel,
                       int src1_len_per_channel, data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0-S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_fp_vc_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       int src0_len, int src1_len, int src0_len_per_channel,
                       int src1_len_per_channel, data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0*S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_fp_vc_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       int src0_len, int src1_len, int src0_len_per_channel,
                       int src1_len_per_channel, data_type_t dtype);

// Outer: D[i,j]=f(S0[i],S1[j]) with f: S0/S1; S0,S1 vectors in vector layout, D in matrix layout
// (rows=src0_len, cols=src1_len, w=src1_len_per_channel); padding lanes up to the channel width
// receive 0-valued results.
void tpu_bdc_fp32_vc_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         int src0_len, int src1_len, int src0_len_per_channel,
                         int src1_len_per_channel);

// ---------------------------------------------------------------------------------------------
// BDC: conversion and rounding

// Convert with rounding mode; float->int rounds then saturates; float overflow to fp16/bf16 gives
// Inf (rounding aware); int->int saturates; int->float rounds with mode; see reference section on
// casts.
void tpu_bdc_cast(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                  data_type_t src_dtype, rounding_mode_t mode);

// Round to integral value with mode, same dtype.
void tpu_bdc_fp_round(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                      rounding_mode_t mode);

// Floor.
void tpu_bdc_fp_floor(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// Ceil; -0.5 -> -0.0.
void tpu_bdc_fp_ceil(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                     const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_BDC_ARITHMETIC_H_
