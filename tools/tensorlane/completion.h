// Completions for shells, made of the tree of commands. Each script finds the verbs that the line
// holds so far, one below the other as "/layout/draw", and offers what that verb takes: its verbs,
// options and known words; behind an option that takes a value the words it knows, else files.
#ifndef TENSORLANE_TOOLS_COMPLETION_H_
#define TENSORLANE_TOOLS_COMPLETION_H_

#include <string>

#include "command_tree.h"

namespace tensorlane::cli {

std::string bash_completion(const CommandTree& program);
std::string zsh_completion(const CommandTree& program);
std::string fish_completion(const CommandTree& program);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_COMPLETION_H_
