// The report of a run: what observers found out, for `tensorlane run` to print.
//
// A program may use several devices and start other programs, so the report is a file of lines, one
// JSON object each, to which every tool appends when its device ends. TENSORLANE_REPORT names it.
// "tool" says whose line it is:
//
//   {"tool":"device","state":"open","process":7,"device":0}     a device was opened
//   {"tool":"statistics","chip":"bm1684","launches":3,...}      see statistics.h
//   {"tool":"check","process":7,"device":0,"findings":[...]}    see check/report.h
//   {"tool":"choice","choice":"--print a.c:7","matched":3}        see command_choice.h
//   {"tool":"expect","device":0,"text":"...","holds":true}      an expectation that was met
//   {"tool":"precision","device":0,"lines":[...]}               see precision/precision_report.h
//   {"tool":"why","process":7,"device":0,"steps":[...]}         see why_tool.h
//   {"tool":"self_profile","device":0,"kernels":[...]}          see self_profile.h
//   {"tool":"problem","message":"..."}                          a tool could not do its work
//   {"tool":"device","state":"closed","process":7,"device":0}   the device has reported all it had
//
// A device without its last line has not reported everything.
#ifndef TENSORLANE_OBSERVE_REPORT_FILE_H_
#define TENSORLANE_OBSERVE_REPORT_FILE_H_

#include <string>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// The path of the report; empty when nobody wants one.
std::string report_path();

// Appends `entry` as one line to the report. Lines of several processes do not mix. Throws
// UserError when the file cannot be written.
void append_report(const Json& entry);

// A tool could not do its work, at a time when nobody is left to throw to: says so through `say`,
// and in the report, so that the run fails. Throws nothing.
void report_problem(const std::string& message, const Say& say) noexcept;

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_REPORT_FILE_H_
