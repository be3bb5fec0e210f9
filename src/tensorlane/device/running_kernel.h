// A kernel while it runs, as those see it who may have to end it: the device functions it calls,
// signal handlers, the time limit.
//
// C code has nothing to unwind: whoever ends a kernel leaves it with longjmp, back to run_kernel.
// That is allowed while the kernel's own code runs, and not inside of this library, which holds
// locks and has destructors to run.
#ifndef TENSORLANE_DEVICE_RUNNING_KERNEL_H_
#define TENSORLANE_DEVICE_RUNNING_KERNEL_H_

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/failure.h"
#include "tensorlane/device/fault.h"
#include "tensorlane/device/session.h"

namespace tensorlane {

struct RunningKernel {
  enum class Stop : std::uint8_t {
    kNo,
    kEnd,   // end at the first chance; stop_reason says why
    kPark,  // the process ends meanwhile: do nothing more
  };
  // How longjmp comes back to run_kernel.
  enum Way : int { kEnded = 1, kFaulted, kStopped };

  Session& session;
  const void* function;  // the kernel
  Module module;         // that it lies in
  pthread_t thread = pthread_self();
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::jmp_buf escape = {};

  // Where device functions count as called while this is not empty; see tensorlane_recorded.h.
  std::vector<const void*> place = {};

  std::optional<Failure> failure = {};  // the first one counts
  std::atomic<bool> in_library = true;  // not the kernel's own code
  std::atomic<Stop> stop = Stop::kNo;
  Failure stop_reason = {};  // written before `stop`
  std::chrono::steady_clock::time_point stop_since = {};
  Fault fault = {};  // for kFaulted; its calls for kStopped too

  // Leaves the kernel. Only from its own code or from where the library holds nothing.
  [[noreturn]] void leave(Way way) { std::longjmp(escape, way); }  // NOLINT(cert-err52-cpp)
  // Ends or parks the kernel where it was asked to.
  void obey_stop();
  void park_if_asked() const;

  // Why it ends where it was asked to: `fault` holds the calls.
  Failure stopped() const;
  // Why it ends when it calls `function`, "exit" for one.
  Failure exit_failure(std::string_view function) const;
};

// The kernel of this thread; null outside of a launch. Safe in signal handlers.
RunningKernel* running_kernel();
// Calls `visit` for every kernel that runs; none of them returns meanwhile.
void visit_running_kernels(const std::function<void(RunningKernel&)>& visit);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_RUNNING_KERNEL_H_
