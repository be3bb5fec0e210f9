// The kernels of this process by name, as OKKERNEL_FUNC_REGISTER enters them.
#ifndef TENSORLANE_OKK_REGISTRY_H_
#define TENSORLANE_OKK_REGISTRY_H_

#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/device/kernel_runner.h"

namespace tensorlane::okk {

// Names are keys: registering a name again (a library loaded anew) replaces the function.
void register_kernel(std::string_view name, KernelFunction kernel);
// Null when the name is unknown.
KernelFunction find_kernel(std::string_view name);
// In the order of registration.
std::vector<std::string> kernel_names();

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_REGISTRY_H_
