// BM1688: two cores, each of 32 NPUs with 128 KB, programmed through TPUKernel.
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/later_functions.h"
#include "tensorlane/chip/static_memory.h"

namespace tensorlane {

const Chip& bm1688() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "bm1688",
      .full_name = "Sophon BM1688 (TPUKernel)",
      .local = {.npus = 32, .npu_bytes = 128 << 10, .align_bytes = 16},
      .banks_per_npu = 16,
      .eu_bytes = 16,
      .step_outputs = 0,
      .chip_id = 0x1686a200,
      .cores = 2,
      .regions =
          {
              {Space::kGlobal, 0x100000000, 16ull << 30,
               msg("observation: where it begins; 16 GB are a choice")},
              // The model has it at 0x101000000, where others have global memory.
              {Space::kL2, 0x10000000, 2ull << 20,
               msg("observation: 2 MB; the address is a choice")},
              {Space::kLocal, 0x25000000, 32ull * 131072,
               msg("observation: window of local memory")},
              {Space::kStatic, 0x26000000, 64ull << 10, msg("as on the BM1684X; a choice")},
          },
      .global_alloc_begin = 0x100000000,
      .l2_user_begin = 0x10000000,
      .l2_user_bytes = 2ull << 20,
      .dtcm_user_begin = 0,
      .dtcm_user_bytes = 0,
      .lookup_offset = 0,
      .lookup_bytes = 0,
      .api = kTpukernel,
      .static_contents = tpukernel_static_memory(),
      .missing_functions = functions_of_later_chips(),
      // The vendor's tools: 900 MHz, 24 GB/s from memory to local memory.
      .timing = advertised_timing(bm1684x().timing, 900, 24),
  };
  return *chip;
}

}  // namespace tensorlane
