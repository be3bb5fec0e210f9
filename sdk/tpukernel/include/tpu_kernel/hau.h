// SPDX-License-Identifier: Apache-2.0
//
// HAU: sorting, non-maximum suppression, line gather. Included by tpu_kernel.h, where the rules
// stand.

#ifndef TENSORLANE_TPU_KERNEL_HAU_H_
#define TENSORLANE_TPU_KERNEL_HAU_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_HAU_H_
