// Registration, start-up and synchronisation, and the sizes of the chip.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tensorlane/device/host_functions.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/okk/define.h"

TL_OKK_OPS_FILE(common);

namespace tensorlane::okk {
namespace {

// A host's own call of a function that is not there ends the process as the loader would.
void end_process(const std::string& text) {
  constexpr int kAsTheLoader = 127;
  std::fputs(text.c_str(), stderr);
  _exit(kAsTheLoader);
}

}  // namespace

// Called by constructors of kernels, possibly before the entries here are constructed.
extern "C" void okk_register_kernel_func(const char* name, okk_kernel_func_t func) {
  if (name == nullptr || func == nullptr) {
    std::fprintf(stderr, "tensorlane: okk_register_kernel_func: %s is NULL\n",
                 name == nullptr ? "name" : "func");
    return;
  }
  register_kernel(name, func, end_process);
}
TL_OKK_ENTRY(okk_register_kernel_func);
const OpSpec okk_register_kernel_func_spec =
    host("Enters a kernel under the name it is launched by; OKKERNEL_FUNC_REGISTER calls it.",
         [](const HostCall& call) -> std::int64_t {
           okk_register_kernel_func(static_cast<const char*>(call.arg("name").pointer),
                                    reinterpret_cast<okk_kernel_func_t>(call.arg("func").pointer));
           return 0;
         },
         {"not_null(name)", "not_null(func)"});

TL_OKK_OP(okk_dump_registered_kernel_funcs) =
    host("Prints index and name of every registered kernel.", [](const HostCall&) -> std::int64_t {
      int index = 0;
      for (const std::string& name : kernel_names())
        std::printf("OKKernel function %d: %s\n", index++, name.c_str());
      return 0;
    });

TL_OKK_OP(okk_set_id_node) = host("Internal bookkeeping of command numbers; no effect here.",
                                  nothing);
TL_OKK_OP(okk_get_id_node) = host("Internal bookkeeping of command numbers; no effect here.",
                                  nothing);
TL_OKK_OP(okk_enable_check_id_node) =
    host("Internal consistency checks of command numbers on; no effect here.", nothing);
TL_OKK_OP(okk_disable_check_id_node) =
    host("Internal consistency checks of command numbers off; no effect here.", nothing);

TL_OKK_OP(okk_initialize) =
    host("Resets both engines' command state and leaves parallel mode; first call of a kernel.",
         in_session<&Session::initialize>);
TL_OKK_OP(okk_poll) =
    host("Waits until every issued command of both engines is done; not inside a parallel region.",
         in_session<&Session::poll>);
TL_OKK_OP(okk_parallel_start) =
    host("Opens a parallel region: GDMA and BDC commands in it are unordered between the engines.",
         in_session<&Session::parallel_start>);
TL_OKK_OP(okk_parallel_end) =
    host("Closes a parallel region: later commands wait for everything issued before.",
         in_session<&Session::parallel_end>);
TL_OKK_OP(okk_is_parallel_state) = host("Whether a parallel region is open.", in_parallel_region);

TL_OKK_OP(okk_local_mem_size_per_npu) = host("Bytes of local memory of one NPU.",
                                             of_local_memory<&LocalMemory::npu_bytes>);
TL_OKK_OP(okk_l2_sram_size) = host("Bytes of L2-SRAM that kernels may use.",
                                   of_chip<&Chip::l2_user_bytes>);
TL_OKK_OP(okk_dtcm_size) = host("Bytes of DTCM that kernels may use.",
                                of_chip<&Chip::dtcm_user_bytes>);
TL_OKK_OP(okk_npu_num) = host("Number of NPUs.", of_local_memory<&LocalMemory::npus>);

}  // namespace tensorlane::okk
