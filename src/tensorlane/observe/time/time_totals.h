// What the commands of a launch add up to, by the source lines that issued them: all that the texts
// about a launch need, in memory that does not grow with the commands. Totals of several launches
// of a kernel add up too.
#ifndef TENSORLANE_OBSERVE_TIME_TIME_TOTALS_H_
#define TENSORLANE_OBSERVE_TIME_TIME_TOTALS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/clock/command_time.h"
#include "tensorlane/clock/schedule.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::observe {

// What a command does to a range of byte offsets inside the NPUs.
struct LocalAccess {
  std::int64_t begin = 0, end = 0;
  bool reads = false, writes = false;
};

struct TimedCommand {
  const Op* op = nullptr;
  int core = 0;  // whose it is
  std::int64_t region = -1;
  const void* call_site = nullptr;
  Slot slot{};
  double issue_wait_us = 0;  // its engine and what it depends on were done, the processor was not
  CommandTime time{};
  Transfer transfer{};  // of commands of the GDMA and the SDMA
  // Of BDC commands: the share of NPUs with a channel to work on, and of their execution units with
  // an element.
  double npus_used = 1, units_used = 1;
  double latency_share =
      0;  // share of the cycles that more input channels would hide (convolution)
  // By a cheaper function, start and all, and what that costs the processor more; 0: there is none.
  double cheaper_us = 0, cheaper_issue_us = 0;
  // Operations of BDC commands (of products multiplications and additions, else one per element),
  // those of the chip per cycle at most, and the bytes of the operands.
  double operations = 0, peak = 0, bytes = 0;
  std::vector<LocalAccess> local_accesses = {};
  std::string call = {};  // as a C statement, where that is asked for

  double lanes_used() const { return npus_used * units_used; }
};

// What a function called on one source line of the kernel costs over the launch.
struct LineTime {
  const void* call_site = nullptr;
  const Op* op = nullptr;
  long long calls = 0;
  double busy_us = 0;        // of its engine
  double issue_us = 0;       // of the processor
  double issue_high_us = 0;  // where the issue is unknown: at most
  double issue_wait_us = 0;
  std::int64_t bytes = 0;    // moved by GDMA or SDMA
  double least_move_us = 0;  // of that engine, for these bytes at the bandwidth of their direction
  double operations = 0;     // of the BDC; see TimedCommand
  double least_work_us = 0;  // for these operations at the peak of their function
  double operand_bytes = 0;  // of BDC commands
  bool reads_system = false, writes_system = false;  // of the GDMA
  // Operations per byte of its operands; 0 without either.
  double intensity() const { return operand_bytes > 0 ? operations / operand_bytes : 0; }
  // What the functions of the line reach at most; 0 where it has none of the engine.
  double peak_gbps() const {
    return least_move_us > 0 ? static_cast<double>(bytes) / least_move_us / 1e3 : 0;
  }
  double peak_gops() const { return least_work_us > 0 ? operations / least_work_us / 1e3 : 0; }
};

// Why time is lost, in the order in which equal losses are named. What a launch would win without
// a cause is more than a sum over commands: see rerun.h.
struct Cause {
  std::string_view id;  // "short runs": in JSON
  Engine engine;        // whose commands lose the time; kNone: not one engine's
  std::string_view what, help;
  // Of a command by itself.
  double (*lost_us)(const TimedCommand& command, const TimingParameters& parameters);
};
inline constexpr std::size_t kIssue = 0, kShortRuns = 1, kMisaligned = 2, kSmallTransfers = 3,
                             kIdleNpus = 4, kIdleUnits = 5, kFewInputChannels = 6,
                             kSmallCommands = 7, kCheaper = 8;
inline constexpr std::size_t kJoin = 9;     // commands in a row that could be one
inline constexpr std::size_t kWaits = 10;   // the processor waits and needs not
inline constexpr std::size_t kSerial = 11;  // the engines work one after the other
inline constexpr std::size_t kCauses = 12;
extern const std::array<Cause, kCauses> causes;

class TimeTotals {
 public:
  struct Direction {
    std::int64_t bytes = 0;
    double busy_us = 0;
  };
  struct Line {
    LineTime time;
    std::array<double, kCauses> lost_us{};
  };

  // In the order of their issue.
  void add(const TimedCommand& command, const TimingParameters& parameters);
  // Those of another launch.
  void merge(const TimeTotals& other);

  std::uint64_t commands = 0;
  double gdma_busy_us = 0, bdc_busy_us = 0, hau_busy_us = 0, sdma_busy_us = 0;
  double sdma_busy_high_us = 0;  // where its bandwidth is unknown: at most
  double overlap_us = 0;         // GDMA and BDC at work
  double issue_us = 0;           // the processor at work
  double issue_high_us = 0;      // the same at most, where the issue is unknown
  double issue_wait_us = 0;      // no engine at work because the processor had not issued yet
  double useful_bdc_us = 0;      // of the BDC, times the share of its units that have work
  double start_us = 0;           // of both engines, before the first byte or result of each command
  double operations = 0;         // of the BDC; see TimedCommand
  Direction read, write, inside_system, inside_local;  // DDR to local, local to DDR, ...
  Direction sdma;                                      // of the SDMA, whichever memories
  std::vector<Line> lines;                             // in the order of their first command

 private:
  // The slots of an engine that commands to come may overlap: those without a gap between are one,
  // so there are few.
  using Slots = std::vector<Slot>;
  void add_overlap(const Slot& slot, Slots& own, Slots& others);
  // Of a function at a place: recorded calls have no place.
  Line& line_of(const void* call_site, const Op* op);

  Slots gdma_, bdc_;
  std::map<std::pair<const void*, const Op*>, std::size_t> index_;  // of lines
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_TIME_TOTALS_H_
