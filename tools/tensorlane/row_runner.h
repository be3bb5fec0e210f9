// Runs what rows name, dry, and reads the commands: kernels are compiled and launched, programs
// started, as `tensorlane run --record` does.
#ifndef TENSORLANE_TOOLS_ROW_RUNNER_H_
#define TENSORLANE_TOOLS_ROW_RUNNER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tensorlane/recording/row_runs.h"

namespace tensorlane::cli {

class RowRunner {
 public:
  // `verb` is that of messages.
  explicit RowRunner(std::string verb);
  ~RowRunner();
  RowRunner(const RowRunner&) = delete;
  RowRunner& operator=(const RowRunner&) = delete;

  // For read_board_rows().
  std::shared_ptr<const CommandList> run(const RowRun& wanted, const Chip& chip);

 private:
  std::string module_of(const std::vector<std::string>& sources, const Chip& chip);
  std::string file(const char* kind);

  std::string verb_;
  std::filesystem::path folder_;  // goes with the runner
  int files_ = 0;
  std::map<std::pair<std::vector<std::string>, const Chip*>, std::string> modules_;
};

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_ROW_RUNNER_H_
