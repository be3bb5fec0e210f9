#include "tensorlane/device/own_code.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tensorlane {
namespace {

// What a kernel may call and never come back from.
constexpr std::array kLeavableNames = {
    "abort", "__assert_fail", "raise",  "sleep", "usleep", "nanosleep", "clock_nanosleep",
    "pause", "sched_yield",   "select", "poll",  "read",   "write",     "sigsuspend"};
constexpr std::array kAllocatingNames = {"malloc", "calloc", "realloc", "free"};
// What reads what it is given, and holds the lock of a stream at most.
constexpr std::array kReadingNames = {"puts",
                                      "fputs",
                                      "printf",
                                      "fprintf",
                                      "sprintf",
                                      "snprintf",
                                      "vprintf",
                                      "vfprintf",
                                      "vsprintf",
                                      "vsnprintf",
                                      "__printf_chk",
                                      "__fprintf_chk",
                                      "__sprintf_chk",
                                      "__snprintf_chk",
                                      "__vprintf_chk",
                                      "__vfprintf_chk",
                                      "__vsprintf_chk",
                                      "__vsnprintf_chk",
                                      "putchar",
                                      "fputc",
                                      "putc",
                                      "fwrite",
                                      "perror",
                                      "sscanf",
                                      "__isoc99_sscanf",
                                      "strtol",
                                      "strtoul",
                                      "strtoll",
                                      "strtoull",
                                      "strtod",
                                      "strtof",
                                      "atoi",
                                      "atol",
                                      "strdup",
                                      "qsort",
                                      "bsearch"};
// What free() and realloc() say of a pointer before they take a lock or change anything.
constexpr std::array kRefusedPointer = {
    "free(): invalid pointer", "munmap_chunk(): invalid pointer", "realloc(): invalid pointer",
    "free(): double free detected in tcache 2", "double free or corruption (fasttop)"};

// Not the program's: it may have stubs of its own that lead there.
const void* next_function(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

}  // namespace

OwnCode::OwnCode() : library_(module_of(reinterpret_cast<const void*>(&next_function))) {
  static_assert(kLeavableNames.size() == kLeavable && kAllocatingNames.size() == kAllocating &&
                kReadingNames.size() == kReading);
  std::ranges::transform(kLeavableNames, leavable_.begin(), next_function);
  std::ranges::transform(kAllocatingNames, allocating_.begin(), next_function);
  std::ranges::transform(kReadingNames, reading_.begin(), next_function);
#if defined(__GLIBC__)
  abort_message_ =
      static_cast<const void* const*>(dlvsym(RTLD_NEXT, "__abort_msg", "GLIBC_PRIVATE"));
#else
  abort_message_ = nullptr;
#endif
}

bool OwnCode::is_own(const Module& kernel, const CallStack& calls,
                     std::span<const void* const> leavable, std::span<const void* const> allocating,
                     bool leaf) {
  const auto frames = calls.frames();
  if (frames.empty()) return false;
  if (kernel.contains(frames.front())) return true;
  const auto caller =
      std::ranges::find_if(frames, [&](const void* frame) { return kernel.contains(frame); });
  if (caller == frames.end()) return false;
  const void* const called = function_of(*(caller - 1));
  if (called == nullptr) return leaf;  // a call through a wild pointer
  const auto is_called = [&](const void* function) { return function == called; };
  if (std::ranges::any_of(leavable, is_called)) return true;
  // A function that calls no other holds no lock; an allocator may.
  return leaf && caller - frames.begin() == 1 && std::ranges::none_of(allocating, is_called);
}

bool OwnCode::faulted(const RunningKernel& run, const CallStack& calls) const {
  if (run.in_library || calls.frames().empty()) return false;
  // A device function that reads the descriptors it was given holds nothing yet.
  if (library_.contains(calls.frames().front())) return true;
  return is_own(run.module, calls, leavable_, allocating_, true) ||
         is_reading(run.module, calls, run.fault.signal) ||
         is_refused_pointer(run.module, calls, run.fault.signal);
}

bool OwnCode::is_reading(const Module& kernel, const CallStack& calls, int signal) const {
  if (signal == SIGABRT) return false;
  const auto frames = calls.frames();
  const auto caller =
      std::ranges::find_if(frames, [&](const void* frame) { return kernel.contains(frame); });
  if (caller == frames.begin() || caller == frames.end()) return false;
  const auto is_one_of = [](std::span<const void* const> functions, const void* frame) {
    const void* const called = function_of(frame);
    return called != nullptr && std::ranges::find(functions, called) != functions.end();
  };
  return is_one_of(reading_, *(caller - 1)) &&
         std::none_of(frames.begin(), caller, [&](const void* frame) {
           return is_one_of(allocating_, frame) || library_.contains(frame);
         });
}

bool OwnCode::is_refused_pointer(const Module& kernel, const CallStack& calls, int signal) const {
  const auto frames = calls.frames();
  const auto caller =
      std::ranges::find_if(frames, [&](const void* frame) { return kernel.contains(frame); });
  if (caller == frames.begin() || caller == frames.end()) return false;
  const void* const called = function_of(*(caller - 1));
  const void* const free = allocating_[3];
  if (called == nullptr || std::ranges::find(allocating_, called) == allocating_.end())
    return false;
  // free() itself looks at the pointer; what it calls then may hold a lock.
  if (signal == SIGSEGV) return called == free && caller - frames.begin() == 1;
  if (signal != SIGABRT || abort_message_ == nullptr || *abort_message_ == nullptr) return false;
  const char* const message = static_cast<const char*>(*abort_message_) + sizeof(unsigned);
  return std::ranges::any_of(kRefusedPointer, [&](const char* refused) {
    return std::strncmp(message, refused, std::strlen(refused)) == 0;
  });
}

bool OwnCode::interrupted(const RunningKernel& run, const CallStack& calls) const {
  return !run.in_library && is_own(run.module, calls, leavable_, allocating_, false);
}

void release_streams() {
#if defined(__GLIBC__)
  // As the C library lays the lock of a stream out.
  struct StreamLock {
    int lock, count;
    const void* owner;
  };
  const pthread_t self = pthread_self();
  // By their names: the library itself writes to none of them.
  for (const char* const name : {"stdin", "stdout", "stderr"}) {
    auto* const* const found = static_cast<std::FILE**>(dlsym(RTLD_DEFAULT, name));
    if (found == nullptr || *found == nullptr) continue;
    std::FILE* const stream = *found;
    const auto* const lock = reinterpret_cast<const volatile StreamLock*>(stream->_lock);
    while (lock != nullptr && lock->count > 0 &&
           reinterpret_cast<std::uintptr_t>(lock->owner) == self)
      funlockfile(stream);
  }
#endif
}

}  // namespace tensorlane
