// Runs a kernel, a plain C function, so that an illegal call in it ends the launch and not the
// process.
//
// C code has nothing to unwind: a failing device function leaves the kernel with longjmp, back to
// run_kernel. The functions here are the only places that know of it.
#ifndef TENSORLANE_DEVICE_KERNEL_RUNNER_H_
#define TENSORLANE_DEVICE_KERNEL_RUNNER_H_

#include <optional>
#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/device/session.h"

namespace tensorlane {

using KernelFunction = void (*)(const void* args);

// Calls `kernel(args)` with `session` as the session of this thread and the floating-point
// environment a program starts with. The failure, if one ended it.
std::optional<Failure> run_kernel(Session& session, KernelFunction kernel, const void* args);

// The session of the kernel that runs on this thread; null outside a launch.
Session* current_session();

// Ends the kernel that runs on this thread. No object with a destructor may be alive in the frames
// between here and the kernel's call.
[[noreturn]] void end_kernel();
// Remembers why it is about to end: the first failure of a launch counts.
void set_failure(std::string message, const void* call_site);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_KERNEL_RUNNER_H_
