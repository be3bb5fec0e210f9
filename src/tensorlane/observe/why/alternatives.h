// One thing of a call that could have been another: what people get wrong, undone.
//
//   two sources change places; another function with the same parameters; a flag, a rounding mode,
//   a type as wide; rows for columns, in windows, padding and strides; a stride, window or padding
//   that another call of the launch passes; a source one element beside, or another allocation of
//   the host
//
// What addresses of other commands have to do with it, and their order, is in mistakes.h.
#ifndef TENSORLANE_OBSERVE_WHY_ALTERNATIVES_H_
#define TENSORLANE_OBSERVE_WHY_ALTERNATIVES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/observe/why/launch_commands.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::why {

struct Alternative {
  Command command;
  std::string text;  // "src0_addr and src1_addr swapped"
  std::string key;   // equal for what is the same of other calls of a line
  bool simple;       // hardly anything else of the call would be thought of first
};

// What the calls of a launch pass: of each kind of parameter the different arguments.
struct Choices {
  std::map<std::string, std::vector<Arg>> of_kind;
  // Where the allocations begin that the launch reads, as addresses.
  std::vector<std::int64_t> allocations;
};
Choices choices_of(const LaunchCommands& launch);
// The kind of a parameter: parameters of one may hold each other's arguments. And whether choices
// are known of it.
std::string kind_of(const Op& op, std::size_t param);
bool is_chosen(const ArgType& type, const Param& param);
bool same_value(const Arg& a, const Arg& b);

// The legal ones.
std::vector<Alternative> alternatives_of(const Command& command, const Choices& choices);

// A call with arguments of its own: nothing where it is not legal.
std::optional<Command> legal(const Command& like, const Op& op, const std::vector<Arg>& args);

bool is_stride(const Op& op, std::string_view param);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_ALTERNATIVES_H_
