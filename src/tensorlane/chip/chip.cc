#include "tensorlane/chip/chip.h"

#include <algorithm>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/chip/static_memory.h"
#include "tensorlane/layout/named.h"

namespace tensorlane {

std::string_view space_name(Space space) {
  switch (space) {
    case Space::kLocal:
      return "local memory";
    case Space::kGlobal:
      return "global memory";
    case Space::kL2:
      return "L2";
    case Space::kDtcm:
      return "DTCM";
    case Space::kStatic:
      return "static memory";
  }
  return "memory";
}

bool Chip::has(Space space) const {
  return std::any_of(regions.begin(), regions.end(),
                     [space](const Region& region) { return region.space == space; });
}

const Region& Chip::region(Space space) const {
  for (const Region& region : regions) {
    if (region.space == space) return region;
  }
  TL_INTERNAL_CHECK(false && "the chip has no such memory");
  return regions.front();
}

std::optional<Chip::Place> Chip::find(std::uint64_t address) const {
  for (const Region& region : regions) {
    if (address >= region.begin && address - region.begin < region.bytes) {
      const std::uint64_t offset = address - region.begin;
      return Place{region.space, offset, region.bytes - offset};
    }
  }
  return std::nullopt;
}

const Chip& bm1684() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "bm1684",
      .full_name = "Sophon BM1684 (OKKernel)",
      .local = kBm1684Local,
      .banks_per_npu = 8,
      .eu_bytes = 128,
      .step_outputs = 16,  // fitted on published board times
      .chip_id = 0x1684,
      .regions =
          {
              {Space::kGlobal, 0x100000000, 12ull << 30, "documentation: 12 GB"},
              {Space::kL2, 0x10000000, 4ull << 20, "documentation: 4 MB"},
              {Space::kDtcm, 0x02000000, 512ull << 10, "documentation: 512 KB"},
              {Space::kLocal, 0x08000000, 64ull * 524288, "observation: window of local memory"},
          },
      .global_alloc_begin = 0x105100000,
      .l2_user_begin = 0x100a2000,
      .l2_user_bytes = 2482176,
      .dtcm_user_begin = 0x02020000,
      .dtcm_user_bytes = 390144,
      .lookup_offset = 0x00323c00,
      .lookup_bytes = 902144,
      .clock_mhz = 550,
      .api = {"okk_", "okkernel_launch_sync or _async"},
      .static_contents = {},
  };
  return *chip;
}

const Chip& bm1684x() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "bm1684x",
      .full_name = "Sophon BM1684X (TPUKernel)",
      .local = kBm1684xLocal,
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
      .l2_user_bytes = 2ull << 20,
      .dtcm_user_begin = 0,
      .dtcm_user_bytes = 0,
      .lookup_offset = 0,
      .lookup_bytes = 0,
      .clock_mhz = 1000,
      .api = {"tpu_", "tpu_kernel_launch or tpu_kernel_launch_async"},
      .static_contents = bm1684x_static_memory(),
  };
  return *chip;
}

std::span<const Chip* const> all_chips() {
  static const Chip* const chips[] = {&bm1684(), &bm1684x()};
  return chips;
}

const Chip& find_chip(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Chip* chip : all_chips()) {
    if (chip->name == name) return *chip;
    names.push_back(chip->name);
  }
  user_error("unknown chip '{}'{}", name, did_you_mean(name, names));
}

}  // namespace tensorlane
