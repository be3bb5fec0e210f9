#include "tensorlane/device/own_code.h"

#include <dlfcn.h>

#include <algorithm>

namespace tensorlane {
namespace {

// What a kernel may call and never come back from.
constexpr std::array kLeavableNames = {
    "abort", "__assert_fail", "raise",  "sleep", "usleep", "nanosleep", "clock_nanosleep",
    "pause", "sched_yield",   "select", "poll",  "read",   "write",     "sigsuspend"};
constexpr std::array kAllocatingNames = {"malloc", "calloc", "realloc", "free"};

// Not the program's: it may have stubs of its own that lead there.
const void* next_function(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

}  // namespace

OwnCode::OwnCode() : library_(module_of(reinterpret_cast<const void*>(&next_function))) {
  static_assert(kLeavableNames.size() == kLeavable && kAllocatingNames.size() == kAllocating);
  std::ranges::transform(kLeavableNames, leavable_.begin(), next_function);
  std::ranges::transform(kAllocatingNames, allocating_.begin(), next_function);
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
  return is_own(run.module, calls, leavable_, allocating_, true);
}

bool OwnCode::interrupted(const RunningKernel& run, const CallStack& calls) const {
  return !run.in_library && is_own(run.module, calls, leavable_, allocating_, false);
}

}  // namespace tensorlane
