// Registration, start-up and synchronisation, and the sizes of the chip.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/device/call.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/okk/define.h"

TL_OKK_OPS_FILE(common);

namespace tensorlane::okk {
namespace {

std::int64_t nothing(const HostCall&) {
  return 0;
}

}  // namespace
}  // namespace tensorlane::okk

using namespace tensorlane;
using namespace tensorlane::okk;

// A host's own call of a function that is not there ends the process as the loader would.
static void end_process(const std::string& text) {
  constexpr int kAsTheLoader = 127;
  std::fputs(text.c_str(), stderr);
  _exit(kAsTheLoader);
}

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
const OpSpec okk_register_kernel_func_spec = {
    .group = "common",
    .doc = "Enters a kernel under the name it is launched by; OKKERNEL_FUNC_REGISTER calls it.",
    .limits = {"not_null(name)", "not_null(func)"},
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      okk_register_kernel_func(static_cast<const char*>(call.arg("name").pointer),
                               reinterpret_cast<okk_kernel_func_t>(call.arg("func").pointer));
      return 0;
    },
};

TL_OKK_OP(okk_dump_registered_kernel_funcs) = {
    .group = "common",
    .doc = "Prints index and name of every registered kernel.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall&) -> std::int64_t {
      int index = 0;
      for (const std::string& name : kernel_names())
        std::printf("OKKernel function %d: %s\n", index++, name.c_str());
      return 0;
    },
};

TL_OKK_OP(okk_set_id_node) = {
    .group = "common",
    .doc = "Internal bookkeeping of command numbers; no effect here.",
    .numerics = Numerics::kNoData,
    .call = nothing,
};

TL_OKK_OP(okk_get_id_node) = {
    .group = "common",
    .doc = "Internal bookkeeping of command numbers; no effect here.",
    .numerics = Numerics::kNoData,
    .call = nothing,
};

TL_OKK_OP(okk_enable_check_id_node) = {
    .group = "common",
    .doc = "Internal consistency checks of command numbers on; no effect here.",
    .numerics = Numerics::kNoData,
    .call = nothing,
};

TL_OKK_OP(okk_disable_check_id_node) = {
    .group = "common",
    .doc = "Internal consistency checks of command numbers off; no effect here.",
    .numerics = Numerics::kNoData,
    .call = nothing,
};

TL_OKK_OP(okk_initialize) = {
    .group = "common",
    .doc = "Resets both engines' command state and leaves parallel mode; first call of a kernel.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      launched(call, "okk_initialize").initialize(call.call_site);
      return 0;
    },
};

TL_OKK_OP(okk_poll) = {
    .group = "common",
    .doc =
        "Waits until every issued command of both engines is done; not inside a parallel region.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      launched(call, "okk_poll").poll(call.call_site);
      return 0;
    },
};

TL_OKK_OP(okk_parallel_start) = {
    .group = "common",
    .doc =
        "Opens a parallel region: GDMA and BDC commands in it are unordered between the engines.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      launched(call, "okk_parallel_start").parallel_start(call.call_site);
      return 0;
    },
};

TL_OKK_OP(okk_parallel_end) = {
    .group = "common",
    .doc = "Closes a parallel region: later commands wait for everything issued before.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      launched(call, "okk_parallel_end").parallel_end(call.call_site);
      return 0;
    },
};

TL_OKK_OP(okk_is_parallel_state) = {
    .group = "common",
    .doc = "Whether a parallel region is open.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return call.session != nullptr && call.session->in_parallel_region;
    },
};

TL_OKK_OP(okk_local_mem_size_per_npu) = {
    .group = "common",
    .doc = "Bytes of local memory of one NPU.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t { return call.chip.local.npu_bytes; },
};

TL_OKK_OP(okk_l2_sram_size) = {
    .group = "common",
    .doc = "Bytes of L2-SRAM that kernels may use.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.l2_user_bytes);
    },
};

TL_OKK_OP(okk_dtcm_size) = {
    .group = "common",
    .doc = "Bytes of DTCM that kernels may use.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.dtcm_user_bytes);
    },
};

TL_OKK_OP(okk_npu_num) = {
    .group = "common",
    .doc = "Number of NPUs.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t { return call.chip.local.npus; },
};
