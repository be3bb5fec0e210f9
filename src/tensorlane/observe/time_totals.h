// What the commands of a launch add up to, by the source lines that issued them: all that the texts
// about a launch need, in memory that does not grow with the commands. Totals of several launches
// of a kernel add up too.
#ifndef TENSORLANE_OBSERVE_TIME_TOTALS_H_
#define TENSORLANE_OBSERVE_TIME_TOTALS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
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

// Why time is lost, in the order in which equal losses are named.
struct Cause {
  Engine engine;  // whose commands lose the time; kNone: not one engine's
  std::string_view what, help;
  double (*lost_us)(const TimedCommand& command, const TimingParameters& parameters);
};
inline constexpr std::size_t kCauses = 6;
inline constexpr std::size_t kSerial = kCauses - 1;  // the engines work one after the other
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
  double gdma_busy_us = 0, bdc_busy_us = 0, hau_busy_us = 0;
  double overlap_us = 0;     // GDMA and BDC at work
  double issue_us = 0;       // the processor at work
  double issue_wait_us = 0;  // no engine at work because the processor had not issued yet
  double useful_bdc_us = 0;  // of the BDC, times the share of its units that have work
  Direction read, write, inside_system, inside_local;  // DDR to local, local to DDR, ...
  std::vector<Line> lines;                             // in the order of their first command

 private:
  // The slots of an engine that commands to come may overlap.
  using Slots = std::deque<Slot>;
  void add_overlap(const Slot& slot, Slots& own, Slots& others);
  Line& line_of(const void* call_site);

  Slots gdma_, bdc_;
  std::unordered_map<const void*, std::size_t> index_;  // of lines
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_TOTALS_H_
