// What the environment of a program asks of its devices.
//
// `tensorlane run` starts the program with variables that say which tools watch it; libbmlib.so
// calls attach_from_environment for every device it makes. The variables work without
// `tensorlane run` too, in a debugger for instance:
//
//   TENSORLANE_IMPL=reference gdb --args ./plus_one
//
// A tool is a row of run_options.h: its variable, and how it attaches to a device.
#ifndef TENSORLANE_OBSERVE_ENVIRONMENT_H_
#define TENSORLANE_OBSERVE_ENVIRONMENT_H_

#include "tensorlane/device/device.h"
#include "tensorlane/device/roomy_chip.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

// Attaches every tool whose variable is set and not empty. Call before the first launch. UserError
// for a value that makes no sense.
void attach_from_environment(Device& device, const Say& say);

// What TENSORLANE_RED_ZONES says, on or off: whether a device keeps gaps between allocations. Where
// it says nothing: devices that are checked, or that answer a question of `tensorlane why`, do.
RedZones red_zones_of_environment();

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_ENVIRONMENT_H_
