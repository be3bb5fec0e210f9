// What `tensorlane run` says when the program has ended.
#ifndef TENSORLANE_TOOLS_RUN_SUMMARY_H_
#define TENSORLANE_TOOLS_RUN_SUMMARY_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "process.h"
#include "tensorlane/base/progress.h"

namespace tensorlane::cli {

// `lines`: the report's lines, one per device and tool (observe/report_file.h).
std::string run_summary(const ProcessResult& process, const std::vector<nlohmann::json>& lines,
                        const Terminal& terminal);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_RUN_SUMMARY_H_
