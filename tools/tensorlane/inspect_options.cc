#include "inspect_options.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/inspect/place.h"
#include "tensorlane/observe/command_choice.h"
#include "tensorlane/observe/dump_operands.h"
#include "tensorlane/observe/precision_choice.h"

namespace tensorlane::cli {
namespace {

// The program may change its folder.
std::string absolute_dump(const std::string& text) {
  const std::string path = observe::parse_dump(text).path;
  return text.substr(0, text.size() - path.size()) + std::filesystem::absolute(path).string();
}

}  // namespace

void check_inspect_options(const RunSettings& settings) {
  for (const std::string& text : settings.list("--print")) observe::CommandChoice("--print", text);
  for (const std::string& text : settings.list("--dump"))
    check_output(observe::parse_dump(text).path);
  for (const std::string& text : settings.list("--watch")) inspect::parse_place(text, "--watch");
  for (const std::string& text : settings.list("--precision-of"))
    observe::precision_limits(text, {});
  if (settings.on("--watch-break") && settings.list("--watch").empty())
    user_error("--watch-break needs --watch ADDRESS");
}

std::string dump_variable(const RunSettings& settings) {
  std::vector<std::string> dumps;
  for (const std::string& text : settings.list("--dump")) dumps.push_back(absolute_dump(text));
  return fmt::format("{}", fmt::join(dumps, "\n"));
}

}  // namespace tensorlane::cli
