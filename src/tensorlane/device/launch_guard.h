// Watches the launches of this process, so that whatever ends a kernel or the process, a launch
// that failed is a failed launch and no report is lost.
//
//   crash      SIGSEGV, SIGBUS, SIGFPE, SIGILL, abort(), a stack overflow. In the kernel's own code
//              the launch ends and the process goes on. Anywhere else the observers hear of the
//              failure and end their reports, then the process ends by the signal.
//   hang       A launch that runs longer than allowed ends the same way; where it cannot be ended,
//              the process ends by SIGALRM.
//   Ctrl-C     Also SIGTERM and SIGHUP: the launches end, the reports are written, the process ends
//              by the signal.
//   exit       A kernel that calls exit() or _exit() ends the process, after the reports.
//
//   accesses   What kernels read and write through pointers into device memory reaches the
//              observers, where that is asked for; see processor_watch.h.
//
// Signals that the program handles itself are left to it. Under a debugger, Valgrind and the
// sanitizers, which watch themselves, nothing is done.
#ifndef TENSORLANE_DEVICE_LAUNCH_GUARD_H_
#define TENSORLANE_DEVICE_LAUNCH_GUARD_H_

#include <chrono>
#include <cstdint>
#include <string_view>

#include "tensorlane/device/device.h"

namespace tensorlane {

// Which signals are taken.
enum class GuardedSignals : std::uint8_t {
  kUnhandled,  // those that the program does not handle
  kFaults,     // faults, whoever handles them: an interpreter's own handler gets those that are not
               // a kernel's. The others are the interpreter's
};

// How long each launch may run.
struct LaunchLimit {
  std::chrono::duration<double> time{};  // zero: as long as it likes
  const char* option = "--timeout";      // where the user said so, for the message
};

// Watches the launches of `device`. The limit given last that is not zero holds for all devices,
// the signals given first. Call before the first launch, after the other observers are attached.
// UserError when the system has no thread or pipe left.
void guard_launches(Device& device, const LaunchLimit& limit = {},
                    GuardedSignals signals = GuardedSignals::kUnhandled);

// Ends the launch in progress of a guarded device, if there is one, at the first chance: in the
// kernel's own code at once, in a command when it is done. Does not wait for that.
void stop_launch(const Device& device);

// Tells the observers of a guarded device what its kernels read behind their arguments, while
// faults arrive here.
void watch_arguments(Device& device);

// Tells the observers of a guarded device what its kernels do through pointers. False where that
// cannot be seen: on other processors than x86-64, and where nothing is caught.
bool watch_processor(Device& device);

// The process is about to end by `function` ("_exit") without further ado: devices that are
// guarded end their reports now.
void process_ends(std::string_view function);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_LAUNCH_GUARD_H_
