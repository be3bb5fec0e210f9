// BM1684X: 64 NPUs of 256 KB, programmed through TPUKernel.
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/static_memory.h"

namespace tensorlane {

const Chip& bm1684x() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "bm1684x",
      .full_name = "Sophon BM1684X (TPUKernel)",
      .local = {.npus = 64, .npu_bytes = 256 << 10, .align_bytes = 64},
      .banks_per_npu = 16,
      .eu_bytes = 64,
      .step_outputs = 0,
      .chip_id = 0x1686,
      .regions =
          {
              {Space::kGlobal, 0x100000000, 16ull << 30, "documentation: boards with 16 GB"},
              {Space::kL2, 0x10000000, 2ull << 20, "observation: 2 MB; the address is a choice"},
              {Space::kLocal, 0x08000000, 64ull * 262144, "the address is a choice"},
              {Space::kStatic, 0x09000000, 64ull << 10, "documentation: 64 KB; likewise"},
          },
      .global_alloc_begin = 0x100000000,
      .l2_user_begin = 0x10000000,
      .l2_user_bytes = 0x1fb000,
      .dtcm_user_begin = 0,
      .dtcm_user_bytes = 0,
      .lookup_offset = 0,
      .lookup_bytes = 0,
      .api = kTpukernel,
      .static_contents = bm1684x_static_memory(),
      // 1 GHz follows from 2 TFLOPS of fp32 on 64 NPUs of 16 units, 68 GB/s is the data sheet's
      // LPDDR4X.
      .timing = advertised_timing(bm1684().timing, 1000, 68.0),
  };
  return *chip;
}

}  // namespace tensorlane
