// Which earlier commands of a launch a command has to come after, by the bytes of its operands.
//
// Two kinds are told apart. Data: it reads what the other wrote, or both touch the same bytes of
// system memory and one of them writes there. Room: it writes bytes of local memory that the other
// read or wrote, so that another place for its result would set it free. Bytes are compared exactly
// (footprint.h), uses are found by tiles (box_index.h), and those that a later write covers
// are forgotten: what is kept grows with the tensors in use, not with the commands.
#ifndef TENSORLANE_TRAIL_COMMAND_DEPENDENCES_H_
#define TENSORLANE_TRAIL_COMMAND_DEPENDENCES_H_

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/trail/box_index.h"
#include "tensorlane/trail/checked_command.h"

namespace tensorlane::trail {

using CommandNumber = std::int32_t;  // in the launch, from 0

// What a command comes after, each with the numbers of the others, ascending and each once.
struct Dependent {
  std::vector<CommandNumber> data, room;
  std::int64_t loaded = 0, read = 0;  // bytes of the fullest NPU that it writes, that it reads
};

class Dependences {
 public:
  void clear();
  // The next command of the launch; what is returned holds until the next call.
  const Dependent& add(const Command& command);
  // Bytes of an NPU that commands have touched so far.
  std::int64_t local_bytes() const;

 private:
  // An operand as a command used it; the latest of those with the same bytes and engine.
  struct Use {
    Footprint bytes;
    CommandNumber command = 0;
    Engine engine = Engine::kNone;
  };
  void touch_local(Range range);

  FootprintCache footprints_;
  CheckedCommand checked_;
  std::array<BoxIndex<Use>, kSpaces> readers_, writers_;
  std::map<std::int64_t, std::int64_t> local_;  // begin to end of the ranges touched
  CommandNumber next_ = 0;
  Dependent found_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_COMMAND_DEPENDENCES_H_
