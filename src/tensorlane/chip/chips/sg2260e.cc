// SG2260E: four cores, each of 64 NPUs with 256 KB, programmed through TPUKernel.
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/static_memory.h"

namespace tensorlane {

const Chip& sg2260e() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "sg2260e",
      .full_name = "Sophon SG2260E (TPUKernel)",
      .local = {.npus = 64, .npu_bytes = 256 << 10, .align_bytes = 64},
      .banks_per_npu = 16,
      .eu_bytes = 64,
      .step_outputs = 0,
      .chip_id = 0x2260e,
      .cores = 4,
      .regions =
          {
              {Space::kGlobal, 0x100000000, 16ull << 30,
               msg("16 GB and where they begin are a choice")},
              {Space::kL2, 0x6980000000, 16ull << 20,
               msg("public compiler: 16 MB and where they begin")},
              {Space::kLocal, 0x6900000000, 64ull * 262144,
               msg("public compiler: window of local memory")},
              {Space::kStatic, 0x6904000000, 64ull << 10, msg("as on the BM1684X; a choice")},
          },
      .global_alloc_begin = 0x100000000,
      .l2_user_begin = 0x6980000000,
      .l2_user_bytes = 16ull << 20,
      .dtcm_user_begin = 0,
      .dtcm_user_bytes = 0,
      .lookup_offset = 0,
      .lookup_bytes = 0,
      .api = kTpukernel,
      .static_contents = tpukernel_static_memory(),
      // As on the BM1690.
      .timing = advertised_timing(bm1684x().timing, 1000, 68.264),
  };
  return *chip;
}

}  // namespace tensorlane
