// What the last run of the kernel said: its findings, and the calls that each line made. From the
// files that `tensorlane run` writes: --json or --sarif, and --log.
#ifndef TENSORLANE_TOOLS_LSP_LAST_RUN_H_
#define TENSORLANE_TOOLS_LSP_LAST_RUN_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/json/json.h"

namespace tensorlane::lsp {

struct FoundPlace {
  std::string what;  // "reader", or a sentence; in the language of the run
  std::string file;
  std::int64_t line = 0;  // from 1; 0 where it is not known
  std::string source;     // the text of the line then
  std::string call;       // the device function, where the file says it
};

struct FoundFault {
  std::string id, severity;  // "error", "warning", "advice"
  std::string message, repair;
  std::vector<std::string> notes;
  std::vector<FoundPlace> places;  // the first is where it is shown
  bool consequence = false;        // of another one
};

// A call that a line made first, as C that the server can read again.
struct RecordedCall {
  std::string function, text, source, chip;
  double time_us = 0;
};

struct LastRun {
  std::vector<FoundFault> faults;
  std::map<std::pair<std::string, std::int64_t>, std::vector<RecordedCall>> calls;  // file, line
};

// Either kind of file. Relative paths in it are those of `folder`. Throws UserError for a text that
// is neither.
std::vector<FoundFault> read_faults(std::string_view text, const std::string& folder);
// The first call of each function in each line. A last line that is cut off is left out; of a log
// longer than `kMostLog` the beginning counts.
inline constexpr std::size_t kMostLog = std::size_t{256} << 20;
std::map<std::pair<std::string, std::int64_t>, std::vector<RecordedCall>> read_calls(
    std::string_view text, const std::string& folder);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_LAST_RUN_H_
