// The report of a run: what observers found out, for `tensorlane run` to print.
//
// A program may use several devices and start other programs, so the report is a file of lines, one
// JSON object each, to which every tool appends when its device ends. "tool" says whose line it is:
//
//   {"tool":"statistics","chip":"bm1684","launches":3,...}
#ifndef TENSORLANE_OBSERVE_REPORT_FILE_H_
#define TENSORLANE_OBSERVE_REPORT_FILE_H_

#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::observe {

// Appends `entry` as one line to the file at `path`. Lines of several processes do not mix. Throws
// UserError when the file cannot be written.
void append_report(const std::string& path, const Json& entry);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_REPORT_FILE_H_
