// What rows of run_options.cc attach to a device, as far as it is no observer with a header of its
// own. UserError for a value that makes no sense.
#ifndef TENSORLANE_OBSERVE_RUN_TOOLS_H_
#define TENSORLANE_OBSERVE_RUN_TOOLS_H_

#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// How the device computes.
void choose_implementation(Device& device, const std::string& value, const Say& say);
void limit_computing(Device& device, const std::string& threads, const Say& say);
void limit_instructions(Device& device, const std::string& set, const Say& say);
void choose_region_order(Device& device, const std::string& value, const Say& say);
void choose_core_order(Device& device, const std::string& value, const Say& say);
void choose_pipeline(Device& device, const std::string& value, const Say& say);
void dry_run(Device& device, const std::string&, const Say& say);
void keep_going(Device& device, const std::string&, const Say& say);
void be_strict(Device& device, const std::string&, const Say& say);
void limit_time(Device& device, const std::string& seconds, const Say& say);

// Who watches it.
void profile_itself_first(Device& device, const std::string&, const Say& say);
void say_advice(Device& device, const std::string&, const Say& say);
void watch_precision(Device& device, const std::string&, const Say& say);
// The same of some commands; where the environment asks for that, watch_precision adds nothing.
void watch_some_precision(Device& device, const std::string& values, const Say& say);
// Lines of the report: of the device, and what it did in all.
void report_device(Device& device, const std::string&, const Say& say);
void report_statistics(Device& device, const std::string&, const Say& say);
// Signals, arguments and pointers of kernels, for the checks and for `why`.
void watch_kernels(Device& device, const std::string&, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_RUN_TOOLS_H_
