#include "tensorlane/bmlib/kernel_modules.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/device/kernel_library.h"
#include "tensorlane/device/kernel_registry.h"

namespace tensorlane::bmlib {
namespace {

// A module from a library; from the program's own kernels when there is none of that name.
std::optional<KernelModule> load(const char* path, const std::string& name, const char* function,
                                 const ModuleRules& rules) {
  std::string why;
  void* const library = open_kernel_library(path, why);
  if (library == nullptr) {
    if (!rules.else_of_program || kernel_names().empty()) {
      report(function,
             tr("cannot load '{}': {}\n  {}", name, why,
                is_unbound(why) ? tr("the module is bound as a whole; linked with -Wl,-z,lazy its "
                                     "kernels that do not call that function can be used")
                                : tr("a module is a shared library of kernels built for this host "
                                     "(gcc -shared -fPIC) and linked with {}",
                                     rules.linked_with)));
      return std::nullopt;
    }
    report(function, tr("'{}' is not loaded ({}); the kernels in the program are used", name, why));
  }
  return KernelModule{name, library};
}

}  // namespace

std::optional<KernelModule> load_module_file(const char* path, const char* function,
                                             const ModuleRules& rules) {
  return load(path, path, function, rules);
}

std::optional<KernelModule> load_module_bytes(const char* data, std::size_t length,
                                              const char* function, const ModuleRules& rules) {
  static std::atomic<int> modules_so_far = 0;  // a name of its own tells it from others
  const int file =
      memfd_create(fmt::format("kernel-module-{}", modules_so_far++).c_str(), MFD_CLOEXEC);
  if (file < 0 || write(file, data, length) != static_cast<ssize_t>(length)) {
    if (file >= 0) close(file);
    report(function, tr("cannot keep a module of {} bytes", length));
    return std::nullopt;
  }
  std::optional<KernelModule> module =
      load(fmt::format("/proc/self/fd/{}", file).c_str(),
           tr("module of {} bytes in memory", length), function, rules);
  if (module && module->library != nullptr) {
    module->file = file;
  } else {
    close(file);
  }
  return module;
}

void close_module(const KernelModule& module) {
  if (module.library == nullptr) return;
  close_kernel_library(module.library, devices_are_observed());
  if (module.file >= 0) close(module.file);
}

}  // namespace tensorlane::bmlib
