// The commands of a recorded launch as the clock sees them: what each costs, in what order.
//
// Commands that differ in addresses alone cost the same, so a list keeps one of each kind and the
// order of the kinds. That makes it cheap to time the same launch under many parameters, as a fit
// does, and a long loop costs little memory.
#ifndef TENSORLANE_RECORDING_COMMAND_LIST_H_
#define TENSORLANE_RECORDING_COMMAND_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tensorlane/clock/command_time.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/recording/estimate.h"

namespace tensorlane {

class CommandList {
 public:
  // Reads the recording. Throws UserError for a file that cannot be read and for illegal calls.
  CommandList(const std::string& path, const Chip& chip);

  // The list handed over `repeat` times, one after the other: the kernel whose loop it is one turn
  // of. Of many turns the first few are timed, and the rest are taken to be like the last.
  Estimate estimate(const TimingParameters& parameters, std::int64_t repeat = 1) const;

  const Chip& chip() const { return *chip_; }

 private:
  struct Kind {
    Command command;
    Transfer move;
  };
  // Below 0: a synchronisation; else the index of a kind.
  enum Sync : std::int32_t { kRegionBegin = -1, kRegionEnd = -2, kPoll = -3, kHauPoll = -4 };

  const Chip* chip_;
  std::vector<Kind> kinds_;
  std::vector<std::int32_t> steps_;
  std::int64_t calls_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_COMMAND_LIST_H_
