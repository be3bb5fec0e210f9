// The report that the devices of a program write for `tensorlane run`; see observe/report_file.h.
#ifndef TENSORLANE_TOOLS_RUN_REPORT_H_
#define TENSORLANE_TOOLS_RUN_REPORT_H_

#include <string>
#include <vector>

#include "tensorlane/json/json.h"

namespace tensorlane::cli {

// It lies in memory, so that no folder can be missing or full.
class RunReport {
 public:
  RunReport();
  ~RunReport();
  RunReport(const RunReport&) = delete;
  RunReport& operator=(const RunReport&) = delete;

  // For the program and all that it starts, while this object lives.
  const std::string& path() const { return path_; }

  struct Content {
    std::vector<Json> lines;
    // Why it may not be all: in words, one line each.
    std::vector<std::string> problems;
    bool tool_failed = false;  // the program has said how
  };
  // When the program has ended.
  Content read() const;

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_RUN_REPORT_H_
