// tpuv7_rt.h inside: what is open in this process, and how a call that cannot be carried out is
// told.
//
// A stream is a connection to a device as a handle of bmlib is one; devices, launches, copies and
// modules are the same, so that every tool sees a program of either interface alike.
#ifndef TENSORLANE_TPUV7_RUNTIME_H_
#define TENSORLANE_TPUV7_RUNTIME_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/bmlib/kernel_modules.h"
#include "tensorlane/device/kernel_runner.h"
#include "tpuv7_rt.h"

struct tpuRtStream {
  bm_handle_t handle;
};

struct tpuRtEvent {
  bool recorded = false;
  tensorlane::Device* device = nullptr;
  std::uint64_t ticket = 0;  // of the last launch before it
  std::chrono::steady_clock::time_point time;
};

struct tpuRtModule {
  tensorlane::bmlib::KernelModule module;
  std::vector<std::pair<std::string, tensorlane::KernelFunction>> kernels;
};

namespace tensorlane::tpuv7 {

using bmlib::Caller;
using bmlib::Completion;

struct Runtime {
  std::mutex mutex;
  bool initialised = false;
  int device = 0;
  std::set<tpuRtStream_t> streams;
  std::set<tpuRtEvent_t> events;
  std::set<tpuRtKernelModule_t> modules;
  std::array<std::uint64_t, bmlib::kDevices> peak{};  // of the allocated bytes
};

// Never destroyed: programs use it from destructors of their own.
Runtime& runtime();

// Whether tpuRtInit was called; a message of `function` where not.
bool is_initialised(const char* function);
// The device that is set.
int current_device();
Device& current();

// Reports a call that cannot be carried out, to the observers of `device` as well.
void refuse(Device& device, const Caller& caller, HostRefusal::Kind kind,
            const std::string& message, const std::optional<Allocator::Block>& allocation = {});
tpuRtStatus_t refuse_parameter(const Caller& caller, const std::string& message);

// Whether they are open; a message where not.
bool is_open(tpuRtStream_t stream, const Caller& caller);
bool is_open(tpuRtEvent_t event, const Caller& caller);

// Queues a kernel of a module on `cores` cores. `size` bytes of arguments are those of all cores,
// or with `same_for_all` those of each.
tpuRtStatus_t launch(tpuRtKernelModule_t module, const char* name, const void* args,
                     std::size_t size, std::uint64_t groups, std::uint64_t cores, bool same_for_all,
                     tpuRtStream_t stream, const Caller& caller, Completion completion);
tpuRtStatus_t synchronize(tpuRtStream_t stream, const Caller& caller);

tpuRtStatus_t copy_to_device(Device& device, std::uint64_t to, const void* from,
                             std::uint64_t bytes, const Caller& caller);
tpuRtStatus_t copy_to_host(Device& device, void* to, std::uint64_t from, std::uint64_t bytes,
                           const Caller& caller);

// Runs `body`; an exception becomes a message and a failure.
template <class F>
tpuRtStatus_t guarded(const char* function, F body) {
  try {
    return body();
  } catch (const std::exception& error) {
    bmlib::report(function, error.what());
    return tpuRtErrFailure;
  }
}
// The same of calls that need the runtime.
template <class F>
tpuRtStatus_t initialised(const char* function, F body) {
  return is_initialised(function) ? guarded(function, body) : tpuRtErrorInitializationError;
}

}  // namespace tensorlane::tpuv7

#endif  // TENSORLANE_TPUV7_RUNTIME_H_
