// The result of a replay for people and for programs.
#ifndef TENSORLANE_CONFORMANCE_RESULT_TEXT_H_
#define TENSORLANE_CONFORMANCE_RESULT_TEXT_H_

#include <string>

#include "tensorlane/conformance/case_runner.h"

namespace tensorlane::conformance {

// Every failing case in full: id, call, first difference.
std::string failures_text(const Result& result);
// Every exception of the recording, one a line.
std::string exceptions_text(const Result& result);
// A table with one row per function and a total; `failing_only` leaves out rows without failures.
std::string table_text(const Result& result, bool failing_only);
// {"total":{"passed","failed","skipped","quirk"},"functions":[{"name","passed",...}]}
std::string json_text(const Result& result);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_RESULT_TEXT_H_
