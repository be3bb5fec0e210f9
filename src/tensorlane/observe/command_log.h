// Writes the command log: what every command read and wrote; see command_log/record.h.
#ifndef TENSORLANE_OBSERVE_COMMAND_LOG_H_
#define TENSORLANE_OBSERVE_COMMAND_LOG_H_

#include <string>
#include <unordered_map>

#include "tensorlane/clock/core_schedules.h"
#include "tensorlane/command_log/record.h"
#include "tensorlane/device/device.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

class CommandLog : public Observer {
 public:
  // Lines are appended to the file at `path`. `values`: false in a dry run, which computes none.
  CommandLog(const Chip& chip, const DeviceMemory& memory, bool values, std::string path, Say say);
  ~CommandLog() override;
  CommandLog(const CommandLog&) = delete;
  CommandLog& operator=(const CommandLog&) = delete;

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void command_begin(const Command& command) override;
  void command_end(const Command& command) override;
  void sync(SyncEvent event, std::int64_t region, const void* call_site) override;
  void core_selected(int core) override { schedules_.select(core); }
  void message(const MessageEvent& event) override;

 private:
  struct Place {
    std::string file, in, source;
    int line = 0;
  };
  const Place& place_of(const Command& command);
  std::optional<command_log::Contents> contents(const Operand& operand) const;
  void write(const Json& line);

  const Chip& chip_;
  const DeviceMemory& memory_;
  const bool values_;
  const std::string path_;
  const Say say_;
  int file_ = -1;
  TimingParameters parameters_;  // of each core of the launch
  CoreSchedules schedules_;
  command_log::LoggedLaunch launch_;    // in progress
  command_log::LoggedCommand command_;  // in hand
  std::unordered_map<const void*, Place> places_;
};

// TENSORLANE_LOG: the file.
void log_commands(Device& device, const std::string& path, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_COMMAND_LOG_H_
