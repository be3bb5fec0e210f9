// The chain behind a value: the command that wrote it, what that was computed from, who wrote that,
// and so on back to the host.
//
//   Chain chain(history, allocations, chip, memory, {.depth = 12});
//   chain.ask(place, history.next());
//   Json steps = chain.steps();
//
// Steps are found from the latest to the oldest, while the history is rewound: every element is
// seen as the command saw it. Where the history does not reach back far enough a step is left open;
// a second run of the program that stops at its event answers it (ask() with its id).
//
// A step is an object:
//
//   "id", "depth"   its number, and how many steps lead from the question to it
//   "kind"          "command"; "host", "processor", "unseen" (a pointer of the kernel leads there
//                   and nobody sees what is done with it), "nobody"; "open": to be asked again
//   "place"         where the value lies: "NPU 3 offset 0x1018"
//   "location"      file, line, function, place, source; "callers": a list of such
//   "launch"        number, kernel, command, of a launch over several cores the core: of what a
//                   kernel did
//   "notes"         in words
// of a command:
//   "call", "statement"                     the function, and the call as C with its arguments
//   "operand", "element", "tensor", "value" what it wrote; "event": its number in the history
//   "sources"       what of: each "operand", "tensor", "element" (or a range of them), "elements",
//                   and "value" of a single one; "part": "value", "before", "decides", "table" or
//                   "compared" (a maximum, minimum or sort did not take it);
//                   "writers" of its elements, the one of the weightiest element first: "who" in
//                   words, "elements", and of those followed "step" (an id), "element", "value"
//   "more_writers"  of a source: how many are not listed
//   "constants"     the numbers among the arguments, by their parameters
//   "moved"         the only source of part "value" became the result unchanged
//   "chosen"        of a maximum, minimum or sort: "by", "of" how many elements, and whether it is
//                   a "constant" and none of them
//   "terms"         of a sum: "count", "sum", "largest": "value" and "factors" with operand,
//   element
//                   and value
// of the host: "call", "offset" and "bytes" of the copy, "allocation" with location and bytes;
//   of a copy inside the device "copied_from" with "place" and "step".
// "open": "event" of the writer, "read_by" and "memory", "offset", "bit" of the place.
#ifndef TENSORLANE_OBSERVE_WHY_CHAIN_H_
#define TENSORLANE_OBSERVE_WHY_CHAIN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/inspect/place.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/why/sources.h"
#include "tensorlane/observe/why/terms.h"
#include "tensorlane/trail/allocations.h"
#include "tensorlane/trail/history.h"

namespace tensorlane::why {

struct ChainLimits {
  int depth = 16;  // steps from the question to the last
  int width = 4;   // writers that are followed per step
  int terms = 3;   // of a sum that are shown
  int steps = 256;
};

class Chain {
 public:
  Chain(trail::History& history, const trail::Allocations& allocations, const Chip& chip,
        const DeviceMemory& memory, const ChainLimits& limits)
      : history_(history),
        allocations_(allocations),
        chip_(chip),
        memory_(memory),
        limits_(limits) {}

  // A step that is asked for.
  struct Asked {
    int id = -1;  // negative: a new one
    int depth = 0;
    trail::Writer read_by =
        trail::kNobody;  // the event that read the value, or would be the next one
  };
  // The value that a place holds before event `before`. Returns the id.
  int ask(const inspect::Place& place, trail::Writer before, const Asked& asked);
  // Ids from `id` on are free.
  void number_from(int id) { next_id_ = id; }

  // The step that leaves a question open: the last writer of the place up to `event`.
  Json left_open(const inspect::Place& place, trail::Writer event, const Asked& asked) const;

  // Answers what was asked and all that follows. Memory is as it was afterwards.
  Json steps();

  // Elements of a source with one last writer.
  struct Group {
    trail::Writer writer = trail::kNobody;
    std::int64_t elements = 0;
    Layout::Index largest{};  // the one that counts most
    double weight = -1;
  };

 private:
  struct Listed {
    Json json = {};                  // of a source
    std::vector<Group> groups = {};  // of its elements, and
    std::vector<Json> writers = {};  // what is said of each
  };
  struct Open {
    trail::Writer event;
    inspect::Place place;
    Asked asked;
    bool operator<(const Open& other) const {
      return std::pair(event, -asked.id) < std::pair(other.event, -other.asked.id);
    }
  };
  using Element = std::tuple<trail::Writer, Space, std::uint64_t, int>;

  int open(const inspect::Place& place, trail::Writer event, Asked asked);
  Json step(const Open& open);
  void add_copied(const Open& open, const trail::Event& event, Json& step);
  void add_origin(const Open& open, const trail::Event* event, Json& step) const;
  bool add_command(const Open& open, const trail::Event& event, Json& step);
  void add_sources(const Open& open, int result, const Layout::Index& at, const Sources& sources,
                   Json& step);
  Listed look_at(const Open& open, const Source& source, const std::optional<Terms>& terms);
  void follow(const Open& open, const Source& source, std::int64_t moved_bits, std::size_t at,
              Listed& listed);
  trail::Writer writer_of(const inspect::Place& place, trail::Writer before);
  std::string who(trail::Writer event) const;

  trail::History& history_;
  const trail::Allocations& allocations_;
  const Chip& chip_;
  const DeviceMemory& memory_;
  const ChainLimits limits_;
  std::priority_queue<Open> queue_;
  std::map<Element, int> ids_;  // of the steps by what they are about
  int next_id_ = 0;
  std::vector<Json> left_;  // steps that are left open at once
  Command command_;         // in hand
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_CHAIN_H_
