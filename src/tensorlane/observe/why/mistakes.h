// What people get wrong in a kernel, undone: for a line, what its commands could have been.
//
//   one thing of each of its calls another (alternatives.h), or of the calls that the value came
//   through alone
//   a source that other commands wrote, or that steps evenly from turn to turn
//   a line that is left out, or changes places with the one that reads its result
#ifndef TENSORLANE_OBSERVE_WHY_MISTAKES_H_
#define TENSORLANE_OBSERVE_WHY_MISTAKES_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/observe/why/alternatives.h"
#include "tensorlane/observe/why/launch_commands.h"
#include "tensorlane/observe/why/trial.h"

namespace tensorlane::why {

struct Mistake {
  Changes changes;
  std::string text;  // what it would be without: "with src0_addr and src1_addr swapped"
  int weight;        // likelier ones are heavier
  std::size_t at;    // the command that is at fault
};

// Of one line; `behind`: its commands that the value came through, the nearest first.
std::vector<Mistake> mistakes_of(const LaunchCommands& launch, const Choices& choices,
                                 std::size_t line, std::span<const std::size_t> behind);

// Of those the ones about whether and when the line's commands come.
std::vector<Mistake> mistakes_of_order(const LaunchCommands& launch, std::size_t line,
                                       std::span<const std::size_t> behind);
// Weights, and how many turns of a line are changed together; of more, those that the value came
// through.
inline constexpr int kSimple = 97, kUsual = 95, kUnusual = 92;
inline constexpr std::size_t kMostTurns = 256;

// The operand that an address parameter names, if it is a source.
const Operand* source_of(const Command& command, std::size_t param);
const Operand* result_of(const Command& command);

// Every command of `line` with another value of the constant argument `param`; nothing where that
// is no number that can be changed.
Changes with_constant(const LaunchCommands& launch, std::size_t line, std::size_t param,
                      double value);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_MISTAKES_H_
