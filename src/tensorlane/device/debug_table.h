// Where the memories of the devices lie in the process, for debuggers.
//
// gdb cannot call functions of a stopped program everywhere (the state of some vector units cannot
// be restored), so its script (sdk/gdb) reads this table and the memories behind it. The form of
// the table is the script's: change both.
#ifndef TENSORLANE_DEVICE_DEBUG_TABLE_H_
#define TENSORLANE_DEVICE_DEBUG_TABLE_H_

#include <cstdint>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/memory.h"

namespace tensorlane {

struct DebugTable {
  static constexpr std::uint64_t kVersion = 1, kMostDevices = 8;
  struct Memory {
    std::uint64_t begin, bytes, host;  // system address, size, address in the process; 0: none
  };
  struct Device {
    std::uint64_t npus, npu_bytes, align_bytes;  // npus is 0 where there is no such device
    Memory memory[kSpaces];                      // by Space; `begin` of local memory is 0
  };
  std::uint64_t version, devices;
  Device device[kMostDevices];
};

// Enters a device, while it lives; devices beyond the table are left out.
void enter_debug_table(int number, const Chip& chip, const DeviceMemory& memory);
void leave_debug_table(int number);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_DEBUG_TABLE_H_
