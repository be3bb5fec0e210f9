#include "tensorlane/device/kernel_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string_view>

#include "tensorlane/base/language.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane {
namespace {

// The processor that a file of code is for, where it is not this one; else empty.
std::string foreign_processor(const char* path) {
  ElfW(Ehdr) own{}, header{};
  std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(&own), sizeof own);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine == own.e_machine) {
    return {};
  }
  switch (header.e_machine) {
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "ARM";
    case EM_RISCV:
      return "RISC-V";
    default:
      return tr("machine {}", header.e_machine);
  }
}

}  // namespace

void* open_kernel_library(const char* path, std::string& why) {
  // To the loader a bare name is one of the system's libraries.
  const std::string here = fmt::format("./{}", path);
  const bool is_here =
      std::string_view(path).find('/') == std::string_view::npos && access(here.c_str(), F_OK) == 0;
  const char* const file = is_here ? here.c_str() : path;
  void* const library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library != nullptr) return library;
  why = dlerror();
  // The loader says of such a file that there is none.
  const std::string processor = foreign_processor(file);
  if (!processor.empty())
    why = tr("it is code for {} processors, for the chip's own perhaps", processor);
  return nullptr;
}

bool is_unbound(const std::string& why) {
  return why.find("undefined symbol") != std::string::npos;
}

bool is_unloaded(KernelFunction kernel) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(kernel), &info) == 0;
}

void close_kernel_library(void* library, bool places_are_needed) {
  Module named;
  if (places_are_needed) {
    link_map* loaded = nullptr;
    dlinfo(library, RTLD_DI_LINKMAP, &loaded);
    named = keep_places(loaded->l_ld);
  }
  dlclose(library);
  keep_addresses(named);
  // What the loader no longer knows is gone, for hosts that found it by name as well.
  unregister_kernels(is_unloaded);
}

}  // namespace tensorlane
