// Several cores, command descriptors and sorting, as later chips have them: calling one ends the
// launch and says what it needs.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_cores);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kCommandDescriptors = "command descriptors (BM1688)";
constexpr std::string_view kCountersRegistersKernelsSet =
    "counters and registers that kernels set (SG2260)";
constexpr std::string_view kSeveralCores = "several cores (BM1688, SG2260)";
constexpr std::string_view kSortingRows = "sorting by rows (SG2260)";
constexpr std::string_view kEnginesTellState = "engines that tell their state (SG2260)";

}  // namespace

TL_TPU_OP(tpu_poll_descriptor) = later("common", kCommandDescriptors);
TL_TPU_OP(tpu_set_gdma_id) = later("common", kCommandDescriptors);
TL_TPU_OP(tpu_set_bd_id) = later("common", kCommandDescriptors);
TL_TPU_OP(tpu_debug_cmd) = later("common", kCommandDescriptors);
TL_TPU_OP(tpu_bdc_end) = later("common", kCommandDescriptors);
TL_TPU_OP(tpu_run_commands) = later("common", kCommandDescriptors);
TL_TPU_OP(tpu_engine_num) = later("common", kCommandDescriptors);

TL_TPU_OP(tpu_sr_setup) = later("common", kCountersRegistersKernelsSet);
TL_TPU_OP(tpu_enable_pmu) = later("common", kCountersRegistersKernelsSet);
TL_TPU_OP(tpu_disable_pmu) = later("common", kCountersRegistersKernelsSet);

TL_TPU_OP(tpu_sync_start) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_end) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_is_sync_state) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_is_last_workitem) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_all_with_msg_id) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_all_bdc) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_all_gdma) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_all_sdma) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_all_hau) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_core_innner) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_core_with_external_engine) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_core_barrier) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_sync_finish) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_next_msg_id) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_get_base_msg_id) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_set_base_msg_id) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_core_context_setup) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_get_local_msg_id) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_get_global_msg_id) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_get_ccl_msg_id) = later("multi-core", kSeveralCores);
TL_TPU_OP(tpu_get_schedule_msg_id) = later("multi-core", kSeveralCores);

TL_TPU_OP(tpu_hau_sort_2d) = later("hau", kSortingRows);
TL_TPU_OP(tpu_hau_sort_natural_index_2d) = later("hau", kSortingRows);
TL_TPU_OP(tpu_hau_sort_specific_index_2d) = later("hau", kSortingRows);

TL_TPU_OP(tpu_bdc_busy) = later("common", kEnginesTellState);
TL_TPU_OP(tpu_gdma_busy) = later("common", kEnginesTellState);
TL_TPU_OP(tpu_sdma_busy) = later("common", kEnginesTellState);
TL_TPU_OP(tpu_hau_sort_busy) = later("common", kEnginesTellState);
TL_TPU_OP(tpu_gdma_cmd_overflow) = later("common", kEnginesTellState);
TL_TPU_OP(tpu_sdma_cmd_overflow) = later("common", kEnginesTellState);
TL_TPU_OP(tpu_hau_sort_cmd_overflow) = later("common", kEnginesTellState);

}  // namespace tensorlane::tpukernel
