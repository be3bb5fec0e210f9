// Where the processor time of launches goes, for TENSORLANE_SELF_PROFILE: the emulator's profile of
// itself, by kernel and phase (device/phase_clock.h).
//
// Observers are told of everything in the order they were attached, so the tools are told apart by
// marks between them that say what kind the next ones are.
#ifndef TENSORLANE_OBSERVE_SELF_PROFILE_H_
#define TENSORLANE_OBSERVE_SELF_PROFILE_H_

#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// Attach before all other observers. What was found goes into the report when the device ends, or
// is said where there is none:
//   {"tool":"self_profile","process":7,"device":0,"chip":"bm1684","kernels":[
//     {"name":"add","launches":3,"seconds":0.01,"other_threads_seconds":0,
//      "phases":{"set-up":0.001,"kernel":...}}]}
void profile_itself(Device& device, const Say& say);

// The observers attached from here on are of kind `next`, those before of kind `before`. Where
// nothing is profiled nothing happens.
void mark_tools(Device& device, Phase before, Phase next);

// A line of the report as a table: microseconds per launch.
std::string self_profile_text(const Json& line);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_SELF_PROFILE_H_
