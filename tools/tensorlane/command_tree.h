// What the command line takes, as data: pages of the manual and completions are made of it.
#ifndef TENSORLANE_TOOLS_COMMAND_TREE_H_
#define TENSORLANE_TOOLS_COMMAND_TREE_H_

#include <string>
#include <vector>

namespace tensorlane::cli {

struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--output"; of a positional argument its name alone
  std::string description;
  // What stands for its value: "TEXT", "INT", "[=FILE]" where it belongs to the word and may be
  // left out; empty for a flag.
  std::string value;
  std::string otherwise;           // the value without it, where the help names one
  std::vector<std::string> words;  // what it may be, as far as that is known
  bool required = false;

  bool positional() const { return names.front().front() != '-'; }
  bool takes_value() const { return !value.empty(); }
  bool takes_next_word() const { return takes_value() && !value.starts_with('['); }
};

struct CommandTree {
  std::string name, description, footer;
  std::vector<OptionDescription> options;
  std::vector<CommandTree> subcommands;
};

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_COMMAND_TREE_H_
