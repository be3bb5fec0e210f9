// Addresses and sizes of the memories, and pointers into them for the kernel's processor.
#include "tensorlane/device/host_functions.h"
#include "tensorlane/okk/define.h"

TL_OKK_OPS_FILE(memory_info);

namespace tensorlane::okk {
namespace {

OpSpec info(Doc doc, HostFunction call, Texts limits = {}) {
  return host(doc, call, std::move(limits), "memory-info");
}

}  // namespace

TL_OKK_OP(okk_global_mem_start_addr) = info("System address of global memory.",
                                            beginning_of<Space::kGlobal>);
TL_OKK_OP(okk_local_mem_start_addr) =
    info("System address of NPU 0's local memory; local addresses of the API do not include it.",
         beginning_of<Space::kLocal>);
TL_OKK_OP(okk_local_mem_bank_per_npu) = info("Banks of one NPU's local memory.",
                                             of_chip<&Chip::banks_per_npu>);
TL_OKK_OP(okk_l2_sram_start_addr) = info(
    "System address of the part of L2-SRAM that kernels may use.", of_chip<&Chip::l2_user_begin>);
TL_OKK_OP(okk_dtcm_start_addr) = info("System address of the part of DTCM that kernels may use.",
                                      of_chip<&Chip::dtcm_user_begin>);
TL_OKK_OP(okk_lookup_table_start_addr) = info("Offset of the user lookup tables inside L2-SRAM.",
                                              of_chip<&Chip::lookup_offset>);
TL_OKK_OP(okk_lookup_table_size) = info("Bytes for user lookup tables.",
                                        of_chip<&Chip::lookup_bytes>);
TL_OKK_OP(okk_eu_num) = info("32-bit execution units per NPU.",
                             [](const HostCall& call) -> std::int64_t {
                               return call.chip.eu_bytes / 4;
                             });

TL_OKK_OP(okk_global_mem_addr) =
    info("Processor pointer to a byte of global memory; slow on the chip, for debugging.",
         processor_pointer<Space::kGlobal>, {"okk_global_mem_start_addr() <= addr"});
TL_OKK_OP(okk_local_mem_addr) = info("Processor pointer to byte `addr` of NPU `idx`; poll first.",
                                     [](const HostCall& call) {
                                       // Both 0-based addresses and those with the base of the
                                       // local window are taken. [observed]
                                       const std::int64_t addr =
                                           call.value("addr") % beginning_of<Space::kLocal>(call);
                                       return processor_pointer(
                                           call, Space::kLocal,
                                           call.value("idx") * call.chip.local.npu_bytes + addr);
                                     },
                                     {"0 <= idx < okk_npu_num()"});
TL_OKK_OP(okk_l2_sram_addr) = info("Processor pointer to a byte of L2-SRAM, by system address.",
                                   processor_pointer<Space::kL2>,
                                   {"0x10000000 <= addr < 0x10400000 [observed]"});
TL_OKK_OP(okk_dtcm_addr) = info("Processor pointer to a byte of DTCM, by system address.",
                                processor_pointer<Space::kDtcm>,
                                {"0x02000000 <= addr < 0x02080000 [observed]"});

}  // namespace tensorlane::okk
