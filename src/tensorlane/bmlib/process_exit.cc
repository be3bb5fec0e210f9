#include "tensorlane/bmlib/process_exit.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tensorlane/device/launch_guard.h"

namespace {

[[noreturn]] void end(const char* function, int status) {
  tensorlane::process_ends(function);
  while (true) syscall(SYS_exit_group, status);
}

}  // namespace

extern "C" {

void _exit(int status) {
  end("_exit", status);
}
void _Exit(int status) noexcept {
  end("_Exit", status);
}
void quick_exit(int status) noexcept {
  tensorlane::process_ends("quick_exit");
  if (auto* const next = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "quick_exit")))
    next(status);
  while (true) syscall(SYS_exit_group, status);
}

}  // extern "C"
