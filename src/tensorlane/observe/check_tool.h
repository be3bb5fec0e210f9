// The checker as a tool that the environment asks for.
#ifndef TENSORLANE_OBSERVE_CHECK_TOOL_H_
#define TENSORLANE_OBSERVE_CHECK_TOOL_H_

#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// Watches the launches of `device` with the checks in `names` ("all", "race,init"). Findings go to
// the report file (TENSORLANE_REPORT), for `tensorlane run` to print; without one, they are said
// when the device ends.
void check_launches(Device& device, const std::string& names, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_CHECK_TOOL_H_
