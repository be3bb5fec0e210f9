#include "tensorlane/observe/command_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/clock/command_time.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/report_file.h"
#include "tensorlane/observe/time/clock.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::observe {

CommandLog::CommandLog(const Chip& chip, const DeviceMemory& memory, bool values, std::string path,
                       Say say)
    : chip_(chip),
      memory_(memory),
      values_(values),
      path_(std::move(path)),
      say_(std::move(say)),
      file_(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0)
    report_problem(tr("cannot write the log '{}': {}", path_, error_number_text(errno)), say_);
}

CommandLog::~CommandLog() {
  if (file_ >= 0) close(file_);
}

void CommandLog::launch_begin(const Launch& launch) {
  parameters_ = shared_by(timing_parameters(chip_), launch.cores);
  schedules_ = CoreSchedules(launch.cores, parameters_.region_us, parameters_.message_us);
  launch_ = {};
  launch_.device = launch.device;
  launch_.number = launch.number;
  launch_.kernel = launch.kernel;
  launch_.chip = chip_.name;
  launch_.cores = launch.cores;
  write(command_log::launch_line(launch_));
}

void CommandLog::launch_end(const Launch&, Outcome outcome) {
  launch_.failed = outcome == Outcome::kFailed;
  launch_.time_us = schedules_.total();
  write(command_log::end_line(launch_));
  places_.clear();  // libraries may go between launches, and others come
}

void CommandLog::command_begin(const Command& command) {
  const CommandTime time = command_time(command, parameters_);
  const Slot slot = schedules_.core().command(command.engine(), time.duration_us, time.issue_us);
  const Place& place = place_of(command);
  command_ = {.number = command.sequence,
              .core = command.core,
              .function = std::string(command.op->name()),
              .call = call_text(*command.op, command.args()),
              .file = place.file,
              .line = place.line,
              .in = place.in,
              .source = place.source,
              .region = command.region,
              .start_us = slot.start,
              .time_us = time.duration_us,
              .operands = {}};
  for (const Operand& operand : command.operands()) {
    command_.operands.push_back({.name = std::string(operand.name()),
                                 .role = std::string(role_name(operand.role)),
                                 .space = std::string(space_name(operand.space)),
                                 .dtype = std::string(dtype_name(operand.layout.dtype())),
                                 .layout = trail::layout_text(operand, command),
                                 .address = operand.address,
                                 .shape = inspect::OperandElements(operand, nullptr).shape(),
                                 .before = operand.reads() ? contents(operand) : std::nullopt,
                                 .after = {}});
  }
}

void CommandLog::command_end(const Command& command) {
  for (std::size_t k = 0; k < command_.operands.size(); ++k) {
    if (command_.operands[k].writes()) command_.operands[k].after = contents(command.operands()[k]);
  }
  write(command_log::command_line(command_, launch_));
}

void CommandLog::sync(SyncEvent event, std::int64_t, const void*) {
  follow(schedules_.core(), event);
}

void CommandLog::message(const MessageEvent& event) {
  follow(schedules_, event, parameters_.issue_us);
}

const CommandLog::Place& CommandLog::place_of(const Command& command) {
  const auto [at, is_new] = places_.try_emplace(command.call_site);
  if (is_new) {
    const SourceLocation source = find_source_frames(command.call_site, command.op->name()).front();
    at->second = {source.path(), source.function, check::source_line(source), source.line};
  }
  return at->second;
}

std::optional<command_log::Contents> CommandLog::contents(const Operand& operand) const {
  if (!values_) return {};
  return command_log::contents_of(
      inspect::OperandElements(operand, memory_.base(operand.space)).tensor());
}

void CommandLog::write(const Json& entry) {
  const std::string line = entry.dump() + "\n";
  std::string_view left = line;
  while (file_ >= 0 && !left.empty()) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      report_problem(tr("cannot write the log '{}': {}", path_, error_number_text(errno)), say_);
      close(file_);
      file_ = -1;
      return;
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

void log_commands(Device& device, const std::string& path, const Say& say) {
  device.add_observer(std::make_unique<CommandLog>(
      device.chip(), device.memory(), device.implementation() != ImplementationChoice::kNone, path,
      say));
}

}  // namespace tensorlane::observe
