// bmlib_runtime.h: the log of the runtime.
#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "tensorlane/bmlib/devices.h"

namespace {

using Callback = void (*)(const char*, int, const char*, va_list);
std::atomic<int> log_level{BMLIB_LOG_INFO};
std::atomic<Callback> log_callback{nullptr};

}  // namespace

extern "C" {

void bmlib_log(const char* tag, int level, const char* fmt, ...) {
  if (level > log_level) return;
  va_list args;
  va_start(args, fmt);
  if (const Callback callback = log_callback) {
    callback(tag, level, fmt, args);
  } else {
    std::fprintf(stderr, "[%s] ", tag);
    std::vfprintf(stderr, fmt, args);
  }
  va_end(args);
}

int bmlib_log_get_level(void) {
  return log_level;
}
void bmlib_log_set_level(int level) {
  log_level = level;
}
void bmlib_log_set_callback(void (*callback)(const char*, int, const char*, va_list)) {
  log_callback = callback;
}

}  // extern "C"

namespace tensorlane::bmlib {

void report(const char* function, const std::string& message) {
  if (log_callback.load() == nullptr) {
    std::fflush(stdout);
    std::fprintf(stderr, "tensorlane: %s: %s\n", function, message.c_str());
  } else {
    bmlib_log("tensorlane", BMLIB_LOG_ERROR, "%s: %s\n", function, message.c_str());
  }
}

std::string not_allocated_text(std::uint64_t address,
                               const std::optional<Allocator::Block>& found) {
  if (!found) return tr("{:#x} is not the address of an allocation; it lies inside none", address);
  const std::string text = allocation_text(*found);
  return found->address == address
             ? tr("{:#x} is not the address of an allocation; it is that of {}", address, text)
             : tr("{:#x} is not the address of an allocation; it lies inside {}", address, text);
}

void refuse(bm_handle_t handle, const Caller& caller, HostRefusal::Kind kind,
            const std::string& message, const std::optional<Allocator::Block>& allocation) {
  const bool named = allocation && kind != HostRefusal::Kind::kForeign;
  report(caller.function, named ? message + allocation_places(*allocation) : message);
  handle->device->refuse({caller.function, message, caller.call_site, allocation, kind});
}

}  // namespace tensorlane::bmlib
