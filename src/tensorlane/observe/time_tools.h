// What `tensorlane run --time`, `--profile`, `--trace` and `--report FILE.html` attach to a device.
// Each device of a program has a file of its own: the first writes trace.json, the second
// trace.2.json. TENSORLANE_LAUNCH_MODE, issued or prebuilt, says how the engines get their
// commands.
#ifndef TENSORLANE_OBSERVE_TIME_TOOLS_H_
#define TENSORLANE_OBSERVE_TIME_TOOLS_H_

#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// Says the modelled time of every launch: of the first of each kernel all there is to say, of
// others a line; and at the end of several launches what they add up to.
void say_time(Device& device, const std::string& value, const Say& say);
// Writes {"launches":[...]} to the file when the device ends: see profile_json.
void write_profile(Device& device, const std::string& path, const Say& say);
// Writes the timeline of all launches to the file when the device ends: see trace_file.h.
void write_trace(Device& device, const std::string& path, const Say& say);
// Writes the timeline of all launches as a page to the file when the device ends: see
// report_page.h.
void write_page(Device& device, const std::string& path, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_TOOLS_H_
