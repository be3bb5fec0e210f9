// SPDX-License-Identifier: Apache-2.0
//
// common_def.h - the numbers by which plug-ins of TPU-MLIR (customlayer) name element types and
// rounding. tpu_utils.h turns them into those of tpu_defs.h.

#ifndef TENSORLANE_GENERATED_COMMON_DEF_H_
#define TENSORLANE_GENERATED_COMMON_DEF_H_

typedef enum {
  SG_ROUND_INF = 0,   // half away from zero
  SG_ROUND_UP = 1,    // half up
  SG_ROUND_DOWN = 2,  // half down
  SG_ROUND_EVEN = 3,  // half to even
  SG_ROUND_ODD = 4,
  SG_ROUND_ZERO = 5,
  SG_TRIM_ZERO = 6,  // towards zero
  SG_TRIM_INF = 7,
  SG_TRIM_UP = 8,
  SG_TRIM_DOWN = 9
} sg_round_mode_t;

typedef enum {
  SG_DTYPE_FP32 = 0,
  SG_DTYPE_FP16 = 1,
  SG_DTYPE_INT8 = 2,
  SG_DTYPE_UINT8 = 3,
  SG_DTYPE_INT16 = 4,
  SG_DTYPE_UINT16 = 5,
  SG_DTYPE_INT32 = 6,
  SG_DTYPE_UINT32 = 7,
  SG_DTYPE_BFP16 = 8,
  SG_DTYPE_INT4 = 9,
  SG_DTYPE_UINT4 = 10
} sg_data_type_t;

#endif  // TENSORLANE_GENERATED_COMMON_DEF_H_
