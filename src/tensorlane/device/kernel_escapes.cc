#include "tensorlane/device/kernel_escapes.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "tensorlane/base/language.h"
#include "tensorlane/device/dynamic_section.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/running_kernel.h"

namespace tensorlane {
namespace {

using EscapeText = std::string (*)(std::string_view function);

std::string second_process_text(std::string_view function) {
  return tr("it calls {}(), which makes a second process of the host's program", function);
}
std::string other_program_text(std::string_view function) {
  return tr("it calls {}(), which puts another program in the place of the host's", function);
}

// Ends the kernel of this thread; comes back where there is none.
void end_launch_by(const char* function, EscapeText text = nullptr) {
  RunningKernel* const run = running_kernel();
  if (run == nullptr) return;
  enter_library();
  {
    Failure failure = run->exit_failure(function);
    if (text != nullptr) failure.message = text(function);
    if (!run->failure) run->failure = std::move(failure);
  }
  end_kernel();
}

// The function that a program asked for. By its name: the library itself ends no process.
template <class Function>
Function* asked_for(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

void in_place_of_exit(int status) {
  end_launch_by("exit");
  asked_for<void(int)>("exit")(status);
}
void in_place_of_immediate_exit(int status) {
  end_launch_by("_exit");
  asked_for<void(int)>("_exit")(status);
}
void in_place_of_quick_exit(int status) {
  end_launch_by("quick_exit");
  asked_for<void(int)>("quick_exit")(status);
}
pid_t in_place_of_fork() {
  end_launch_by("fork", second_process_text);
  return fork();
}
int in_place_of_daemon(int stays, int keeps) {
  end_launch_by("daemon", second_process_text);
  return daemon(stays, keeps);
}
int in_place_of_exec() {
  end_launch_by("exec", other_program_text);
  errno = ENOSYS;
  return -1;
}

struct Escape {
  std::string_view name;
  void* own;
};

template <class Function>
void* code_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

const Escape* find_escape(std::string_view name) {
  static const Escape escapes[] = {
      {"exit", code_of(in_place_of_exit)},
      {"_exit", code_of(in_place_of_immediate_exit)},
      {"_Exit", code_of(in_place_of_immediate_exit)},
      {"quick_exit", code_of(in_place_of_quick_exit)},
      {"fork", code_of(in_place_of_fork)},
      {"vfork", code_of(in_place_of_fork)},
      {"_Fork", code_of(in_place_of_fork)},
      {"daemon", code_of(in_place_of_daemon)},
      {"execl", code_of(in_place_of_exec)},
      {"execle", code_of(in_place_of_exec)},
      {"execlp", code_of(in_place_of_exec)},
      {"execv", code_of(in_place_of_exec)},
      {"execve", code_of(in_place_of_exec)},
      {"execveat", code_of(in_place_of_exec)},
      {"execvp", code_of(in_place_of_exec)},
      {"execvpe", code_of(in_place_of_exec)},
      {"fexecve", code_of(in_place_of_exec)},
  };
  const auto* const found = std::ranges::find(escapes, name, &Escape::name);
  return found == std::end(escapes) ? nullptr : found;
}

// Whether the loader writes the address of a function there, and nothing added to it.
bool is_address(const ElfW(Rela) & relocation) {
#if defined(__x86_64__)
  const auto type = ELF64_R_TYPE(relocation.r_info);
  return (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64) &&
         relocation.r_addend == 0;
#elif defined(__aarch64__)
  const auto type = ELF64_R_TYPE(relocation.r_info);
  return (type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64) &&
         relocation.r_addend == 0;
#else
  return false;
#endif
}

// What the loader made read-only when it was done.
struct ReadOnly {
  ElfW(Addr) module;
  std::uintptr_t begin = 0, end = 0;
};
ReadOnly read_only_of(const link_map& module) {
  ReadOnly found{module.l_addr};
  const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<ReadOnly*>(data);
    if (info->dlpi_addr != wanted.module) return 0;
    for (int k = 0; k < info->dlpi_phnum; ++k) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[k];
      if (segment.p_type != PT_GNU_RELRO) continue;
      wanted.begin = info->dlpi_addr + segment.p_vaddr;
      wanted.end = wanted.begin + segment.p_memsz;
    }
    return 1;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

void write_slot(void** slot, void* value, const ReadOnly& read_only) {
  const auto at = reinterpret_cast<std::uintptr_t>(slot);
  if (at < read_only.begin || at >= read_only.end) {
    *slot = value;
    return;
  }
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(at / page_bytes * page_bytes);
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  *slot = value;
  mprotect(page, page_bytes, PROT_READ);
}

}  // namespace

void keep_kernels_inside(void* library) {
  link_map* module = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &module) != 0) return;
  const DynamicSection dynamic(*module);
  if (dynamic.symbols == nullptr) return;
  const ReadOnly read_only = read_only_of(*module);
  for (const auto& relocations : {dynamic.calls, dynamic.data}) {
    for (const ElfW(Rela) & relocation : relocations) {
      const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
      if (symbol.st_shndx != SHN_UNDEF || !is_address(relocation)) continue;
      const Escape* const escape = find_escape(dynamic.strings + symbol.st_name);
      if (escape == nullptr) continue;
      write_slot(reinterpret_cast<void**>(module->l_addr + relocation.r_offset), escape->own,
                 read_only);
    }
  }
}

}  // namespace tensorlane
