#include "tensorlane/device/debug_session.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "tensorlane/device/call_stack.h"

namespace tensorlane {
namespace {

namespace fs = std::filesystem;

// Libraries that were loaded from memory have a name that no file has; while they are open they are
// found among the files of this process.
int open_memory_file(std::string_view name) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd", error)) {
    if (fs::read_symlink(entry.path(), error) == name)
      return open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
  }
  return -1;
}

int find_elf(Dwfl_Module* module, void** user_data, const char* name, Dwarf_Addr base,
             char** file_name, Elf** elf) {
  if (std::string_view(name).starts_with("/memfd:")) {
    const int file = open_memory_file(name);
    if (file >= 0) {
      *file_name = strdup(name);
      return file;
    }
  }
  return dwfl_linux_proc_find_elf(module, user_data, name, base, file_name, elf);
}

// Debug information that is not in the object itself: by its build id, and by the name that the
// object has of it. Objects without a name were compiled without any, as a rule; the standard
// search would end at debuginfod's client, which it loads with all its libraries: 5 ms, where
// nobody named a server.
int find_debuginfo(Dwfl_Module* module, void** user_data, const char* name, Dwarf_Addr base,
                   const char* file_name, const char* link, GElf_Word link_sum, char** found) {
  const char* const servers = std::getenv("DEBUGINFOD_URLS");
  const bool has_server = servers != nullptr && *servers != '\0';
  const auto find =
      link != nullptr || has_server ? dwfl_standard_find_debuginfo : dwfl_build_id_find_debuginfo;
  return find(module, user_data, name, base, file_name, link, link_sum, found);
}

// The file that an object was loaded from; empty where there is none. Files in memory have the name
// that their link in /proc leads to.
std::string file_of(const dl_phdr_info& object) {
  std::error_code error;
  const std::string_view name = object.dlpi_name == nullptr ? "" : object.dlpi_name;
  if (name.empty()) return fs::read_symlink("/proc/self/exe", error);
  if (name.find('/') == std::string_view::npos) return {};  // the kernel's own
  if (name.starts_with("/proc/self/fd/")) return fs::read_symlink(name, error);
  return fs::absolute(name, error);
}

int report_object(dl_phdr_info* object, std::size_t, void* dwfl) {
  const std::string file = file_of(*object);
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  ElfW(Addr) begin = UINTPTR_MAX, end = 0;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& header = object->dlpi_phdr[k];
    if (header.p_type != PT_LOAD) continue;
    const ElfW(Addr) at = object->dlpi_addr + header.p_vaddr;
    begin = std::min(begin, at / page * page);
    end = std::max(end, (at + header.p_memsz + page - 1) / page * page);
  }
  if (!file.empty() && begin < end)
    dwfl_report_module(static_cast<Dwfl*>(dwfl), file.c_str(), begin, end);
  return 0;
}

// libdw takes the addresses behind a library, up to a multiple of its alignment, for its own, where
// another one may have been loaded.
bool is_module_of(Dwfl_Module* module, Dwarf_Addr address) {
  const auto at = [](Dwarf_Addr place) {
    return reinterpret_cast<const void*>(place);  // NOLINT(performance-no-int-to-ptr)
  };
  const Module loaded = module_of(at(address));
  Dwarf_Addr begin = 0;
  dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr);
  return loaded.end == 0 || loaded.contains(at(begin));
}

}  // namespace

DebugSession::DebugSession() {
  static char* debug_path = nullptr;
  static const Dwfl_Callbacks callbacks = {
      .find_elf = find_elf,
      .find_debuginfo = find_debuginfo,
      .section_address = nullptr,
      .debuginfo_path = &debug_path,
  };
  dwfl_ = dwfl_begin(&callbacks);
  report();
}

DebugSession::~DebugSession() {
  dwfl_end(dwfl_);
}

Dwfl_Module* DebugSession::find(Dwarf_Addr address) {
  Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
  if (module == nullptr || !is_module_of(module, address)) {  // loaded since
    report();
    module = dwfl_addrmodule(dwfl_, address);
  }
  return module;
}

// From the loader and not from /proc/self/maps: there the files that libdw has mapped to read them
// look like parts of the libraries that lie next to them.
void DebugSession::report() {
  dwfl_report_begin(dwfl_);
  dl_iterate_phdr(report_object, dwfl_);
  dwfl_report_end(dwfl_, nullptr, nullptr);
}

}  // namespace tensorlane
