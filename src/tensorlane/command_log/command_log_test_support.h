// Launches and commands at random, for tests.
#ifndef TENSORLANE_COMMAND_LOG_COMMAND_LOG_TEST_SUPPORT_H_
#define TENSORLANE_COMMAND_LOG_COMMAND_LOG_TEST_SUPPORT_H_

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cstring>
#include <string>
#include <vector>

#include "tensorlane/command_log/record.h"

namespace tensorlane::command_log {

inline Tensor fp32_tensor(const std::vector<float>& values) {
  Tensor tensor{Dtype::kFp32, {std::ssize(values)}, {}};
  tensor.data.resize(values.size() * sizeof(float));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

inline LoggedOperand operand(std::string name, std::string role, const std::vector<float>& values) {
  LoggedOperand operand{.name = std::move(name),
                        .role = std::move(role),
                        .space = "local memory",
                        .dtype = "fp32",
                        .layout = "aligned",
                        .shape = {1, 1, 1, std::ssize(values)},
                        .before = {},
                        .after = {}};
  (operand.reads() ? operand.before : operand.after) = contents_of(fp32_tensor(values));
  return operand;
}

// "function at line: result = source".
inline LoggedCommand command(std::string function, int line, const std::vector<float>& result,
                             const std::vector<float>& source = {1}) {
  LoggedCommand command{.number = 0,
                        .function = std::move(function),
                        .call = "",
                        .file = "kernel.c",
                        .line = line,
                        .in = "kernel",
                        .source = fmt::format("line {};", line),
                        .time_us = 1,
                        .operands = {}};
  command.operands.push_back(operand("dst_addr", "out", result));
  command.operands.push_back(operand("src_addr", "in", source));
  return command;
}

inline Log log_of(std::vector<LoggedCommand> commands) {
  LoggedLaunch launch;
  launch.kernel = "kernel";
  launch.chip = "bm1684";
  launch.ended = true;
  for (std::size_t k = 0; k < commands.size(); ++k) commands[k].number = k;
  launch.commands = std::move(commands);
  Log log;
  log.launches.push_back(std::move(launch));
  return log;
}

inline Log any_log() {
  std::vector<LoggedCommand> commands;
  const int count = *rc::gen::inRange(0, 12);
  for (int k = 0; k < count; ++k) {
    const auto function = *rc::gen::element<std::string>("load", "add", "store");
    const auto value = static_cast<float>(*rc::gen::inRange(0, 3));
    commands.push_back(command(function, *rc::gen::inRange(1, 5),
                               std::vector<float>(*rc::gen::inRange<std::size_t>(1, 4), value)));
  }
  return log_of(std::move(commands));
}

}  // namespace tensorlane::command_log

#endif  // TENSORLANE_COMMAND_LOG_COMMAND_LOG_TEST_SUPPORT_H_
