#include "tensorlane/observe/time_totals.h"

#include <algorithm>

namespace tensorlane::observe {
namespace {

double limit_gbps(const TimedCommand& command, const TimingParameters& parameters) {
  return command.transfer.writes_system && !command.transfer.reads_system ? parameters.write_gbps
                                                                          : parameters.read_gbps;
}

// The time a command's transfer would take at full bandwidth, in one run, aligned.
double ideal_us(const TimedCommand& command, const TimingParameters& parameters) {
  const double sides = command.transfer.reads_system && command.transfer.writes_system ? 2 : 1;
  return sides * static_cast<double>(command.transfer.bytes) /
         (limit_gbps(command, parameters) * 1e3);
}

}  // namespace

const std::array<Cause, kCauses> causes = {{
    {Engine::kNone, "too many commands: the engines wait for the processor to issue",
     "use fewer, larger commands: bigger tiles, or one strided copy instead of several",
     [](const TimedCommand& command, const TimingParameters&) { return command.issue_wait_us; }},
    {Engine::kGdma, "GDMA runs are too short to reach the bandwidth",
     "move longer contiguous pieces: keep w (or h*w) whole, tile n or c instead",
     [](const TimedCommand& command, const TimingParameters& parameters) {
       return command.time.limited_by_runs
                  ? command.time.duration_us - ideal_us(command, parameters)
                  : 0;
     }},
    {Engine::kGdma,
     "matrix rows are misaligned: row pitch or columns per channel are no multiple of 64 bytes",
     "make the row pitch and cols_per_channel multiples of 16 elements",
     [](const TimedCommand& command, const TimingParameters& parameters) {
       return command.transfer.misaligned && !command.time.limited_by_runs
                  ? command.time.duration_us * (1 - 1 / parameters.misaligned_matrix)
                  : 0;
     }},
    {Engine::kBdc,
     "NPUs or execution units idle: too few channels, or planes that do not fill groups of 16",
     "put a dimension of at least 64 on the channels, or fold batches and rows into them",
     [](const TimedCommand& command, const TimingParameters&) {
       return command.time.duration_us * (1 - command.lanes_used);
     }},
    {Engine::kBdc, "convolutions with few input channels cannot keep the multipliers busy",
     "feed more input channels per call, or fold kernel rows into the channels",
     [](const TimedCommand& command, const TimingParameters&) {
       return command.time.duration_us * command.latency_share;
     }},
    {Engine::kNone, "the engines work one after the other",
     "double-buffer: load the next tile and store the last one in a parallel region with the "
     "computation",
     [](const TimedCommand& command, const TimingParameters&) {
       return command.region < 0 && command.op->engine() == Engine::kGdma ? command.time.duration_us
                                                                          : 0;
     }},
}};

std::string TimedCommand::name() const {
  const std::string_view function = op->name();
  return std::string(function.substr(function.find('_') + 1));  // okk_, tpu_
}

TimeTotals::Line& TimeTotals::line_of(const void* call_site) {
  const auto [at, inserted] = index_.emplace(call_site, lines.size());
  if (inserted) lines.emplace_back();
  return lines[at->second];
}

// Each engine's slots are in order and do not overlap, and no command to come starts before this
// one was issued.
void TimeTotals::add_overlap(const Slot& slot, Slots& own, Slots& others) {
  for (const Slot& other : others)
    overlap_us += std::max(0.0, std::min(slot.end, other.end) - std::max(slot.start, other.start));
  const auto drop_until = [](Slots& slots, double us) {
    while (!slots.empty() && slots.front().end <= us) slots.pop_front();
  };
  drop_until(own, slot.issued);
  drop_until(others, slot.end);
  if (!own.empty() && own.back().end == slot.start) {
    own.back().end = slot.end;
  } else {
    own.push_back(slot);
  }
}

void TimeTotals::add(const TimedCommand& command, const TimingParameters& parameters) {
  const Engine engine = command.op->engine();
  const double us = command.time.duration_us;
  ++commands;
  issue_us += command.time.issue_us;
  issue_wait_us += command.issue_wait_us;
  if (engine == Engine::kBdc) {
    bdc_busy_us += us;
    useful_bdc_us += us * command.lanes_used;
    add_overlap(command.slot, bdc_, gdma_);
  } else if (engine == Engine::kHau) {
    hau_busy_us += us;
  } else {
    gdma_busy_us += us;
    add_overlap(command.slot, gdma_, bdc_);
    const Transfer& move = command.transfer;
    Direction& direction = move.reads_system && move.writes_system ? inside_system
                           : move.reads_system                     ? read
                           : move.writes_system                    ? write
                                                                   : inside_local;
    direction.bytes += move.bytes;
    direction.busy_us += us;
  }
  Line& line = line_of(command.call_site);
  line.time.call_site = command.call_site;
  line.time.op = command.op;
  ++line.time.calls;
  line.time.busy_us += us;
  line.time.issue_us += command.time.issue_us;
  line.time.issue_wait_us += command.issue_wait_us;
  line.time.bytes += command.transfer.bytes;
  for (std::size_t k = 0; k < kCauses; ++k) {
    if (causes[k].engine != Engine::kNone && engine != causes[k].engine) continue;
    line.lost_us[k] += std::max(0.0, causes[k].lost_us(command, parameters));
  }
}

void TimeTotals::merge(const TimeTotals& other) {
  commands += other.commands;
  gdma_busy_us += other.gdma_busy_us;
  bdc_busy_us += other.bdc_busy_us;
  hau_busy_us += other.hau_busy_us;
  overlap_us += other.overlap_us;
  issue_us += other.issue_us;
  issue_wait_us += other.issue_wait_us;
  useful_bdc_us += other.useful_bdc_us;
  const auto merge_direction = [](Direction& to, const Direction& from) {
    to.bytes += from.bytes;
    to.busy_us += from.busy_us;
  };
  merge_direction(read, other.read);
  merge_direction(write, other.write);
  merge_direction(inside_system, other.inside_system);
  merge_direction(inside_local, other.inside_local);
  for (const Line& from : other.lines) {
    Line& to = line_of(from.time.call_site);
    to.time.call_site = from.time.call_site;
    to.time.op = from.time.op;
    to.time.calls += from.time.calls;
    to.time.busy_us += from.time.busy_us;
    to.time.issue_us += from.time.issue_us;
    to.time.issue_wait_us += from.time.issue_wait_us;
    to.time.bytes += from.time.bytes;
    for (std::size_t k = 0; k < kCauses; ++k) to.lost_us[k] += from.lost_us[k];
  }
}

}  // namespace tensorlane::observe
