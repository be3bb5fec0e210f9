// Registration, start-up and synchronisation, the sizes of the chip, and the processor's view of
// the memories.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/device/host_functions.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/tensor/float16.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(common);

namespace tensorlane::tpukernel {
namespace {

constexpr std::int64_t kGdmaExtent = 65535;
constexpr std::int64_t kCacheLine = 64;

std::int64_t input_channels_per_step(const HostCall& call) {
  return ic_group(static_cast<int>(call.value("dtype", "bits")));
}
// Of `rows` output channels.
std::int64_t weight_bytes(const HostCall& call, std::int64_t rows) {
  return rows * align_up(call.value("ic"), input_channels_per_step(call)) * call.value("ker", "h") *
         call.value("ker", "w") * call.value("dtype", "bytes");
}

// A host's own call of a function that is not there ends the process as the loader would.
void end_process(const std::string& text) {
  constexpr int kAsTheLoader = 127;
  std::fputs(text.c_str(), stderr);
  _exit(kAsTheLoader);
}

}  // namespace

// Called by constructors of kernels, possibly before the entries here are constructed.
extern "C" void tpu_register_kernel_func(const char* name, void* func, func_type_t type) {
  if (name == nullptr || func == nullptr) {
    std::fprintf(stderr, "tensorlane: tpu_register_kernel_func: %s is NULL\n",
                 name == nullptr ? "name" : "func");
    return;
  }
  register_kernel(name, reinterpret_cast<KernelFunction>(func), end_process,
                  type == FUNC_TYPE_2 ? Parameters::kArgsAndBytes : Parameters::kArgs);
}
TL_TPU_ENTRY(tpu_register_kernel_func);
const OpSpec tpu_register_kernel_func_spec =
    host("Enters a kernel under the name it is launched by; TPUKERNEL_FUNC_REGISTER calls it.",
         [](const HostCall& call) -> std::int64_t {
           tpu_register_kernel_func(static_cast<const char*>(call.arg("name").pointer),
                                    call.arg("func").pointer,
                                    static_cast<func_type_t>(call.value("type")));
           return 0;
         },
         {"not_null(name)", "not_null(func)"});

TL_TPU_OP(tpu_dump_registered_kernel_funcs) =
    host("Prints index and name of every registered kernel.", [](const HostCall&) -> std::int64_t {
      int index = 0;
      for (const std::string& name : kernel_names())
        std::printf("TPUKernel function %d: %s\n", index++, name.c_str());
      return 0;
    });

#define TPU_BOOKKEEPING host("Internal bookkeeping of command numbers; no effect here.", nothing)
TL_TPU_OP(tpu_set_id_node) = TPU_BOOKKEEPING;
TL_TPU_OP(tpu_get_id_node) = TPU_BOOKKEEPING;
TL_TPU_OP(tpu_set_parallel_id_node) = TPU_BOOKKEEPING;
TL_TPU_OP(tpu_get_parallel_id_node) = TPU_BOOKKEEPING;
TL_TPU_OP(tpu_enable_check_id_node) = TPU_BOOKKEEPING;
TL_TPU_OP(tpu_disable_check_id_node) = TPU_BOOKKEEPING;

TL_TPU_OP(tpu_initialize) =
    host("Resets the engines' command state and leaves parallel mode; first call of a kernel.",
         in_session<&Session::initialize>);
TL_TPU_OP(tpu_poll) =
    host("Waits until every issued command of all engines is done; not inside a parallel region.",
         in_session<&Session::poll>);
TL_TPU_OP(tpu_poll_empty) = host("As tpu_poll.", in_session<&Session::poll>);
TL_TPU_OP(tpu_nop) = host("Nothing.", nothing);
TL_TPU_OP(tpu_hau_poll) =
    host("Waits until the commands of the HAU are done; other engines may go on.",
         in_session<&Session::hau_poll>);
TL_TPU_OP(tpu_parallel_start) =
    host("Opens a parallel region: GDMA and BDC commands in it are unordered between the engines.",
         in_session<&Session::parallel_start>);
TL_TPU_OP(tpu_parallel_end) =
    host("Closes a parallel region: later commands wait for everything issued before.",
         in_session<&Session::parallel_end>);
TL_TPU_OP(tpu_is_parallel_state) = host("Whether a parallel region is open.", in_parallel_region);
TL_TPU_OP(tpu_is_descriptor_mode) = host("Whether commands go into descriptors: never.", nothing);

TL_TPU_OP(tpu_npu_num) = host("Number of NPUs.", of_local_memory<&LocalMemory::npus>);
TL_TPU_OP(tpu_bank_num) = host("Banks of one NPU's local memory.", of_chip<&Chip::banks_per_npu>);
TL_TPU_OP(tpu_eu_num) = host("Elements of a type that an NPU handles per step.",
                             [](const HostCall& call) -> std::int64_t {
                               return call.chip.eu_bytes * 8 / call.value("dtype", "bits");
                             },
                             {"0 < dtype.bits"});
TL_TPU_OP(tpu_get_ic_parallel) =
    host("Input channels that a step of a convolution takes, side by side in the weights.",
         input_channels_per_step, join({any_type("dtype")}));
TL_TPU_OP(tpu_conv_kernel_size_per_oc) = host(
    "Bytes of the weights of one output channel of a convolution.",
    [](const HostCall& call) { return weight_bytes(call, 1); },
    join({{"1 <= ic", "not_null(ker)"}, any_type("dtype")}));
TL_TPU_OP(tpu_conv_kernel_size) = host(
    "Bytes of the weights that an NPU keeps of a convolution with `oc` outputs.",
    [](const HostCall& call) {
      return weight_bytes(call, ceil_div(call.value("oc"), call.chip.local.npus));
    },
    join({{"1 <= oc", "1 <= ic", "not_null(ker)"}, any_type("dtype")}));
TL_TPU_OP(tpu_local_mem_size_per_npu) = host("Bytes of local memory of one NPU.",
                                             of_local_memory<&LocalMemory::npu_bytes>);
TL_TPU_OP(tpu_l2_sram_size) = host("Bytes of L2 SRAM that kernels may use.",
                                   of_chip<&Chip::l2_user_bytes>);
TL_TPU_OP(tpu_l2_sram_get_start_addr) = host("System address of L2 SRAM.",
                                             beginning_of<Space::kL2>);
TL_TPU_OP(tpu_global_mem_get_start_addr) = host("System address of global memory.",
                                                beginning_of<Space::kGlobal>);
TL_TPU_OP(tpu_local_mem_get_start_addr) =
    host("System address of NPU 0's local memory; local addresses of the API do not include it.",
         beginning_of<Space::kLocal>);
TL_TPU_OP(tpu_static_mem_get_start_addr) = host("System address of static memory.",
                                                beginning_of<Space::kStatic>);

#define TPU_NO_BASE_REGISTERS host("Base registers of addresses; the BM1684X has none.", nothing)
TL_TPU_OP(tpu_reset_base_addr) = TPU_NO_BASE_REGISTERS;
TL_TPU_OP(tpu_set_base_addr) = TPU_NO_BASE_REGISTERS;
TL_TPU_OP(tpu_global_mem_real_addr) = host("The address itself.",
                                           [](const HostCall& call) { return call.value("addr"); });

TL_TPU_OP(tpu_global_mem_addr) = host("Processor pointer to a byte of global memory.",
                                      processor_pointer<Space::kGlobal>,
                                      {"tpu_global_mem_start_addr() <= addr"});
TL_TPU_OP(tpu_local_mem_addr) =
    host("Processor pointer to byte `addr` of NPU `start_idx`; poll first.",
         [](const HostCall& call) {
           return processor_pointer(
               call, Space::kLocal,
               call.value("start_idx") * call.chip.local.npu_bytes + call.value("addr"));
         },
         {"0 <= start_idx < tpu_npu_num()", "addr < tpu_local_mem_size_per_npu()"});
TL_TPU_OP(tpu_local_mem_addr_unified) = host("Processor pointer to a local address; poll first.",
                                             [](const HostCall& call) {
                                               return processor_pointer(call, Space::kLocal,
                                                                        call.value("addr"));
                                             });
TL_TPU_OP(tpu_l2_sram_addr) = host("Processor pointer to a byte of L2 SRAM, by system address.",
                                   processor_pointer<Space::kL2>);

TL_TPU_OP(tpu_gdma_shape_limit) = host("Largest extent of dimension `dim` of a GDMA shape.",
                                       [](const HostCall&) { return kGdmaExtent; },
                                       {"0 <= dim <= 3"});
TL_TPU_OP(tpu_gdma_move_max_wstride_byte_len) = host(
    "Largest W stride of a GDMA operand in bytes.",
    [](const HostCall& call) -> std::int64_t { return numerics_of(call.chip).copy_stride_bytes; });
TL_TPU_OP(tpu_invalidate_cache) = host("Drops the processor's cached lines; nothing to do here.",
                                       nothing);
TL_TPU_OP(tpu_flush_cache) = host("Writes the processor's cached lines back; nothing to do here.",
                                  nothing);
TL_TPU_OP(tpu_cache_line_size) = host("Bytes of a cache line of the processor.",
                                      [](const HostCall&) { return kCacheLine; });
TL_TPU_OP(tpu_kernel_memcpy) = host("memcpy of the processor.",
                                    [](const HostCall& call) -> std::int64_t {
                                      return reinterpret_cast<std::int64_t>(std::memcpy(
                                          call.arg("dst").pointer, call.arg("src").pointer,
                                          static_cast<std::size_t>(call.value("n"))));
                                    });
TL_TPU_OP(tpu_kernel_memset) = host("memset of the processor.",
                                    [](const HostCall& call) -> std::int64_t {
                                      return reinterpret_cast<std::int64_t>(
                                          std::memset(call.arg("dst").pointer,
                                                      static_cast<int>(call.value("c")),
                                                      static_cast<std::size_t>(call.value("n"))));
                                    });

}  // namespace tensorlane::tpukernel
