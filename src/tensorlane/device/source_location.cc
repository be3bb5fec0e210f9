#include "tensorlane/device/source_location.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace tensorlane {
namespace {

// The modules of this process as libdw sees them.
class Modules {
 public:
  Modules() {
    static char* debug_path = nullptr;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = nullptr,
        .debuginfo_path = &debug_path,
    };
    dwfl_ = dwfl_begin(&callbacks);
    report();
  }
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  Dwfl_Module* find(Dwarf_Addr address) {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
    if (module == nullptr) {  // loaded since
      report();
      module = dwfl_addrmodule(dwfl_, address);
    }
    return module;
  }

 private:
  void report() {
    dwfl_report_begin(dwfl_);
    dwfl_linux_proc_report(dwfl_, getpid());
    dwfl_report_end(dwfl_, nullptr, nullptr);
  }
  Dwfl* dwfl_ = nullptr;
};

SourceLocation look_up(const void* return_address) {
  static Modules& modules = *new Modules;  // see find_source_location
  SourceLocation result;
  // The call itself stands before the address it returns to.
  const Dwarf_Addr address = reinterpret_cast<Dwarf_Addr>(return_address) - 1;
  Dwfl_Module* module = modules.find(address);
  if (module == nullptr) return result;
  if (const char* name =
          dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)) {
    result.module = std::filesystem::path(name).filename();
  }
  GElf_Off offset = 0;
  GElf_Sym symbol;
  if (const char* name =
          dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr)) {
    result.function = demangled(name);
    result.offset = offset + 1;
  }
  if (Dwfl_Line* line = dwfl_module_getsrc(module, address)) {
    if (const char* file = dwfl_lineinfo(line, nullptr, &result.line, nullptr, nullptr, nullptr))
      result.file = file;
  }
  return result;
}

}  // namespace

std::string demangled(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : symbol;
  std::free(text);
  return result;
}

std::string SourceLocation::text() const {
  if (!file.empty()) {
    const std::string place = fmt::format("{}:{}", file, line);
    return function.empty() ? place : fmt::format("{} in {}", place, function);
  }
  if (!function.empty())
    return fmt::format("{}+{:#x} in {} (build with -g for lines)", function, offset, module);
  return module.empty() ? "an unknown place" : fmt::format("{} (build with -g for lines)", module);
}

SourceLocation find_source_location(const void* return_address) {
  if (return_address == nullptr) return {};
  static std::mutex mutex;
  // Never destroyed: devices that end with the program still look places up for their reports.
  static auto& cache = *new std::map<const void*, SourceLocation>;
  const std::lock_guard lock(mutex);
  const auto found = cache.find(return_address);
  if (found != cache.end()) return found->second;
  return cache.emplace(return_address, look_up(return_address)).first->second;
}

}  // namespace tensorlane
