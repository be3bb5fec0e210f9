// The bytes of an operand, to be put back.
#ifndef TENSORLANE_TRAIL_SAVED_BYTES_H_
#define TENSORLANE_TRAIL_SAVED_BYTES_H_

#include <cstddef>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

class SavedBytes {
 public:
  SavedBytes(Space space, const Footprint& bytes, const DeviceMemory& memory);
  SavedBytes(const Operand& operand, const Chip& chip, const DeviceMemory& memory)
      : SavedBytes(
            operand.space,
            footprint(operand.layout, operand.space == Space::kLocal ? chip.local.npu_bytes : 0),
            memory) {}
  void put_back() const;

 private:
  std::byte* memory_;
  std::vector<Range> runs_;
  std::vector<std::byte> bytes_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_SAVED_BYTES_H_
