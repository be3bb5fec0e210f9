// The modelled timeline of one launch, and what it says about speed.
//
// Nothing here is measured: the figures come from the timing model of the chip (clock/) and are the
// same in every run. Microseconds count from the kernel's first call.
#ifndef TENSORLANE_OBSERVE_TIMELINE_H_
#define TENSORLANE_OBSERVE_TIMELINE_H_

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tensorlane/clock/command_time.h"
#include "tensorlane/clock/schedule.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/observe/live_bytes.h"

namespace tensorlane::observe {

struct TimedCommand {
  const Op* op = nullptr;
  std::int64_t region = -1;
  const void* call_site = nullptr;
  Slot slot{};
  double issue_wait_us = 0;  // its engine and what it depends on were done, the processor was not
  CommandTime time{};
  Transfer transfer{};    // of GDMA commands
  double lanes_used = 1;  // share of execution units with an element to work on, of BDC commands
  double latency_share =
      0;  // share of the cycles that more input channels would hide (convolution)
  std::vector<LocalAccess> local_accesses = {};  // of local memory, as offsets inside the NPUs
};

struct Timeline {
  Launch launch;
  std::vector<TimedCommand> commands;
  double kernel_us = 0;
  const TimingParameters* parameters = nullptr;
};

// What the launch spent its time on.
struct TimeSummary {
  double kernel_us = 0, host_us = 0;
  double gdma_busy_us = 0, bdc_busy_us = 0;
  double overlap_us = 0;     // both engines at work
  double issue_wait_us = 0;  // no engine at work because the processor had not issued yet
  struct Direction {
    std::int64_t bytes = 0;
    double busy_us = 0;
  };
  Direction read, write, inside_system, inside_local;  // DDR to local, local to DDR, ...
  double eu_utilisation = 0;  // of all execution units over the kernel's time
};
TimeSummary summarise(const Timeline& timeline);

// A reason for lost time, with where most of it is lost.
struct Reason {
  std::string what;  // "GDMA runs are too short"
  double lost_us = 0;
  const void* call_site = nullptr;
  std::string help;  // what would help
};
// The largest first; only those that cost at least 2 % of the kernel's time.
std::vector<Reason> reasons(const Timeline& timeline, std::size_t most = 3);

// A text of several lines for `tensorlane run --time`.
std::string time_text(const Timeline& timeline);
// Everything, per source line, for --profile.
nlohmann::ordered_json profile_json(const Timeline& timeline);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIMELINE_H_
