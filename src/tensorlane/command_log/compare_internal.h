// What the parts of compare.h share.
#ifndef TENSORLANE_COMMAND_LOG_COMPARE_INTERNAL_H_
#define TENSORLANE_COMMAND_LOG_COMPARE_INTERNAL_H_

#include <string>

#include "tensorlane/command_log/compare.h"

namespace tensorlane::command_log {

// A line of the source and the function it calls.
std::string line_key(const LoggedCommand& command);

LaunchComparison compare_launches(const LoggedLaunch& a, const LoggedLaunch& b,
                                  const CompareOptions& options);

}  // namespace tensorlane::command_log

#endif  // TENSORLANE_COMMAND_LOG_COMPARE_INTERNAL_H_
