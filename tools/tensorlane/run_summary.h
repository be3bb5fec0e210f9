// What `tensorlane run` says when the program has ended.
#ifndef TENSORLANE_TOOLS_RUN_SUMMARY_H_
#define TENSORLANE_TOOLS_RUN_SUMMARY_H_

#include <string>
#include <vector>

#include "process.h"
#include "progress.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {

// What the bits of the functions that a run used rest on, as Statistics::json has it, of all
// devices together.
Json evidence_of_run(const std::vector<Json>& lines);

// `lines`: the report's lines, one per device and tool (observe/report_file.h).
std::string run_summary(const ProcessResult& process, const std::vector<Json>& lines,
                        const Terminal& terminal);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_RUN_SUMMARY_H_
