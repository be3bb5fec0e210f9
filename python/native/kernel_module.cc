#include "kernel_module.h"

#include <dlfcn.h>
#include <link.h>

#include <map>
#include <mutex>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/kernel_escapes.h"
#include "tensorlane/device/kernel_library.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/io/file.h"

namespace tensorlane::python {
namespace {

struct Loaded {
  std::mutex mutex;
  std::map<void*, std::weak_ptr<KernelModule>> modules;
};

// Never destroyed: modules may go with the interpreter.
Loaded& loaded() {
  static Loaded* const instance = new Loaded;
  return *instance;
}

// Libraries of kernels that ask for no libbmlib.so, as those that a host was to link, find the
// device functions only among what is global. Others get by without: what is global gets in the way
// of libraries that have something of the same name.
bool asks_for_bmlib(const std::string& path) {
  try {
    return FileView(path).text().find("libbmlib.so") != std::string_view::npos;
  } catch (const UserError&) {
    return true;  // the loader says what is wrong with it
  }
}
void show_device_functions() {
  static std::once_flag once;
  std::call_once(once, [] {
    Dl_info own;
    if (dladdr(reinterpret_cast<void*>(&show_device_functions), &own) != 0)
      dlopen(own.dli_fname, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  });
}

}  // namespace

KernelModule::KernelModule(std::string path, void* library)
    : library_(library), path_(std::move(path)) {
  keep_kernels_inside(library);
  link_map* map = nullptr;
  dlinfo(library, RTLD_DI_LINKMAP, &map);
  kernels_ = kernels_in(module_of(map->l_ld));
}

KernelModule::~KernelModule() {
  const std::lock_guard lock(loaded().mutex);
  const auto entry = loaded().modules.find(library_);
  if (entry != loaded().modules.end() && entry->second.expired()) loaded().modules.erase(entry);
  close_kernel_library(library_, true);
}

std::shared_ptr<KernelModule> KernelModule::load(const std::string& path) {
  if (!asks_for_bmlib(path)) show_device_functions();
  Loaded& all = loaded();
  std::unique_lock lock(all.mutex);
  std::string why;
  void* const library = open_kernel_library(path.c_str(), why);
  if (library == nullptr) {
    user_error("cannot load '{}': {}{}", path, why,
               is_unbound(why)
                   ? "; linked with -Wl,-z,lazy its kernels that do not call that function can be "
                     "used"
                   : "; a module is a shared library of kernels built for this host");
  }
  if (auto module = all.modules[library].lock()) {
    dlclose(library);  // counted once more
    return module;
  }
  std::shared_ptr<KernelModule> module(new KernelModule(path, library));
  all.modules[library] = module;
  lock.unlock();
  if (module->kernels_.empty()) {
    user_error(
        "'{}' registers no kernel: OKKERNEL_FUNC_REGISTER or TPUKERNEL_FUNC_REGISTER is missing, "
        "or the library was loaded with another libbmlib.so",
        path);
  }
  return module;
}

KernelFunction KernelModule::find(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const auto& [known, kernel] : kernels_) {
    if (known == name) return kernel;
    names.push_back(known);
  }
  user_error("no kernel of '{}' is registered as '{}'{}", path_, name, did_you_mean(name, names));
}

}  // namespace tensorlane::python
