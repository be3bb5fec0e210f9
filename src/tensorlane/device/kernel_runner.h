// Runs a kernel, a plain C function, so that an illegal call in it ends the launch and not the
// process. The same holds for crashes and hangs where launch_guard.h watches.
#ifndef TENSORLANE_DEVICE_KERNEL_RUNNER_H_
#define TENSORLANE_DEVICE_KERNEL_RUNNER_H_

#include <optional>
#include <string>

#include "tensorlane/device/failure.h"
#include "tensorlane/device/session.h"

namespace tensorlane {

using KernelFunction = void (*)(const void* args);

// Calls `kernel(args)`, or where `bytes` is given the (void*, int) function behind `kernel` with
// both, with `session` as the session of this thread and the floating-point environment a program
// starts with. The failure, if one ended it.
std::optional<Failure> run_kernel(Session& session, KernelFunction kernel, const void* args,
                                  std::optional<int> bytes = {});

// The session of the kernel that runs on this thread; null outside a launch.
Session* current_session();

// Around what a device function does: the kernel can be ended before and after, not between.
// leave_library() does not return where that was asked for meanwhile. No effect outside a launch.
void enter_library();
void leave_library();
// Does not return when the process ends meanwhile and the observers are not to hear more.
void pass_unless_parked();

// Ends the kernel that runs on this thread. No object with a destructor may be alive in the frames
// between here and the kernel's call.
[[noreturn]] void end_kernel();
// Remembers why it is about to end: the first failure of a launch counts.
void set_failure(std::string message, const void* call_site);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_KERNEL_RUNNER_H_
