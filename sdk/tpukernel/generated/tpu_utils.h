// SPDX-License-Identifier: Apache-2.0
//
// tpu_utils.h - element types and rounding of plug-ins as those of tpu_kernel.h.

#ifndef TENSORLANE_GENERATED_TPU_UTILS_H_
#define TENSORLANE_GENERATED_TPU_UTILS_H_

#include "common_def.h"
#include "tpu_kernel.h"

static inline data_type_t tpu_type_convert(sg_data_type_t data_type) {
  static const data_type_t types[] = {DT_FP32,  DT_FP16,   DT_INT8,  DT_UINT8, DT_INT16, DT_UINT16,
                                      DT_INT32, DT_UINT32, DT_BFP16, DT_INT4,  DT_UINT4};
  TPUKERNEL_ASSERT((unsigned)data_type < sizeof types / sizeof *types);
  return types[data_type];
}

// Three of the modes have no counterpart: an assertion of the kernel fails.
static inline rounding_mode_t tpu_round_mode_convert(sg_round_mode_t sg_mode) {
  static const int modes[] = {
      RM_HALF_AWAY_FROM_ZERO, RM_HALF_UP, RM_HALF_DOWN, RM_HALF_TO_EVEN, -1, -1,
      RM_TOWARDS_ZERO,        -1,         RM_UP,        RM_DOWN};
  TPUKERNEL_ASSERT((unsigned)sg_mode < sizeof modes / sizeof *modes && modes[sg_mode] >= 0);
  return (rounding_mode_t)modes[sg_mode];
}

#endif  // TENSORLANE_GENERATED_TPU_UTILS_H_
