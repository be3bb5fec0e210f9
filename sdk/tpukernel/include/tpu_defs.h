// SPDX-License-Identifier: Apache-2.0
//
// tpu_defs.h - the types and constants of TPUKernel, the device programming interface of the
// BM1684X. tpu_kernel.h declares the functions and explains the rules they share.
//
// C99, C11 and C++11 to C++20.

#ifndef TENSORLANE_TPU_DEFS_H_
#define TENSORLANE_TPU_DEFS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Addresses

typedef unsigned int local_addr_t;          // byte address in local memory: NPU * 262144 + offset
typedef unsigned int static_addr_t;         // byte offset in static memory
typedef unsigned long long system_addr_t;   // absolute byte address: global memory or L2 SRAM
typedef unsigned long long global_addr_t;   // absolute byte address in global memory
typedef unsigned long long l2_sram_addr_t;  // absolute byte address in L2 SRAM
typedef unsigned long long addr_t;          // local or system address, as another argument says

typedef unsigned long long u64;
typedef long long i64;
typedef unsigned int u32;

#define NO_USE 0

// ---------------------------------------------------------------------------------------------
// Element types: (precision << 1) | signed

typedef enum {
  PREC_INT8 = 0,
  PREC_FP16 = 1,
  PREC_FP32 = 2,
  PREC_INT16 = 3,
  PREC_INT32 = 4,
  PREC_BFP16 = 5,
  PREC_INT4 = 6,
  PREC_FP8 = 7,
  PREC_FP20 = 8,
  PREC_TF32 = 9
} PREC;

typedef enum {
  DT_INT8 = (PREC_INT8 << 1) | 1,
  DT_UINT8 = (PREC_INT8 << 1) | 0,
  DT_INT16 = (PREC_INT16 << 1) | 1,
  DT_UINT16 = (PREC_INT16 << 1) | 0,
  DT_FP16 = (PREC_FP16 << 1) | 1,
  DT_BFP16 = (PREC_BFP16 << 1) | 1,
  DT_INT32 = (PREC_INT32 << 1) | 1,
  DT_UINT32 = (PREC_INT32 << 1) | 0,
  DT_FP32 = (PREC_FP32 << 1) | 1,
  DT_INT4 = (PREC_INT4 << 1) | 1,   // no chip function takes it
  DT_UINT4 = (PREC_INT4 << 1) | 0,  // no chip function takes it
  // Later chips.
  DT_FP8E5M2 = (0 << 5) | (PREC_FP8 << 1) | 1,
  DT_FP8E4M3 = (1 << 5) | (PREC_FP8 << 1) | 1,
  DT_FP20 = (PREC_FP20 << 1) | 1,
  DT_TF32 = (PREC_TF32 << 1) | 1
} data_type_t;

// How a value between two representable ones becomes one of them. Modes 5 and 6 exist for right
// shifts of integers only; what starts from a floating point number takes modes 0 to 4.
//
//   value                      -2.5 -1.5 -0.5  0.5  1.5  2.5
typedef enum {
  RM_HALF_TO_EVEN = 0,         // -2   -2    0    0    2    2
  RM_HALF_AWAY_FROM_ZERO = 1,  // -3   -2   -1    1    2    3
  RM_TOWARDS_ZERO = 2,         // -2   -1    0    0    1    2
  RM_DOWN = 3,                 // -3   -2   -1    0    1    2
  RM_UP = 4,                   // -2   -1    0    1    2    3
  RM_HALF_UP = 5,              // -2   -1    0    1    2    3
  RM_HALF_DOWN = 6             // -3   -2   -1    0    1    2
} rounding_mode_t;

// ---------------------------------------------------------------------------------------------
// Shapes, strides (both in elements) and windows

typedef struct dim5 {
  int n, c, d, h, w;
} dim5;

typedef struct dim4 {
  int n, c, h, w;
} dim4;

typedef struct dim3 {
  int d, h, w;
} dim3;

typedef struct dim2 {
  int h, w;
} dim2;

#define TENSOR_N_DIM 0
#define TENSOR_C_DIM 1
#define TENSOR_H_DIM 2
#define TENSOR_W_DIM 3

typedef struct {
  int top, bottom, left, right;
} padding_t;

typedef struct {
  int front, back, top, bottom, left, right;
} padding3d_t;

typedef struct {
  int start, end;
} range_t;  // both ends included

// ---------------------------------------------------------------------------------------------
// One element of any type

typedef union {
  unsigned short bits;
  struct {
    unsigned short frac : 10;
    unsigned short exp : 5;
    unsigned short sign : 1;
  } format;
} float16;

typedef union {
  unsigned short bits;
  struct {
    unsigned short frac : 7;
    unsigned short exp : 8;
    unsigned short sign : 1;
  } format;
} bfloat16;

typedef union {
  unsigned int bits;
  struct {
    unsigned int frac : 11;
    unsigned int exp : 8;
    unsigned int sign : 1;
  } format;
} float20;

typedef union {
  unsigned char bits;
  struct {
    unsigned char frac : 3;
    unsigned char exp : 4;
    unsigned char sign : 1;
  } format;
} float8e4m3;

typedef union {
  unsigned char bits;
  __extension__ struct {
    unsigned char frac : 2;
    unsigned char exp : 5;
    unsigned char sign : 1;
  };
} float8e5m2;

// The member that is meant follows from the data_type_t passed with it.
typedef union {
  char s4;
  unsigned char u4;
  char s8;
  unsigned char u8;
  float8e5m2 f8e5m2;
  float8e4m3 f8e3m4;
  short s16;
  unsigned short u16;
  float16 f16;
  bfloat16 bf16;
  int s32;
  unsigned int u32;
  float f32;
  float20 f20;
} scalar_t;

// An operand of a selection: a tensor of the whole shape (64-byte aligned layout), a constant, or
// one value per channel ([1, C, 1, 1], compact).
typedef enum { TENSOR = 0, SCALAR = 1, VECTOR = 2 } var_type_t;

typedef union {
  scalar_t scalar;
  local_addr_t addr;
} var_context_t;

typedef struct {
  var_type_t type;
  var_context_t context;
} variable_t;

// Later chips: an operand of tpu_bdc_quant_mm that may be left out.
typedef struct {
  int is_const;
  data_type_t dtype;
  __extension__ union {
    local_addr_t addr;
    scalar_t value;
  };
} optional_info_t;
#define OPTIONAL_VALUE(d, v) \
  { .is_const = 1, .dtype = (d), .value = v }
#define OPTIONAL_ADDR(d, a) \
  { .is_const = 0, .dtype = (d), .addr = (a) }

typedef struct {
  bool is_perchannel;
  bool do_sym_saturate;
  rounding_mode_t round_mode;
  local_addr_t addr;
  int multiplier;
  int shift;
  int yzp;
} requant_int_info_t;

typedef enum {
  REDUCE_MEAN = 0,
  REDUCE_SUM = 1,
  REDUCE_MAX = 2,
  REDUCE_MIN = 3,
  REDUCE_PROD = 4,
  REDUCE_L2 = 5,
  REDUCE_L1 = 6
} reduce_method_t;

// Later chips: what reducing copies and sums over chips do with what is there.
typedef enum { ALL_REDUCE_PSUM_WO = 0, ALL_REDUCE_PSUM_WR = 1 } all_reduce_psum_t;
typedef enum {
  ALL_REDUCE_NOP = 0,
  ALL_REDUCE_MUL = 1,
  ALL_REDUCE_MAX = 2,
  ALL_REDUCE_MIN = 3,
  ALL_REDUCE_ADD = 4
} all_reduce_opcode_t;

// Later chips: prepared commands of an engine, and what it read and wrote.
typedef struct {
  u32 engine_type;
  u32 command_num;
  u64 command_addr;
  u64 command_bytes;
} tpu_engine_command_info_t;
// Later chips: what a guarded range of memory still allows.
typedef enum {
  READABLE_WRITABLE = 0,
  NON_READABLE = 1,
  NON_WRITABLE = 2,
  NON_READABLE_NON_WRITABLE = 3
} mem_guard_attr_t;
typedef struct {
  u32 clk;
  u32 read_cnt;
  u32 write_cnt;
  u32 write_bytes;
} bw_info_t;

// Bit patterns of 1, -1 and the largest finite numbers of a floating point type.
#define FP_ONE(dtype) ((dtype) == DT_FP32 ? 0x3f800000u : (dtype) == DT_FP16 ? 0x3c00u : 0x3f80u)
#define FP_NEG_ONE(dtype) \
  ((dtype) == DT_FP32 ? 0xbf800000u : (dtype) == DT_FP16 ? 0xbc00u : 0xbf80u)
#define FP_MAX(dtype)                    \
  ((dtype) == DT_FP32      ? 0x7f7fffffu \
   : (dtype) == DT_FP16    ? 0x7bffu     \
   : (dtype) == DT_FP8E4M3 ? 0x7eu       \
   : (dtype) == DT_FP8E5M2 ? 0x7bu       \
                           : 0x7f7fu)
#define FP_NEG_MAX(dtype)                \
  ((dtype) == DT_FP32      ? 0xff7fffffu \
   : (dtype) == DT_FP16    ? 0xfbffu     \
   : (dtype) == DT_FP8E4M3 ? 0xfeu       \
   : (dtype) == DT_FP8E5M2 ? 0xfbu       \
                           : 0xff7fu)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORLANE_TPU_DEFS_H_
