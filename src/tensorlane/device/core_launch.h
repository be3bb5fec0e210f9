// What the sessions of a launch over several cores share, and what each has of its own.
//
// Global memory and L2 are those of all cores; local memory, engines and their queues are each
// core's own. A kernel's own code goes on past a message that one of its engines waits for, as on
// the chip: what that engine and those behind it are given goes to the backlog (backlog.h) until
// the message comes.
#ifndef TENSORLANE_DEVICE_CORE_LAUNCH_H_
#define TENSORLANE_DEVICE_CORE_LAUNCH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/device/backlog.h"
#include "tensorlane/device/core_turns.h"
#include "tensorlane/device/failure.h"
#include "tensorlane/device/message_slots.h"

namespace tensorlane {

struct CoreLaunch {
  CoreLaunch(int cores, CoreOrder order, CoreTurns::Told goes_on, CoreTurns::Told stops)
      : turns(cores, order, std::move(goes_on), std::move(stops)),
        of_core(static_cast<std::size_t>(cores)) {}

  struct Core {
    Backlog backlog;
    int barriers = 0;  // over all cores, so far
    bool done = false;
  };
  // Who sent to a slot since it was free.
  struct Sender {
    int core;
    Engine engine;
    const void* call_site;
  };

  CoreTurns turns;
  MessageSlots slots;
  std::array<std::vector<Sender>, kMessageSlots> senders;
  std::vector<Core> of_core;
  std::uint64_t commands = 0;  // issued so far, by all
  std::int64_t regions = 0;
  std::optional<Failure> failure;  // the first of any core

  // Every core stands still and nothing can change that: who waits where, for what, and who could
  // have sent it.
  Failure describe_deadlock() const;
  std::string missing_senders(int slot) const;
  // Why the launch ends where nothing was said yet.
  void note_deadlock() {
    if (!failure) failure = describe_deadlock();
  }
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_CORE_LAUNCH_H_
