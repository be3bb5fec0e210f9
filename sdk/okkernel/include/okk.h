// SPDX-License-Identifier: Apache-2.0
//
// okk.h - OKKernel, the device programming interface of the BM1684.
//
// A kernel is a C function `void k(const void* args)` registered with OKKERNEL_FUNC_REGISTER(k).
// It moves data with the GDMA functions and computes with the BDC functions:
//
//   host memory <-bmlib-> global memory (DDR) <-GDMA-> local memory of 64 NPUs <-> BDC
//
// The rules every function below shares:
//
//  * Shapes are {n, c, h, w} in elements. Strides are {n, c, h, w} in elements too.
//  * A local address A lies in NPU A / okk_local_mem_size_per_npu(), the "start NPU" Q of a tensor.
//    Channel c lives in NPU (Q + c) % 64, in channel row (Q + c) / 64; batches of one channel share
//    its NPU. So the C stride of a local tensor is the distance from channel c to channel c + 64.
//  * Default layouts, used where a stride is NULL or cannot be given:
//      aligned128  (local)   w 1, h W, c H*W rounded up to 128 bytes, n c * channel rows
//      compact     (local)   w 1, h W, c H*W,                         n c * channel rows
//      continuous  (system)  w 1, h W, c H*W,                         n C*H*W
//      matrix      (local)   rows x cols as the aligned128 tensor {rows, ceil(cols / K), 1, K} with
//                            K columns per channel; the last channel may be short
//  * "System" addresses are absolute and name global memory, L2 or DTCM.
//  * Packed storage: 4N keeps four batches of 8-bit elements in one 32-bit word, 2N two batches of
//    16-bit elements; their strides count 32-bit words of the packed shape. 2IC keeps two input
//    channels of a convolution weight side by side; its strides count pairs.
//  * Alignment: BDC functions with stride parameters take addresses that are multiples of 4 bytes,
//    those without of 128 bytes. Multiples of 4 are enough for per-channel vectors, convolution
//    weights and the int8 conversions. GDMA takes multiples of the element size. Every local
//    operand of a BDC function must start at the same NPU, except the input of conv2d and the left
//    matrix of matmul.
//  * BDC shapes: n, h, w in [1, 65535], c in [1, 4095]; convolution and pooling h, w in [1, 2047].
//    GDMA shapes: c, h, w in [1, 65535].
//  * Every call only issues a command. Commands take effect in issue order, except between
//    okk_parallel_start and okk_parallel_end, where the two engines run side by side.
//
// A call that breaks a rule ends the launch with a message that names the function, the parameter
// and the rule; the host gets an error status and the device stays usable.
//
// C99, C11 and C++11 to C++20. bmlib_runtime.h may be included as well, in either order.

#ifndef TENSORLANE_OKK_H_
#define TENSORLANE_OKK_H_

#include <stdbool.h>
#ifdef USING_CMODEL
#include <assert.h>
#include <stdio.h>
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Types

typedef unsigned int local_addr_t;         // byte address in local memory, 0-based
typedef unsigned long long system_addr_t;  // absolute byte address: global memory, L2 or DTCM
typedef unsigned long long global_addr_t;  // absolute byte address in global memory

typedef struct dim4 {
  int n, c, h, w;
} dim4;

typedef struct dim2 {
  int h, w;
} dim2;

typedef struct Padding {
  int top, bottom, left, right;
} Padding;

typedef char s8x4[4];  // a 32-bit word of 4N storage, batch 4m first
typedef unsigned char u8x4[4];
typedef short s16x2[2];  // a 32-bit word of 2N storage, batch 2m first
typedef unsigned short u16x2[2];

typedef union x32 {
  float fp32;
  int s32;
  unsigned int u32;
  s8x4 _4N_s8;
  u8x4 _4N_u8;
  s16x2 _2N_s16;
  u16x2 _2N_u16;
} x32;

typedef union x16 {
  short s16;
  unsigned short u16;
} x16;

typedef union x8 {
  char s8;
  unsigned char u8;
} x8;

// A scalar (is_addr false: context.val) or a local tensor (is_addr true: context.addr).
typedef struct fp32_or_addr_t {
  bool is_addr;
  union {
    float val;
    local_addr_t addr;
  } context;
} fp32_or_addr_t;

typedef struct x32_or_addr_t {
  bool is_addr;
  union {
    x32 val;
    local_addr_t addr;
  } context;
} x32_or_addr_t;

// Element types of a fixed-point function: <source 0>_OP_<source 1>_TO_<destination>. Both sources
// have the same width. With a constant operand the constant takes the place it has in the formula.
#define OP_TYPE(src_is_8bit, src0_signed, src1_signed, dst_is_8bit, dst_signed)                \
  (((src_is_8bit) << 0) | ((src0_signed) << 1) | ((src1_signed) << 2) | ((dst_is_8bit) << 3) | \
   ((dst_signed) << 4))

typedef enum op_type_t {
  S8_OP_S8_TO_S8 = OP_TYPE(1, 1, 1, 1, 1),
  S8_OP_S8_TO_S16 = OP_TYPE(1, 1, 1, 0, 1),
  S8_OP_U8_TO_S8 = OP_TYPE(1, 1, 0, 1, 1),
  S8_OP_U8_TO_S16 = OP_TYPE(1, 1, 0, 0, 1),
  U8_OP_S8_TO_S8 = OP_TYPE(1, 0, 1, 1, 1),
  U8_OP_S8_TO_S16 = OP_TYPE(1, 0, 1, 0, 1),
  U8_OP_U8_TO_S8 = OP_TYPE(1, 0, 0, 1, 1),
  U8_OP_U8_TO_S16 = OP_TYPE(1, 0, 0, 0, 1),
  U8_OP_U8_TO_U8 = OP_TYPE(1, 0, 0, 1, 0),
  U8_OP_U8_TO_U16 = OP_TYPE(1, 0, 0, 0, 0),
  S16_OP_S16_TO_S8 = OP_TYPE(0, 1, 1, 1, 1),
  S16_OP_S16_TO_S16 = OP_TYPE(0, 1, 1, 0, 1),
  S16_OP_U16_TO_S8 = OP_TYPE(0, 1, 0, 1, 1),
  S16_OP_U16_TO_S16 = OP_TYPE(0, 1, 0, 0, 1),
  U16_OP_S16_TO_S8 = OP_TYPE(0, 0, 1, 1, 1),
  U16_OP_S16_TO_S16 = OP_TYPE(0, 0, 1, 0, 1),
  U16_OP_U16_TO_S8 = OP_TYPE(0, 0, 0, 1, 1),
  U16_OP_U16_TO_S16 = OP_TYPE(0, 0, 0, 0, 1),
  U16_OP_U16_TO_U8 = OP_TYPE(0, 0, 0, 1, 0),
  U16_OP_U16_TO_U16 = OP_TYPE(0, 0, 0, 0, 0)
} op_type_t;

// Element types of okk_bdc_fixed_point_packed_16bit_mul_8bit: 16-bit source 0, 8-bit source 1.
#define MUL_TYPE(src0_signed, src1_signed, dst_signed) \
  (((src0_signed) << 0) | ((src1_signed) << 1) | ((dst_signed) << 2))

typedef enum mul_type_t {
  S16_MUL_S8_TO_S16 = MUL_TYPE(1, 1, 1),
  U16_MUL_S8_TO_S16 = MUL_TYPE(0, 1, 1),
  U16_MUL_U8_TO_U16 = MUL_TYPE(0, 0, 0),
  S16_MUL_U8_TO_S16 = MUL_TYPE(1, 0, 1)  // the chip cannot: use ..._packed_s16_mul_u8_to_s16
} mul_type_t;

typedef void (*okk_kernel_func_t)(const void* args);

// ---------------------------------------------------------------------------------------------
// TensorLane: what the emulator adds. Not part of the vendor's interface.

#if defined(__GNUC__)
#define TENSORLANE_OKK_NORETURN __attribute__((noreturn))
#else
#define TENSORLANE_OKK_NORETURN
#endif

// Where a failed OKKERNEL_ASSERT goes: reports the condition and ends the running launch with an
// error status for the host. Does not return to the kernel.
void okk_assert_failed(const char* condition, const char* file, int line,
                       const char* function) TENSORLANE_OKK_NORETURN;

// ---------------------------------------------------------------------------------------------
// Registration, log, assertion

// Makes function `f` launchable under the name "f". At file scope, once per kernel, in C or C++; a
// semicolon may follow.
#define OKKERNEL_FUNC_REGISTER(f)                                          \
  static __attribute__((constructor)) void okk_kernel_register_##f(void) { \
    okk_register_kernel_func(#f, f);                                       \
  }

// OKKERNEL_LOG(format, ...): printf for kernels. To print device memory, okk_poll() first.
#ifdef USING_CMODEL
#define OKKERNEL_LOG(...) printf(__VA_ARGS__)
#else
#define OKKERNEL_LOG(...) __builtin_printf(__VA_ARGS__)
#endif

// An expression; ends the launch when `cond` is false. Active in every build.
#define OKKERNEL_ASSERT(cond) \
  ((cond) ? (void)0 : okk_assert_failed(#cond, __FILE__, __LINE__, __func__))

// Enters `func` under the unique name `name`. Called by OKKERNEL_FUNC_REGISTER.
void okk_register_kernel_func(const char* name, okk_kernel_func_t func);

// Prints one line per registered kernel: its index and its name.
void okk_dump_registered_kernel_funcs(void);

// Replaces the command-id state of the engines by *node. Internal; programs need not call it.
void okk_set_id_node(void* node);

// Stores the command-id state of the engines to *node. Internal; programs need not call it.
void okk_get_id_node(void* node);

// Turns the consistency checks of command ids on. Internal.
void okk_enable_check_id_node(void);

// Turns the consistency checks of command ids off. Internal.
void okk_disable_check_id_node(void);

// ---------------------------------------------------------------------------------------------
// Chip constants and device memory seen from the processor

// First address of global memory (DDR).
unsigned long long okk_global_mem_start_addr(void);

// Absolute address of local memory. local_addr_t is relative to it.
unsigned int okk_local_mem_start_addr(void);

// Banks of one NPU's local memory.
unsigned int okk_local_mem_bank_per_npu(void);

// First address of the L2 range that programs may use.
unsigned int okk_l2_sram_start_addr(void);

// First address of the DTCM range that programs may use.
unsigned int okk_dtcm_start_addr(void);

// First byte of the user lookup tables, as an offset inside L2.
unsigned int okk_lookup_table_start_addr(void);

// Bytes of the user lookup tables.
unsigned int okk_lookup_table_size(void);

// Execution units per NPU.
unsigned int okk_eu_num(void);

// Processor's view of byte `addr` (absolute) of global memory. Slow: for debugging.
unsigned char* okk_global_mem_addr(unsigned long long addr);

// Processor's view of byte `addr` of NPU `idx`. Slow: for debugging; okk_poll() first.
unsigned char* okk_local_mem_addr(unsigned int idx, unsigned int addr);

// Processor's view of L2 byte `addr` (absolute).
unsigned char* okk_l2_sram_addr(unsigned int addr);

// Processor's view of DTCM byte `addr` (absolute). The processor's fastest memory.
unsigned char* okk_dtcm_addr(unsigned int addr);

// Bytes of local memory per NPU.
unsigned int okk_local_mem_size_per_npu(void);

// Bytes of the L2 range that programs may use.
unsigned int okk_l2_sram_size(void);

// Bytes of the DTCM range that programs may use.
unsigned int okk_dtcm_size(void);

// Number of NPUs.
int okk_npu_num(void);

// ---------------------------------------------------------------------------------------------
// Control

// Resets both engines' command ids and leaves parallel mode. Call it before the first GDMA or
// BDC function. Memory keeps its contents.
void okk_initialize(void);

// Waits until every command issued so far is done. Not inside a parallel region.
void okk_poll(void);

// From here GDMA and BDC commands may overlap; each engine keeps its own order. Regions do not
// nest.
void okk_parallel_start(void);

// Ends the region: what is issued later starts after everything issued before on either engine.
void okk_parallel_end(void);

// Whether a parallel region is open.
bool okk_is_parallel_state(void);

// ---------------------------------------------------------------------------------------------
// Layout helpers. All four fields of *stride are written.

// Start NPU of local address `addr`: addr / okk_local_mem_size_per_npu().
int okk_start_npu_index(local_addr_t addr);

// Channel rows of a tensor that starts at NPU `start_idx`: ceil((start_idx + num_channels) /
// 64). (The spelling is the interface's.)
int okk_channle_num_per_npu(int start_idx, int num_channels);

// aligned128 stride of a 32-bit tensor that starts at NPU `start_idx`.
void okk_128_byte_aligned_stride_for_32bit(dim4* stride, int start_idx, const dim4* shape);

// aligned128 stride of a 16-bit tensor that starts at NPU `start_idx`.
void okk_128_byte_aligned_stride_for_16bit(dim4* stride, int start_idx, const dim4* shape);

// aligned128 stride of an 8-bit tensor that starts at NPU `start_idx`.
void okk_128_byte_aligned_stride_for_8bit(dim4* stride, int start_idx, const dim4* shape);

// compact stride of a tensor that starts at NPU `start_idx`.
void okk_compact_stride(dim4* stride, int start_idx, const dim4* shape);

// continuous stride of a system tensor.
void okk_continuous_stride(dim4* stride, const dim4* shape);

// ---------------------------------------------------------------------------------------------
// GDMA: dst[n,c,h,w] = src[n,c,h,w], bit for bit. S is system, L local memory. Shape and strides
// count elements. NULL strides: local aligned128, system continuous. The W stride must be 1
// (documented for both sides; the engine takes any source W stride >= 0). A source stride of 0
// broadcasts. The two sides of L2L may start at different NPUs.

// 32-bit elements, system to local.
void okk_gdma_32bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// 32-bit elements, local to system.
void okk_gdma_32bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// 32-bit elements, local to local.
void okk_gdma_32bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// 32-bit elements, system to system.
void okk_gdma_32bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// System rows x cols matrix with `row_stride` elements from row to row, to a local matrix with
// `cols_per_channel` columns per channel, 1 <= cols_per_channel <= cols. Slots after the last
// column keep their contents.
void okk_gdma_32bit_matrix_S2L(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride);

// The way back.
void okk_gdma_32bit_matrix_L2S(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride);

// Fills a system tensor with the 32-bit constant C.
void okk_gdma_32bit_set_C_system(system_addr_t dst_addr, x32 C, const dim4* shape,
                                 const dim4* dst_stride);

// Fills a local tensor with the 32-bit constant C.
void okk_gdma_32bit_set_C_local(local_addr_t dst_addr, x32 C, const dim4* shape,
                                const dim4* dst_stride);

// 16-bit elements, system to local.
void okk_gdma_16bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// 16-bit elements, local to system.
void okk_gdma_16bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// 16-bit elements, local to local.
void okk_gdma_16bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// 16-bit elements, system to system.
void okk_gdma_16bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);

// Fills a system tensor with the 16-bit constant C.
void okk_gdma_16bit_set_C_system(system_addr_t dst_addr, x16 C, const dim4* shape,
                                 const dim4* dst_stride);

// Fills a local tensor with the 16-bit constant C.
void okk_gdma_16bit_set_C_local(local_addr_t dst_addr, x16 C, const dim4* shape,
                                const dim4* dst_stride);

// 8-bit elements, system to local.
void okk_gdma_8bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);

// 8-bit elements, local to system.
void okk_gdma_8bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);

// 8-bit elements, local to local.
void okk_gdma_8bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);

// 8-bit elements, system to system.
void okk_gdma_8bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);

// Fills a system tensor with the 8-bit constant C.
void okk_gdma_8bit_set_C_system(system_addr_t dst_addr, x8 C, const dim4* shape,
                                const dim4* dst_stride);

// Fills a local tensor with the 8-bit constant C.
void okk_gdma_8bit_set_C_local(local_addr_t dst_addr, x8 C, const dim4* shape,
                               const dim4* dst_stride);

// ---------------------------------------------------------------------------------------------
// BDC: memory. NULL strides: aligned128. Source strides of 0 broadcast, here and in every function
// with strides.

// dst = src, bit for bit; any W stride on both sides.
void okk_bdc_32bit_cpy(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride);

// dst = C.
void okk_bdc_32bit_set_C(local_addr_t dst_addr, x32 C, const dim4* shape, const dim4* dst_stride);

// ---------------------------------------------------------------------------------------------
// BDC: conversions. aligned128.

// dst = src cut toward zero, saturated to int32.
void okk_bdc_fp32_to_int32(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);

// dst = (float)src by table, for src in [-128, 127].
void okk_bdc_lookup_int32_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);

// dst (fp32) = src (int8, or uint8 unless is_signed, 4N). Sources and work are aligned128, or
// compact unless is_aligned_layout; work has the bytes of src and is overwritten; dst != work.
void okk_bdc_4N_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, bool is_signed, bool is_aligned_layout);

// The same from plain 8-bit elements. Unless is_aligned_layout, src and work have C stride H*W
// rounded up to 4 bytes and dst is compact.
void okk_bdc_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          const dim4* shape, bool is_signed, bool is_aligned_layout);

// ---------------------------------------------------------------------------------------------
// BDC: fp32 functions of one tensor. aligned128. `work` has the size of dst and is overwritten;
// it must differ from dst and src. `num_series` in [1, 64] is the number of Taylor terms after the
// constant (the plain forms use 32).

// dst = 1 / sqrt(src), src > 0.
void okk_bdc_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);

// dst = sqrt(src).
void okk_bdc_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);

// dst = sum of src^k / k! for k = 0 .. num_series. Accurate near 0.
void okk_bdc_taylor_exp(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        int num_series);

// dst (fp32) = exp(src) by table, src int32 in [-103, 88].
void okk_bdc_lookup_exp(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);

// dst = exp(src), src in [-103, 88]. Do not compute in place (dst == src).
void okk_bdc_exp(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                 const dim4* shape);

// okk_bdc_exp with `num_series` Taylor terms.
void okk_bdc_exp_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                         const dim4* shape, int num_series);

// dst = 1 / (1 + exp(-src)), src in [-88, 103].
void okk_bdc_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                     const dim4* shape);

// okk_bdc_sigmoid with `num_series` Taylor terms.
void okk_bdc_sigmoid_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, int num_series);

// dst = tanh(src) as 1 - 2*(R / (E + R)), E = exp(src), R = 1/E. Do not compute in place.
void okk_bdc_tanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                  const dim4* shape);

// okk_bdc_tanh with `num_series` Taylor terms.
void okk_bdc_tanh_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          const dim4* shape, int num_series);

// ---------------------------------------------------------------------------------------------
// BDC: fp32 elementwise. NULL strides: aligned128. dst may be a source of equal strides. Products
// and sums are rounded one by one (mac is not fused); division multiplies by a reciprocal that is
// good to a few units in the last place.

// dst = src > 0 ? src : 0.
void okk_bdc_relu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride);

// dst = 1 / src.
void okk_bdc_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);

// dst = -src.
void okk_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride);

// dst = src0 + src1.
void okk_bdc_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);

// dst = src + C.
void okk_bdc_add_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = src0 - src1.
void okk_bdc_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);

// dst = src - C.
void okk_bdc_sub_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = C - src.
void okk_bdc_C_sub(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = src0 * src1.
void okk_bdc_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);

// dst = src * C.
void okk_bdc_mul_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = src0 / src1.
void okk_bdc_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);

// dst = src / C.
void okk_bdc_div_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = C / src.
void okk_bdc_C_div(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = dst + src0 * src1.
void okk_bdc_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);

// dst = dst + src * C.
void okk_bdc_mac_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = src0 > src1 ? src0 : src1.
void okk_bdc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);

// dst = src > C ? src : C.
void okk_bdc_max_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = src0 <= src1 ? src0 : src1.
void okk_bdc_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);

// dst = src <= C ? src : C.
void okk_bdc_min_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

// dst = src0 > src1 ? select_val : 0.
void okk_bdc_greater_select_value(local_addr_t dst_addr, local_addr_t src0_addr,
                                  local_addr_t src1_addr, x32 select_val, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src0_stride,
                                  const dim4* src1_stride);

// dst = src > C ? select_val : 0.
void okk_bdc_greater_C_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                    x32 select_val, const dim4* shape, const dim4* dst_stride,
                                    const dim4* src_stride);

// dst = C > src ? select_val : 0.
void okk_bdc_C_greater_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                    x32 select_val, const dim4* shape, const dim4* dst_stride,
                                    const dim4* src_stride);

// dst = src0 == src1 ? select_val : 0, comparing bits.
void okk_bdc_equal_select_value(local_addr_t dst_addr, local_addr_t src0_addr,
                                local_addr_t src1_addr, x32 select_val, const dim4* shape,
                                const dim4* dst_stride, const dim4* src0_stride,
                                const dim4* src1_stride);

// dst = src == C ? select_val : 0, comparing bits.
void okk_bdc_equal_C_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                  x32 select_val, const dim4* shape, const dim4* dst_stride,
                                  const dim4* src_stride);

// dst = src0 > src1 ? select0 : select1. Each operand a scalar or an aligned128 tensor.
void okk_bdc_greater_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                            const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                            const x32_or_addr_t* select1, const dim4* shape);

// dst = src0 == src1 ? select0 : select1 (a NaN compares equal). Each operand a scalar or an
// aligned128 tensor.
void okk_bdc_equal_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                          const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                          const x32_or_addr_t* select1, const dim4* shape);

// ---------------------------------------------------------------------------------------------
// BDC: 32-bit integers. NULL strides: aligned128. Shift counts lie in [-32, 32]: positive left,
// negative right; arithmetic right shifts repeat the sign, logical ones insert zeros.

// dst = src0 & src1.
void okk_bdc_32bit_and(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                       const dim4* src1_stride);

// dst = src & C.
void okk_bdc_32bit_and_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                         const dim4* dst_stride, const dim4* src_stride);

// dst = src0 | src1.
void okk_bdc_32bit_or(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride);

// dst = src | C.
void okk_bdc_32bit_or_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);

// dst = src0 ^ src1.
void okk_bdc_32bit_xor(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                       const dim4* src1_stride);

// dst = src ^ C.
void okk_bdc_32bit_xor_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                         const dim4* dst_stride, const dim4* src_stride);

// dst = src0 shifted by src1, arithmetic.
void okk_bdc_32bit_arithmetic_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride);

// dst = src0 shifted by src1, logical.
void okk_bdc_32bit_logical_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                 local_addr_t src1_addr, const dim4* shape, const dim4* dst_stride,
                                 const dim4* src0_stride, const dim4* src1_stride);

// dst = src shifted by C, arithmetic.
void okk_bdc_32bit_arithmetic_shift_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride);

// dst = src shifted by C, logical.
void okk_bdc_32bit_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                   const dim4* shape, const dim4* dst_stride,
                                   const dim4* src_stride);

// dst = C shifted by src, arithmetic.
void okk_bdc_32bit_C_arithmetic_shift(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride);

// dst = C shifted by src, logical.
void okk_bdc_32bit_C_logical_shift(local_addr_t dst_addr, local_addr_t src_addr, unsigned int C,
                                   const dim4* shape, const dim4* dst_stride,
                                   const dim4* src_stride);

// ---------------------------------------------------------------------------------------------
// BDC: neural network functions. Per-channel vectors (bias, scale) are {1, C, 1, 1} compact.
// NULL means: padding 0, stride {1, 1}, dilation {1, 1}. Paddings in [0, 15], strides and dilations
// in [1, 15]; padded input and output at most 2047 in h and w. Output size:
//   out_h = (H + top + bottom - ((kernel_h - 1) * dilation.h + 1)) / stride.h + 1

// dst = src + bias[c]. NULL strides: aligned128.
void okk_bdc_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                  const dim4* shape, const dim4* dst_stride, const dim4* src_stride);

// dst = src * scale[c]. NULL strides: aligned128.
void okk_bdc_scale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                   const dim4* shape, const dim4* dst_stride, const dim4* src_stride);

// dst = src * scale[c] + bias[c]. NULL strides: aligned128.
void okk_bdc_scale_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                        local_addr_t bias_addr, const dim4* shape, const dim4* dst_stride,
                        const dim4* src_stride);

// Convolution (no kernel flip) [+ bias[oc]] [+ old output]. output aligned128; input_stride
// NULL: aligned128; weight {ceil(IC / 2), output_c, kernel_h, kernel_w} pairs in 2IC storage
// with `kernel_stride` in pairs, never NULL. The input may start at another NPU.
void okk_bdc_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                    local_addr_t bias_addr, const dim4* input_shape, int output_c, int kernel_h,
                    int kernel_w, const dim4* input_stride, const dim4* kernel_stride,
                    bool using_bias, bool result_add, const Padding* padding, const dim2* stride,
                    const dim2* dilation);

// One kernel per channel [+ bias[c]]. Input and output aligned128; weight {1, C, kernel_h,
// kernel_w} compact.
void okk_bdc_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                         local_addr_t weight_addr, local_addr_t bias_addr, const dim4* input_shape,
                         int kernel_h, int kernel_w, bool using_bias, const Padding* padding,
                         const dim2* stride, const dim2* dilation);

// Sum over the window / (kernel_h * kernel_w); padding counts as zeros. Input and output
// aligned128.
void okk_bdc_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride);

// Largest element of the window; padding is -FLT_MAX. Input and output aligned128.
void okk_bdc_max_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride);

// output = left * right [+ bias] [+ old output]. left is left_rows x left_cols with
// left_cols_per_channel columns per channel, right left_cols x right_cols, bias 1 x right_cols,
// all in the matrix layout. Columns per channel in [1, 128]. left may start at another NPU.
void okk_bdc_matmul(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                    local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                    int left_cols_per_channel, int right_cols_per_channel, bool using_bias,
                    bool result_add);

// ---------------------------------------------------------------------------------------------
// BDC: fixed point. 8-bit operands in 4N, 16-bit operands in 2N storage. `shape` is the unpacked
// shape; strides count 32-bit words of the packed shape; NULL: aligned128. Results of the
// arithmetic functions are exact, then rounded half up by `rshift` in [0, 31] bits, then saturated
// to the destination type. Dummy batches of the last word are not written.

// dst = (src0 + src1) >> rshift.
void okk_bdc_fixed_point_packed_add(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);

// dst = (src + C) >> rshift.
void okk_bdc_fixed_point_packed_add_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);

// dst = (src0 - src1) >> rshift.
void okk_bdc_fixed_point_packed_sub(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);

// dst = (src - C) >> rshift.
void okk_bdc_fixed_point_packed_sub_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);

// dst = (C - src) >> rshift. C is source 0 of op_type.
void okk_bdc_fixed_point_packed_C_sub(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);

// dst = (src0 * src1) >> rshift, 8-bit sources.
void okk_bdc_fixed_point_packed_mul(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);

// dst = (src * C) >> rshift, 8-bit sources.
void okk_bdc_fixed_point_packed_mul_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);

// dst = ((dst << lshift) + src0 * src1) >> rshift: 8-bit sources, 16-bit dst, lshift in [0, 14].
void okk_bdc_fixed_point_packed_mac(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, bool is_origin_dst_signed,
                                    op_type_t op_type, int lshift, int rshift);

// dst = ((dst << lshift) + src * C) >> rshift: 8-bit sources, 16-bit dst, lshift in [0, 14].
void okk_bdc_fixed_point_packed_mac_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, bool is_origin_dst_signed,
                                      op_type_t op_type, int lshift, int rshift);

// dst = max(src0, src1); all three of one type.
void okk_bdc_fixed_point_packed_max(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type);

// dst = max(src, C); all of one type.
void okk_bdc_fixed_point_packed_max_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type);

// dst = min(src0, src1); all three of one type.
void okk_bdc_fixed_point_packed_min(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type);

// dst = min(src, C); all of one type.
void okk_bdc_fixed_point_packed_min_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type);

// dst = src0 shifted by src1 in [-16, 16], positive left; arithmetic, no rounding.
void okk_bdc_fixed_point_packed_16bit_arithmetic_shift(
    local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, const dim4* shape,
    const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride);

// The same, logical.
void okk_bdc_fixed_point_packed_16bit_logical_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                                    local_addr_t src1_addr, const dim4* shape,
                                                    const dim4* dst_stride, const dim4* src0_stride,
                                                    const dim4* src1_stride);

// dst = src shifted by C in [-16, 16], arithmetic.
void okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C(local_addr_t dst_addr,
                                                         local_addr_t src_addr, short C,
                                                         const dim4* shape, const dim4* dst_stride,
                                                         const dim4* src_stride);

// dst = src shifted by C in [-16, 16], logical.
void okk_bdc_fixed_point_packed_16bit_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr,
                                                      short C, const dim4* shape,
                                                      const dim4* dst_stride,
                                                      const dim4* src_stride);

// dst = C shifted by src in [-16, 16], arithmetic.
void okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift(local_addr_t dst_addr,
                                                         local_addr_t src_addr, short C,
                                                         const dim4* shape, const dim4* dst_stride,
                                                         const dim4* src_stride);

// dst = C shifted by src in [-16, 16], logical.
void okk_bdc_fixed_point_packed_16bit_C_logical_shift(local_addr_t dst_addr, local_addr_t src_addr,
                                                      unsigned short C, const dim4* shape,
                                                      const dim4* dst_stride,
                                                      const dim4* src_stride);

// dst (8-bit, 4N) = high byte of src (16-bit, 2N), element by element.
void okk_bdc_fixed_point_packed_16bit_split_high_8bit(local_addr_t dst_addr, local_addr_t src_addr,
                                                      const dim4* shape, const dim4* dst_stride,
                                                      const dim4* src_stride);

// dst (8-bit, 4N) = low byte of src (16-bit, 2N). work has the size of src; dst != work.
void okk_bdc_fixed_point_packed_16bit_split_low_8bit(local_addr_t dst_addr, local_addr_t src_addr,
                                                     local_addr_t work_addr, const dim4* shape,
                                                     const dim4* dst_stride, const dim4* src_stride,
                                                     const dim4* work_stride);

// dst (2N) = ((src0_high * 256 + src0_low) * src1) >> rshift. High, low and src1 are 8-bit in
// 4N.
void okk_bdc_fixed_point_packed_16bit_mul_8bit(local_addr_t dst_addr, local_addr_t src0_high_addr,
                                               local_addr_t src0_low_addr, local_addr_t src1_addr,
                                               const dim4* shape, const dim4* dst_stride,
                                               const dim4* src0_high_stride,
                                               const dim4* src0_low_stride, const dim4* src1_stride,
                                               mul_type_t mul_type, int rshift);

// dst (int16) = (src0 (int16) * src1 (uint8)) >> rshift. work has the size of src0 (2N),
// work_high and work_low are 8-bit tensors (4N) of the same shape.
void okk_bdc_fixed_point_packed_s16_mul_u8_to_s16(
    local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, local_addr_t work_addr,
    local_addr_t work_high_addr, local_addr_t work_low_addr, const dim4* shape,
    const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride,
    const dim4* work_stride, const dim4* work_high_stride, const dim4* work_low_stride, int rshift);

// ---------------------------------------------------------------------------------------------
// Exported by the vendor's library but declared in no header; off unless asked for.

#ifdef TENSORLANE_OKK_UNDECLARED

// The registered kernel called `name`, or a null pointer.
okk_kernel_func_t okk_get_kernel_func_by_name(const char* name);

// dst (int8, or uint8 unless is_signed, 4N) = src (fp32), cut toward zero and saturated. The
// vendor's prototype and meaning are unknown: both are chosen here as the mirror image of
// okk_bdc_4N_int8_to_fp32.
void okk_bdc_fp32_to_4N_int8(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, bool is_signed, bool is_aligned_layout);

#endif  // TENSORLANE_OKK_UNDECLARED

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_OKK_H_
