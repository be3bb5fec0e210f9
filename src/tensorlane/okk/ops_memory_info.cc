// Addresses and sizes of the memories, and pointers into them for the kernel's processor.
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/session.h"
#include "tensorlane/okk/define.h"

TL_OKK_OPS_FILE(memory_info);

namespace tensorlane::okk {
namespace {

std::int64_t pointer(const HostCall& call, Space space, std::int64_t offset, const char* function) {
  Session& session = launched(call, function);
  if (offset < 0) user_error("{}: address is below {}", function, translated(space_name(space)));
  return reinterpret_cast<std::int64_t>(
      session.pointer(space, static_cast<std::uint64_t>(offset), function, call.call_site));
}

}  // namespace
}  // namespace tensorlane::okk

using namespace tensorlane;
using namespace tensorlane::okk;

TL_OKK_OP(okk_global_mem_start_addr) = {
    .group = "memory-info",
    .doc = "System address of global memory.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.region(Space::kGlobal).begin);
    },
};

TL_OKK_OP(okk_local_mem_start_addr) = {
    .group = "memory-info",
    .doc = "System address of NPU 0's local memory; local addresses of the API do not include it.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.region(Space::kLocal).begin);
    },
};

TL_OKK_OP(okk_local_mem_bank_per_npu) = {
    .group = "memory-info",
    .doc = "Banks of one NPU's local memory.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t { return call.chip.banks_per_npu; },
};

TL_OKK_OP(okk_l2_sram_start_addr) = {
    .group = "memory-info",
    .doc = "System address of the part of L2-SRAM that kernels may use.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.l2_user_begin);
    },
};

TL_OKK_OP(okk_dtcm_start_addr) = {
    .group = "memory-info",
    .doc = "System address of the part of DTCM that kernels may use.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.dtcm_user_begin);
    },
};

TL_OKK_OP(okk_lookup_table_start_addr) = {
    .group = "memory-info",
    .doc = "Offset of the user lookup tables inside L2-SRAM.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.lookup_offset);
    },
};

TL_OKK_OP(okk_lookup_table_size) = {
    .group = "memory-info",
    .doc = "Bytes for user lookup tables.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return static_cast<std::int64_t>(call.chip.lookup_bytes);
    },
};

TL_OKK_OP(okk_eu_num) = {
    .group = "memory-info",
    .doc = "32-bit execution units per NPU.",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t { return call.chip.eu_bytes / 4; },
};

TL_OKK_OP(okk_global_mem_addr) = {
    .group = "memory-info",
    .doc = "Processor pointer to a byte of global memory; slow on the chip, for debugging.",
    .limits = {"okk_global_mem_start_addr() <= addr"},
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      const auto begin = static_cast<std::int64_t>(call.chip.region(Space::kGlobal).begin);
      return pointer(call, Space::kGlobal, call.value("addr") - begin, "okk_global_mem_addr");
    },
};

TL_OKK_OP(okk_local_mem_addr) = {
    .group = "memory-info",
    .doc = "Processor pointer to byte `addr` of NPU `idx`; poll first.",
    .limits = {"0 <= idx < okk_npu_num()"},
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      // Both 0-based addresses and those with the base of the local window are taken. [observed]
      const auto window = static_cast<std::int64_t>(call.chip.region(Space::kLocal).begin);
      const std::int64_t addr = call.value("addr") % window;
      return pointer(call, Space::kLocal, call.value("idx") * call.chip.local.npu_bytes + addr,
                     "okk_local_mem_addr");
    },
};

TL_OKK_OP(okk_l2_sram_addr) = {
    .group = "memory-info",
    .doc = "Processor pointer to a byte of L2-SRAM, by system address.",
    .limits = {"0x10000000 <= addr < 0x10400000 [observed]"},
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      const auto begin = static_cast<std::int64_t>(call.chip.region(Space::kL2).begin);
      return pointer(call, Space::kL2, call.value("addr") - begin, "okk_l2_sram_addr");
    },
};

TL_OKK_OP(okk_dtcm_addr) = {
    .group = "memory-info",
    .doc = "Processor pointer to a byte of DTCM, by system address.",
    .limits = {"0x02000000 <= addr < 0x02080000 [observed]"},
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      const auto begin = static_cast<std::int64_t>(call.chip.region(Space::kDtcm).begin);
      return pointer(call, Space::kDtcm, call.value("addr") - begin, "okk_dtcm_addr");
    },
};
