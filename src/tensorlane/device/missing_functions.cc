#include "tensorlane/device/missing_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/device/call.h"
#include "tensorlane/device/dynamic_section.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane {

#if defined(__x86_64__)

namespace {

// The functions by number. Never destroyed: kernels may run until the very end.
struct Function {
  std::string name;
  EndProcess outside_launch;
};
struct Functions {
  std::mutex mutex;
  std::vector<Function> list;
};
Functions& functions() {
  static Functions* const instance = new Functions;
  return *instance;
}

[[noreturn]] void called(unsigned number, const void* call_site) {
  enter_library();
  {
    Function function;
    {
      const std::lock_guard lock(functions().mutex);
      function = functions().list[number];
    }
    const std::string message =
        tr("{} is called, which neither the program nor a library it uses defines\n    rule: "
           "functions of the vendor's closed libraries are not available here",
           function.name);
    if (current_session() == nullptr) {
      function.outside_launch(fmt::format("tensorlane: {}:\n  {}\n",
                                          tr("error at {}", find_source_location(call_site).text()),
                                          message));
      __builtin_trap();  // it does not return
    }
    set_failure(message, call_of_kernel(call_site, function.name));
  }
  end_kernel();
}

// Machine code that calls `called` with a number and with what it itself would return to:
//   endbr64; mov edi, number; mov rsi, [rsp]; mov rax, called; jmp rax
constexpr std::size_t kStubBytes = 32;
using Stub = std::array<unsigned char, kStubBytes>;
Stub stub(unsigned number) {
  Stub code{0xf3, 0x0f, 0x1e, 0xfa, 0xbf, 0, 0, 0, 0, 0x48, 0x8b, 0x34, 0x24,
            0x48, 0xb8, 0,    0,    0,    0, 0, 0, 0, 0,    0xff, 0xe0};
  void (*const target)(unsigned, const void*) = called;
  std::memcpy(code.data() + 5, &number, 4);
  std::memcpy(code.data() + 15, &target, sizeof target);
  return code;
}

struct Closer {
  void operator()(void* library) const { dlclose(library); }
};

struct Missing {
  const void** slot;  // that the calls go through
  std::string name;
};

std::vector<Missing> missing_in(const link_map& module) {
  std::vector<Missing> missing;
  const DynamicSection dynamic(module);
  if (dynamic.bound_at_once || dynamic.symbols == nullptr) return missing;
  const char* const path = *module.l_name == '\0' ? nullptr : module.l_name;
  const std::unique_ptr<void, Closer> library(dlopen(path, RTLD_LAZY | RTLD_NOLOAD));
  // What the program and libraries that were loaded for all to see define. RTLD_DEFAULT would look
  // into other modules of kernels too, which the loader does not: they share this library.
  const std::unique_ptr<void, Closer> global(dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD));
  for (const ElfW(Rela) & call : dynamic.calls) {
    const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(call.r_info)];
    if (ELF64_R_TYPE(call.r_info) != R_X86_64_JUMP_SLOT || symbol.st_shndx != SHN_UNDEF) continue;
    const char* const name = dynamic.strings + symbol.st_name;
    if (global != nullptr && dlsym(global.get(), name) != nullptr) continue;
    if (library != nullptr && dlsym(library.get(), name) != nullptr) continue;
    missing.push_back({reinterpret_cast<const void**>(module.l_addr + call.r_offset), name});
  }
  return missing;
}

}  // namespace

void catch_missing_functions(const void* address, EndProcess outside_launch) {
  Dl_info info;
  link_map* module = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0 ||
      module == nullptr)
    return;
  const std::vector<Missing> missing = missing_in(*module);
  if (missing.empty()) return;
  const std::size_t bytes = missing.size() * kStubBytes;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto* const stubs = static_cast<Stub*>(memory);
  {
    const std::lock_guard lock(functions().mutex);
    for (std::size_t k = 0; k < missing.size(); ++k) {
      stubs[k] = stub(static_cast<unsigned>(functions().list.size()));
      functions().list.push_back({missing[k].name, outside_launch});
    }
  }
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) return;
  for (std::size_t k = 0; k < missing.size(); ++k) *missing[k].slot = &stubs[k];
}

#else

void catch_missing_functions(const void*, EndProcess) {}

#endif

}  // namespace tensorlane
