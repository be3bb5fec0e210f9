// Pages of the manual (man 1), made of the tree of commands.
#ifndef TENSORLANE_TOOLS_MANUAL_H_
#define TENSORLANE_TOOLS_MANUAL_H_

#include <string>
#include <vector>

#include "command_tree.h"

namespace tensorlane::cli {

struct ManualPage {
  std::string name;  // "tensorlane-layout.1"
  std::string text;  // roff with the man macros
};

// One page for the program and one for each of its verbs, which holds the verbs below it as well.
// `source` is the program with its version, the foot of every page.
std::vector<ManualPage> manual_pages(const CommandTree& program, const std::string& source);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_MANUAL_H_
