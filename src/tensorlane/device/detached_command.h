// A command in memory of its own: what it does to elements, told by its own implementation, which
// runs on whatever is put in the place of their values (numbers, states) and changes no device.
#ifndef TENSORLANE_DEVICE_DETACHED_COMMAND_H_
#define TENSORLANE_DEVICE_DETACHED_COMMAND_H_

#include <cstddef>
#include <span>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

class DetachedCommand {
 public:
  // Operands that decide (an index, a mask) hold what `memory` holds, all others 0. `memory` may be
  // null where none decides.
  DetachedCommand(const Command& command, const DeviceMemory* memory);

  // As in the command, with a dense layout: elements follow each other in logical order.
  const Operand& operand(int k) const {
    return command_.operand_storage[static_cast<std::size_t>(k)];
  }
  // Its elements.
  std::span<std::byte> bytes(int k);

  // Carries it out on results all bytes of which are `filling` before. UserError as of the command.
  void run(std::byte filling);

 private:
  Command command_;
  std::vector<std::byte> memory_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_DETACHED_COMMAND_H_
