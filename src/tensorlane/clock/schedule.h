// The event model: when each command is issued, starts and ends.
//
// One processor issues the calls of a kernel in order; each engine command costs it the issue time
// and it goes on without waiting. A command starts when it is issued and what it depends on is
// done: outside a parallel region that is every earlier command of all engines, inside it is the
// earlier commands of its own engine and everything before the region. The end of a region joins
// the engines; a poll makes the processor wait for all of them, or for one.
//
// Pure arithmetic on microseconds: no commands, no emulator, the same figures in every run.
#ifndef TENSORLANE_CLOCK_SCHEDULE_H_
#define TENSORLANE_CLOCK_SCHEDULE_H_

#include <algorithm>
#include <array>

#include "tensorlane/ops/op.h"

namespace tensorlane {

// One command on the time axis, microseconds since the kernel's first call.
struct Slot {
  double issued;  // the processor had handed it over
  double start;
  double end;
};

class Schedule {
 public:
  Schedule() = default;
  // Beginning a parallel region costs the processor this.
  explicit Schedule(double region_us) : region_us_(region_us) {}

  // A command of `engine` that runs for `duration`, handed over in `issue` of processor time.
  Slot command(Engine engine, double duration, double issue) {
    now_ += issue;
    double& free = free_[index(engine)];
    const double ready = in_region_ ? std::max(free, barrier_) : done();
    const double start = std::max({now_, ready, barrier_});
    free = start + duration;
    return {now_, start, free};
  }
  // The engine stands still until `until`; handing that over costs the processor `issue`.
  Slot wait(Engine engine, double until, double issue) {
    const Slot slot = command(engine, 0, issue);
    double& free = free_[index(engine)];
    free = std::max(free, until);
    return {slot.issued, slot.start, free};
  }
  // The engines wait for each other.
  void join() { barrier_ = done(); }
  void region_begin() {
    now_ += region_us_;
    barrier_ = done();
    in_region_ = true;
  }
  void region_end() {
    barrier_ = done();
    in_region_ = false;
  }
  void poll() { now_ = std::max(now_, done()); }
  void poll(Engine engine) { now_ = std::max(now_, free_[index(engine)]); }

  // When a command of `engine` could start if it were issued at once.
  double ready(Engine engine) const {
    return std::max(barrier_, in_region_ ? free_[index(engine)] : done());
  }
  // When the other engines are done with what they have.
  double others_done(Engine engine) const {
    double latest = 0;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      if (k != index(engine)) latest = std::max(latest, free_[k]);
    }
    return latest;
  }

  // When all engines are done with what they have.
  double done() const { return *std::max_element(free_.begin(), free_.end()); }
  double now() const { return now_; }
  // From the first call to the last engine being done.
  double total() const { return std::max(now_, done()); }

 private:
  static std::size_t index(Engine engine) { return static_cast<std::size_t>(engine) - 1; }

  double region_us_ = 0;
  double now_ = 0;
  std::array<double, 4> free_{};  // GDMA, BDC, HAU, SDMA
  double barrier_ = 0;            // everything before the region is done
  bool in_region_ = false;
};

}  // namespace tensorlane

#endif  // TENSORLANE_CLOCK_SCHEDULE_H_
