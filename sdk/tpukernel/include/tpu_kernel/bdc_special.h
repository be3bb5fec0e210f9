// SPDX-License-Identifier: Apache-2.0
//
// BDC: special functions, tables and sequences. Included by tpu_kernel.h, where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_BDC_SPECIAL_H_
#define TENSORLANE_TPU_KERNEL_BDC_SPECIAL_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// S0^S1 = exp(S1*ln S0).
void tpu_bdc_fp32_pow(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      local_addr_t work0_addr, local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                      local_addr_t log_coeff_addr, local_addr_t exp_table_addr, const dim4* shape);

// S^C.
void tpu_bdc_fp32_pow_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                        local_addr_t log_coeff_addr, local_addr_t exp_table_addr, float C,
                        const dim4* shape);

// C^S.
void tpu_bdc_fp32_C_pow(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                        local_addr_t exp_table_addr, float C, const dim4* shape);

// Approximate 1/S; 1/1 -> 0x3f7ffffe, 1/0 -> Inf, 1/-0 -> -Inf, 1/Inf -> Inf(!), 1/|x|>2^126 -> 0.
void tpu_bdc_fp32_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                             const dim4* dst_stride, const dim4* src_stride);
void tpu_bdc_fp32_tunable_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                     const dim4* shape, const dim4* dst_stride,
                                     const dim4* src_stride, int num_iter);
void tpu_bdc_fp_tunable_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                   const dim4* dst_stride, const dim4* src_stride,
                                   data_type_t dtype, int num_iter);
void tpu_bdc_fp_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// Approximate 1/S; 1/1 -> 0x3f7ffffe, 1/0 -> Inf, 1/-0 -> -Inf, 1/Inf -> Inf(!), 1/|x|>2^126 -> 0;
// compensated by num_comp extra correction steps.
void tpu_bdc_fp32_compensate_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                        local_addr_t work0_addr, local_addr_t work1_addr,
                                        local_addr_t work2_addr, const dim4* shape,
                                        const dim4* src_stride, int num_comp);
void tpu_bdc_fp32_tunable_compensate_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                                local_addr_t work0_addr, local_addr_t work1_addr,
                                                local_addr_t work2_addr, const dim4* shape,
                                                const dim4* src_stride, int num_iter, int num_comp);

// Approximate S^-0.5, default 3 Newton steps; 1 -> 0x3f7fffff, 0 -> 0x601ab3d4 (finite!), negative
// -> Inf.
void tpu_bdc_fp32_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
void tpu_bdc_fp32_tunable_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                int num_iter);
void tpu_bdc_fp_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype);
void tpu_bdc_fp_tunable_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                              data_type_t dtype, int num_iter);

// Approximate sqrt via S*rsqrt(S); sqrt(1)=0x3f7fffff, sqrt(0)=0, negative -> -Inf.
void tpu_bdc_fp_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                     data_type_t dtype);
void tpu_bdc_fp_tunable_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                             data_type_t dtype, int num_iter);
void tpu_bdc_fp32_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
void tpu_bdc_fp32_tunable_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                               int num_iter);

// E^S. n=floor/trunc part looked up in table e^(i-103), fraction by Taylor with coeff; result
// clamped for S>~88 (gives e^88), 0 for S<=-88; relative error ~1e-7..6e-7.
void tpu_bdc_fp32_exp(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                      const dim4* shape);

// E^S-1.
void tpu_bdc_fp32_expm1(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                        const dim4* shape);

// E^S without table.
void tpu_bdc_fp_exp(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                    local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,
                    data_type_t dtype);

// E^S-1 without table.
void tpu_bdc_fp_expm1(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,
                      data_type_t dtype);

// Ln S via exponent split + log1p Taylor.
void tpu_bdc_fp32_log(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);

// ln(1+S).
void tpu_bdc_fp32_log1p(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                        local_addr_t coeff_addr, const dim4* shape);

// Log base x of S.
void tpu_bdc_fp32_logx(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                       local_addr_t coeff_addr, const dim4* shape, float x);

// Ln S.
void tpu_bdc_fp_log(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                    local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);

// Sin S: reduce S/(2pi) to its fraction, odd polynomial with coefficients (2pi)^(2k+1)/(2k+1)!.
void tpu_bdc_fp32_sin(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);

// Cos S analog.
void tpu_bdc_fp32_cos(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);

// Sin S and cos S in any floating point type.
void tpu_bdc_fp_sin(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                    local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_cos(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                    local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);

// Tan S.
void tpu_bdc_fp32_tan(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);

// Cot S.
void tpu_bdc_fp32_cot(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);

// Arcsin S (odd Taylor series, 32+ terms).
void tpu_bdc_fp32_arcsin(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                         local_addr_t coeff_addr, const dim4* shape);

// Pi/2 - arcsin S.
void tpu_bdc_fp32_arccos(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                         local_addr_t coeff_addr, const dim4* shape);

// ln(S+sqrt(S^2+1)).
void tpu_bdc_fp32_arcsinh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          local_addr_t coeff_addr, const dim4* shape);

// ln(S+sqrt(S^2-1)).
void tpu_bdc_fp32_arccosh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          local_addr_t coeff_addr, const dim4* shape);

// 0.5*ln((1+S)/(1-S)).
void tpu_bdc_fp32_arctanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          local_addr_t coeff_addr, const dim4* shape);

// D = sum_{i<num} K[0, c mod 64, 0, i]*S^i.
void tpu_bdc_fp_taylor(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t coeff_addr,
                       const dim4* shape, int num, data_type_t dtype);

// D = Tbl[0, c mod 64, 0, S].
void tpu_bdc_table_lookup(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t table_addr,
                          const dim4* shape, int len, data_type_t dst_dtype, data_type_t src_dtype);

// Exponent of S as an integer or float: 1.0 -> 0, 2.0 -> 1, 0.5 -> -1; 0 and denormal -> -127. (The
// chip's C model leaves the bias of 127 in.)
void tpu_bdc_fp_exponent_part(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                              data_type_t dst_dtype, data_type_t src_dtype);

// Copy len elements from static memory to npu_num NPUs.
void tpu_bdc_npu_bcast_from_static(local_addr_t dst_addr, static_addr_t src_addr, int npu_num,
                                   int len, data_type_t dtype);

// static[i] -> channel i (compact [1,len,1,1]).
void tpu_bdc_npu_distribute_from_static(local_addr_t dst_addr, static_addr_t src_addr, int len,
                                        data_type_t dtype);

// On each of npu_num NPUs: D[i]=start+step*i, i<num, INT32.
void tpu_bdc_arithmetic_sequence_bcast(local_addr_t dst_addr, int npu_num, int start, int step,
                                       int num);

// D[c]=start+step*c, shape [1,num,1,1], INT32, compact.
void tpu_bdc_arithmetic_sequence_distribute(local_addr_t dst_addr, int start, int step, int num);

// D[c]=start+step*c, shape [1,num,1,1], INT32, compact (aligned64 for _aligned).
void tpu_bdc_arithmetic_sequence_distribute_aligned(local_addr_t dst_addr, int start, int step,
                                                    int num);

// 0,1,2,... of num elements.
void tpu_bdc_generate_arithmetic_sequence(local_addr_t dst_addr, int num, data_type_t dtype);

// As bcast, any num, using a 4-byte buffer.
void tpu_bdc_arithmetic_sequence_general(local_addr_t dst_addr, local_addr_t buffer_addr,
                                         int npu_num, int start, int step, int num);

// Copy a constant table from static memory to local memory, replicated on all 64 NPUs starting at
// NPU 0 (aligned64).
void tpu_bdc_load_fp32_exp_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_exp_table(local_addr_t table_addr);
void tpu_bdc_load_fp32_log_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_erf_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_sin_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_cos_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_tan_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_arcsin_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp_exp_coeff(local_addr_t coeff_addr, data_type_t dtype);
void tpu_bdc_load_fp_erf_coeff(local_addr_t coeff_addr, data_type_t dtype);
void tpu_bdc_load_fp_log_coeff(local_addr_t coeff_addr, data_type_t dtype);
void tpu_bdc_load_fp_sin_coeff(local_addr_t coeff_addr, data_type_t dtype);
void tpu_bdc_load_fp_cos_coeff(local_addr_t coeff_addr, data_type_t dtype);

void tpu_bdc_load_fp_arcsin_coeff(local_addr_t coeff_addr, data_type_t dtype);

// S>0 ? S : 0 (NaN -> 0, -0 -> 0).
void tpu_bdc_relu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// S>0 ? S : alpha*S (NaN stays NaN).
void tpu_bdc_prelu(local_addr_t dst_addr, local_addr_t src_addr, scalar_t alpha, const dim4* shape,
                   data_type_t dtype);

// S>0?S:alpha*(e^S-1).
void tpu_bdc_fp32_elu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                      float alpha, const dim4* shape);

// 1/(1+e^-S); sigmoid(0)=0.50000006.
void tpu_bdc_fp32_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                          local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                          const dim4* shape);

// clamp(alpha*S+beta,0,1).
void tpu_bdc_fp_hsigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, float alpha, float beta, data_type_t dtype);

// S*clamp(S/6+0.5,0,1).
void tpu_bdc_fp_hswish(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       const dim4* shape, data_type_t dtype);

// 1 if finite else 0.
void tpu_bdc_fp_isfinite(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, data_type_t dtype);

// (e^S-e^-S)/2.
void tpu_bdc_fp32_sinh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);

// (e^S+e^-S)/2.
void tpu_bdc_fp32_cosh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);

// (e^2S-1)/(e^2S+1); tanh(100) -> -Inf.
void tpu_bdc_fp32_tanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);

// ln(1+e^(beta S))/beta.
void tpu_bdc_fp32_softplus(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                           local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                           local_addr_t log_coeff_addr, local_addr_t exp_table_addr,
                           const dim4* shape, float beta);

// S/(1+|S|).
void tpu_bdc_fp32_softsign(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);

// Erf S (Numerical-Recipes style 10-coefficient polynomial in 1/(1+|S|/2) times e^-S^2).
void tpu_bdc_fp32_erf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t exp_coeff_addr,
                      local_addr_t erf_coeff_addr, local_addr_t exp_table_addr, const dim4* shape);

// Erf S.
void tpu_bdc_fp_erf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                    local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t exp_coeff_addr,
                    local_addr_t erf_coeff_addr, const dim4* shape, data_type_t dtype);

// 1-erf S.
void tpu_bdc_fp32_erfc(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t work2_addr,
                       local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr,
                       local_addr_t exp_table_addr, const dim4* shape);
void tpu_bdc_fp_erfc(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                     local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t exp_coeff_addr,
                     local_addr_t erf_coeff_addr, const dim4* shape, data_type_t dtype);

// S/2*(1+erf(S/sqrt2)).
void tpu_bdc_fp32_gelu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t work3_addr,
                       local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr,
                       local_addr_t exp_table_addr, const dim4* shape);
void tpu_bdc_fp_gelu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                     local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t work3_addr,
                     local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr, const dim4* shape,
                     data_type_t dtype);

// Tanh approximation of gelu.
void tpu_bdc_fp32_gelu_fast(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                            local_addr_t work1_addr, local_addr_t coeff_addr,
                            local_addr_t table_addr, const dim4* shape);

// S*tanh(ln(1+e^S)).
void tpu_bdc_fp32_mish(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);

// S*sigmoid(beta*S).
void tpu_bdc_fp32_swish(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                        float beta, const dim4* shape);

// S*sigmoid(S).
void tpu_bdc_fp32_silu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);

// S*sigmoid(S) in any floating point type.
void tpu_bdc_fp_silu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                     local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                     const dim4* shape, data_type_t dtype);

// As the functions of fp32 with the same name, in any type. elu and log_sigmoid round to the type
// after every step, the others compute in fp32.
void tpu_bdc_fp_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                        const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_sinh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                     local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,
                     data_type_t dtype);
void tpu_bdc_fp_cosh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                     local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,
                     data_type_t dtype);
void tpu_bdc_fp_tanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                     local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,
                     data_type_t dtype);
void tpu_bdc_fp_elu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                    local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                    float alpha, const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_softplus(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                         local_addr_t log_coeff_addr, const dim4* shape, float beta,
                         data_type_t dtype);
void tpu_bdc_fp_log_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                            local_addr_t work1_addr, local_addr_t coeff_addr,
                            local_addr_t ln_coeff_addr, const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_gelu_fast(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                          local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                          const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_arcsin(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                       local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_arccos(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                       local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_arctanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                        local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);

// E^S for S <= 0.
void tpu_bdc_fp_exp_for_neg_arg(local_addr_t dst_addr, local_addr_t src_addr,
                                local_addr_t work0_addr, local_addr_t work1_addr,
                                local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);

// S * sigmoid(1.702 * S).
void tpu_bdc_fp32_gelu_fast2(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                             local_addr_t work1_addr, local_addr_t coeff_addr,
                             local_addr_t table_addr, const dim4* shape);
void tpu_bdc_fp_gelu_fast2(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                           local_addr_t work1_addr, local_addr_t coeff_addr,
                           local_addr_t table_addr, const dim4* shape, data_type_t dtype);

// 1.0507*(S>0?S:1.67326*(e^S-1)).
void tpu_bdc_fp32_selu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);

// Ln sigmoid(S).
void tpu_bdc_fp32_log_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                              local_addr_t work1_addr, local_addr_t coeff_addr,
                              local_addr_t table_addr, local_addr_t ln_coeff_addr,
                              const dim4* shape);

// Hardware pseudo random generator. Not on the BM1684X.
void tpu_bdc_random_gen_init(local_addr_t res_addr, local_addr_t store_state_addr,
                             int need_store_state, int jump_cnt, int c_offset, const dim4* shape,
                             data_type_t dtype);
void tpu_bdc_random_gen(local_addr_t res_addr, local_addr_t store_state_addr, int need_store_state,
                        const dim4* shape, data_type_t dtype);
void tpu_bdc_random_gen_load_state(local_addr_t res_addr, local_addr_t store_state_addr,
                                   local_addr_t load_state_addr, int need_store_state,
                                   const dim4* shape, data_type_t dtype);
void tpu_bdc_random_gen_store_state(local_addr_t state_addr);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_BDC_SPECIAL_H_
