#include "tensorlane/device/debug_table.h"

// By this name, which no namespace spells differently, debuggers find it.
extern "C" {
[[gnu::used]] tensorlane::DebugTable tensorlane_debug_table{
    tensorlane::DebugTable::kVersion, tensorlane::DebugTable::kMostDevices, {}};
}

namespace tensorlane {

void enter_debug_table(int number, const Chip& chip, const DeviceMemory& memory) {
  if (number < 0 || static_cast<std::uint64_t>(number) >= DebugTable::kMostDevices) return;
  DebugTable::Device& device = tensorlane_debug_table.device[number];
  for (int k = 0; k < kSpaces; ++k) {
    const auto space = static_cast<Space>(k);
    if (!chip.has(space)) continue;
    const std::uint64_t begin = space == Space::kLocal ? 0 : chip.region(space).begin;
    device.memory[k] = {begin, memory.bytes(space),
                        reinterpret_cast<std::uint64_t>(memory.base(space))};
  }
  device.npu_bytes = static_cast<std::uint64_t>(chip.local.npu_bytes);
  device.align_bytes = static_cast<std::uint64_t>(chip.local.align_bytes);
  device.npus = static_cast<std::uint64_t>(chip.local.npus);
}

void leave_debug_table(int number) {
  if (number < 0 || static_cast<std::uint64_t>(number) >= DebugTable::kMostDevices) return;
  tensorlane_debug_table.device[number] = {};
}

}  // namespace tensorlane
