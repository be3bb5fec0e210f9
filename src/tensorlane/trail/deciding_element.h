// Which of the elements of a maximum, a minimum or a sort became the result.
#ifndef TENSORLANE_TRAIL_DECIDING_ELEMENT_H_
#define TENSORLANE_TRAIL_DECIDING_ELEMENT_H_

#include <functional>
#include <optional>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/element_boxes.h"

namespace tensorlane::trail {

// The element became the result, or says where in its order the result stood.
struct DecidingElement {
  int operand = -1;  // -1: none of them; a constant of the call, such as what padding counts as
  Layout::Index index{};
};

// Whether one element decides what operand `result` holds (Combination of its entry).
bool one_decides(const OperandSpec& result);
// The operands whose elements were candidates.
std::vector<int> candidates(const Command& command, int result);
// The elements of a candidate that were looked at for element `at` of the result.
Elements candidates_of(const Command& command, int result, const Layout::Index& at, int source);

// Of element `at` of operand `result`, one that one_decides(). `memory` is as it was before the
// command; `after` gives what element `at` of an operand, a result too, holds after it.
DecidingElement deciding_element(const Command& command, int result, const Layout::Index& at,
                                 const DeviceMemory& memory,
                                 const std::function<double(int)>& after);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_DECIDING_ELEMENT_H_
