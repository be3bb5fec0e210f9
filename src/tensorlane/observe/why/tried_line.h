// A line of a launch whose commands are tried as others.
#ifndef TENSORLANE_OBSERVE_WHY_TRIED_LINE_H_
#define TENSORLANE_OBSERVE_WHY_TRIED_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/observe/why/mistakes.h"

namespace tensorlane::why {

class TriedLine {
 protected:
  TriedLine(const LaunchCommands& launch, std::size_t line, std::span<const std::size_t> behind)
      : launch_(launch),
        line_(launch.lines[line]),
        turns_(line_.issued.size() <= kMostTurns ? std::span<const std::size_t>(line_.issued)
                                                 : behind),
        everywhere_(issued_everywhere(launch, line).size() <= kMostTurns
                        ? std::span<const std::size_t>(issued_everywhere(launch, line))
                        : turns_),
        first_(launch.commands[line_.issued.front()].command),
        behind_(behind) {}

  const Command& command(std::size_t number) const { return launch_.commands[number].command; }
  // That command with another value of an argument; nothing where it has that one, or may not.
  std::optional<Command> with(std::size_t number, std::size_t param, std::int64_t value) const {
    const Command& mine = command(number);
    std::vector<Arg> args(mine.args().begin(), mine.args().end());
    if (args[param].field[0] == value) return std::nullopt;
    args[param].field[0] = value;
    return legal(mine, *mine.op, args);
  }
  void found_at(std::size_t at, Changes changes, std::string text, int weight) {
    if (!changes.empty()) found_.push_back({std::move(changes), std::move(text), weight, at});
  }

  const LaunchCommands& launch_;
  const Line& line_;
  const std::span<const std::size_t> turns_;       // that are changed together, on one core
  const std::span<const std::size_t> everywhere_;  // on all, whose commands are of one text
  const Command& first_;
  const std::span<const std::size_t> behind_;
  std::vector<Mistake> found_;
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_TRIED_LINE_H_
