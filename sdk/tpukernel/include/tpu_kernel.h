// SPDX-License-Identifier: Apache-2.0
//
// tpu_kernel.h - TPUKernel, the device programming interface of the BM1684X.
//
// A kernel is a C function that takes `const void* args`, registered with
// TPUKERNEL_FUNC_REGISTER(f). It moves data with the GDMA functions, computes with the BDC
// functions and sorts with the HAU functions:
//
//   host memory <-bmlib-> global memory (DDR) <-GDMA-> local memory of 64 NPUs <-> BDC
//                                             <-HAU->
//
// The rules every function below shares:
//
//  * Shapes are {n, c, h, w} in elements. Strides are {n, c, h, w} in elements of the operand's own
//    type; stride 0 reads a source again along that dimension.
//  * A local address A lies in NPU A / 262144, the "start NPU" Q of a tensor. Channel c lives in
//  NPU
//    (Q + c) % 64, in channel row (Q + c) / 64; rows = ceil((Q + C) / 64) are reserved per batch.
//    So the C stride of a local tensor is the distance from channel c to channel c + 64.
//  * Default layouts, used where a stride is NULL or cannot be given:
//      aligned       (local)   w 1, h W, c H*W rounded up to 64 bytes, n c * rows
//      compact       (local)   w 1, h W, c H*W,                        n c * rows
//      line-aligned  (local)   w 1, h W rounded up to 64 bytes, c H*h, n c * rows
//      continuous    (system)  w 1, h W, c H*W,                        n C*H*W
//      matrix        (local)   rows x cols as the aligned tensor {rows, ceil(cols / K), 1, K} with
//      K
//                              columns per channel; the last channel may be short. A vector is a
//                              matrix of one row.
//  * Convolution weights of 16 bits keep 32 input channels of one kernel position side by side
//    (32IC), those of 8 bits 64 (64IC); output channels spread over the NPUs.
//  * "System" addresses are absolute and name global memory or L2 SRAM.
//  * Alignment: operands in the aligned layout start at multiples of 64 bytes, those with a stride
//    of their own at multiples of the element size.
//  * BDC and GDMA extents are in [1, 65535].
//  * Every call only issues a command. Commands take effect in issue order, except between
//    tpu_parallel_start and tpu_parallel_end, where GDMA and BDC run side by side.
//
// A call that breaks a rule ends the launch with a message that names the function, the parameter
// and the rule; so does a function that the BM1684X does not have. The host gets an error status
// and the device stays usable.
//
// C99, C11 and C++11 to C++20. bmlib_runtime.h may be included as well, in either order.

#ifndef TENSORLANE_TPU_KERNEL_H_
#define TENSORLANE_TPU_KERNEL_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef void (*tpu_kernel_func_t)(const void* args);

// ---------------------------------------------------------------------------------------------
// TensorLane: what the emulator adds. Not part of the vendor's interface.

#if defined(__GNUC__)
#define TENSORLANE_TPU_NORETURN __attribute__((noreturn))
#else
#define TENSORLANE_TPU_NORETURN
#endif
#if defined(__has_attribute)
#if __has_attribute(no_icf)
#define TENSORLANE_TPU_OWN_LINES __attribute__((no_icf))
#endif
#endif
#ifndef TENSORLANE_TPU_OWN_LINES
#define TENSORLANE_TPU_OWN_LINES
#endif

// Where a failed TPUKERNEL_ASSERT goes: reports the condition and ends the running launch with an
// error status for the host. Does not return to the kernel.
void tpu_assert_failed(const char* condition, const char* file, int line,
                       const char* function) TENSORLANE_TPU_NORETURN;

// What kernels compiled against another edition of this header with USING_CMODEL ask the model for:
// whether their assertions are armed (always), and, once one has failed and said so, a trace. The
// trace ends the running launch as a failed TPUKERNEL_ASSERT does; outside a launch it does
// nothing.
int get_atomic_cmodel_assert_enable(void);
void print_trace(void);
void __print_trace(void);

// ---------------------------------------------------------------------------------------------
// Registration, log, assertion

// Makes function `f` launchable under the name "f". At file scope, once per kernel, in C or C++.
// `f` may return anything; nobody looks at it.
#define TPUKERNEL_FUNC_REGISTER(f)                                         \
  static TENSORLANE_TPU_OWN_LINES void f##_wrapper(const void* args) {     \
    (void)f(args);                                                         \
  }                                                                        \
  static __attribute__((constructor)) void tpu_kernel_register_##f(void) { \
    tpu_register_kernel_func(#f, f##_wrapper);                             \
  }

// printf for kernels. To print device memory, tpu_poll() first.
#define TPUKERNEL_LOG(...) printf(__VA_ARGS__)
#define TPUKERNEL_DBG(...) (printf("[DBG] "), printf(__VA_ARGS__))

// Ends the launch when `cond` is false. Active in every build.
#define TPUKERNEL_ASSERT(cond) \
  ((cond) ? (void)0 : tpu_assert_failed(#cond, __FILE__, __LINE__, __func__))
// The same, with a message: TPUKERNEL_ASSERT_INFO(n < 8, "n is %d\n", n).
#define TPUKERNEL_ASSERT_INFO(cond, ...)                      \
  do {                                                        \
    if (!(cond)) {                                            \
      printf("[ERR] " __VA_ARGS__);                           \
      tpu_assert_failed(#cond, __FILE__, __LINE__, __func__); \
    }                                                         \
  } while (0)
#define TPUKERNEL_ERR(...) TPUKERNEL_ASSERT_INFO(0, __VA_ARGS__)

// ---------------------------------------------------------------------------------------------
// Small helpers; each may be defined by the user beforehand

// POSIX has it in math.h, strict C11 has not.
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef UNUSED
#define UNUSED(x) (void)(x)
#endif
#ifndef MIN
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#endif
#ifndef MAX
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#endif
// `a` is a power of two.
#ifndef ALIGN_MASK
#define ALIGN_MASK(x, mask) (((x) + (mask)) & ~(mask))
#endif
#ifndef ALIGN
#define ALIGN(x, a) ALIGN_MASK(x, (__typeof__(x))(a)-1)
#endif
#ifndef ALIGN_MASK_DOWN
#define ALIGN_MASK_DOWN(x, mask) ((x) & ~(mask))
#endif
#ifndef ALIGN_DOWN
#define ALIGN_DOWN(x, a) ALIGN_MASK_DOWN(x, (__typeof__(x))(a)-1)
#endif
#ifndef DIV_UP
#define DIV_UP(a, b) ((a) == 0 ? 0 : ((a)-1) / (b) + 1)
#endif

// Constants of the chip, asked for when the kernel runs.
#ifndef NPU_NUM
#define NPU_NUM tpu_npu_num()
#endif
#ifndef LOCAL_MEM_SIZE
#define LOCAL_MEM_SIZE tpu_local_mem_size_per_npu()
#endif
#ifndef LOCAL_MEM_BANKS
#define LOCAL_MEM_BANKS tpu_bank_num()
#endif
#ifndef LOCAL_MEM_START_ADDR
#define LOCAL_MEM_START_ADDR tpu_local_mem_get_start_addr()
#endif
#ifndef BANK_SIZE
#define BANK_SIZE (LOCAL_MEM_SIZE / LOCAL_MEM_BANKS)
#endif
#ifndef LOCAL_BANK_SIZE
#define LOCAL_BANK_SIZE (LOCAL_MEM_SIZE / LOCAL_MEM_BANKS)
#endif
#ifndef L2_SRAM_SIZE
#define L2_SRAM_SIZE tpu_l2_sram_size()
#endif
#ifndef L2_SRAM_START_ADDR
#define L2_SRAM_START_ADDR tpu_l2_sram_get_start_addr()
#endif
#ifndef EU_NUM
#define EU_NUM tpu_eu_num(DT_FP32)
#endif
#ifndef EU_NUM_32BIT
#define EU_NUM_32BIT tpu_eu_num(DT_FP32)
#endif
#ifndef EU_NUM_16BIT
#define EU_NUM_16BIT tpu_eu_num(DT_FP16)
#endif
#ifndef EU_NUM_8BIT
#define EU_NUM_8BIT tpu_eu_num(DT_INT8)
#endif
#ifndef ALIGN_BYTES
#define ALIGN_BYTES (EU_NUM * 4)
#endif

// ---------------------------------------------------------------------------------------------
// Registration, engines, memories, the processor

// Enters `func` under `name`. Called by TPUKERNEL_FUNC_REGISTER.
void tpu_register_kernel_func(const char* name, tpu_kernel_func_t func);

// Print the registry.
void tpu_dump_registered_kernel_funcs(void);

// Internal bookkeeping of command numbers; no effect here.
void tpu_set_id_node(void* node);
void tpu_get_id_node(void* node);
void tpu_set_parallel_id_node(void* bd_node, void* gdma_node);
void tpu_get_parallel_id_node(void* bd_node, void* gdma_node);

// Internal check of command numbers; no effect here.
void tpu_enable_check_id_node(void);
void tpu_disable_check_id_node(void);

// Resets the engines' command state and leaves parallel mode; first call of a kernel.
void tpu_initialize(void);

// Block until all issued commands of all engines are complete; called before kernel returns and
// before the scalar core reads device-produced data.
void tpu_poll(void);

// Variant of tpu_poll for descriptor mode (later chips). Not on the BM1684X.
void tpu_poll_descriptor(void);

// Block until HAU commands are complete.
void tpu_hau_poll(void);

// Enter parallel state: following GDMA and BDC commands run on independent queues with no mutual
// dependency.
void tpu_parallel_start(void);

// Leave parallel state: later commands depend on everything issued inside the window.
void tpu_parallel_end(void);

// Whether a parallel window is open.
bool tpu_is_parallel_state(void);

// Number of NPUs: 64.
int tpu_npu_num(void);

// Banks of local memory in one NPU: 16.
int tpu_bank_num(void);

// Elements an NPU handles per step: 64 of 8, 32 of 16, 16 of 32 bits.
int tpu_eu_num(data_type_t dtype);

// Bytes of local memory of one NPU: 262144.
int tpu_local_mem_size_per_npu(void);

// Bytes of L2 SRAM that programs may use: 2076672.
int tpu_l2_sram_size(void);

// Device address of the start of the region; global start 0x100000000 for this chip family.
unsigned long long tpu_l2_sram_get_start_addr(void);
unsigned long long tpu_global_mem_get_start_addr(void);
unsigned long long tpu_local_mem_get_start_addr(void);

// Host/scalar-core pointer aliasing a global address.
void* tpu_global_mem_addr(global_addr_t addr);

// Pointer to NPU start_idx local memory + addr (addr < 256 KiB).
void* tpu_local_mem_addr(int start_idx, local_addr_t addr);

// Pointer for a unified local address: npu=addr/262144, off=addr%262144.
void* tpu_local_mem_addr_unified(local_addr_t addr);

// Pointer aliasing an L2 SRAM address.
void* tpu_l2_sram_addr(l2_sram_addr_t addr);

// Number of Taylor terms the exp coefficient loader provides for dtype.
int sfu_taylor_exp_len(data_type_t dtype);

// Largest extent of dimension `dim` of a GDMA shape: 65535.
int tpu_gdma_shape_limit(int dim);

// Largest W stride of a GDMA operand in bytes: 128.
int tpu_gdma_move_max_wstride_byte_len(void);

// Number of Taylor terms of the log coefficients for dtype.
int sfu_taylor_log_len(data_type_t dtype);

// Cache of the processor over [address, address + size); multiples of 64. Nothing to do here.
void tpu_invalidate_cache(system_addr_t address, unsigned long long size);
void tpu_flush_cache(system_addr_t address, unsigned long long size);

// Bytes of a cache line of the processor: 64.
int tpu_cache_line_size(void);

// memcpy and memset of the processor.
void* tpu_kernel_memcpy(void* dst, const void* src, size_t n);
void* tpu_kernel_memset(void* dst, int c, size_t n);

// Debug dump of a local tensor.
void tpu_print_local_mem_data(local_addr_t local_offset, int start_idx, const dim4* shape,
                              const dim4* stride, data_type_t dtype);

// ---------------------------------------------------------------------------------------------
// Addresses, strides, data types, scalar conversion

// NPU of a local address.
int tpu_npu_index(local_addr_t addr);

// Bank of a local address.
int tpu_bank_index(local_addr_t addr);

// Channel rows every NPU reserves: ceil((start_idx + num_channels) / 64).
int tpu_channle_num_per_npu(int start_idx, int num_channels);

// Bytes of one channel of h * w elements in the aligned layout: a multiple of 64.
int tpu_aligned_feature_size(int h, int w, data_type_t dtype);

// *stride = {rows * c, H*W up to 64 bytes, W, 1}.
void tpu_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype);

// *stride = {rows * c, H*W, W, 1}.
void tpu_compact_stride(dim4* stride, int start_idx, const dim4* shape);

// *stride = {rows * c, H*h, W up to 64 bytes, 1}.
void tpu_line_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype);

// *stride = {C*H*W, H*W, W, 1}.
void tpu_continuous_stride(dim4* stride, const dim4* shape);

// C stride of the aligned (align) or compact layout.
int tpu_get_local_cstride(int h, int w, bool align, data_type_t dtype);

// N stride of the aligned or compact layout.
int tpu_get_local_nstride(int c_stride, int c, int start_idx);

// Bytes a tensor takes in every NPU.
int tpu_get_local_size(const dim4* shape, data_type_t dtype, int start_idx, bool align);

// Floating point types count as signed.
bool tpu_is_data_type_signed(data_type_t dtype);

// Whether the type is an integer type.
bool tpu_is_data_type_int(data_type_t dtype);

// True for both signednesses of that width.
bool tpu_is_data_type_int4(data_type_t dtype);
bool tpu_is_data_type_int8(data_type_t dtype);
bool tpu_is_data_type_int16(data_type_t dtype);
bool tpu_is_data_type_int32(data_type_t dtype);

// Integer type test with signedness.
bool tpu_is_data_type_signed_int(data_type_t dtype);
bool tpu_is_data_type_unsigned_int(data_type_t dtype);

// Dtype in {FP32,FP16,BFP16} (plus FP8/FP20 on later chips).
bool tpu_is_data_type_fp(data_type_t dtype);

// Bytes per element: 1/2/4.
int tpu_data_type_size(data_type_t dtype);

// Bits per element (4/8/16/32).
int tpu_data_type_bits(data_type_t dtype);

// {n,c,d,h,w} -> local 4D shape; d folded into n (n*d) is the expected mapping, unverified.
void tpu_local_shape_5d_to_4d(const dim5* shape_5d, dim4* shape_4d);

// Integer to integer, saturating to dst range (expected same as tpu_bdc_cast).
scalar_t tpu_int_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype);

// Scalar version of tpu_bdc_cast on scalar_t: float->int rounds with mode then saturates;
// NaN->min(signed)/0(unsigned); 2.5f->s8 RNE 2, HALF_AWAY 3; 300->127.
scalar_t tpu_fp_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                     rounding_mode_t mode);
scalar_t tpu_fp_to_int_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t mode);
scalar_t tpu_int_to_fp_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t mode);
scalar_t tpu_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype, rounding_mode_t mode);

// {start=bank(addr), end=bank(addr+size-1)}.
range_t tpu_bank_range(local_addr_t addr, int size);

// Inclusive interval intersection test (any pair for the array version).
bool tpu_range_overlapped(const range_t* r0, const range_t* r1);
bool tpu_any_range_overlapped(const range_t* ranges, int num);

// Local address offset of channel c: npu part (c%64) and slot part (c/64)*c_stride*sizeof; unified
// version adds npu*262144.
int tpu_npu_c_offset(int c, int c_stride, data_type_t dtype);
int tpu_unified_c_offset(int c, int c_stride, data_type_t dtype);

// ---------------------------------------------------------------------------------------------
// GDMA: copies between memories

// Row-major flattening of S(src_shape) written to row-major flattening of D(dst_shape); element
// counts equal.
void tpu_gdma_general_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* dst_shape,
                              const dim4* src_shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype);
void tpu_gdma_general_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
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
int tpu_gdma_compress_normal_max_bytes(const dim4* shape, data_type_t dtype);

// Lossless (de)compression of integer/half tensors. Not on the BM1684X.
void tpu_gdma_decompress_normal_S2L(local_addr_t dst_addr, global_addr_t src_addr,
                                    const dim4* shape, const dim4* dst_stride, data_type_t dtype,
                                    unsigned char bias0, unsigned char bias1, bool zero_guard);
void tpu_gdma_compress_RACU_L2S(global_addr_t dst_racu_addr, global_addr_t dst_meta_addr,
                                local_addr_t src_addr, const dim4* shape, dim4* dst_racu_stride,
                                dim4* dst_meta_stride, const dim4* src_stride, data_type_t dtype,
                                unsigned char bias0, unsigned char bias1, bool zero_guard);
void tpu_gdma_decompress_RACU_S2L(local_addr_t dst_addr, global_addr_t src_racu_addr,
                                  global_addr_t src_meta_addr, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src_racu_stride,
                                  const dim4* src_meta_stride, data_type_t dtype,
                                  unsigned char bias0, unsigned char bias1, bool zero_guard);

// Tensor (de)compression. Not on the BM1684X.
int tpu_gdma_compress_RACU_max_meta_bytes(const dim4* shape, data_type_t dtype);
int tpu_gdma_compress_RACU_max_racu_bytes(const dim4* shape, data_type_t dtype);
void tpu_gdma_lossy_compress(global_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                             const dim4* dst_stride, const dim4* src_stride);
void tpu_gdma_lossy_decompress(local_addr_t dst_addr, global_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride);

// Copy L1->L2 with in-place reduction (NOP/MUL/MAX/MIN/ADD codes 0..4). Not on the BM1684X.
void tpu_gdma_cpy_reduce_L12L2(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                               int reduce_psum_op, int reduce_opcode);

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

// ---------------------------------------------------------------------------------------------
// BDC: matrix products

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

// ---------------------------------------------------------------------------------------------
// BDC: convolution, pooling, scale and bias

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

// ---------------------------------------------------------------------------------------------
// BDC: special functions, tables and sequences

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
void tpu_bdc_random_gen_init(uint64_t seed);
void tpu_bdc_random_gen(local_addr_t addr, const dim4* shape, const dim4* stride,
                        data_type_t dtype);
void tpu_bdc_random_gen_load_state(local_addr_t state_addr);
void tpu_bdc_random_gen_store_state(local_addr_t state_addr);

// ---------------------------------------------------------------------------------------------
// HAU: sorting, non-maximum suppression, line gather

// First K of the ascending/descending sort of len values are written; positions >=K of output are
// left untouched (the doc text says output length is len).
void tpu_hau_sort(system_addr_t output_addr, system_addr_t input_addr, int len, int K,
                  bool descended, data_type_t dtype);

// Stable sort, index = original position (INT32), ascending and descending both keep lower index
// first on ties; NaN input gives an inconsistent order.
void tpu_hau_sort_natural_index(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                system_addr_t input_addr, int len, int K, bool descended,
                                data_type_t dtype);

// Stable sort carrying user supplied INT32 indices.
void tpu_hau_sort_specific_index(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                 system_addr_t input_data_addr, system_addr_t input_idx_addr,
                                 int len, int K, bool descended, data_type_t dtype);

// General form; dtype_flags 0 fp32,1 int32,2 uint32; idx_auto=1 natural index.
void tpu_hau_sort_general(system_addr_t src_data_addr, system_addr_t src_idx_addr,
                          system_addr_t dst_data_addr, system_addr_t dst_idx_addr, int dtype_flags,
                          int len, int is_descend, int idx_enable, int idx_auto, int topk);

// Hard NMS over box_num precomputed overlaps, keep_num kept.
void tpu_hau_hard_nms(system_addr_t output_addr, system_addr_t input_addr, int box_num,
                      int keep_num);

// Soft NMS with threshold.
void tpu_hau_soft_nms(system_addr_t output_addr, system_addr_t iou_addr, system_addr_t score_addr,
                      float threshold, int box_num, int keep_num);

// O[i,:]=P[I[i]-start?,:] for start<=I[i]<=end else C if fill_const.
void tpu_hau_line_gather(system_addr_t output_addr, system_addr_t param_addr,
                         system_addr_t index_addr, scalar_t C, int line_num, int line_len,
                         int index_len, int start, int end, data_type_t dtype, bool fill_const);

// ---------------------------------------------------------------------------------------------
// Several cores (the BM1684X has one)

// Number of cores/work items/groups/chips; on BM1684X behave as 1.
int tpu_core_num(void);

// Own index; 0 on BM1684X.
int tpu_core_index(void);

// Number of cores/work items/groups/chips; on BM1684X behave as 1. Not on the BM1684X.
int tpu_workitem_num(void);

// Own index; 0 on BM1684X. Not on the BM1684X.
int tpu_workitem_index(void);

// Number of cores/work items/groups/chips; on BM1684X behave as 1. Not on the BM1684X.
int tpu_group_num(void);

// Own index; 0 on BM1684X. Not on the BM1684X.
int tpu_group_index(void);

// Barrier over cores; no-op with one core. Not on the BM1684X.
void tpu_sync_core(void);

// Barrier over cores; no-op with one core.
void tpu_sync_all(void);

// Barrier over cores; no-op with one core. Not on the BM1684X.
void tpu_sync_finish(void);

// Message-id based synchronisation between engines/cores. Not on the BM1684X.
int tpu_next_msg_id(void);
void tpu_set_base_msg_id(int base_msg_id);
void tpu_core_context_setup(int core_idx, int core_num, int core_msg_id);
void tpu_bdc_send_msg(int msg_id, int wait_cnt);
void tpu_bdc_wait_msg(int msg_id, int send_cnt);
void tpu_gdma_send_msg(int msg_id, int wait_cnt);
void tpu_gdma_wait_msg(int msg_id, int send_cnt);
void tpu_hau_send_msg(int msg_id, int wait_cnt);
void tpu_hau_wait_msg(int msg_id, int send_cnt);
void tpu_sdma_send_msg(int msg_id, int wait_cnt);
void tpu_sdma_wait_msg(int msg_id, int send_cnt);

// Own index; 0 on BM1684X. Not on the BM1684X.
int tpu_chip_id(void);

// Number of cores/work items/groups/chips; on BM1684X behave as 1. Not on the BM1684X.
int tpu_chip_num(void);

// ---------------------------------------------------------------------------------------------
// SDMA (later chips)

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

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_H_
