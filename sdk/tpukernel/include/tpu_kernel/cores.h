// SPDX-License-Identifier: Apache-2.0
//
// Several cores, of which the BM1684X has one, and what else only later chips have. Included by
// tpu_kernel.h.
//
// What is not on the BM1684X compiles and links; a call ends the launch with a message that says
// what it needs.

#ifndef TENSORLANE_TPU_KERNEL_CORES_H_
#define TENSORLANE_TPU_KERNEL_CORES_H_

#include "tpu_defs.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Several cores (the BM1684X has one)

// Cores of this launch, and which of them this is, from 0.
int tpu_core_num(void);
int tpu_core_index(void);

// Work items are cores.
int tpu_workitem_num(void);
int tpu_workitem_index(void);

// Cores of the chip, this core, the first core: 0.
int tpu_physical_core_num(void);
int tpu_physical_core_id(void);
int tpu_start_physical_core_id(void);

// Groups of cores: 1, and 0.
int tpu_group_num(void);
int tpu_group_index(void);

// What the engines of this core are given from here on comes after all that they were given.
void tpu_sync_core(void);

// The same for the engines of all cores of the launch; nothing to do with one.
void tpu_sync_all(void);

// Barrier over cores. Not implemented.
void tpu_sync_finish(void);

// Messages between engines, of the same or of different cores. A send adds one to the sends of slot
// `msg_id` (0 to 511) and says how many waits it is for (1 to 127); it never stands still. A wait
// holds its engine until `send_cnt` sends came, and takes one off the waits; with the last the slot
// is free again. Not on the BM1684X.
void tpu_bdc_send_msg(int msg_id, int wait_cnt);
void tpu_bdc_wait_msg(int msg_id, int send_cnt);
void tpu_gdma_send_msg(int msg_id, int wait_cnt);
void tpu_gdma_wait_msg(int msg_id, int send_cnt);
void tpu_hau_send_msg(int msg_id, int wait_cnt);
void tpu_hau_wait_msg(int msg_id, int send_cnt);
void tpu_sdma_send_msg(int msg_id, int wait_cnt);
void tpu_sdma_wait_msg(int msg_id, int send_cnt);

// Message numbers that the firmware gives out. Not implemented.
int tpu_next_msg_id(void);
void tpu_set_base_msg_id(int base_msg_id);
void tpu_core_context_setup(int core_idx, int core_num, int core_msg_id);

// Chips that are linked. Not on the BM1684X.
int tpu_chip_id(void);
int tpu_chip_num(void);

// ---------------------------------------------------------------------------------------------
// Not on the BM1684X

// Of chips with counters and registers that kernels set (SG2260).
void tpu_sr_setup(void);
void tpu_enable_pmu(void);
void tpu_disable_pmu(void);

// Of chips with several cores (BM1688, SG2260).
void tpu_sync_start(void);
void tpu_sync_end(void);
bool tpu_is_sync_state(void);
int tpu_is_last_workitem(void);
void tpu_sync_all_with_msg_id(int msg_id);
void tpu_sync_all_bdc(void);
void tpu_sync_all_gdma(void);
void tpu_sync_all_sdma(void);
void tpu_sync_all_hau(void);
void tpu_sync_core_innner(void);
void tpu_sync_core_with_external_engine(void);
int tpu_core_barrier(int msg_id, int core_num);
int tpu_get_base_msg_id(void);
int tpu_get_local_msg_id(void);
int tpu_get_global_msg_id(void);
int tpu_get_ccl_msg_id(void);
int tpu_get_schedule_msg_id(void);

// Of chips with command descriptors (BM1688).
void tpu_set_gdma_id(int gdma_id);
void tpu_set_bd_id(int bdc_id);
void tpu_debug_cmd(u64* p_cmd, int length, int command_type);
void tpu_bdc_end(void);
void tpu_run_commands(const tpu_engine_command_info_t* commands, u32 engine_num);
u32 tpu_engine_num(void);

// Of chips with sorting by rows (SG2260).
void tpu_hau_sort_2d(system_addr_t output_addr, system_addr_t input_addr, int row_num, int len,
                     int K, bool descended, data_type_t dtype);
void tpu_hau_sort_natural_index_2d(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                   system_addr_t input_addr, int row_num, int len, int K,
                                   bool descended, data_type_t dtype);
void tpu_hau_sort_specific_index_2d(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                    system_addr_t input_data_addr, system_addr_t input_idx_addr,
                                    int row_num, int len, int K, bool descended, data_type_t dtype);

// Of chips with engines that tell their state (SG2260).
int tpu_bdc_busy(void);
int tpu_gdma_busy(void);
int tpu_sdma_busy(void);
int tpu_hau_sort_busy(void);
int tpu_gdma_cmd_overflow(void);
int tpu_sdma_cmd_overflow(void);
int tpu_hau_sort_cmd_overflow(void);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPU_KERNEL_CORES_H_
