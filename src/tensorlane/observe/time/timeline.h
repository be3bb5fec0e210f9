// The modelled timeline of one launch, and what it says about speed.
//
// Nothing here is measured: the figures come from the timing model of the chip (clock/) and are the
// same in every run. Microseconds count from the kernel's first call.
#ifndef TENSORLANE_OBSERVE_TIME_TIMELINE_H_
#define TENSORLANE_OBSERVE_TIME_TIMELINE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tensorlane/device/observer.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/time/remedies.h"
#include "tensorlane/observe/time/time_totals.h"

namespace tensorlane::observe {

struct Timeline {
  Launch launch;
  TimeTotals totals = {};
  Verdict verdict = {};
  std::vector<TimedCommand> commands = {};  // as far as they are kept; see clock.h
  double kernel_us = 0;
  double kernel_high_us = 0;  // at most, where issue or SDMA are unknown; else the same
  const TimingParameters* parameters = nullptr;
  bool failed = false;  // the commands are those before the failure
  bool more = false;    // a piece of a launch that goes on
};

// What the launch spent its time on.
struct TimeSummary {
  int cores = 1;
  double kernel_us = 0, host_us = 0;
  double kernel_high_us = 0, host_high_us = 0;  // at most, where launch or issue are unknown
  double gdma_busy_us = 0, bdc_busy_us = 0, hau_busy_us = 0, sdma_busy_us = 0;
  double sdma_busy_high_us = 0;  // at most, where its bandwidth is unknown
  double overlap_us = 0;         // GDMA and BDC at work
  double issue_us = 0;           // the processor at work
  double issue_high_us = 0;      // the same at most, where the issue is unknown
  double issue_wait_us = 0;      // no engine at work because the processor had not issued yet
  using Direction = TimeTotals::Direction;
  Direction read, write, inside_system, inside_local;  // DDR to local, local to DDR, ...
  Direction sdma;                                      // of the SDMA, whichever memories
  double eu_utilisation = 0;  // of all execution units over the kernel's time
  // What could be won: with a channel for every NPU, with h*w that fills the steps of every NPU,
  // and without the starts of the commands; each alone.
  double idle_npus_us = 0, idle_units_us = 0, start_us = 0;
  // Operations of the BDC per byte that DDR moves, and how many would keep both busy.
  double operations_per_byte = 0, balanced_operations_per_byte = 0;
  // "GDMA", "BDC", "HAU", "SDMA" or "issue": what would win most if it cost nothing. Where nothing
  // would, as all have work all the time, what is busy longest.
  std::string_view bound = "issue";
  // Where issuing a command costs as much as it may, and the SDMA is as slow as it may be.
  std::string_view bound_at_most = "issue";
};
TimeSummary summarise(const Timeline& timeline);

// Why a launch takes as long as it does, and where.
struct Reason {
  std::string_view id;  // "DDR to local", "function", ... or the id of a cause of time_totals.h
  std::string what;     // "GDMA runs are too short"
  double busy_us = 0;   // of the line that is named: of its engine, or of the processor
  double lost_us = 0;   // what its remedy wins on top of the reasons before it
  double alone_us = 0;  // what its remedy wins by itself
  const void* call_site = nullptr;
  std::string help;               // what would help
  Engine engine = Engine::kNone;  // whose commands lose the time; kNone: not one engine's
};
// What remedies would win (remedies.h), the largest first; `lost_us` never add up to more than the
// launch takes. Last the line that holds longest what bounds the launch, with the peak that it runs
// at, unless a reason before it says what holds it up. None for a launch without commands.
std::vector<Reason> reasons(const Timeline& timeline, std::size_t most = 4);
// How long a line holds what bounds the launch, and what holds it up by itself: a loss of a third
// of its time, of a move a fifth, or else the peak that it runs at.
Reason line_reason(const TimeTotals::Line& line, const TimeSummary& summary);
double held_us(const LineTime& line, const TimeSummary& summary);
// True where both engines have work and do it mostly one after the other: each line then adds to
// the launch, whatever its engine.
bool in_turn(const TimeSummary& summary);

// The lines that keep their engine longest first.
std::vector<LineTime> time_by_line(const Timeline& timeline);

// The lines of what bounds the launch, the one that holds it longest first.
std::vector<LineTime> bounding_lines(const Timeline& timeline);
// "4.1 operations per byte, 12.3 of 563.2 Gop/s" or "27.1 of 27.5 GB/s": how far from its peak.
std::string roofline_text(const LineTime& line);

// "", or what a board did not confirm: "uncalibrated: ...", "engines: ...; launch and issue are
// unknown".
std::string calibration_note(const TimingParameters& parameters);
// Parameters of the chip, and functions by their cycles, that one group of published rows alone
// supports, in English, and in words; empty where there is none.
std::vector<std::string> on_one_group(const Chip& chip);
std::string one_group_note(const Chip& chip);

// "give or take 10 %", as far as somebody compared.
std::string error_text(const TimingParameters& parameters);
// A text of several lines for `tensorlane run --time`: the first has the time, how far off it may
// be and what bounds it.
std::string time_text(const Timeline& timeline);
// That line alone.
std::string time_line(const Timeline& timeline);
// Everything, per source line, for --profile.
Json profile_json(const Timeline& timeline);
// The same of all that several launches of a kernel add up to, with their number.
Json profile_json(const Timeline& sum, std::uint64_t launches);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_TIMELINE_H_
