// Where a command moves elements (Dependence::kMoved), told by the command itself: its
// implementation runs on states in place of values.
//
// Every operand gets a dense copy of its own. Those that decide (an index, a mask) hold what memory
// holds; undefined elements hold their number, all others of a source 0. A first run with zeros for
// the numbers and in the results, and one with the numbers and another filling, tell for every
// element of a result whether it was written and with which undefined element, if any. A number has
// as many digits, and takes as many runs, as there are undefined elements to tell apart. So nothing
// has to be said about gathers, scatters, selections and transposes beside how they are computed.
#ifndef TENSORLANE_TRAIL_MOVED_ELEMENTS_H_
#define TENSORLANE_TRAIL_MOVED_ELEMENTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/element_boxes.h"

namespace tensorlane::trail {

struct MovedElements {
  // Undefined elements of a source with one mark.
  struct Origin {
    int operand;
    Mark mark;
    std::vector<ElementBox> moved;  // to a result; only for unwritten ones
  };
  std::vector<Origin> origins;

  // The elements of a result that were written. The mark of a box says with what: kDefined, or
  // kFirstOrigin plus the number of an origin.
  static constexpr Mark kKept = 0, kDefined = 1, kFirstOrigin = 2;
  struct Result {
    int operand;
    std::vector<ElementBox> written;
  };
  std::vector<Result> results;
};

// `undefined`: the undefined elements of each operand. Nothing when it cannot be told: values
// decide and are not known (no memory), or the command cannot be carried out.
std::optional<MovedElements> move_states(const Command& command,
                                         std::span<const std::vector<ElementBox>> undefined,
                                         const DeviceMemory* memory);

// Where one element of a result came from, told in the same way.
struct MovedFrom {
  enum class Kind : std::uint8_t {
    kElement,  // element `index` of operand `operand`
    kKept,     // it was not written
    kOther,    // a constant, or an operand that decides
  };
  Kind kind = Kind::kOther;
  int operand = -1;
  Layout::Index index{};
};
// Nothing as above.
std::optional<MovedFrom> moved_from(const Command& command, int result, const Layout::Index& at,
                                    const DeviceMemory* memory);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_MOVED_ELEMENTS_H_
