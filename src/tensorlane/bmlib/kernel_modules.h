// Modules of kernels as hosts load them while they run: from a file, or from its bytes in memory.
//
// On a board a module is code for the chip's processor. Here it is a library for the host: loading
// it registers its kernels. Kernels that are linked into the program need no module; with bmlib a
// module that cannot be loaded is then only remarked upon, so that hosts written for a board run as
// they are.
#ifndef TENSORLANE_BMLIB_KERNEL_MODULES_H_
#define TENSORLANE_BMLIB_KERNEL_MODULES_H_

#include <cstddef>
#include <optional>
#include <string>

namespace tensorlane::bmlib {

struct KernelModule {
  std::string name;
  void* library = nullptr;  // null: the kernels of the program itself
  int file = -1;            // of a module from memory, whose debug information is read from there
};

// How an interface of hosts takes modules.
struct ModuleRules {
  const char* linked_with;  // the library that a module has to be linked with
  // Where one cannot be loaded, and kernels are registered, those are meant.
  bool else_of_program;
};

// Nothing, with a message of `function`, where it cannot be loaded.
std::optional<KernelModule> load_module_file(const char* path, const char* function,
                                             const ModuleRules& rules);
std::optional<KernelModule> load_module_bytes(const char* data, std::size_t length,
                                              const char* function, const ModuleRules& rules);

// Unloads its library. No launch of its kernels may be in progress.
void close_module(const KernelModule& module);

}  // namespace tensorlane::bmlib

#endif  // TENSORLANE_BMLIB_KERNEL_MODULES_H_
