#include "tensorlane/command_log/log_reader.h"

#include <algorithm>
#include <map>

#include "tensorlane/base/error.h"

namespace tensorlane::command_log {
namespace {

class LogReader {
 public:
  void add(const Json& line) {
    const std::string& event = line.at("event").text();
    if (event == "launch") return add_launch(line);
    if (event != "command" && event != "end")
      user_error("event is '{}'; it must be launch, command or end", event);
    const auto open =
        open_.find({line.at("device").get<int>(), line.at("launch").get<std::uint64_t>()});
    if (open == open_.end())
      user_error("launch {} of device {} has not begun, or has ended", line.at("launch").dump(),
                 line.at("device").dump());
    LoggedLaunch& launch = log_.launches[open->second];
    if (event == "command") {
      launch.commands.push_back(read_command(line));
    } else {
      launch.ended = true;
      launch.failed = line.at("failed").get<bool>();
      launch.time_us = line.at("time_us").get<double>();
      open_.erase(open);
    }
  }

  Log finish() {
    std::ranges::stable_sort(log_.launches, {}, &LoggedLaunch::device);
    for (LoggedLaunch& launch : log_.launches) {
      // In which order cores took turns is nothing that two runs have in common.
      std::ranges::sort(launch.commands, {}, [](const LoggedCommand& command) {
        return std::pair(command.core, command.number);
      });
      for (const LoggedCommand& command : launch.commands) {
        if (!launch.ended)
          launch.time_us = std::max(launch.time_us, command.start_us + command.time_us);
      }
    }
    return std::move(log_);
  }

 private:
  void add_launch(const Json& line) {
    const int version = line.at("version").get<int>();
    if (version != kVersion)
      user_error("version is {}; this program reads version {}", version, kVersion);
    LoggedLaunch launch;
    launch.device = line.at("device").get<int>();
    launch.number = line.at("launch").get<std::uint64_t>();
    launch.kernel = line.at("kernel").text();
    launch.chip = line.at("chip").text();
    launch.cores = line.value("cores", 1);
    open_[{launch.device, launch.number}] = log_.launches.size();
    log_.launches.push_back(std::move(launch));
  }

  Log log_;
  std::map<std::pair<int, std::uint64_t>, std::size_t> open_;  // index of launches in progress
};

}  // namespace

Log read_log(std::string_view text, std::string_view where) {
  LogReader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    try {
      const std::optional<Json> entry = Json::try_parse(line);
      if (!entry || !entry->is_object()) user_error("it is no line of a command log");
      reader.add(*entry);
    } catch (const UserError& error) {
      user_error("{}:{}: {}", where, number, error.what());
    }
  }
  return reader.finish();
}

}  // namespace tensorlane::command_log
