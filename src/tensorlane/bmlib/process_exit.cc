#include "tensorlane/bmlib/process_exit.h"

#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tensorlane/device/launch_guard.h"

namespace {

[[noreturn]] void end(const char* function, int status) {
  tensorlane::process_ends(function);
  while (true) syscall(SYS_exit_group, status);
}

// The C library's function behind ours.
template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int is_missing() {
  errno = ENOSYS;
  return -1;
}

// Nothing allocates from here on: a child of vfork() comes here too, with its parent's memory.

bool is_given(const char* text) {
  return text != nullptr;
}

bool can_start(const char* path, int folder = AT_FDCWD) {
  return is_given(path) && faccessat(folder, path, X_OK, 0) == 0;
}

bool is_open(int file) {
  return fcntl(file, F_GETFD) != -1;
}

bool is_empty(const char* path) {
  return is_given(path) && *path == '\0';
}

// What execvp() seeks in the folders of PATH.
bool can_find(const char* file) {
  if (!is_given(file) || is_empty(file)) return false;
  if (std::strchr(file, '/') != nullptr) return can_start(file);
  const char* const path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/bin:/usr/bin";
  while (true) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    char candidate[PATH_MAX];
    const int length =
        std::snprintf(candidate, sizeof candidate, "%.*s%s%s", static_cast<int>(folder.size()),
                      folder.data(), folder.empty() ? "" : "/", file);
    if (length > 0 && length < PATH_MAX && can_start(candidate)) return true;
    if (folder.size() == folders.size()) return false;
    folders.remove_prefix(folder.size() + 1);
  }
}

// The reports end before the process is another program's. Not where that is not there: then the
// caller goes on, and so do the checks.
void becomes_another(const char* function, bool will_start) {
  const int error = errno;
  if (will_start) tensorlane::process_ends(function);
  errno = error;
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
  if (auto* const next = next_of<void(int)>("quick_exit")) next(status);
  while (true) syscall(SYS_exit_group, status);
}

int execve(const char* path, char* const argv[], char* const envp[]) noexcept {
  becomes_another("execve", can_start(path));
  auto* const next = next_of<decltype(execve)>("execve");
  return next != nullptr ? next(path, argv, envp) : is_missing();
}
int execv(const char* path, char* const argv[]) noexcept {
  return execve(path, argv, environ);
}
int execvpe(const char* file, char* const argv[], char* const envp[]) noexcept {
  becomes_another("execvpe", can_find(file));
  auto* const next = next_of<decltype(execvpe)>("execvpe");
  return next != nullptr ? next(file, argv, envp) : is_missing();
}
int execvp(const char* file, char* const argv[]) noexcept {
  return execvpe(file, argv, environ);
}
int fexecve(int file, char* const argv[], char* const envp[]) noexcept {
  becomes_another("fexecve", is_open(file));
  auto* const next = next_of<decltype(fexecve)>("fexecve");
  return next != nullptr ? next(file, argv, envp) : is_missing();
}
int execveat(int folder, const char* path, char* const argv[], char* const envp[],
             int flags) noexcept {
  const bool by_file = (flags & AT_EMPTY_PATH) != 0 && is_empty(path);
  becomes_another("execveat", by_file ? is_open(folder) : can_start(path, folder));
  auto* const next = next_of<decltype(execveat)>("execveat");
  return next != nullptr ? next(folder, path, argv, envp, flags) : is_missing();
}

// The same with the words of the command as arguments, up to a null pointer; with TENSORLANE_WORDS
// they are an array, as the functions above take them.
#define TENSORLANE_WORDS(words, first, list)                                     \
  std::va_list list, counted;                                                    \
  va_start(list, first);                                                         \
  va_copy(counted, list);                                                        \
  std::size_t count = 1;                                                         \
  if (is_given(first))                                                           \
    while (va_arg(counted, char*) != nullptr) ++count;                           \
  va_end(counted);                                                               \
  auto** const words = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  words[0] = const_cast<char*>(first);                                           \
  for (std::size_t k = 1; is_given(first) && k <= count; ++k) words[k] = va_arg(list, char*)

int execl(const char* path, const char* first, ...) noexcept {
  TENSORLANE_WORDS(words, first, list);
  va_end(list);
  return execve(path, words, environ);
}
int execlp(const char* file, const char* first, ...) noexcept {
  TENSORLANE_WORDS(words, first, list);
  va_end(list);
  return execvpe(file, words, environ);
}
int execle(const char* path, const char* first, ...) noexcept {
  TENSORLANE_WORDS(words, first, list);
  auto* const environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, words, environment);
}
#undef TENSORLANE_WORDS

}  // extern "C"
