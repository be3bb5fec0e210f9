// The commands of a recorded launch as the clock sees them: what each costs, in what order.
//
// Commands that differ in addresses alone cost the same, so a list keeps one of each kind and the
// order of the kinds. That makes it cheap to time the same launch under many parameters, as a fit
// does, and a long loop costs little memory.
#ifndef TENSORLANE_RECORDING_COMMAND_LIST_H_
#define TENSORLANE_RECORDING_COMMAND_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/clock/command_time.h"
#include "tensorlane/device/message_slots.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/recording/estimate.h"

namespace tensorlane {

class CommandList {
 public:
  // Reads the recording. Throws UserError for a file that cannot be read and for illegal calls.
  CommandList(const std::string& path, const Chip& chip);

  // The list handed over `repeat` times, one after the other: the kernel whose loop it is one turn
  // of. Of many turns the first few are timed, and the rest are taken to be like the last. Of a
  // launch over several cores: its cores share the bandwidth of DDR, and engines are busy as those
  // of a core on average. Commands of the function `longer` take a tenth more cycles.
  Estimate estimate(const TimingParameters& parameters, std::int64_t repeat = 1,
                    const Op* longer = nullptr) const;
  // The functions in it whose time comes from cycles of the ops list, each once.
  std::vector<const Op*> timed_by_cycles() const;

  const Chip& chip() const { return *chip_; }
  int cores() const { return cores_; }

 private:
  struct Kind {
    Command command;
    Transfer move;
  };
  // Below 0: a synchronisation; else the index of a kind. From kOthers down what other_ has of it.
  enum Sync : std::int32_t {
    kRegionBegin = -1,
    kRegionEnd = -2,
    kPoll = -3,
    kHauPoll = -4,
    kOthers = -5
  };
  // Another core goes on, or a message.
  struct Other {
    int core = 0;
    std::optional<MessageEvent> message = {};
  };
  struct Turns;
  void drop_last_polls();

  const Chip* chip_;
  std::vector<Kind> kinds_;
  std::vector<std::int32_t> steps_;
  std::vector<Other> others_;
  int cores_ = 1;
  std::int64_t calls_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_COMMAND_LIST_H_
