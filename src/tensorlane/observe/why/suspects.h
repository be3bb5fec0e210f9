// What is suspicious of the commands behind a wrong value, although every one is legal: the first
// lines of an answer.
//
//   an argument unlike those of the other turns of its line (siblings.cc)
//   results that nobody reads, stale inputs, accumulators that go on from another tile (flow.cc)
//   inputs and outputs that are left out, inputs read twice (left_out.cc)
//   elements read by another layout or type than they were written with (mismatches.cc)
//   constants that hardly can be meant (constants.cc)
//   what would give the value that should stand there (explanations.cc, repairs.cc)
//
// Right kernels should have none of these; a mark says why, and is no finding. Weak ones are what
// else could be wrong behind the value (unconfirmed.cc), and right kernels have them, too.
#ifndef TENSORLANE_OBSERVE_WHY_SUSPECTS_H_
#define TENSORLANE_OBSERVE_WHY_SUSPECTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/why/launch_commands.h"
#include "tensorlane/observe/why/trial.h"

namespace tensorlane::why {

struct Suspect {
  std::string_view kind;    // "siblings", "unread", ...
  int weight = 0;           // 100: hardly right
  std::size_t command = 0;  // of LaunchCommands
  std::string text = {};
};
using Suspects = std::vector<Suspect>;
// The weight of what right kernels do as well, now and then.
inline constexpr int kOften = 46;

void find_siblings(const LaunchCommands& launch, Suspects& found);
void find_flow(const LaunchCommands& launch, trail::History& history, const DeviceMemory& memory,
               Suspects& found);
void find_left_out(const LaunchCommands& launch, Suspects& found);
void find_mismatches(const LaunchCommands& launch, Suspects& found);
void find_constants(const LaunchCommands& launch, Suspects& found);

class ChainFacts;  // step_facts.h
class Replay;      // replay.h
// Which commands would have given `expected` for the value of the first step, had one thing of them
// been another.
void find_explanations(const ChainFacts& chain, double expected, Replay& replay,
                       const trail::Allocations& allocations, Suspects& found);
// Which mistakes undone would make the targets what they should be, with all that follows.
void find_repairs(const ChainFacts& chain, const Json& steps, std::span<const Target> targets,
                  Trial& trial, Suspects& found);
// Results that are the same everywhere, of sources that are not.
void find_constant_results(const ChainFacts& chain, const Json& steps, trail::History& history,
                           const DeviceMemory& memory, Suspects& found);
// Choices that nothing else of the launch confirms: the weak ones.
void find_unconfirmed(const ChainFacts& chain, const Json& steps, Suspects& found);
// What the steps show together: a source that enters a sum twice, memory that nobody wrote.
void find_in_chain(const ChainFacts& chain, const Json& steps, Suspects& found);

// All of them for the steps of a chain (chain.h) that asked for the value before event `before`,
// the likeliest first, one for each line:
//   "kind", "text", "call", "location", "launch", maybe "step" (an id) and "loop": the place of the
//   loop around the line; "weak" where right kernels have the same
// `targets`: what values should be, the value that is asked about first.
Json suspects_of(const Json& steps, std::span<const Target> targets, trail::History& history,
                 const trail::Allocations& allocations, DeviceMemory& memory, const Chip& chip,
                 trail::Writer before);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_SUSPECTS_H_
