// What comes before what in a launch over several cores, by rule: vector clocks over the engines of
// all cores.
//
// Each engine of each core has a component. An event of an engine (a command, a send, a wait) comes
// after
//
//   all that the same engine did before;
//   outside of parallel regions, all commands that its core was given before; a command also after
//   the messages of the core's other engines (device/backlog.h says the same of the emulator);
//   inside a region, all that its core was given before the region, and nothing of other engines in
//   it;
//   where it is a wait, all sends of its slot since that was free, and all before them;
//   all that the core's own code waited for by a poll before it gave the command.
//
// Nothing of this depends on the order in which the emulator ran the cores.
#ifndef TENSORLANE_OBSERVE_CHECK_CORE_CLOCKS_H_
#define TENSORLANE_OBSERVE_CHECK_CORE_CLOCKS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "tensorlane/device/message_slots.h"

namespace tensorlane::check {

class CoreClocks {
 public:
  static constexpr int kEngines = 4;
  using Time = std::uint32_t;
  // One event.
  struct Moment {
    int component = 0;  // core * kEngines + engine
    Time time = 0;
    int core() const { return component / kEngines; }
  };

  explicit CoreClocks(int cores);

  // The events of the launch as they take effect; the first two return theirs.
  Moment command(int core, Engine engine, std::int64_t region);
  Moment message(int core, const MessageEvent& event);
  void poll(int core);
  void poll(int core, Engine engine);

  // Whether the latest event comes after that one.
  bool is_after(const Moment& earlier) const { return at(latest_, earlier) >= earlier.time; }
  // Whether all that will still happen on any core does.
  bool is_behind_all(const Moment& earlier) const { return at(least_, earlier) >= earlier.time; }
  int cores() const { return static_cast<int>(threads_.size()); }

 private:
  using Clock = std::vector<Time>;  // by component
  struct EngineClock {
    Clock now, of_commands;  // after the latest event, and after the latest command
    std::int64_t region = -1;
    Clock before_region, of_commands_before_region;
  };
  static int index(Engine engine) { return static_cast<int>(engine) - 1; }
  static Time at(const Clock& clock, const Moment& moment) {
    return clock[static_cast<std::size_t>(moment.component)];
  }
  static void join(Clock& clock, const Clock& other);
  EngineClock& engine(int core, int number) {
    const int at = core * kEngines + number;
    return engines_[static_cast<std::size_t>(at)];
  }
  Moment step(int core, int number, std::int64_t region, bool is_command, const Clock* also);
  void join_engines(int core);
  void note_least();

  std::vector<EngineClock> engines_;
  std::vector<Clock> threads_;  // by core: what its own code has waited for
  std::array<Clock, kMessageSlots> sends_;
  MessageSlots slots_;
  Clock latest_, least_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_CORE_CLOCKS_H_
