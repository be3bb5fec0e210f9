// The past from some command on, once more, with commands that are others: what values would have
// come of it.
//
//   Trial trial(launch, history, memory, chip, before, ops);
//   Changes changes = {{17, {command}}, {18, {}}};    // 17 is another one, 18 is left out
//   const auto values = trial.with(changes, targets);
#ifndef TENSORLANE_OBSERVE_WHY_TRIAL_H_
#define TENSORLANE_OBSERVE_WHY_TRIAL_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/inspect/place.h"
#include "tensorlane/observe/why/launch_commands.h"
#include "tensorlane/trail/history.h"
#include "tensorlane/trail/saved_bytes.h"

namespace tensorlane::why {

// A value that should have been another, or that is right and has to stay.
struct Target {
  inspect::Place place;
  Dtype dtype = Dtype::kFp32;
  double expected = 0;
  bool wrong = true;
};

// In place of a command, by its number in LaunchCommands: what is carried out.
using Changes = std::map<std::size_t, std::vector<Command>>;

class Trial {
 public:
  Trial(const LaunchCommands& launch, trail::History& history, DeviceMemory& memory,
        const Chip& chip, trail::Writer before);
  ~Trial() { history_.restore(); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Whether the past can be carried out again, as far as the launch goes.
  bool possible() const { return possible_; }
  // Enough was tried.
  bool ended() const { return std::chrono::steady_clock::now() > end_; }
  // What the targets hold at the moment that is asked about.
  std::vector<double> values(std::span<const Target> targets);
  // What they would hold. Nothing where the commands cannot be carried out.
  std::optional<std::vector<double>> with(const Changes& changes, std::span<const Target> targets);

 private:
  bool go_to(trail::Writer event);
  bool carry_out(const Command& command);
  void write_again(const trail::Event& event);
  void put_back();
  std::vector<double> read(std::span<const Target> targets) const;

  const LaunchCommands& launch_;
  trail::History& history_;
  DeviceMemory& memory_;
  const Chip& chip_;
  const trail::Writer before_;
  const int core_;                                // whose local memory is asked about
  std::map<trail::Writer, std::size_t> numbers_;  // of the commands of the launch
  bool possible_ = true;
  trail::Writer at_ = trail::kNobody;     // where memory stands; kNobody: as it is
  std::vector<trail::SavedBytes> saved_;  // what was written over
  Command other_;                         // of another launch, in hand
  std::chrono::steady_clock::time_point end_;
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_TRIAL_H_
