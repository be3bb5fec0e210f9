// The modelled timeline of one launch, and what it says about speed.
//
// Nothing here is measured: the figures come from the timing model of the chip (clock/) and are the
// same in every run. Microseconds count from the kernel's first call.
#ifndef TENSORLANE_OBSERVE_TIMELINE_H_
#define TENSORLANE_OBSERVE_TIMELINE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tensorlane/clock/command_time.h"
#include "tensorlane/clock/schedule.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/json/json.h"

namespace tensorlane::observe {

// What a command does to a range of byte offsets inside the NPUs.
struct LocalAccess {
  std::int64_t begin = 0, end = 0;
  bool reads = false, writes = false;
};

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
  std::vector<LocalAccess> local_accesses = {};

  // The function without the prefix that all share, as a label: "bdc_add".
  std::string name() const;
};

struct Timeline {
  Launch launch;
  std::vector<TimedCommand> commands = {};
  double kernel_us = 0;
  const TimingParameters* parameters = nullptr;
  bool failed = false;  // the commands are those before the failure
};

// What the launch spent its time on.
struct TimeSummary {
  double kernel_us = 0, host_us = 0;
  double gdma_busy_us = 0, bdc_busy_us = 0, hau_busy_us = 0;
  double overlap_us = 0;     // GDMA and BDC at work
  double issue_us = 0;       // the processor at work
  double issue_wait_us = 0;  // no engine at work because the processor had not issued yet
  struct Direction {
    std::int64_t bytes = 0;
    double busy_us = 0;
  };
  Direction read, write, inside_system, inside_local;  // DDR to local, local to DDR, ...
  double eu_utilisation = 0;  // of all execution units over the kernel's time
};
TimeSummary summarise(const Timeline& timeline);
// What is busy longest: "GDMA", "BDC", "HAU" or "issue". The launch cannot be shorter than that.
std::string_view bound_by(const TimeSummary& summary);

// A reason for lost time, with where most of it is lost.
struct Reason {
  std::string what;  // "GDMA runs are too short"
  double lost_us = 0;
  const void* call_site = nullptr;
  std::string help;               // what would help
  Engine engine = Engine::kNone;  // whose commands lose the time; kNone: not one engine's
};
// The largest first; only those that cost at least 2 % of the kernel's time. What an engine loses
// counts only as far as the launch could be shorter without it.
std::vector<Reason> reasons(const Timeline& timeline, std::size_t most = 3);

// What one source line of the kernel costs over the launch.
struct LineTime {
  const void* call_site = nullptr;
  const Op* op = nullptr;
  long long calls = 0;
  double busy_us = 0;   // of its engine
  double issue_us = 0;  // of the processor
  double issue_wait_us = 0;
  std::int64_t bytes = 0;  // moved by GDMA
};
// The lines that keep their engine longest first.
std::vector<LineTime> time_by_line(const Timeline& timeline);

// "", or a warning that the chip's parameters were never compared with a board.
std::string_view calibration_note(const TimingParameters& parameters);

// A text of several lines for `tensorlane run --time`.
std::string time_text(const Timeline& timeline);
// Everything, per source line, for --profile.
Json profile_json(const Timeline& timeline);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIMELINE_H_
