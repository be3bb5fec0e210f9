// The past of a device as an observer: it hears of everything that writes memory and answers where
// a value came from.
//
//   auto past = std::make_unique<Past>(chip, memory, 512 << 20);
//   ... launches, copies ...
//   Json steps = past->steps(place, past->history().next(), {});    // while no launch runs
#ifndef TENSORLANE_OBSERVE_WHY_PAST_H_
#define TENSORLANE_OBSERVE_WHY_PAST_H_

#include <cstddef>

#include "tensorlane/device/observer.h"
#include "tensorlane/observe/why/chain.h"
#include "tensorlane/trail/allocations.h"
#include "tensorlane/trail/history.h"

namespace tensorlane::why {

class Past : public Observer {
 public:
  // `budget`: bytes of what was overwritten that may be kept; see history.h.
  Past(const Chip& chip, DeviceMemory& memory, std::size_t budget)
      : chip_(chip), memory_(memory), history_(chip, memory, budget) {}

  trail::History& history() { return history_; }
  // The chain (chain.h) of the value that `place` held before event `before`. One step that is left
  // open where the history does not reach back so far.
  Json steps(const inspect::Place& place, trail::Writer before, const ChainLimits& limits);

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void core_selected(int core) override { history_.select_core(core); }
  void command_begin(const Command& command) override;
  void pointer_taken(Space space, std::uint64_t offset, const void* call_site) override;
  void processor_access(const ProcessorAccess& access) override;
  bool watches(Space, std::uint64_t, std::uint64_t) const override { return true; }
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override;
  void host_copied(const DeviceCopy& copy, const HostCaller& caller) override;
  void allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller& caller) override;

 protected:
  // Something is about to be written.
  virtual void before_event() {}

  const Chip& chip_;
  DeviceMemory& memory_;
  trail::History history_;
  trail::Allocations allocations_;

 private:
  bool seen_ = false;  // what the processor does, in this launch
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_PAST_H_
