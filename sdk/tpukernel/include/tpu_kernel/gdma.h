// SPDX-License-Identifier: Apache-2.0
//
// GDMA: copies between memories. Included by tpu_kernel.h, where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_GDMA_H_
#define TENSORLANE_TPU_KERNEL_GDMA_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// Row-major flattening of S(src_shape) written to row-major flattening of D(dst_shape); element
// counts equal.
void tpu_gdma_general_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* dst_shape,
                              const dim4* src_shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype);
void tpu_gdma_general_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                              const dim4* src_shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype);
void tpu_gdma_general_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                              const dim4* src_shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype);

// D[n,c,h,w]=S[n,c,h,w].
void tpu_gdma_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]=S[c,n,h,w]; dst_shape given, source shape = (dst.c,dst.n,dst.h,dst.w).
void tpu_gdma_cpy_nc_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_nc_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_nc_trans_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_nc_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]=S[n,w,h,c]; dst_shape given, source shape = (dst.n,dst.w,dst.h,dst.c).
void tpu_gdma_cpy_cw_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_cw_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_cw_trans_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_cw_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);

// Element count produced by the last mask_select/nonzero (waits for completion).
unsigned int tpu_gdma_get_filter_num(void);

// Append to dst, in row-major order, the elements whose mask is non-zero; count via
// tpu_gdma_get_filter_num.
void tpu_gdma_mask_select_L2S(global_addr_t dst_addr, local_addr_t src_addr, addr_t mask_addr,
                              int mask_in_lmem, const dim4* shape, data_type_t data_dtype,
                              data_type_t mask_dtype);
void tpu_gdma_mask_select_S2S(global_addr_t dst_addr, global_addr_t src_addr, addr_t mask_addr,
                              int mask_in_lmem, const dim4* shape, data_type_t data_dtype,
                              data_type_t mask_dtype);

// Mask_select_S2S then return the selected count.
unsigned int tpu_gdma_mask_select_S2S_with_ret(global_addr_t dst_addr, global_addr_t src_addr,
                                               addr_t mask_addr, int mask_in_lmem,
                                               const dim4* shape, data_type_t data_dtype,
                                               data_type_t mask_dtype);

// Append (base_idx + flat row-major index) as U32/INT32 for every non-zero element; count via
// tpu_gdma_get_filter_num.
void tpu_gdma_nonzero_L2S(global_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          data_type_t data_dtype, unsigned int base_idx);
void tpu_gdma_nonzero_S2S(global_addr_t dst_addr, global_addr_t src_addr, const dim4* shape,
                          data_type_t data_dtype, unsigned int base_idx);

// Like cpy; local side in compact layout, system side continuous; moved as one stream.
void tpu_gdma_compact_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          data_type_t dtype);
void tpu_gdma_compact_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          data_type_t dtype);

// Like cpy_nc_trans with compact local side.
void tpu_gdma_compact_nc_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr,
                                   const dim4* dst_shape, data_type_t dtype);
void tpu_gdma_compact_nc_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr,
                                   const dim4* dst_shape, data_type_t dtype);

// D[n,c,h,w]=C.
void tpu_gdma_set_C_system(system_addr_t dst_addr, scalar_t C, const dim4* shape,
                           const dim4* dst_stride, data_type_t dtype);
void tpu_gdma_set_C_local(local_addr_t dst_addr, scalar_t C, const dim4* shape,
                          const dim4* dst_stride, data_type_t dtype);

// M[r,c] (row stride row_stride on the system side) <-> matrix layout tensor (rows,
// ceil(cols/w),1,w), 64-byte aligned, w=cols_per_channel.
void tpu_gdma_matrix_S2L(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,
                         int cols_per_channel, int row_stride, data_type_t dtype);
void tpu_gdma_matrix_L2S(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,
                         int cols_per_channel, int row_stride, data_type_t dtype);

// System matrix src_rows x src_cols (row stride given) <-> transposed matrix in matrix layout; S2L:
// local is src_cols rows of src_rows columns split by dst_cols_per_channel.
void tpu_gdma_matrix_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr, int src_rows,
                               int src_cols, int dst_cols_per_channel, int src_row_stride,
                               data_type_t dtype);
void tpu_gdma_matrix_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr, int src_rows,
                               int src_cols, int src_cols_per_channel, int dst_row_stride,
                               data_type_t dtype);

// Vector of len -> tensor (1, ceil(len/w),1,w), w=len_per_channel.
void tpu_gdma_vector_S2L(local_addr_t dst_addr, system_addr_t src_addr, int len,
                         int len_per_channel, data_type_t dtype);
void tpu_gdma_vector_L2S(system_addr_t dst_addr, local_addr_t src_addr, int len,
                         int len_per_channel, data_type_t dtype);

// D[n,c,h,w]=S[n,0,h,w] for all c<shape.c; source has c=1.
void tpu_gdma_channel_bcast_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                                const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_channel_bcast_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// O[n,c,h,w]=P[n,c,I[n?,c,h],w]; index U32 of shape (1|n,C,H,1); I>=param_h writes constant C.
void tpu_gdma_h_gather_S2L(local_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_gather_L2S(system_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_gather_L2L(local_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_gather_S2S(system_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);

// O[n,c,I[c,h],w]=P[n,c,h,w], h<param_h; later h wins; shape is the output shape.
void tpu_gdma_h_scatter_S2L(local_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_scatter_L2S(system_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_scatter_L2L(local_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_scatter_S2S(system_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);

// Copy count elements linearly in system memory.
void tpu_gdma_system_cpy(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                         data_type_t dtype);

// Copy count elements to the same place of dst_channel NPUs from dst_addr on, a local address.
void tpu_gdma_system_bcast(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                           int dst_channel, data_type_t dtype);

// Fill count elements with C.
void tpu_gdma_system_set(system_addr_t dst_addr, scalar_t C, unsigned int count, data_type_t dtype);

// D = S reversed along reverse_axis (0..3).
void tpu_gdma_reverse_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);
void tpu_gdma_reverse_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);
void tpu_gdma_reverse_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);
void tpu_gdma_reverse_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);

// Lossless (de)compression of integer/half tensors. Not on the BM1684X.
void tpu_gdma_compress_normal_L2S(global_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                  const dim4* src_stride, data_type_t dtype, unsigned char bias0,
                                  unsigned char bias1, bool zero_guard);

// Tensor (de)compression. Not on the BM1684X.
int tpu_gdma_compress_normal_max_bytes(const dim4* shape, data_type_t dtype, bool zero_guard);

// Lossless (de)compression of integer/half tensors. Not on the BM1684X.
void tpu_gdma_decompress_normal_S2L(local_addr_t dst_addr, global_addr_t src_addr,
                                    const dim4* shape, const dim4* dst_stride, data_type_t dtype,
                                    unsigned char bias0, unsigned char bias1, bool zero_guard);
void tpu_gdma_compress_RACU_L2S(global_addr_t dst_racu_addr, global_addr_t dst_meta_addr,
                                local_addr_t src_addr, const dim4* shape,
                                const dim4* dst_racu_stride, const dim4* dst_meta_stride,
                                const dim4* src_stride, data_type_t dtype, unsigned char bias0,
                                unsigned char bias1, bool zero_guard);
void tpu_gdma_decompress_RACU_S2L(local_addr_t dst_addr, global_addr_t src_racu_addr,
                                  global_addr_t src_meta_addr, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src_racu_stride,
                                  const dim4* src_meta_stride, data_type_t dtype,
                                  unsigned char bias0, unsigned char bias1, bool zero_guard);

// Tensor (de)compression. Not on the BM1684X.
int tpu_gdma_compress_RACU_max_meta_bytes(const dim4* shape, data_type_t dtype);
int tpu_gdma_compress_RACU_max_racu_bytes(const dim4* shape, data_type_t dtype, bool zero_guard);
void tpu_gdma_lossy_compress(global_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                             const dim4* dst_stride, const dim4* src_stride);
void tpu_gdma_lossy_decompress(local_addr_t dst_addr, global_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride);

// Copy L1->L2 with in-place reduction (NOP/MUL/MAX/MIN/ADD codes 0..4). Not on the BM1684X.
void tpu_gdma_cpy_reduce_L12L2(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                               int reduce_psum_op, int reduce_opcode);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_GDMA_H_
