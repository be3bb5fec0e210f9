// What an element of a result was made of: which elements of which operands of the command.
#ifndef TENSORLANE_OBSERVE_WHY_SOURCES_H_
#define TENSORLANE_OBSERVE_WHY_SOURCES_H_

#include <map>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/element_boxes.h"

namespace tensorlane::why {

struct Source {
  enum class Part : std::uint8_t {
    kValue,     // the result is computed from it, or is it
    kCompared,  // it was looked at and did not decide: a maximum, a minimum, a sort
    kBefore,    // what the result held before, which the command adds to
    kDecides,   // it says where the element comes from: an index, a mask
    kTable,     // coefficients
  };
  int operand;
  trail::Elements elements;
  Part part = Part::kValue;
};

struct Sources {
  // The command left the element as it was: it writes to others of the operand.
  bool kept = false;
  // The bits of the only source of part kValue, unchanged.
  bool moved = false;
  // Of a maximum, a minimum, a sort: how many elements there were, and whether none of them
  // became the result but a constant of the call, such as what padding counts as.
  std::int64_t chosen_of = 0;
  bool constant = false;
  std::vector<Source> list = {};  // as the operands stand
};

// Of element `at` of operand `result`. `memory` is as it was just before the command; `after`: what
// element `at` of each operand that is a result held after it.
Sources sources_of(const Command& command, int result, const Layout::Index& at,
                   const DeviceMemory& memory, const std::map<int, double>& after);
// What sources_of() needs of the memory after the command.
std::map<int, double> values_after(const Command& command, const Layout::Index& at,
                                   const DeviceMemory& memory);

std::int64_t count(const trail::Elements& elements);
// The indices in logical order, at most `most`.
std::vector<Layout::Index> indices(const trail::Elements& elements, std::size_t most);
// "[0,3,1,2]"; several indices of a dimension as "0..63", "1,3,5" as "{1,3,5}".
std::string elements_text(const trail::Elements& elements);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_SOURCES_H_
