// Libraries of kernels that are loaded while the host runs. Loading one registers its kernels
// (kernel_registry.h); unloading it forgets them.
#ifndef TENSORLANE_DEVICE_KERNEL_LIBRARY_H_
#define TENSORLANE_DEVICE_KERNEL_LIBRARY_H_

#include <string>

#include "tensorlane/device/kernel_runner.h"

namespace tensorlane {

// The library at `path`, as dlopen() gives it; a bare name is a file of the current folder first,
// as for any other file. Its functions are bound when they are called: libraries for the chip refer
// to functions of a closed library, and only the kernels that call those need them. Null with the
// reason in `why` where it cannot be loaded.
void* open_kernel_library(const char* path, std::string& why);
// Whether the reason that open_kernel_library gave is a function that nobody defines.
bool is_unbound(const std::string& why);

// Unloads it. No launch of its kernels may be in progress. `places_are_needed`: reports may still
// name lines of it.
void close_kernel_library(void* library, bool places_are_needed);
// Whether the library of this kernel is gone.
bool is_unloaded(KernelFunction kernel);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_KERNEL_LIBRARY_H_
