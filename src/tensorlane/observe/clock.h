// The clock: an observer that times every command by the model of the chip.
#ifndef TENSORLANE_OBSERVE_CLOCK_H_
#define TENSORLANE_OBSERVE_CLOCK_H_

#include <functional>

#include "tensorlane/observe/timeline.h"

namespace tensorlane::observe {

class Clock : public Observer {
 public:
  // Whether the timeline keeps what a map of local memory needs: what each command does to it.
  enum class LocalMap : bool { kSkip, kKeep };

  // `done` gets the timeline of every launch when it ends.
  Clock(const TimingParameters& parameters, std::function<void(const Timeline&)> done,
        LocalMap local_map = LocalMap::kKeep)
      : parameters_(parameters), done_(std::move(done)), local_map_(local_map) {}

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void command_begin(const Command& command) override;
  void sync(SyncEvent event, std::int64_t region, const void* call_site) override;

 private:
  const TimingParameters& parameters_;
  std::function<void(const Timeline&)> done_;
  LocalMap local_map_;
  Schedule schedule_;
  Timeline timeline_;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_CLOCK_H_
