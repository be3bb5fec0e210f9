// Where the elements of a result come from, for commands that move them (Dependence::kMoved): the
// command's own implementation runs on numbers in place of values.
#ifndef TENSORLANE_TRAIL_ELEMENT_ORIGINS_H_
#define TENSORLANE_TRAIL_ELEMENT_ORIGINS_H_

#include <cstdint>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::trail {

struct Origin {
  int operand = -1;          // of the command; -1: a constant, or it was not written
  std::int64_t element = 0;  // in logical order
  bool kept = false;         // not written
};

// For every result of the command, in the order of its operands, the origins of its elements. Call
// before the command takes effect: indices and masks are read.
std::vector<std::vector<Origin>> origins_of(const Command& command, const DeviceMemory& memory);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_ELEMENT_ORIGINS_H_
