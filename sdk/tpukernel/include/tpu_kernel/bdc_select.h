// SPDX-License-Identifier: Apache-2.0
//
// BDC: selection, gather, scatter, masks. Included by tpu_kernel.h, where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_BDC_SELECT_H_
#define TENSORLANE_TPU_KERNEL_BDC_SELECT_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// BDC: selection

// D = A0>A1 ? A2 : A3; each A is variable_t: TENSOR (full shape, aligned64), SCALAR, or VECTOR =
// per-channel [1,C,1,1] compact.
void tpu_bdc_greater_select(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1,
                            const variable_t* src2, const variable_t* src3, const dim4* shape,
                            data_type_t src0_src1_dtype, data_type_t dst_dtype);

// D = A0<A1 ? A2 : A3; each A is variable_t: TENSOR (full shape, aligned64), SCALAR, or VECTOR =
// per-channel [1,C,1,1] compact.
void tpu_bdc_less_select(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1,
                         const variable_t* src2, const variable_t* src3, const dim4* shape,
                         data_type_t src0_src1_dtype, data_type_t dst_dtype);

// D = A0==A1 ? A2 : A3; each A is variable_t: TENSOR (full shape, aligned64), SCALAR, or VECTOR =
// per-channel [1,C,1,1] compact.
void tpu_bdc_equal_select(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1,
                          const variable_t* src2, const variable_t* src3, const dim4* shape,
                          data_type_t src0_src1_dtype, data_type_t dst_dtype);

// D0=max(A0,A1); D1 = A0>A1 ? A2 : A3; each A is variable_t: TENSOR (full shape, aligned64),
// SCALAR, or VECTOR = per-channel [1,C,1,1] compact.
void tpu_bdc_maximum_greater_select(local_addr_t dst0_addr, local_addr_t dst1_addr,
                                    const variable_t* src0, const variable_t* src1,
                                    const variable_t* src2, const variable_t* src3,
                                    const dim4* shape, data_type_t dst0_dtype,
                                    data_type_t dst1_dtype);

// D0=min(A0,A1); D1 = A0<A1 ? A2 : A3; each A is variable_t: TENSOR (full shape, aligned64),
// SCALAR, or VECTOR = per-channel [1,C,1,1] compact.
void tpu_bdc_minimum_less_select(local_addr_t dst0_addr, local_addr_t dst1_addr,
                                 const variable_t* src0, const variable_t* src1,
                                 const variable_t* src2, const variable_t* src3, const dim4* shape,
                                 data_type_t dst0_dtype, data_type_t dst1_dtype);

// ---------------------------------------------------------------------------------------------
// BDC: gather, scatter, masks

// O[n,c,0,i]=P[n,c,0,I[i]]; index [1,W,1,1] compact from NPU 0, U8/U16; same index for every (n,c).
void tpu_bdc_w_gather(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                      const dim4* shape, int param_w, data_type_t dtype, data_type_t index_dtype);

// O[n,c,0,i]=P[n,c,0,I[i]]; index [1,W,1,1] compact from NPU 0, U8/U16; same index for every (n,c);
// index == all-ones (0xFF/0xFFFF) yields C when fill_const else leaves output.
void tpu_bdc_w_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                local_addr_t index_addr, scalar_t C, const dim4* shape, int param_w,
                                data_type_t dtype, data_type_t index_dtype, bool fill_const);

// O[n,c,0,I[i]]=P[n,c,0,i]; i<param_w; last write wins; untouched positions keep old data.
void tpu_bdc_w_scatter(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                       const dim4* shape, int param_w, data_type_t dtype, data_type_t index_dtype);

// O[n,c,0,i]=P[n,c,I[i].h,I[i].w]; each index is 32 bits: low u16 = w, high u16 = h; index
// [1,H*W,1,1] compact from NPU 0; shape is output (h=1 at command level).
void tpu_bdc_hw_gather(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                       const dim4* shape, int param_h, int param_w, data_type_t dtype);

// O[n,c,0,i]=P[n,c,I[i].h,I[i].w]; each index is 32 bits: low u16 = w, high u16 = h; index
// [1,H*W,1,1] compact from NPU 0; shape is output (h=1 at command level); index == all-ones
// (0xFF/0xFFFF) yields C when fill_const else leaves output.
void tpu_bdc_hw_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                 local_addr_t index_addr, scalar_t C, const dim4* shape,
                                 int param_h, int param_w, data_type_t dtype, bool fill_const);

// O[n,c,I[i].h,I[i].w]=P[n,c,0,i].
void tpu_bdc_hw_scatter(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                        const dim4* shape, int param_h, int param_w, data_type_t dtype);

// O[n,c,0,i]=P[0,c,0,I[n,c,0,i]]; index per (n,c), aligned64; is_param_repeated: one parameter row
// per NPU shared by all channels of that NPU (c stride 0).
void tpu_bdc_batch_bcast_w_gather(local_addr_t output_addr, local_addr_t param_addr,
                                  local_addr_t index_addr, const dim4* shape, int param_w,
                                  data_type_t dtype, data_type_t index_dtype,
                                  bool is_param_repeated);

// O[n,c,0,i]=P[0,c,0,I[n,c,0,i]]; index per (n,c), aligned64; is_param_repeated: one parameter row
// per NPU shared by all channels of that NPU (c stride 0); index == all-ones (0xFF/0xFFFF) yields C
// when fill_const else leaves output.
void tpu_bdc_batch_bcast_w_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                            local_addr_t index_addr, scalar_t C, const dim4* shape,
                                            int param_w, data_type_t dtype, data_type_t index_dtype,
                                            bool is_param_repeated, bool fill_const);

// O[n,c,0,I[n,c,0,i]]=P[0,c,0,i].
void tpu_bdc_batch_bcast_w_scatter(local_addr_t output_addr, local_addr_t param_addr,
                                   local_addr_t index_addr, const dim4* shape, int param_w,
                                   data_type_t dtype, data_type_t index_dtype,
                                   bool is_param_repeated);

// O[n,c,0,k]=k-th P[0,c,0,i] with M[n,c,0,i]!=0; count[n,c] U16 compact.
void tpu_bdc_batch_bcast_w_mask_select(local_addr_t output_addr, local_addr_t count_addr,
                                       local_addr_t param_addr, local_addr_t mask_addr,
                                       const dim4* shape, data_type_t dtype, data_type_t mask_dtype,
                                       bool is_param_repeated);

// O[n,c,i,:]=P[0,c,I[n,c,i],:]; param, output line-aligned layout.
void tpu_bdc_batch_bcast_h_gather(local_addr_t output_addr, local_addr_t param_addr,
                                  local_addr_t index_addr, const dim4* shape, int param_h,
                                  data_type_t dtype, data_type_t index_dtype,
                                  bool is_param_repeated);

// O[n,c,i,:]=P[0,c,I[n,c,i],:]; param, output line-aligned layout; index == all-ones (0xFF/0xFFFF)
// yields C when fill_const else leaves output.
void tpu_bdc_batch_bcast_h_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                            local_addr_t index_addr, scalar_t C, const dim4* shape,
                                            int param_h, data_type_t dtype, data_type_t index_dtype,
                                            bool is_param_repeated, bool fill_const);

// O[n,c,I[n,c,i],:]=P[0,c,i,:].
void tpu_bdc_batch_bcast_h_scatter(local_addr_t output_addr, local_addr_t param_addr,
                                   local_addr_t index_addr, const dim4* shape, int param_h,
                                   data_type_t dtype, data_type_t index_dtype,
                                   bool is_param_repeated);

// As batch_bcast_w_gather with param in 4 banks.
void tpu_bdc_4bank_w_gather(local_addr_t output_addr, local_addr_t param_addr,
                            local_addr_t index_addr, const dim4* shape, int param_w,
                            data_type_t dtype, data_type_t index_dtype, bool is_param_repeated);

// As batch_bcast_w_gather with param in 4 banks; index == all-ones (0xFF/0xFFFF) yields C when
// fill_const else leaves output.
void tpu_bdc_4bank_w_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                      local_addr_t index_addr, scalar_t C, const dim4* shape,
                                      int param_w, data_type_t dtype, data_type_t index_dtype,
                                      bool is_param_repeated, bool fill_const);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_BDC_SELECT_H_
