#include "tensorlane/observe/time/time_totals.h"
#include "tensorlane/base/language.h"

#include <algorithm>

#include "tensorlane/ops/engines.h"

namespace tensorlane::observe {
namespace {

constexpr std::string_view kLongerRuns =
    msg("move longer contiguous pieces: keep w (or h*w) whole, tile n or c instead");

}  // namespace

const std::array<Cause, kCauses> causes = {{
    {"issue", Engine::kNone, msg("too many commands: the engines wait for the processor to issue"),
     msg("use fewer, larger commands: bigger tiles, or one strided copy instead of several; or a "
         "list of commands built beforehand"),
     [](const TimedCommand& command, const TimingParameters&) { return command.issue_wait_us; }},
    {"short runs", Engine::kGdma, msg("GDMA runs are too short to reach the bandwidth"),
     kLongerRuns,
     [](const TimedCommand& command, const TimingParameters& parameters) {
       return command.time.limited_by_runs ? command.time.duration_us - command.time.start_us -
                                                 least_transfer_us(command.transfer, parameters)
                                           : 0;
     }},
    {"misaligned matrix", Engine::kGdma,
     msg("matrix rows are misaligned: row pitch or columns per channel are no multiple of 64 "
         "bytes"),
     msg("make the row pitch and cols_per_channel multiples of 16 elements"),
     [](const TimedCommand& command, const TimingParameters& parameters) {
       return command.time.limited_by_runs
                  ? 0
                  : (command.time.duration_us - command.time.start_us) *
                        (1 - 1 / misalignment(command.transfer, parameters));
     }},
    {"small transfers", Engine::kGdma, msg("GDMA commands move too little: each pays its start"),
     msg("move more than 64 KiB per command: larger tiles, or one strided copy instead of several"),
     [](const TimedCommand& command, const TimingParameters&) { return command.time.start_us; }},
    {"idle NPUs", Engine::kBdc, msg("NPUs idle: too few channels"),
     msg("put a dimension of at least 64 on the channels, or fold batches and rows into them"),
     [](const TimedCommand& command, const TimingParameters&) {
       return (command.time.duration_us - command.time.start_us) * (1 - command.npus_used);
     }},
    {"idle units", Engine::kBdc, msg("execution units idle: h*w does not fill the steps of an NPU"),
     msg("make h*w a multiple of the elements per step: fold rows into w, or move a channel there"),
     [](const TimedCommand& command, const TimingParameters&) {
       return (command.time.duration_us - command.time.start_us) * command.npus_used *
              (1 - command.units_used);
     }},
    {"few input channels", Engine::kBdc,
     msg("convolutions with few input channels cannot keep the multipliers busy"),
     msg("feed more input channels per call, or fold kernel rows into the channels"),
     [](const TimedCommand& command, const TimingParameters&) {
       return command.time.duration_us * command.latency_share;
     }},
    {"small commands", Engine::kBdc, msg("BDC commands do too little: each pays its start"),
     msg("work on larger tiles: fewer commands with more elements each"),
     [](const TimedCommand& command, const TimingParameters&) { return command.time.start_us; }},
    {"cheaper function", Engine::kBdc, msg("other functions give the same for less"),
     msg("a cheaper function: fewer terms or iterations where they are arguments, a table for "
         "8-bit "
         "values, or once per row instead of once per element"),
     [](const TimedCommand& command, const TimingParameters&) {
       return command.cheaper_us > 0 ? command.time.duration_us - command.cheaper_us : 0;
     }},
    {"commands in a row", Engine::kNone, msg("commands in a row from one line could be one"),
     msg("one command instead of those in a row: a larger shape, or strides that reach them all"),
     [](const TimedCommand&, const TimingParameters&) { return 0.0; }},
    {"waits", Engine::kNone,
     msg("the processor waits for the engines before it issues more, and reads nothing then"),
     msg("leave out the polls in between: commands wait for each other by themselves, one poll at "
         "the end does"),
     [](const TimedCommand&, const TimingParameters&) { return 0.0; }},
    {"serial engines", Engine::kNone, msg("the engines work one after the other"),
     msg("double-buffer: load the next tile and store the last one in a parallel region with the "
         "computation"),
     [](const TimedCommand& command, const TimingParameters&) {
       return command.region < 0 && command.op->engine() == Engine::kGdma ? command.time.duration_us
                                                                          : 0;
     }},
}};

TimeTotals::Line& TimeTotals::line_of(const void* call_site, const Op* op) {
  const auto [at, inserted] = index_.emplace(std::pair(call_site, op), lines.size());
  if (inserted) lines.emplace_back();
  return lines[at->second];
}

// Each engine's slots are in order and do not overlap, and no command to come starts before this
// one was issued.
void TimeTotals::add_overlap(const Slot& slot, Slots& own, Slots& others) {
  for (const Slot& other : others)
    overlap_us += std::max(0.0, std::min(slot.end, other.end) - std::max(slot.start, other.start));
  const auto drop_until = [](Slots& slots, double us) {
    const auto kept = std::ranges::find_if(slots, [&](const Slot& slot) { return slot.end > us; });
    slots.erase(slots.begin(), kept);
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
  issue_high_us += command.time.issue_high_us;
  issue_wait_us += command.issue_wait_us;
  start_us += command.time.start_us;
  operations += command.operations;
  if (engine == Engine::kBdc) {
    bdc_busy_us += us;
    useful_bdc_us += us * command.lanes_used();
    add_overlap(command.slot, bdc_, gdma_);
  } else if (engine == Engine::kHau) {
    hau_busy_us += us;
  } else if (engine == Engine::kSdma) {
    sdma_busy_us += us;
    sdma_busy_high_us += command.time.duration_high_us;
    sdma.bytes += command.transfer.bytes;
    sdma.busy_us += us;
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
  Line& line = line_of(command.call_site, command.op);
  line.time.call_site = command.call_site;
  line.time.op = command.op;
  ++line.time.calls;
  line.time.busy_us += us;
  line.time.issue_us += command.time.issue_us;
  line.time.issue_high_us += command.time.issue_high_us;
  line.time.issue_wait_us += command.issue_wait_us;
  if (is_dma(engine)) {
    line.time.bytes += command.transfer.bytes;
    line.time.reads_system |= command.transfer.reads_system;
    line.time.writes_system |= command.transfer.writes_system;
    line.time.least_move_us += least_transfer_us(command.transfer, parameters);
  } else if (command.peak > 0) {
    line.time.operations += command.operations;
    line.time.least_work_us += command.operations / (command.peak * parameters.clock_mhz);
    line.time.operand_bytes += command.bytes;
  }
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
  sdma_busy_us += other.sdma_busy_us;
  sdma_busy_high_us += other.sdma_busy_high_us;
  overlap_us += other.overlap_us;
  issue_us += other.issue_us;
  issue_high_us += other.issue_high_us;
  start_us += other.start_us;
  operations += other.operations;
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
  merge_direction(sdma, other.sdma);
  for (const Line& from : other.lines) {
    Line& to = line_of(from.time.call_site, from.time.op);
    to.time.call_site = from.time.call_site;
    to.time.op = from.time.op;
    to.time.calls += from.time.calls;
    to.time.busy_us += from.time.busy_us;
    to.time.issue_us += from.time.issue_us;
    to.time.issue_high_us += from.time.issue_high_us;
    to.time.issue_wait_us += from.time.issue_wait_us;
    to.time.bytes += from.time.bytes;
    to.time.reads_system |= from.time.reads_system;
    to.time.writes_system |= from.time.writes_system;
    to.time.least_move_us += from.time.least_move_us;
    to.time.operations += from.time.operations;
    to.time.least_work_us += from.time.least_work_us;
    to.time.operand_bytes += from.time.operand_bytes;
    for (std::size_t k = 0; k < kCauses; ++k) to.lost_us[k] += from.lost_us[k];
  }
}

}  // namespace tensorlane::observe
