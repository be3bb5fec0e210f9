// Rows that name a kernel or a program: what is to be run to record its commands.
#ifndef TENSORLANE_RECORDING_ROW_RUNS_H_
#define TENSORLANE_RECORDING_ROW_RUNS_H_

#include <compare>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/recording/command_list.h"

namespace tensorlane {

// What a row says that is to be run: a kernel of a source or a module, or a program.
struct RowRun {
  std::vector<std::string> sources = {};
  std::string module = {};
  std::vector<std::string> program = {};
  std::string kernel = {};
  // Fields of its arguments: names and values, as the file has them.
  std::vector<std::pair<std::string, std::string>> arguments = {};
  int cores = 1;

  auto operator<=>(const RowRun&) const = default;  // NOLINT(modernize-use-nullptr)
};
// Runs it on the chip and returns its commands. Throws UserError where it cannot be run.
using RunRow = std::function<std::shared_ptr<const CommandList>(const RowRun&, const Chip&)>;

// What the row wants to be run, with paths beside `folder`; nothing where it has a recording.
// UserError for a row that says nothing of what did it, or too much, or malformed; see
// board_rows.h.
std::optional<RowRun> row_run(const Json& row, const std::filesystem::path& folder);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_ROW_RUNS_H_
