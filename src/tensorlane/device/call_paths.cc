#include "tensorlane/device/call_paths.h"

#include <unwind.h>

#include <algorithm>

#include "tensorlane/device/call.h"
#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/device/throw_place.h"

namespace tensorlane {
namespace {

// One walk from the library's frames to the kernel.
struct KernelWalk {
  const void* call_site;
  const RunningKernel& run;
  const void* outside = caller_of_kernels();
  std::vector<const void*> calls = {};
  std::vector<std::uintptr_t> slots = {};

  static _Unwind_Reason_Code step(_Unwind_Context* context, void* self) {
    constexpr std::size_t kDeepest = 256;
    auto& walk = *static_cast<KernelWalk*>(self);
    const auto* const at = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    if (walk.calls.empty() && at != walk.call_site) return _URC_NO_REASON;
    const auto* const function = reinterpret_cast<const void*>(_Unwind_GetRegionStart(context));
    // A kernel that its own function ended in a jump to has no frame of that.
    if (walk.outside != nullptr && function == walk.outside) return _URC_END_OF_STACK;
    if (walk.run.module.contains(at)) {  // not what a callback of the C library came through
      walk.calls.push_back(at);
      walk.slots.push_back(_Unwind_GetCFA(context) - sizeof(void*));
    }
    return function == walk.run.function || walk.calls.size() == kDeepest ? _URC_END_OF_STACK
                                                                          : _URC_NO_REASON;
  }
};

}  // namespace

// Reads words of other functions' frames.
__attribute__((no_sanitize("address"))) bool CallPaths::Path::is_on_stack(
    const void* frame, const void* kernel) const {
  if (slots.empty()) return own_of == kernel;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const auto* const slot = static_cast<const std::byte*>(frame) + slots[k];
    // From inside outwards: as long as the frames agree the next one is where it was.
    if (*reinterpret_cast<const void* const volatile*>(slot) != calls[k]) return false;
  }
  return true;
}

void CallPaths::read_tables() {
  for (const void* const function : {reinterpret_cast<const void*>(call_from_kernel),
                                     reinterpret_cast<const void*>(call_in_session)}) {
    function_of(static_cast<const std::byte*>(function) + 1);
  }
}

std::span<const void* const> CallPaths::find(const void* call_site, const void* frame) {
  const RunningKernel* const run = running_kernel();
  if (run == nullptr) return {};
  std::vector<Path>& known = paths_[call_site];
  if (!run->place.empty()) {  // recorded earlier: the stack is that of another moment
    for (const Path& path : known) {
      if (path.calls == run->place) return path.calls;
    }
    if (known.size() == kMost) return {};
    return known.emplace_back(Path{run->place, {}, nullptr}).calls;
  }
  // The kernel's own call: there is nothing between, and no need to walk.
  if (known.empty() && function_of(call_site) == run->function)
    known.push_back({{call_site}, {}, run->function});
  for (const Path& path : known) {
    if (path.is_on_stack(frame, run->function)) return path.calls;
  }
  if (known.size() == kMost) return {};
  KernelWalk walk{call_site, *run};
  _Unwind_Backtrace(KernelWalk::step, &walk);
  if (walk.calls.empty()) return {};
  for (const Path& path : known) {
    if (path.calls == walk.calls) return path.calls;
  }
  Path path{std::move(walk.calls), {}, nullptr};
#if defined(__x86_64__)  // where every call leaves its return address below the caller's frame
  for (const std::uintptr_t slot : walk.slots)
    path.slots.push_back(
        static_cast<std::ptrdiff_t>(slot - reinterpret_cast<std::uintptr_t>(frame)));
#endif
  return known.emplace_back(std::move(path)).calls;
}

std::vector<const void*> calls_to(const void* call_site) {
  if (const RunningKernel* const run = running_kernel()) {
    if (!run->place.empty() && run->place.front() == call_site) return run->place;
    KernelWalk walk{call_site, *run};
    _Unwind_Backtrace(KernelWalk::step, &walk);
    if (!walk.calls.empty()) return std::move(walk.calls);
  }
  return {call_site};
}

}  // namespace tensorlane
