// SPDX-License-Identifier: Apache-2.0
//
// GDMA, SDMA and links between chips, as only later chips have them. Included by tpu_kernel.h.
//
// Calls compile and link; they end the launch with a message that says what they need.

#ifndef TENSORLANE_TPU_KERNEL_LATER_DMA_H_
#define TENSORLANE_TPU_KERNEL_LATER_DMA_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// SDMA (the BM1690 and the SG2260E): system memory to system memory

// D[n,c,h,w]=S[n,c,h,w]. Not on the BM1684X.
void tpu_sdma_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

// As cpy_S2S on SDMA thread (test only). Not on the BM1684X.
void tpu_sdma_cpy_S2S_with_thread(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                                  int thread_id);

// D[n,c,h,w]=S[c,n,h,w]; dst_shape given, source shape = (dst.c,dst.n,dst.h,dst.w). Not on the
// BM1684X.
void tpu_sdma_cpy_nc_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]=S[n,w,h,c]; dst_shape given, source shape = (dst.n,dst.w,dst.h,dst.c). Not on the
// BM1684X.
void tpu_sdma_cpy_cw_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);

// D[n,c,h,w]=C. Not on the BM1684X.
void tpu_sdma_set_C_system(system_addr_t dst_addr, scalar_t C, const dim4* shape,
                           const dim4* dst_stride, data_type_t dtype);

// O[n,c,h,w]=P[n,c,I[n?,c,h],w]; index U32 of shape (1|n,C,H,1); I>=param_h writes constant C. Not
// on the BM1684X.
void tpu_sdma_h_gather_S2S(system_addr_t output_addr, system_addr_t param_addr,
                           system_addr_t index_addr, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);

// O[n,c,I[c,h],w]=P[n,c,h,w], h<param_h; later h wins; shape is the output shape. Not on the
// BM1684X.
void tpu_sdma_h_scatter_S2S(system_addr_t output_addr, system_addr_t param_addr,
                            system_addr_t index_addr, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);

// Copy count elements linearly in system memory. Not on the BM1684X.
void tpu_sdma_system_cpy(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                         data_type_t dtype);

// Fill count elements with C. Not on the BM1684X.
void tpu_sdma_system_set(system_addr_t dst_addr, scalar_t C, unsigned int count, data_type_t dtype);

// D = S reversed along reverse_axis (0..3). Not on the BM1684X.
void tpu_sdma_reverse_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);

// Append to dst, in row-major order, the elements whose mask is non-zero; count via
// tpu_gdma_get_filter_num. Not on the BM1684X.
void tpu_sdma_mask_select_S2S(global_addr_t dst_addr, global_addr_t src_addr,
                              global_addr_t mask_addr, const dim4* shape, data_type_t data_dtype,
                              data_type_t mask_dtype);

// Append (base_idx + flat row-major index) as U32/INT32 for every non-zero element; count via
// tpu_gdma_get_filter_num. Not on the BM1684X.
void tpu_sdma_nonzero_S2S(global_addr_t dst_addr, global_addr_t src_addr, const dim4* shape,
                          data_type_t data_dtype, unsigned int base_idx);

// Element count produced by the last mask_select/nonzero (waits for completion). Not on the
// BM1684X.
unsigned int tpu_sdma_get_filter_num(void);

// ---------------------------------------------------------------------------------------------
// CDMA, chip to chip (later chips)

// CDMA (chip-to-chip) init/poll. Not on the BM1684X.
void tpu_cdma_initialize(void);
void tpu_cdma_poll(void);

// Chip-to-chip DMA. Not on the BM1684X.
void tpu_cdma_send(int dst_chipid, int src_chipid, system_addr_t src_addr, int src_n, int src_c,
                   int src_h, int src_w, int src_n_stride, int src_c_stride, int src_h_stride,
                   int opcode, data_type_t dtype);
void tpu_cdma_recv(int src_chipid, int dst_chipid, system_addr_t dst_addr, int dst_n, int dst_c,
                   int dst_h, int dst_w, int dst_n_stride, int dst_c_stride, int dst_h_stride,
                   system_addr_t input_addr, int opcode, data_type_t dtype);
void tpu_cdma_fake_all_reduce(int dst_chipid, system_addr_t src_addr, int dst_n, int dst_c,
                              int dst_h, int dst_w, int dst_n_stride, int dst_c_stride,
                              int dst_h_stride, int opcode, data_type_t dtype);
void tpu_cdma_fake_p2p(int dst_chipid, system_addr_t src_addr, int dst_n, int dst_c, int dst_h,
                       int dst_w, int dst_n_stride, int dst_c_stride, int dst_h_stride, int opcode,
                       data_type_t dtype);
void tpu_cdma_send_msg(int port, int msg_id, int wait_cnt);
void tpu_cdma_wait_msg(int port, int msg_id, int send_cnt);

// ---------------------------------------------------------------------------------------------
// More of the later headers

// Of chips with an SDMA engine with ports (SG2260E).
void tpu_vsdma_initialize(void);
void tpu_vsdma_port_initialize(int port);
void tpu_vsdma_poll(void);
void tpu_vsdma_port_poll(int port);
void tpu_vsdma_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                       int port_id);
void tpu_vsdma_cpy_nc_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                                const dim4* dst_shape, const dim4* dst_stride,
                                const dim4* src_stride, data_type_t dtype, int port_id);
void tpu_vsdma_cpy_cw_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                                const dim4* dst_shape, const dim4* dst_stride,
                                const dim4* src_stride, data_type_t dtype, int port_id);
void tpu_vsdma_set_C_system(system_addr_t dst_addr, scalar_t C, const dim4* shape,
                            const dim4* dst_stride, data_type_t dtype, int port_id);
void tpu_vsdma_h_gather_S2S(system_addr_t output_addr, system_addr_t param_addr,
                            system_addr_t index_addr, scalar_t C, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype, int port_id);
void tpu_vsdma_h_scatter_S2S(system_addr_t output_addr, system_addr_t param_addr,
                             system_addr_t index_addr, const dim4* shape, int param_h,
                             const dim4* output_stride, const dim4* param_stride,
                             const dim4* index_stride, data_type_t dtype, int port_id);
void tpu_vsdma_system_cpy(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                          data_type_t dtype, int port_id);
void tpu_vsdma_system_set(system_addr_t dst_addr, scalar_t C, unsigned int count, data_type_t dtype,
                          int port_id);
void tpu_vsdma_reverse_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                           data_type_t dtype, int port_id);
void tpu_vsdma_mask_select_S2S(global_addr_t dst_addr, global_addr_t src_addr,
                               global_addr_t mask_addr, const dim4* shape, data_type_t data_dtype,
                               data_type_t mask_dtype, int port_id);
void tpu_vsdma_nonzero_S2S(global_addr_t dst_addr, global_addr_t src_addr, const dim4* shape,
                           data_type_t data_dtype, unsigned int base_idx, int port_id);
unsigned int tpu_vsdma_get_filter_num(int port_id);
void tpu_vsdma_send_msg(int msg_id, int wait_cnt, int port_id);
void tpu_vsdma_wait_msg(int msg_id, int send_cnt, int port_id);

// Of chips with a link between chips (SG2260).
void tpu_cdma_port_initialize(int port);
void tpu_set_cdma_defered_barrier_msg_id(int msg_id);
bool tpu_is_cdma_busy(void);
void tpu_cdma_all_port_nop(void);
void tpu_cdma_port_poll(int port);
void tpu_cdma_perf_port_poll(int* chips, int* ports, int* actions, u64* info_addr);
void tpu_cdma_perf_poll(int* chips, int* ports, int* actions, u64* info_addr);
int tpu_cdma_get_port(int self, int peer, int direction);
int tpu_cdma_get_used_port_num(void);
int* tpu_cdma_get_used_ports(void);
void tpu_cdma_lossy_compress(int dst_chipid, int src_chipid, system_addr_t src_addr,
                             unsigned short src_n, unsigned short src_c, unsigned int src_h,
                             unsigned int src_w, unsigned int src_n_stride,
                             unsigned int src_c_stride, unsigned int src_h_stride, int opcode);
void tpu_cdma_lossy_decompress(int dst_chipid, int src_chipid, system_addr_t src_addr,
                               unsigned short src_n, unsigned short src_c, unsigned int src_h,
                               unsigned int src_w, unsigned int src_n_stride,
                               unsigned int src_c_stride, unsigned int src_h_stride, int opcode);
void tpu_cdma_write(int src_chipid, int dst_chipid, system_addr_t src_addr, system_addr_t dst_addr,
                    unsigned short src_n, unsigned short src_c, unsigned int src_h,
                    unsigned int src_w, unsigned int src_n_stride, unsigned int src_c_stride,
                    unsigned int src_h_stride, unsigned short dst_n, unsigned short dst_c,
                    unsigned int dst_h, unsigned int dst_w, unsigned int dst_n_stride,
                    unsigned int dst_c_stride, unsigned int dst_h_stride, int is_fill_const,
                    int const_val, data_type_t dtype, int stride_enable, int nchw_copy, u32 msg_en,
                    u32 msg_id, u32 wcnt);
int tpu_tpuv7_env(void);
void tpu_cdma_tx_send_msg(int port, int msg_id, int wait_cnt);
void tpu_cdma_nop(int port);
void tpu_cdma_tx_wait_msg(int port, int msg_id, int send_cnt);
void tpu_cdma_rx_send_msg(int port, int msg_id, int wait_cnt);
void tpu_cdma_rx_wait_msg(int port, int msg_id, int send_cnt);
void tpu_cdma_nop_sync(int port);
void tpu_cdma_tx_rx_debug(int port);
int tpu_rank(void);
int* tpu_chip_map(void);
int tpu_use_ring(void);
void tpu_sccl_init(int chip_num, int rank, int* chip_map, int use_ring);

// Of chips with gathers and scatters with a start position (SG2260).
void tpu_gdma_h_gather_S2S_ext(system_addr_t output_addr, system_addr_t param_addr,
                               addr_t index_addr, bool index_is_local, scalar_t C,
                               const dim4* shape, int param_h, u32 start_pos,
                               const dim4* output_stride, const dim4* param_stride,
                               const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_scatter_S2S_ext(system_addr_t output_addr, system_addr_t param_addr,
                                addr_t index_addr, bool index_is_local, const dim4* shape,
                                int param_h, u32 start_pos, int inplace_add,
                                const dim4* output_stride, const dim4* param_stride,
                                const dim4* index_stride, data_type_t dtype);

// Of chips with compression in the GDMA (BM1688).
dim4 tpu_gdma_compress_RACU_racu_stride(const dim4* shape, data_type_t dtype, bool zero_guard);
dim4 tpu_gdma_compress_RACU_meta_stride(const dim4* shape, data_type_t dtype);

// Of chips with lossy compression in the GDMA (SG2260).
void tpu_gdma_lossy_compress_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                 const dim4* dst_stride, const dim4* src_stride);
void tpu_gdma_lossy_compress_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                                 const dim4* dst_stride, const dim4* src_stride);
void tpu_gdma_lossy_decompress_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                                   const dim4* dst_stride, const dim4* src_stride);
void tpu_gdma_lossy_decompress_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                                   const dim4* shape, const dim4* dst_stride,
                                   const dim4* src_stride);
void tpu_gdma_lossy_compress_reduce_S2L2(system_addr_t dst_addr, system_addr_t src_addr,
                                         const dim4* shape, const dim4* dst_stride,
                                         const dim4* src_stride, int reduce_psum_op,
                                         int reduce_opcode);
void tpu_gdma_lossy_compress_reduce_L12L2(system_addr_t dst_addr, local_addr_t src_addr,
                                          const dim4* shape, const dim4* dst_stride,
                                          const dim4* src_stride, int reduce_psum_op,
                                          int reduce_opcode);
void tpu_gdma_lossy_compress_reduce_L22L2(system_addr_t dst_addr, system_addr_t src_addr,
                                          const dim4* shape, const dim4* dst_stride,
                                          const dim4* src_stride, int reduce_psum_op,
                                          int reduce_opcode);
void tpu_gdma_lossy_decompress_reduce_S2L2(system_addr_t dst_addr, system_addr_t src_addr,
                                           const dim4* shape, const dim4* dst_stride,
                                           const dim4* src_stride, int reduce_psum_op,
                                           int reduce_opcode);
void tpu_gdma_lossy_decompress_reduce_L22L2(system_addr_t dst_addr, system_addr_t src_addr,
                                            const dim4* shape, const dim4* dst_stride,
                                            const dim4* src_stride, int reduce_psum_op,
                                            int reduce_opcode);

// Of chips with reducing copies (SG2260).
void tpu_gdma_cpy_reduce_S2L2(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                              const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                              int reduce_psum_op, int reduce_opcode);
void tpu_gdma_cpy_reduce_L22L2(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                               int reduce_psum_op, int reduce_opcode);
void tpu_gdma_cpy_reduce_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                             const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                             int reduce_psum_op, int reduce_opcode);
void tpu_gdma_cpy_reduce_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                             const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                             int reduce_psum_op, int reduce_opcode);

// Of chips with random masks in the GDMA (SG2260).
void tpu_gdma_random_mask_init_seed_S2L(system_addr_t mask_addr, local_addr_t dst_addr,
                                        const dim4* shape, int size, const dim4* dst_stride,
                                        data_type_t dtype);
void tpu_gdma_random_mask_S2L(system_addr_t mask_addr, local_addr_t dst_addr, const dim4* shape,
                              int size, const dim4* dst_stride, int use_iter_state,
                              data_type_t dtype);
void tpu_gdma_random_mask_set_seed(int seed);

// Of chips with an SDMA engine (SG2260).
void tpu_sdma_cpy_reduce_S2L2(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                              const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                              int reduce_psum_op, int reduce_opcode);
void tpu_sdma_cpy_reduce_L22L2(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                               int reduce_psum_op, int reduce_opcode);
void tpu_sdma_lossy_compress(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                             const dim4* dst_stride, const dim4* src_stride);
void tpu_sdma_lossy_decompress(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride);
void tpu_sdma_lossy_compress_reduce_S2L2(system_addr_t dst_addr, system_addr_t src_addr,
                                         const dim4* shape, const dim4* dst_stride,
                                         const dim4* src_stride, int reduce_psum_op,
                                         int reduce_opcode);
void tpu_sdma_lossy_compress_reduce_L22L2(system_addr_t dst_addr, system_addr_t src_addr,
                                          const dim4* shape, const dim4* dst_stride,
                                          const dim4* src_stride, int reduce_psum_op,
                                          int reduce_opcode);
void tpu_sdma_lossy_decompress_reduce_S2L2(system_addr_t dst_addr, system_addr_t src_addr,
                                           const dim4* shape, const dim4* dst_stride,
                                           const dim4* src_stride, int reduce_psum_op,
                                           int reduce_opcode);
void tpu_sdma_lossy_decompress_reduce_L22L2(system_addr_t dst_addr, system_addr_t src_addr,
                                            const dim4* shape, const dim4* dst_stride,
                                            const dim4* src_stride, int reduce_psum_op,
                                            int reduce_opcode);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_LATER_DMA_H_
