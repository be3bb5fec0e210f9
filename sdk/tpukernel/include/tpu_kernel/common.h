// SPDX-License-Identifier: Apache-2.0
//
// Registration, log and assertions, the engines, the memories, and what a kernel computes about
// addresses, strides and types. Included by tpu_kernel.h, where the rules stand.

#ifndef TENSORLANE_TPU_KERNEL_COMMON_H_
#define TENSORLANE_TPU_KERNEL_COMMON_H_

#include <stdio.h>
#include <stdlib.h>

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// A kernel takes its arguments, or its arguments and their bytes.
typedef void (*tpu_kernel_func_1_t)(const void* args);
typedef void (*tpu_kernel_func_2_t)(void* args, int bytes);
typedef tpu_kernel_func_1_t tpu_kernel_func_t;
typedef enum { FUNC_TYPE_1, FUNC_TYPE_2 } func_type_t;

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
#define TPUKERNEL_FUNC_REGISTER(f)                                                 \
  static TENSORLANE_TPU_OWN_LINES void f##_wrapper(const void* args) {             \
    (void)f(args);                                                                 \
  }                                                                                \
  static __attribute__((constructor)) void tpu_kernel_register_##f(void) {         \
    tpu_register_kernel_func(#f, (__extension__(void*) f##_wrapper), FUNC_TYPE_1); \
  }
// The same for a function of (void* args, int bytes).
#define TPUKERNEL_FUNC2_REGISTER(f)                                                \
  static TENSORLANE_TPU_OWN_LINES void f##_wrapper(void* args, int bytes) {        \
    (void)f(args, bytes);                                                          \
  }                                                                                \
  static __attribute__((constructor)) void tpu_kernel_register_##f(void) {         \
    tpu_register_kernel_func(#f, (__extension__(void*) f##_wrapper), FUNC_TYPE_2); \
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
#ifndef STATIC_MEM_START_ADDR
#define STATIC_MEM_START_ADDR tpu_static_mem_get_start_addr()
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

// Enters `func`, a function of the given type, under `name`. Called by TPUKERNEL_FUNC_REGISTER.
void tpu_register_kernel_func(const char* name, void* func, func_type_t type);

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

// Nothing.
void tpu_nop(void);

// As tpu_poll: waits until the engines have nothing left to do.
void tpu_poll_empty(void);

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

// Whether commands go into descriptors: never here.
bool tpu_is_descriptor_mode(void);

// Number of NPUs: 64.
int tpu_npu_num(void);

// Banks of local memory in one NPU: 16.
int tpu_bank_num(void);

// Elements an NPU handles per step: 64 of 8, 32 of 16, 16 of 32 bits.
int tpu_eu_num(data_type_t dtype);

// Input channels of a convolution that one step takes: 64 of 8, 32 of 16 bits, 1 of fp32. Weights
// keep as many side by side.
int tpu_get_ic_parallel(data_type_t dtype);

// Bytes of local memory of one NPU: 262144.
int tpu_local_mem_size_per_npu(void);

// Bytes of L2 SRAM that programs may use: 2076672.
int tpu_l2_sram_size(void);

// Device address of the start of the region; global start 0x100000000 for this chip family.
unsigned long long tpu_l2_sram_get_start_addr(void);
unsigned long long tpu_global_mem_get_start_addr(void);
unsigned long long tpu_local_mem_get_start_addr(void);
unsigned long long tpu_static_mem_get_start_addr(void);

// The address itself: there are no base registers, and setting them changes nothing.
system_addr_t tpu_global_mem_real_addr(system_addr_t addr);
void tpu_reset_base_addr(void);
void tpu_set_base_addr(const int* base_idx, const u64* base_addr, int num);

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

// The same of a tensor in global memory.
void tpu_print_global_mem_data(global_addr_t addr, const dim4* shape, const dim4* stride,
                               data_type_t dtype);

// Appends a dense tensor of global memory to a file: {"shape":[2,3,],"is_fp":1,"data":[...,]}.
void tpu_dump_global_layer_data(const char* filename, global_addr_t addr, const int* shape,
                                int dims, data_type_t dtype);

// Ranges of global memory that accesses are allowed in, and checks against them. As soon as a range
// is recorded, a check of bytes outside all of them ends the launch.
void tpu_mem_record_add(system_addr_t addr, u64 size, u64 info);
void tpu_mem_record_del(system_addr_t addr, u64 size);
void tpu_mem_check_tensor(system_addr_t addr, const dim4* shape, const dim4* stride,
                          data_type_t dtype, int is_read);
void tpu_mem_check_matrix(system_addr_t addr, u32 rows, u32 cols, u32 row_stride, data_type_t dtype,
                          int is_read);
void tpu_mem_check_range(system_addr_t addr, u64 size, int is_read);

// ---------------------------------------------------------------------------------------------
// Addresses, strides, data types, scalar conversion

// NPU of a local address.
int tpu_npu_index(local_addr_t addr);

// Bank of a local address.
int tpu_bank_index(local_addr_t addr);

// Channel rows every NPU reserves: ceil((start_idx + num_channels) / 64).
int tpu_channle_num_per_npu(int start_idx, int num_channels);

// Bytes of one channel of h * w elements in the aligned layout: a multiple of 64.
u64 tpu_aligned_feature_size(int h, int w, data_type_t dtype);

// Bytes of the convolution weights of one output channel, and of those that one NPU keeps of `oc`
// output channels: input channels rounded up to tpu_get_ic_parallel(dtype).
int tpu_conv_kernel_size_per_oc(int ic, const dim2* ker, data_type_t dtype);
int tpu_conv_kernel_size(int oc, int ic, const dim2* ker, data_type_t dtype);

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
bool tpu_is_data_type_fp8(data_type_t dtype);

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

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_COMMON_H_
