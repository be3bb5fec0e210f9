// tpuv7_rt.h: modules of kernels and their launches.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>

#include "tensorlane/base/names.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/tpuv7/runtime.h"

using namespace tensorlane;
using namespace tensorlane::tpuv7;

namespace {

constexpr bmlib::ModuleRules kModuleRules = {.linked_with = "libtpuv7_emulator.so",
                                             .else_of_program = false};

// The kernels of a library by name. Two modules may have kernels of one name; each keeps its own,
// also where the first has been loaded before and registers nothing any more.
std::vector<std::pair<std::string, KernelFunction>> kernels_of(const bmlib::KernelModule& module) {
  Runtime& all = runtime();
  for (const tpuRtKernelModule_t other : all.modules) {
    if (other->module.library == module.library) return other->kernels;
  }
  link_map* loaded = nullptr;
  if (dlinfo(module.library, RTLD_DI_LINKMAP, &loaded) != 0) return {};
  return kernels_in(module_of(loaded->l_ld));
}

tpuRtKernelModule_t enter(std::optional<bmlib::KernelModule> loaded) {
  if (!loaded) return nullptr;
  auto module = new tpuRtModule{*std::move(loaded), {}};
  Runtime& all = runtime();
  const std::lock_guard lock(all.mutex);
  module->kernels = kernels_of(module->module);
  all.modules.insert(module);
  return module;
}

template <class Load>
tpuRtKernelModule_t load(const void* given, const char* parameter, tpuRtStream_t stream,
                         const Caller& caller, Load body) {
  tpuRtKernelModule_t module = nullptr;
  initialised(caller.function, [&] {
    if (!is_open(stream, caller)) return tpuRtErrorNoStream;
    if (given == nullptr) return refuse_parameter(caller, tr("{} is NULL", parameter));
    module = enter(body());
    return tpuRtSuccess;
  });
  return module;
}

KernelFunction kernel_of(const tpuRtModule& module, std::string_view name) {
  const auto found = std::ranges::find_if(module.kernels,
                                          [&](const auto& kernel) { return kernel.first == name; });
  return found == module.kernels.end() ? nullptr : found->second;
}

std::vector<std::string> names_of(const tpuRtModule& module) {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : module.kernels) names.push_back(name);
  return names;
}

std::string no_such_kernel(const tpuRtModule& module, std::string_view name) {
  const std::vector<std::string> names = names_of(module);
  const std::vector<std::string_view> views(names.begin(), names.end());
  return tr("no kernel of '{}' is registered as '{}'{}", module.module.name, name,
            views.empty()
                ? tr("; none is registered at all: is {} missing?", "TPUKERNEL_FUNC_REGISTER")
                : did_you_mean(name, views));
}

// Why the launch is refused; empty when it is not.
std::string launch_problem(const Chip& chip, const void* args, std::size_t size,
                           std::uint64_t groups, std::uint64_t cores, bool same_for_all) {
  if (groups != 1) return tr("group_num = {}; launches have one group", groups);
  if (cores < 1 || cores > static_cast<std::uint64_t>(chip.cores))
    return tr("block_num = {}; the {} has cores for 1..{}", cores, chip.full_name, chip.cores);
  if (!same_for_all && size % cores != 0) {
    return tr(
        "size = {} bytes of arguments are not {} structs of one size: args is an array of one "
        "struct per core",
        size, cores);
  }
  return bmlib::argument_problem(args, same_for_all ? size : size / cores);
}

bool is_loaded(tpuRtKernelModule_t module, Device& device, const Caller& caller) {
  Runtime& all = runtime();
  {
    const std::lock_guard lock(all.mutex);
    if (all.modules.count(module) != 0) return true;
  }
  refuse(device, caller, HostRefusal::Kind::kLaunch,
         module == nullptr ? tr("{} is NULL", "module") : tr("module is not loaded"));
  return false;
}

tpuRtStatus_t launch_array(tpuRtKernelModule_t module, const char* name, const void* args,
                           std::size_t size, std::uint64_t groups, std::uint64_t cores,
                           tpuRtStream_t stream, const Caller& caller, Completion completion) {
  return initialised(caller.function, [&] {
    return launch(module, name, args, size, groups, cores, false, stream, caller, completion);
  });
}

tpuRtStatus_t over_chips(const Caller& caller) {
  return initialised(caller.function, [&] {
    refuse(current(), caller, HostRefusal::Kind::kLaunch,
           tr("launches over several chips are not emulated; launch the kernel on each"));
    return tpuRtErrNotSupported;
  });
}

}  // namespace

namespace tensorlane::tpuv7 {

tpuRtStatus_t launch(tpuRtKernelModule_t module, const char* name, const void* args,
                     std::size_t size, std::uint64_t groups, std::uint64_t cores, bool same_for_all,
                     tpuRtStream_t stream, const Caller& caller, Completion completion) {
  if (!is_open(stream, caller)) return tpuRtErrorNoStream;
  Device& device = *stream->handle->device;
  if (!is_loaded(module, device, caller)) return tpuRtErrorInvalidResourceHandle;
  const KernelFunction kernel = name == nullptr ? nullptr : kernel_of(*module, name);
  const std::string problem =
      name == nullptr     ? tr("{} is NULL", "func_name")
      : kernel == nullptr ? no_such_kernel(*module, name)
                          : launch_problem(device.chip(), args, size, groups, cores, same_for_all);
  if (!problem.empty()) {
    refuse(device, caller, HostRefusal::Kind::kLaunch, problem);
    return name != nullptr && kernel == nullptr ? tpuRtErrFailure : tpuRtErrParam;
  }
  bmlib::submit(stream->handle, name, kernel, args, size, caller, completion,
                {.number = static_cast<int>(cores), .same_arguments = same_for_all});
  return completion == Completion::kWaitedFor ? synchronize(stream, caller) : tpuRtSuccess;
}

}  // namespace tensorlane::tpuv7

extern "C" {

tpuRtKernelModule_t tpuRtKernelLoadModuleFile(const char* module_file, tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return load(module_file, "module_file", stream, caller,
              [&] { return bmlib::load_module_file(module_file, caller.function, kModuleRules); });
}

tpuRtKernelModule_t tpuRtKernelLoadModule(const char* data, size_t length, tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return load(data, "data", stream, caller, [&] {
    return bmlib::load_module_bytes(data, length, caller.function, kModuleRules);
  });
}

tpuRtStatus_t tpuRtKernelUnloadModule(tpuRtKernelModule_t module, tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (!is_open(stream, caller)) return tpuRtErrorNoStream;
    if (!is_loaded(module, *stream->handle->device, caller)) return tpuRtErrorInvalidResourceHandle;
    {
      Runtime& all = runtime();
      const std::lock_guard lock(all.mutex);
      all.modules.erase(module);
    }
    bmlib::drain_devices();  // launches of other streams run its code
    bmlib::close_module(module->module);
    delete module;
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtKernelLaunch(tpuRtKernelModule_t module, const char* func_name, void* args,
                                uint32_t size, uint64_t group_num, uint64_t block_num,
                                tpuRtStream_t stream) {
  return launch_array(module, func_name, args, size, group_num, block_num, stream, TL_CALLER,
                      Completion::kWaitedFor);
}

tpuRtStatus_t tpuRtKernelLaunchAsync(tpuRtKernelModule_t module, const char* func_name, void* args,
                                     uint32_t size, uint64_t group_num, uint64_t block_num,
                                     tpuRtStream_t stream) {
  return launch_array(module, func_name, args, size, group_num, block_num, stream, TL_CALLER,
                      Completion::kAsynchronous);
}

tpuRtStatus_t tpuRtKernelLaunchCDMA(tpuRtKernelModule_t, const char*, void*, uint32_t, uint64_t,
                                    tpuRtStream_t, int, char*, int, int) {
  return over_chips(TL_CALLER);
}
tpuRtStatus_t tpuRtKernelLaunchCDMAAsync(tpuRtKernelModule_t, const char*, void*, uint32_t,
                                         uint64_t, tpuRtStream_t, int, char*, int, int) {
  return over_chips(TL_CALLER);
}

}  // extern "C"
