#include "inspect_options.h"

#include <fmt/ranges.h>

#include <filesystem>

#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/inspect/place.h"
#include "tensorlane/observe/command_choice.h"
#include "tensorlane/observe/dump_operands.h"

namespace tensorlane::cli {
namespace {

// The program may change its folder.
std::string absolute_dump(const std::string& text) {
  const std::string path = observe::parse_dump(text).path;
  return text.substr(0, text.size() - path.size()) + std::filesystem::absolute(path).string();
}

}  // namespace

void add_inspect_options(App& command, InspectOptions& options) {
  command
      .add_option(
          "--print", options.print,
          "Print the commands of this line, or of this function, with their operands; #12 is "
          "command 12 of the first launch; may be given several times")
      ->repeated()
      ->type_name("FILE:LINE");
  command
      .add_option("--dump", options.dump,
                  "Write the first result of the commands of this line, or the operand named, to a "
                  ".npy file: FILE:LINE[:OPERAND]=OUT.npy; {n} in OUT counts the commands")
      ->repeated()
      ->type_name("WHERE=FILE");
  command
      .add_option("--watch", options.watch,
                  "Say who writes these bytes: a system address, NPU:OFFSET or l2:OFFSET, with "
                  "+BYTES for more than one")
      ->repeated()
      ->type_name("ADDRESS");
  command.add_flag("--watch-break", options.watch_break,
                   "Stop after each such write, where the program runs in a debugger");
  command
      .add_option("--log", options.log,
                  "Write a line of JSON for every command: place, operands, hashes of what it read "
                  "and wrote, modelled time; for 'diff'")
      ->type_name("FILE");
}

void check_inspect_options(const InspectOptions& options) {
  for (const std::vector<std::string>* list : {&options.print, &options.dump, &options.watch}) {
    for (const std::string& text : *list) {
      if (text.find('\n') != std::string::npos)
        user_error("'{}': a line break cannot be part of it", text);
    }
  }
  for (const std::string& text : options.print) observe::CommandChoice("--print", text);
  for (const std::string& text : options.dump) check_output(observe::parse_dump(text).path);
  for (const std::string& text : options.watch) inspect::parse_place(text, "--watch");
  if (options.watch_break && options.watch.empty())
    user_error("--watch-break needs --watch ADDRESS");
}

std::vector<std::pair<std::string, std::string>> inspect_variables(const InspectOptions& options) {
  std::vector<std::string> dumps;
  for (const std::string& text : options.dump) dumps.push_back(absolute_dump(text));
  return {{"TENSORLANE_PRINT", fmt::format("{}", fmt::join(options.print, "\n"))},
          {"TENSORLANE_DUMP", fmt::format("{}", fmt::join(dumps, "\n"))},
          {"TENSORLANE_WATCH", fmt::format("{}", fmt::join(options.watch, "\n"))},
          {"TENSORLANE_WATCH_BREAK", options.watch_break ? "1" : ""}};
}

}  // namespace tensorlane::cli
