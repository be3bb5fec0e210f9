// SPDX-License-Identifier: Apache-2.0
//
// ppl_helper.h - what the C that PPL and the TPU back ends of TileLang emit expects under this
// name.
//
// Some of these compilers write the struct and __ppl_get_dtype into each file, others take them
// from here. `tensorlane build` sees which; by hand, define TENSORLANE_OWN_TENSOR_INFO or
// TENSORLANE_OWN_GET_DTYPE where a file has its own.

#ifndef TENSORLANE_GENERATED_PPL_HELPER_H_
#define TENSORLANE_GENERATED_PPL_HELPER_H_

#include <assert.h>
#include <inttypes.h>

#include "common.h"
#include "tpu_kernel.h"

#ifndef ALIGN_UP
#define ALIGN_UP(value, step) (((value) + (step)-1) / (step) * (step))
#endif

// A tensor as such C describes it. Of it only the address, the shape and the strides go into calls.
#define TENSORLANE_PPL_TENSOR \
  {                           \
    dim4 shape;               \
    dim4 stride;              \
    global_addr_t addr;       \
    data_type_t dtype;        \
    int mode;                 \
    int align_mode;           \
    long size;                \
    long offset;              \
    bool unsigned_flag;       \
    bool default_stride;      \
  }
typedef struct TENSORLANE_PPL_TENSOR ppl_tensor_t;
#ifndef TENSORLANE_OWN_TENSOR_INFO
typedef ppl_tensor_t __ppl_tensor_info;
#endif

#ifndef TENSORLANE_OWN_GET_DTYPE
static inline data_type_t __ppl_get_dtype(int type) {
  static const data_type_t types[] = {
      DT_FP32,  DT_FP32,   DT_FP16,  DT_BFP16,  DT_FP8E5M2, DT_FP8E4M3, DT_FP20, DT_TF32,
      DT_INT32, DT_UINT32, DT_INT16, DT_UINT16, DT_INT8,    DT_UINT8,   DT_INT4, DT_UINT4};
  return types[type];
}
#endif

// Waits for the commands so far, inside a parallel region as well.
static inline void tpu_poll_with_check_parallel(void) {
  const bool open = tpu_is_parallel_state();
  if (open) tpu_parallel_end();
  tpu_poll();
  if (open) tpu_parallel_start();
}

// Whether a part lies in its tensor: the checker of the run says so, command by command.
static inline void check_tensor_overflow(void* parent, void* part, const char* name) {
  (void)parent;
  (void)part;
  (void)name;
}

static inline bool is_l2sram_addr(u64 addr) {
  const u64 begin = tpu_l2_sram_get_start_addr();
  return addr >= begin && addr - begin < tpu_l2_sram_size();
}
static inline void* get_global_ptr(u64 addr) {
  return is_l2sram_addr(addr) ? tpu_l2_sram_addr(addr) : tpu_global_mem_addr(addr);
}

#endif  // TENSORLANE_GENERATED_PPL_HELPER_H_
