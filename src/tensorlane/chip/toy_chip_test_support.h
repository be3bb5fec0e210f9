// A chip of the tests' own: small, and with no figure of a real one.
#ifndef TENSORLANE_CHIP_TOY_CHIP_TEST_SUPPORT_H_
#define TENSORLANE_CHIP_TOY_CHIP_TEST_SUPPORT_H_

#include "tensorlane/chip/chip.h"

namespace tensorlane::toy {

inline constexpr std::uint64_t kGlobal = 0x100000, kGlobalBytes = 0x40000, kAllocBegin = 0x110000;
inline constexpr std::uint64_t kL2 = 0x20000, kL2Bytes = 0x1000;
inline constexpr std::uint64_t kLocalWindow = 0x8000;
inline constexpr std::byte kStaticContents[] = {std::byte{17}, std::byte{4}};

// 4 NPUs of 1024 bytes, 256 KB of global memory, L2, static memory, no DTCM; it lacks toy_dropped.
inline const Chip& chip() {
  static const Chip toy{.name = "toy",
                        .full_name = "Toy chip",
                        .local = {.npus = 4, .npu_bytes = 1024, .align_bytes = 16},
                        .banks_per_npu = 2,
                        .eu_bytes = 16,
                        .step_outputs = 0,
                        .chip_id = 0x70,
                        .regions = {{Space::kGlobal, kGlobal, kGlobalBytes, "test"},
                                    {Space::kL2, kL2, kL2Bytes, "test"},
                                    {Space::kLocal, kLocalWindow, 4096, "test"},
                                    {Space::kStatic, 0x10000, 256, "test"}},
                        .global_alloc_begin = kAllocBegin,
                        .l2_user_begin = kL2,
                        .l2_user_bytes = kL2Bytes,
                        .dtcm_user_begin = 0,
                        .dtcm_user_bytes = 0,
                        .lookup_offset = 0,
                        .lookup_bytes = 0,
                        .api = kOkkernel,
                        .static_contents = kStaticContents,
                        .missing_functions = {"toy_dropped"}};
  return toy;
}

}  // namespace tensorlane::toy

#endif  // TENSORLANE_CHIP_TOY_CHIP_TEST_SUPPORT_H_
