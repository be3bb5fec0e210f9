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

#include "tensorlane/device/observer.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/time_totals.h"

namespace tensorlane::observe {

struct Timeline {
  Launch launch;
  TimeTotals totals = {};
  std::vector<TimedCommand> commands = {};  // as far as they are kept; see clock.h
  double kernel_us = 0;
  const TimingParameters* parameters = nullptr;
  bool failed = false;  // the commands are those before the failure
  bool more = false;    // a piece of a launch that goes on
};

// What the launch spent its time on.
struct TimeSummary {
  double kernel_us = 0, host_us = 0;
  double gdma_busy_us = 0, bdc_busy_us = 0, hau_busy_us = 0;
  double overlap_us = 0;     // GDMA and BDC at work
  double issue_us = 0;       // the processor at work
  double issue_wait_us = 0;  // no engine at work because the processor had not issued yet
  using Direction = TimeTotals::Direction;
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

// The lines that keep their engine longest first.
std::vector<LineTime> time_by_line(const Timeline& timeline);

// "", or a warning that the chip's parameters were never compared with a board.
std::string_view calibration_note(const TimingParameters& parameters);

// A text of several lines for `tensorlane run --time`.
std::string time_text(const Timeline& timeline);
// Everything, per source line, for --profile.
Json profile_json(const Timeline& timeline);
// The same of all that several launches of a kernel add up to, with their number.
Json profile_json(const Timeline& sum, std::uint64_t launches);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIMELINE_H_
