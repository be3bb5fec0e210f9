// The commands of a launch as a whole: by the lines that issued them, those of each core by
// themselves, and with what flows between them. What is suspicious of them (suspects.h) is found in
// here.
#ifndef TENSORLANE_OBSERVE_WHY_LAUNCH_COMMANDS_H_
#define TENSORLANE_OBSERVE_WHY_LAUNCH_COMMANDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/allocations.h"
#include "tensorlane/trail/history.h"

namespace tensorlane::why {

// Bytes that an operand read or replaced, by who wrote them before.
struct Piece {
  enum class Who : std::uint8_t { kCommand, kNobody, kHost, kEarlier, kProcessor };
  Who who = Who::kNobody;
  std::size_t command = 0;  // of this launch, for kCommand
  std::int64_t bytes = 0;
};

struct Issued {
  trail::Writer event = trail::kNobody;
  Command command;
  std::size_t line = 0;                      // of LaunchCommands::lines
  std::size_t turn = 0;                      // how many commands its line issued before, here
  std::vector<std::vector<Piece>> read;      // per operand that reads
  std::vector<std::vector<Piece>> replaced;  // per operand that writes: what stood there, unread
  // Of its results: the commands of this launch that read from them, in order, each once.
  std::vector<std::size_t> readers;
  std::int64_t unread = 0;  // bytes in local memory that no command read
  bool read_back = false;   // lies where the host may read it: not in local memory
};

// One place in the kernel, by the same calls, and what it issued on one core.
struct Line {
  std::vector<std::size_t> issued;
  std::size_t place = 0;  // of LaunchCommands::places
};

// What a launch did with an allocation of the host.
struct TouchedAllocation {
  const trail::Allocation* allocation = nullptr;
  std::vector<trail::Range> unread = {};     // what the host wrote, where the launch read others
  std::vector<trail::Range> unwritten = {};  // by nobody ever, where the launch wrote others
  std::vector<std::size_t> readers = {}, writers = {};  // the lines that did
};

struct LaunchCommands {
  std::vector<Issued> commands;
  std::vector<Line> lines;
  std::vector<std::vector<std::size_t>> places;  // what a place issued on all cores
  std::vector<TouchedAllocation> allocations;
  std::size_t unused_inputs = 0;  // allocations that the host wrote and nobody reads
  bool whole = true;              // all of its commands are there
  bool unseen = false;            // the kernel's own code wrote memory, perhaps
  bool processor_reads = false;   // it read some, perhaps
};

// Those of launch `number` before event `before`, the latest where they are very many.
LaunchCommands commands_of(trail::History& history, const trail::Allocations& allocations,
                           const Chip& chip, std::uint64_t number, trail::Writer before);

// Copies into local memory, from wherever it cannot be seen.
bool loads(const Command& command);
// What the place of a line issued, on all cores.
inline const std::vector<std::size_t>& issued_everywhere(const LaunchCommands& launch,
                                                         std::size_t line) {
  return launch.places[launch.lines[line].place];
}
// "okk_bdc_add at kernel.c:17 in kernel"
std::string place_of(const LaunchCommands& launch, std::size_t command);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_LAUNCH_COMMANDS_H_
