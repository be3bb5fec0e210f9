// The bytes of an operand, to be put back.
#ifndef TENSORLANE_OBSERVE_WHY_SAVED_BYTES_H_
#define TENSORLANE_OBSERVE_WHY_SAVED_BYTES_H_

#include <cstddef>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/check/footprint.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::why {

class SavedBytes {
 public:
  SavedBytes(Space space, const check::Footprint& bytes, const DeviceMemory& memory);
  SavedBytes(const Operand& operand, const Chip& chip, const DeviceMemory& memory)
      : SavedBytes(operand.space,
                   check::footprint(operand.layout,
                                    operand.space == Space::kLocal ? chip.local.npu_bytes : 0),
                   memory) {}
  void put_back() const;

 private:
  std::byte* memory_;
  std::vector<check::Range> runs_;
  std::vector<std::byte> bytes_;
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_SAVED_BYTES_H_
