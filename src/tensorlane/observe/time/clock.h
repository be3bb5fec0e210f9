// The clock: an observer that times every command by the model of the chip.
#ifndef TENSORLANE_OBSERVE_TIME_CLOCK_H_
#define TENSORLANE_OBSERVE_TIME_CLOCK_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tensorlane/clock/core_schedules.h"
#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

// What the event means to the engines and the processor.
void follow(Schedule& schedule, SyncEvent event);
// `issue_us`: what a message costs the processor.
void follow(CoreSchedules& cores, const MessageEvent& event, double issue_us);

class Clock : public Observer {
 public:
  // Of a launch with more commands the timeline keeps these at most.
  static constexpr std::size_t kMostCommands = 16384;
  // Of those this many have their calls.
  static constexpr std::size_t kMostCalls = 1024;
  // What the timelines have beside their totals.
  enum class Keep : std::uint8_t {
    kTotals,    // nothing
    kCommands,  // the first commands
    kLocalMap,  // and what each does to local memory
    kCalls,     // and what the first of them look like in C
    kPieces,    // all commands with that and their calls, in pieces: `done` gets a launch in
                // several timelines, which have no verdict
  };

  // `done` gets the timeline of every launch when it ends.
  Clock(const TimingParameters& parameters, std::function<void(const Timeline&)> done,
        Keep keep = Keep::kLocalMap)
      : given_(parameters), parameters_(parameters), done_(std::move(done)), keep_(keep) {}

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void command_begin(const Command& command) override;
  void sync(SyncEvent event, std::int64_t region, const void* call_site) override;
  void core_selected(int core) override {
    cores_.select(core);
    high_.select(core);
  }
  void message(const MessageEvent& event) override;
  void pointer_taken(Space space, std::uint64_t offset, const void* call_site) override;

  // The timeline of the launch that has just ended, for whoever keeps it.
  Timeline take() { return std::move(timeline_); }

 private:
  void set_total();
  // A launch on several cores does not run again: what one core wins another may lose.
  bool judges() const { return keep_ != Keep::kPieces && timeline_.launch.cores == 1; }

  const TimingParameters& given_;
  TimingParameters parameters_;  // of each core of the launch
  std::function<void(const Timeline&)> done_;
  Keep keep_;
  // What the cores and their engines are doing; the second where issue or SDMA are unknown, at
  // most.
  CoreSchedules cores_, high_;
  Timeline timeline_;
  std::int64_t npu_bytes_ = 0;
  trail::Dependences dependences_;
  Rerun rerun_;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_CLOCK_H_
