#include "tensorlane/observe/clock.h"

#include <algorithm>

namespace tensorlane::observe {
namespace {

// Execution units that have an element to work on: channels fill NPUs, planes fill groups.
double lanes_used(const Command& command) {
  const Layout& output = command.operands()[0].layout;
  const int npus = command.chip->local.npus;
  const std::int64_t lanes = command.chip->outputs_per_step(output.dtype());
  std::int64_t channels = 0, plane = 0, start = 0;
  if (output.rank() == 2) {  // a matrix: channels of `per_channel` columns
    const std::int64_t per_channel = output.digits(1)[0].extent;
    start = output.offset(1) / per_channel;
    channels = ceil_div(output.extent(1), per_channel);
    plane = per_channel;
  } else {
    start = output.offset(1);
    channels = output.extent(1);
    plane = output.extent(2) * output.extent(3);
  }
  const auto share = [](std::int64_t used, std::int64_t unit) {
    return static_cast<double>(used) / static_cast<double>(align_up(used, unit));
  };
  return static_cast<double>(channels) / static_cast<double>(align_up(start + channels, npus)) *
         share(plane, lanes);
}

std::vector<LocalAccess> local_accesses(const Command& command) {
  std::vector<LocalAccess> result;
  for (const Operand& operand : command.operands()) {
    if (operand.space != Space::kLocal || operand.layout.space() != AddressSpace::kLocal) continue;
    const Layout::Bounds bytes = operand.layout.loose_bounds(true);
    result.push_back({bytes.begin, bytes.end, operand.reads(), operand.writes()});
  }
  return result;
}

TimedCommand timed(const Command& command, const TimingParameters& parameters, Schedule& schedule) {
  TimedCommand result{.op = command.op, .region = command.region, .call_site = command.call_site};
  const bool gdma = command.engine() == Engine::kGdma;
  if (gdma) result.transfer = transfer(command);
  result.time = command_time(command, result.transfer, parameters);
  const double idle_since = schedule.ready(command.engine());
  result.slot = schedule.command(command.engine(), result.time.duration_us, result.time.issue_us);
  // Lost only where no engine works meanwhile.
  result.issue_wait_us = std::max(
      0.0, result.slot.start - std::max(idle_since, schedule.others_done(command.engine())));
  if (gdma) return result;
  result.lanes_used = lanes_used(command);
  if (command.op->spec().latency_share)
    result.latency_share = command.op->spec().latency_share(command, parameters);
  return result;
}

}  // namespace

void Clock::launch_begin(const Launch& launch) {
  schedule_ = Schedule();
  timeline_ = Timeline{.launch = launch, .parameters = &parameters_};
}

void Clock::launch_end(const Launch& launch, Outcome outcome) {
  static_cast<void>(launch);
  timeline_.failed = outcome == Outcome::kFailed;
  timeline_.kernel_us = schedule_.total();
  done_(timeline_);
}

void Clock::command_begin(const Command& command) {
  TimedCommand next = timed(command, parameters_, schedule_);
  timeline_.totals.add(next, parameters_);
  if (keep_ == Keep::kTotals) return;
  if (timeline_.commands.size() == kMostCommands) {
    if (keep_ != Keep::kPieces) return;
    timeline_.more = true;
    timeline_.kernel_us = schedule_.total();
    done_(timeline_);
    timeline_.more = false;
    timeline_.commands.clear();
  }
  if (keep_ != Keep::kCommands) next.local_accesses = local_accesses(command);
  timeline_.commands.push_back(std::move(next));
}

void Clock::sync(SyncEvent event, std::int64_t region, const void* call_site) {
  static_cast<void>(region);
  static_cast<void>(call_site);
  follow(schedule_, event);
}

void follow(Schedule& schedule, SyncEvent event) {
  switch (event) {
    case SyncEvent::kPoll:
      return schedule.poll();
    case SyncEvent::kHauPoll:
      return schedule.poll(Engine::kHau);
    case SyncEvent::kParallelStart:
      return schedule.region_begin();
    case SyncEvent::kParallelEnd:
      return schedule.region_end();
    case SyncEvent::kInitialize:
      return;
  }
}

}  // namespace tensorlane::observe
