// bmlib_runtime.h for TPUKernel programs: modules, and launches on the BM1684X.
#include <deque>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/bmlib/kernel_modules.h"
#include "tensorlane/bmlib/linked_front_ends.h"
#include "tensorlane/device/kernel_library.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/tpukernel/front_end.h"

using namespace tensorlane;
using namespace tensorlane::bmlib;

struct tpu_kernel_module : KernelModule {};

namespace {

const LinkedFrontEnd linked(tpukernel::front_end());

struct Function {
  std::string name;
  KernelFunction kernel;  // null: its module is unloaded
  tpu_kernel_module_t module;
};

struct Modules {
  std::mutex mutex;
  std::set<tpu_kernel_module_t> loaded;
  std::deque<Function> functions;  // a function's id is its place here, from 1
};

// Never destroyed: programs may unload modules from destructors of their own.
Modules& modules() {
  static Modules* const instance = new Modules;
  return *instance;
}

constexpr ModuleRules kModuleRules = {.linked_with = "libbmlib.so", .else_of_program = true};

tpu_kernel_module_t enter(std::optional<KernelModule> loaded) {
  if (!loaded) return nullptr;
  Modules& all = modules();
  const std::lock_guard lock(all.mutex);
  const auto module = new tpu_kernel_module{*std::move(loaded)};
  all.loaded.insert(module);
  return module;
}

bool is_loaded(bm_handle_t handle, tpu_kernel_module_t module, const Caller& caller) {
  Modules& all = modules();
  {
    const std::lock_guard lock(all.mutex);
    if (all.loaded.count(module) != 0) return true;
  }
  refuse(handle, caller, HostRefusal::Kind::kLaunch,
         module == nullptr ? tr("{} is NULL", "module") : tr("module is not loaded"));
  return false;
}

bm_status_t launch_function(bm_handle_t handle, tpu_kernel_function_t id, const void* args,
                            std::size_t size, const Caller& caller, Completion completion) {
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  std::string refusal;
  {
    Modules& all = modules();
    const std::lock_guard lock(all.mutex);  // until it is queued, its module stays
    const bool known = id >= 1 && static_cast<std::size_t>(id) <= all.functions.size();
    const Function* const found =
        known ? &all.functions[static_cast<std::size_t>(id) - 1] : nullptr;
    if (found == nullptr) {
      refusal = tr("function = {}; no tpu_kernel_get_function returned it", id);
    } else if (found->kernel == nullptr) {
      refusal = tr("function = {}; '{}' went with its module, which is unloaded", id, found->name);
    } else {
      refusal = argument_problem(args, size);
      if (refusal.empty()) {
        submit(handle, found->name, found->kernel, args, size, caller, completion);
        return BM_SUCCESS;
      }
    }
  }
  refuse(handle, caller, HostRefusal::Kind::kLaunch, refusal);
  return BM_ERR_PARAM;
}

bm_status_t unload(bm_handle_t handle, tpu_kernel_module_t module, const Caller& caller) {
  if (!check(handle, caller.function) || !is_loaded(handle, module, caller)) return BM_ERR_PARAM;
  wait_for_launches(handle);
  Modules& all = modules();
  {
    const std::lock_guard lock(all.mutex);
    all.loaded.erase(module);
    for (Function& found : all.functions) {
      if (found.module == module) found.kernel = nullptr;
    }
  }
  drain_devices();  // launches of other handles run its code
  if (module->library != nullptr) {
    close_module(*module);
    const std::lock_guard lock(all.mutex);
    for (Function& found : all.functions) {
      if (found.kernel != nullptr && is_unloaded(found.kernel)) found.kernel = nullptr;
    }
  }
  delete module;
  return BM_SUCCESS;
}

// The cores of a list: as many as the kernel sees, whose numbers are their places in it. (choice)
std::optional<Cores> cores_of(bm_handle_t handle, const int* core_list, int core_num,
                              const Caller& caller) {
  if (!check(handle, caller.function)) return std::nullopt;
  const Chip& chip = handle->device->chip();
  std::string problem;
  if (core_list == nullptr) {
    problem = tr("{} is NULL", "core_list");
  } else if (core_num < 1 || core_num > chip.cores) {
    problem = tr("core_num = {}; the {} has cores for 1..{}", core_num, chip.full_name, chip.cores);
  } else {
    std::set<int> used;
    for (int k = 0; k < core_num; ++k) {
      const int core = core_list[k];
      if (core < 0 || core >= chip.cores || !used.insert(core).second) {
        problem =
            tr("core_list[{}] = {}; it names cores 0..{}, each once", k, core, chip.cores - 1);
        break;
      }
    }
  }
  if (problem.empty()) return Cores{.number = core_num, .same_arguments = true};
  refuse(handle, caller, HostRefusal::Kind::kLaunch, problem);
  return std::nullopt;
}

}  // namespace

extern "C" {

tpu_kernel_module_t tpu_kernel_load_module_file(bm_handle_t handle, const char* module_file) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return nullptr;
  if (module_file == nullptr) {
    refuse(handle, caller, HostRefusal::Kind::kArgument, tr("{} is NULL", "module_file"));
    return nullptr;
  }
  return enter(load_module_file(module_file, __func__, kModuleRules));
}

tpu_kernel_module_t tpu_kernel_load_module_file_key(bm_handle_t handle, const char* module_file,
                                                    const char* key, int size) {
  static_cast<void>(key);  // caches of the driver need it
  static_cast<void>(size);
  return tpu_kernel_load_module_file(handle, module_file);
}

tpu_kernel_module_t tpu_kernel_load_module(bm_handle_t handle, const char* data, size_t length) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return nullptr;
  if (data == nullptr || length == 0) {
    refuse(handle, caller, HostRefusal::Kind::kArgument, tr("data is NULL or length is 0"));
    return nullptr;
  }
  return enter(load_module_bytes(data, length, __func__, kModuleRules));
}

tpu_kernel_function_t tpu_kernel_get_function(bm_handle_t handle, tpu_kernel_module_t module,
                                              const char* function) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function) || !is_loaded(handle, module, caller)) return -1;
  if (function == nullptr) {
    refuse(handle, caller, HostRefusal::Kind::kArgument, tr("{} is NULL", "function"));
    return -1;
  }
  const KernelFunction kernel = find_kernel(function);
  if (kernel == nullptr) {
    const std::vector<std::string> names = kernel_names();
    const std::vector<std::string_view> views(names.begin(), names.end());
    report(__func__,
           tr("no kernel is registered as '{}'{}", function, did_you_mean(function, views)));
    return -1;
  }
  Modules& all = modules();
  const std::lock_guard lock(all.mutex);
  all.functions.push_back({function, kernel, module});
  return static_cast<tpu_kernel_function_t>(all.functions.size());
}

bm_status_t tpu_kernel_launch(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                              size_t size) {
  const Caller caller = TL_CALLER;
  return guarded(__func__, [&] {
    const bm_status_t status =
        launch_function(handle, function, args, size, caller, Completion::kWaitedFor);
    return status == BM_SUCCESS ? wait_timed(handle) : status;
  });
}

bm_status_t tpu_kernel_launch_async(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                                    size_t size) {
  const Caller caller = TL_CALLER;
  return guarded(__func__, [&] {
    return launch_function(handle, function, args, size, caller, Completion::kAsynchronous);
  });
}

bm_status_t tpu_kernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                   unsigned int size) {
  const Caller caller = TL_CALLER;
  return guarded(__func__, [&] { return launch_and_wait(handle, func_name, args, size, caller); });
}

bm_status_t tpu_kernel_launch_async_multi_cores(bm_handle_t handle, const char* func_name,
                                                const void* api_param, size_t size,
                                                const int* core_list, int core_num) {
  const Caller caller = TL_CALLER;
  const std::optional<Cores> cores = cores_of(handle, core_list, core_num, caller);
  if (!cores) return BM_ERR_PARAM;
  return guarded(__func__, [&] {
    return launch(handle, func_name, api_param, size, caller, Completion::kAsynchronous, *cores);
  });
}

bm_status_t tpu_kernel_launch_sync_multi_cores(bm_handle_t handle, const char* func_name,
                                               const void* api_param, size_t size,
                                               const int* core_list, int core_num) {
  const Caller caller = TL_CALLER;
  const std::optional<Cores> cores = cores_of(handle, core_list, core_num, caller);
  if (!cores) return BM_ERR_PARAM;
  return guarded(__func__, [&] {
    return launch_and_wait(handle, func_name, api_param, size, caller, *cores);
  });
}

bm_status_t tpu_kernel_sync(bm_handle_t handle) {
  return wait(handle, __func__);
}

bm_status_t tpu_kernel_free_module(bm_handle_t handle, tpu_kernel_module_t module) {
  const Caller caller = TL_CALLER;
  return guarded(__func__, [&] { return unload(handle, module, caller); });
}

bm_status_t tpu_kernel_unload_module(bm_handle_t handle, tpu_kernel_module_t module) {
  const Caller caller = TL_CALLER;
  return guarded(__func__, [&] { return unload(handle, module, caller); });
}

}  // extern "C"
