#include "tensorlane/recording/estimate.h"

#include "tensorlane/base/error.h"
#include "tensorlane/clock/command_time.h"
#include "tensorlane/clock/schedule.h"
#include "tensorlane/recording/recording.h"

namespace tensorlane {
namespace {

// Messages of illegal calls have a line per fact.
std::string one_line(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      result += text[at];
      continue;
    }
    result += "; ";
    while (at + 1 < text.size() && text[at + 1] == ' ') ++at;
  }
  return result;
}

}  // namespace

Estimate estimate_recording(const std::string& path, const Chip& chip,
                            const TimingParameters& parameters) {
  RecordingReader reader(path, &chip);
  Estimate result;
  Schedule schedule, high;  // the second with the issue at most
  const auto both = [&](const auto& act) {
    act(schedule);
    act(high);
  };
  Command command;
  bool in_region = false;
  while (const auto call = reader.next()) {
    ++result.calls;
    const Op& op = *call->op;
    if (op.engine() == Engine::kNone) {
      const std::string_view name = op.name().substr(chip.api.prefix.size());
      const bool starts = name == "parallel_start";
      if (starts || name == "parallel_end") {
        if (in_region == starts) {
          if (starts)
            user_error("{}: call {}: {} inside a parallel region", path, result.calls, op.name());
          user_error("{}: call {}: {} outside a parallel region", path, result.calls, op.name());
        }
        both([&](Schedule& each) { starts ? each.region_begin() : each.region_end(); });
        in_region = starts;
      } else if (name == "poll") {
        both([](Schedule& each) { each.poll(); });
      } else if (name == "hau_poll") {
        both([](Schedule& each) { each.poll(Engine::kHau); });
      }
      continue;
    }
    try {
      decode(op, call->args, chip, in_region, command);
    } catch (const IllegalCall& error) {
      user_error("{}: call {}: {}", path, result.calls, one_line(error.what()));
    }
    const CommandTime time = command_time(command, parameters);
    schedule.command(op.engine(), time.duration_us, time.issue_us);
    high.command(op.engine(), time.duration_us, time.issue_high_us);
    EngineLoad& load = result.load(op.engine());
    ++load.commands;
    load.busy_us += time.duration_us;
  }
  result.kernel_us = schedule.total();
  result.kernel_high_us = high.total();
  if (result.calls > 0) {
    result.host_us = host_time_us(result.kernel_us, parameters);
    result.host_high_us = host_time_at_most_us(result.kernel_high_us, parameters);
  }
  return result;
}

}  // namespace tensorlane
