// Whether a thread that a signal interrupted can leave its kernel there and then.
//
// It can while it executes the kernel's own code, or a function of the C library that the kernel
// called and that holds no lock: memcpy, strlen, abort, sleep. After a fault also out of functions
// that hold the lock of a stream at most (puts, printf), which release_streams() gives back, and
// out of a free() that refuses its pointer before it takes a lock. Anywhere else, in malloc or in
// this library, locks would stay locked and objects half changed.
#ifndef TENSORLANE_DEVICE_OWN_CODE_H_
#define TENSORLANE_DEVICE_OWN_CODE_H_

#include <array>
#include <span>

#include "tensorlane/device/running_kernel.h"

namespace tensorlane {

class OwnCode {
 public:
  OwnCode();  // looks the functions up; not for signal handlers

  // After a fault. Safe in signal handlers, like the next.
  bool faulted(const RunningKernel& run, const CallStack& calls) const;
  // At any instruction.
  bool interrupted(const RunningKernel& run, const CallStack& calls) const;

 private:
  static constexpr std::size_t kLeavable = 14, kAllocating = 4, kReading = 36;
  static bool is_own(const Module& kernel, const CallStack& calls,
                     std::span<const void* const> leavable, std::span<const void* const> allocating,
                     bool leaf);
  bool is_reading(const Module& kernel, const CallStack& calls, int signal) const;
  bool is_refused_pointer(const Module& kernel, const CallStack& calls, int signal) const;

  Module library_;  // this one
  std::array<const void*, kLeavable> leavable_;
  std::array<const void*, kAllocating> allocating_;
  std::array<const void*, kReading> reading_;
  const void* const* abort_message_;  // where the C library keeps what it said before abort()
};

// Unlocks the standard streams, where this thread has left a function that held one. Not for signal
// handlers.
void release_streams();

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_OWN_CODE_H_
