#include "tensorlane/observe/time/clock.h"

#include <algorithm>

#include "tensorlane/ops/call_text.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane::observe {
namespace {

// Which NPUs have a channel to work on, and which of their execution units an element.
void add_use(const Command& command, const TimingParameters& parameters, TimedCommand& out) {
  const Layout& output = command.operands()[0].layout;
  const OpSpec& spec = command.op->spec();
  const int npus = command.chip->local.npus;
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
  // Where elements come one at a time, units are not what counts.
  const auto at_a_time =
      spec.work == Work::kIndexed ? 1
      : spec.outputs_at_a_time
          ? static_cast<std::int64_t>(spec.outputs_at_a_time(command, parameters))
          : command.elements_per_step();
  const auto share = [](std::int64_t used, std::int64_t unit) {
    return static_cast<double>(used) / static_cast<double>(align_up(used, unit));
  };
  out.npus_used =
      static_cast<double>(channels) / static_cast<double>(align_up(start + channels, npus));
  out.units_used = share(plane, at_a_time);
  out.operations =
      spec.operations ? spec.operations(command, parameters) : static_cast<double>(output.size());
  out.peak = spec.peak ? spec.peak(command, parameters)
                       : static_cast<double>(npus * command.elements_per_step());
  for (const Operand& operand : command.operands()) {
    if (operand.role != Role::kWork)
      out.bytes += static_cast<double>(operand.layout.size() * operand.layout.element_units());
  }
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
  TimedCommand result{.op = command.op,
                      .core = command.core,
                      .region = command.region,
                      .call_site = command.call_site};
  const bool gdma = is_dma(command.engine());
  if (gdma) result.transfer = transfer(command);
  result.time = command_time(command, result.transfer, parameters);
  const double idle_since = schedule.ready(command.engine());
  result.slot = schedule.command(command.engine(), result.time.duration_us, result.time.issue_us);
  // Lost only where no engine works meanwhile.
  result.issue_wait_us = std::max(
      0.0, result.slot.start - std::max(idle_since, schedule.others_done(command.engine())));
  if (gdma) return result;
  add_use(command, parameters, result);
  const OpSpec& spec = command.op->spec();
  if (spec.latency_share) result.latency_share = spec.latency_share(command, parameters);
  if (spec.cheaper) {
    result.cheaper_us = spec.cheaper.cycles(command, parameters) / parameters.clock_mhz;
    result.cheaper_issue_us = spec.cheaper.more_commands * parameters.issue_us;
  }
  return result;
}

}  // namespace

void Clock::launch_begin(const Launch& launch) {
  parameters_ = shared_by(given_, launch.cores);
  cores_ = high_ = CoreSchedules(launch.cores, parameters_.region_us, parameters_.message_us);
  timeline_ = Timeline{.launch = launch, .parameters = &given_};
  dependences_.clear();
  rerun_.clear();
}

void Clock::launch_end(const Launch& launch, Outcome outcome) {
  static_cast<void>(launch);
  timeline_.failed = outcome == Outcome::kFailed;
  set_total();
  if (judges()) {
    rerun_.local_memory(npu_bytes_, dependences_.local_bytes());
    timeline_.verdict = judge(rerun_, timeline_.kernel_us, parameters_);
  }
  done_(timeline_);
}

void Clock::set_total() {
  timeline_.kernel_us = cores_.total();
  timeline_.kernel_high_us = kernel_known(parameters_) ? timeline_.kernel_us : high_.total();
}

void Clock::command_begin(const Command& command) {
  TimedCommand next = timed(command, parameters_, cores_.core());
  if (!kernel_known(parameters_))
    high_.core().command(command.engine(), next.time.duration_high_us, next.time.issue_high_us);
  timeline_.totals.add(next, parameters_);
  npu_bytes_ = command.chip->local.npu_bytes;
  if (judges() && !rerun_.full()) rerun_.add(next, dependences_.add(command), parameters_);
  if (keep_ == Keep::kTotals) return;
  if (timeline_.commands.size() == kMostCommands) {
    if (keep_ != Keep::kPieces) return;
    timeline_.more = true;
    set_total();
    done_(timeline_);
    timeline_.more = false;
    timeline_.commands.clear();
  }
  if (keep_ != Keep::kCommands) next.local_accesses = local_accesses(command);
  if (keep_ == Keep::kPieces || (keep_ == Keep::kCalls && timeline_.commands.size() < kMostCalls))
    next.call = call_text(*command.op, command.args());
  timeline_.commands.push_back(std::move(next));
}

void Clock::sync(SyncEvent event, std::int64_t region, const void* call_site) {
  static_cast<void>(region);
  if (judges()) rerun_.sync(event, call_site);
  follow(cores_.core(), event);
  follow(high_.core(), event);
}

void follow(CoreSchedules& cores, const MessageEvent& event, double issue_us) {
  switch (event.kind) {
    case MessageEvent::Kind::kSend:
      return cores.send(event.engine, event.slot, issue_us);
    case MessageEvent::Kind::kWait:
      return cores.wait(event.engine, event.slot, issue_us);
    case MessageEvent::Kind::kJoin:
      return cores.core().join();
  }
}

void Clock::message(const MessageEvent& event) {
  follow(cores_, event, parameters_.issue_us);
  follow(high_, event,
         parameters_.issue_known() ? parameters_.issue_us : parameters_.issue_high_us);
}

// Through it the kernel may read what the engines wrote.
void Clock::pointer_taken(Space space, std::uint64_t offset, const void* call_site) {
  static_cast<void>(space);
  static_cast<void>(offset);
  static_cast<void>(call_site);
  rerun_.processor_reads();
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
