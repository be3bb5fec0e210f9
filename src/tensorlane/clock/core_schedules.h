// The event model over the cores of a launch: each has a processor and engines of its own, and
// messages let an engine of one wait for an engine of another.
//
// What happens is told in the order in which it takes effect, so that a message has been sent when
// somebody waits for it: a send takes effect when its engine comes to it; a wait holds its engine
// until the last send to the slot has come, and a little longer.
#ifndef TENSORLANE_CLOCK_CORE_SCHEDULES_H_
#define TENSORLANE_CLOCK_CORE_SCHEDULES_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tensorlane/clock/schedule.h"

namespace tensorlane {

class CoreSchedules {
 public:
  // Beginning a parallel region costs a processor `region_us`, a message `message_us` until the
  // engine that waits for it goes on.
  CoreSchedules(int cores, double region_us, double message_us)
      : cores_(static_cast<std::size_t>(cores), Schedule(region_us)), message_us_(message_us) {}
  CoreSchedules() : CoreSchedules(1, 0, 0) {}

  // From here on things happen on this core; they begin on core 0.
  void select(int core) { core_ = static_cast<std::size_t>(core); }
  Schedule& core() { return cores_[core_]; }

  void send(Engine engine, int slot, double issue) {
    double& sent = sent_at(slot);
    sent = std::max(sent, core().command(engine, 0, issue).end);
  }
  void wait(Engine engine, int slot, double issue) {
    core().wait(engine, sent_at(slot) + message_us_, issue);
  }

  // From the first call to the last engine of any core being done.
  double total() const {
    double latest = 0;
    for (const Schedule& each : cores_) latest = std::max(latest, each.total());
    return latest;
  }

 private:
  double& sent_at(int slot) {
    const auto at = static_cast<std::size_t>(slot);
    if (at >= sent_.size()) sent_.resize(at + 1);
    return sent_[at];
  }

  std::vector<Schedule> cores_;
  std::size_t core_ = 0;
  std::vector<double> sent_;  // per message slot, when it was last sent to
  double message_us_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_CLOCK_CORE_SCHEDULES_H_
