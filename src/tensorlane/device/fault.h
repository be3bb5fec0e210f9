// A fault of the processor, or a request to end, as a signal handler notes it; and in words.
#ifndef TENSORLANE_DEVICE_FAULT_H_
#define TENSORLANE_DEVICE_FAULT_H_

#include <csignal>
#include <cstdint>

#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/failure.h"

namespace tensorlane {

// Addresses of a thread's stack and of the pages below it that catch an overflow.
struct StackBounds {
  std::uintptr_t begin = 0, end = 0;
};
// Of the calling thread. Not for signal handlers.
StackBounds stack_of_this_thread();

struct Fault {
  int signal = 0;              // 0: none
  int code = 0;                // si_code
  std::uintptr_t address = 0;  // that was accessed
  bool writes = false;         // the access; known on x86-64
  bool stack_overflow = false;
  std::size_t stack_bytes = 0;  // of that stack
  CallStack calls;

  // Safe in signal handlers. The calls are not captured yet: that may fault.
  void note(int signal, const siginfo_t& info, const void* context, const StackBounds& stack);
};

// "segmentation fault: writes to the address 0x8"
std::string fault_text(const Fault& fault);
// The failure of a kernel that lies in `kernel_module`.
Failure crash(const Fault& fault, const Module& kernel_module);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_FAULT_H_
