// The cores of a launch: which one this is, barriers, messages between their engines.
//
// Names and parameters are those of the chip's header. What they mean is public for the cores of a
// launch (published probes on boards), barriers (the command stream of a published model) and
// messages (tpu-mlir's model of the BM1690); what is not is a choice and says so in
// device/message_slots.h, device/backlog.h and Session::sync_cores.
#include "tensorlane/device/host_functions.h"
#include "tensorlane/tpukernel/define.h"

TL_TPU_OPS_FILE(cores);

namespace tensorlane::tpukernel {
namespace {

OpSpec of_cores(Doc doc, HostFunction call) {
  return host(doc, call, {}, "multi-core");
}

// Of the launch; 1 and 0 outside of one.
std::int64_t count_of(const HostCall& call) {
  return call.session == nullptr ? 1 : call.session->cores;
}
std::int64_t index_of(const HostCall& call) {
  return call.session == nullptr ? 0 : call.session->core;
}

// A message of an engine: what kStep of the session does with it.
template <auto kStep, Engine kEngine>
std::int64_t message(const HostCall& call, std::string_view count) {
  const std::string_view function = call.op.name();
  (launched(call, function).*kStep)(kEngine, call.value("msg_id"), call.value(count), function,
                                    call.call_site);
  return 0;
}
template <Engine kEngine>
std::int64_t send_message(const HostCall& call) {
  return message<&Session::send_message, kEngine>(call, "wait_cnt");
}
template <Engine kEngine>
std::int64_t wait_message(const HostCall& call) {
  return message<&Session::wait_message, kEngine>(call, "send_cnt");
}

constexpr const char* kSends =
    "The engine adds a send to a message slot, for `wait_cnt` waits; goes on at once.";
constexpr const char* kWaits =
    "The engine stands still until `send_cnt` sends came to a message slot.";

}  // namespace

TL_TPU_OP(tpu_core_num) = of_cores("Number of cores of this launch.", count_of);
TL_TPU_OP(tpu_core_index) = of_cores("Index of this core in its launch, from 0.", index_of);
TL_TPU_OP(tpu_workitem_num) = of_cores("Number of cores of this launch.", count_of);
TL_TPU_OP(tpu_workitem_index) = of_cores("Index of this core in its launch, from 0.", index_of);
TL_TPU_OP(tpu_group_num) = of_cores("Number of groups of cores: 1.",
                                    [](const HostCall&) { return std::int64_t{1}; });
TL_TPU_OP(tpu_group_index) = of_cores("Index of the group of this core: 0.", nothing);
TL_TPU_OP(tpu_physical_core_num) = of_cores("Number of cores of the chip.", of_chip<&Chip::cores>);
TL_TPU_OP(tpu_physical_core_id) = of_cores("Index of this core in its launch, from 0.", index_of);
TL_TPU_OP(tpu_start_physical_core_id) = of_cores("Index of the first core: 0.", nothing);

TL_TPU_OP(tpu_sync_all) =
    of_cores("Barrier over all engines of all cores of the launch; nothing to do with one core.",
             [](const HostCall& call) -> std::int64_t {
               launched(call, call.op.name()).sync_cores(call.op.name(), call.call_site);
               return 0;
             });
TL_TPU_OP(tpu_sync_core) =
    of_cores("Barrier over the engines of this core.", [](const HostCall& call) -> std::int64_t {
      launched(call, call.op.name()).sync_engines(call.op.name(), call.call_site);
      return 0;
    });

TL_TPU_OP(tpu_bdc_send_msg) = of_cores(kSends, send_message<Engine::kBdc>);
TL_TPU_OP(tpu_bdc_wait_msg) = of_cores(kWaits, wait_message<Engine::kBdc>);
TL_TPU_OP(tpu_gdma_send_msg) = of_cores(kSends, send_message<Engine::kGdma>);
TL_TPU_OP(tpu_gdma_wait_msg) = of_cores(kWaits, wait_message<Engine::kGdma>);
TL_TPU_OP(tpu_hau_send_msg) = of_cores(kSends, send_message<Engine::kHau>);
TL_TPU_OP(tpu_hau_wait_msg) = of_cores(kWaits, wait_message<Engine::kHau>);
TL_TPU_OP(tpu_sdma_send_msg) = of_cores(kSends, send_message<Engine::kSdma>);
TL_TPU_OP(tpu_sdma_wait_msg) = of_cores(kWaits, wait_message<Engine::kSdma>);

}  // namespace tensorlane::tpukernel
