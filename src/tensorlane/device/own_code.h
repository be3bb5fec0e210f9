// Whether a thread that a signal interrupted can leave its kernel there and then.
//
// It can while it executes the kernel's own code, or a function of the C library that the kernel
// called and that holds no lock: memcpy, strlen, abort, sleep. Anywhere else, in malloc or in
// this library, locks would stay locked and objects half changed.
#ifndef TENSORLANE_DEVICE_OWN_CODE_H_
#define TENSORLANE_DEVICE_OWN_CODE_H_

#include <array>

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
  static constexpr std::size_t kLeavable = 14, kAllocating = 4;
  static bool is_own(const Module& kernel, const CallStack& calls,
                     std::span<const void* const> leavable, std::span<const void* const> allocating,
                     bool leaf);
  Module library_;  // this one
  std::array<const void*, kLeavable> leavable_;
  std::array<const void*, kAllocating> allocating_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_OWN_CODE_H_
