// The kernels of this process by name, as OKKERNEL_FUNC_REGISTER and TPUKERNEL_FUNC_REGISTER enter
// them.
#ifndef TENSORLANE_DEVICE_KERNEL_REGISTRY_H_
#define TENSORLANE_DEVICE_KERNEL_REGISTRY_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/missing_functions.h"

namespace tensorlane {

// Names are keys: registering a name again (a library loaded anew) replaces the function.
// `outside_launch` is called where its module calls a function that nobody defines, outside of a
// launch: see missing_functions.h.
// What a function of `kArgsAndBytes` takes: its arguments and their bytes, (void*, int).
enum class Parameters : bool { kArgs, kArgsAndBytes };
void register_kernel(std::string_view name, KernelFunction kernel, EndProcess outside_launch,
                     Parameters parameters = Parameters::kArgs);
Parameters parameters_of(KernelFunction kernel);
// Null when the name is unknown.
KernelFunction find_kernel(std::string_view name);
// Forgets the kernels that `which` is true of: the library they came from is unloaded.
void unregister_kernels(const std::function<bool(KernelFunction)>& which);
// In the order of registration.
std::vector<std::string> kernel_names();
// Those in a module, by name.
std::vector<std::pair<std::string, KernelFunction>> kernels_in(const Module& module);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_KERNEL_REGISTRY_H_
