// Where an exception that leaves a kernel was thrown.
//
// Once it is caught, the kernel's part of the stack is gone. But the unwinder looks for a handler
// before it takes anything down, and asks each frame on its way: one of ours, between the kernel
// and who calls it, notes the calls when it is asked.
#ifndef TENSORLANE_DEVICE_THROW_PLACE_H_
#define TENSORLANE_DEVICE_THROW_PLACE_H_

#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/kernel_runner.h"

namespace tensorlane {

// Calls a kernel; one that takes no bytes does not look at them. When an exception leaves it,
// `thrown` gets the stack as it was where it was thrown, on x86-64; else it stays as it is.
void call_noting_throws(KernelFunction kernel, const void* args, int bytes, CallStack& thrown);

// The function whose frame lies outside of the kernel's, where a walk over its calls ends; null
// where none is known.
const void* caller_of_kernels();

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_THROW_PLACE_H_
