// Launches and waiting for them: what the front ends' launch functions share.
#include <chrono>
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/bmlib/linked_front_ends.h"
#include "tensorlane/device/kernel_registry.h"

namespace tensorlane::bmlib {

ArgumentBlock::ArgumentBlock(const void* args, std::size_t size, std::size_t copies)
    : storage((size * copies + sizeof(std::max_align_t)) / sizeof(std::max_align_t)),
      given(args != nullptr),
      size(size * copies) {
  auto* const bytes = reinterpret_cast<std::byte*>(storage.data());
  for (std::size_t k = 0; k < copies && size > 0; ++k) std::memcpy(bytes + k * size, args, size);
}

std::string argument_problem(const void* args, std::size_t size) {
  if (args == nullptr && size > 0) return tr("args is NULL and size is {}", size);
  if (size <= kMostArgumentBytes) return {};
  return tr("size = {}; the message of a launch has room for {} bytes of arguments", size,
            kMostArgumentBytes);
}

void submit(bm_handle_t handle, const std::string& name, KernelFunction kernel, const void* args,
            std::size_t size, const Caller& caller, Completion completion, const Cores& cores) {
  const auto number = static_cast<std::size_t>(cores.number);
  auto block = std::make_shared<ArgumentBlock>(args, size, cores.same_arguments ? number : 1);
  std::optional<int> bytes;
  if (parameters_of(kernel) == Parameters::kArgsAndBytes)
    bytes = static_cast<int>(block->size / number);
  const std::lock_guard lock(handle->mutex);
  handle->pending.push_back(handle->device->submit(
      name,
      [block, kernel, bytes](Session& session) {
        const void* const own = block->given ? session.core_args().data() : nullptr;
        return run_kernel(session, kernel, own, bytes);
      },
      {.args = block->bytes(),
       .call_site = caller.call_site,
       .asynchronous = completion == Completion::kAsynchronous,
       .queue = handle->queue,
       .function = reinterpret_cast<const void*>(kernel),
       .cores = cores.number}));
  ++handle->launched;
}

bm_status_t launch(bm_handle_t handle, const char* name, const void* args, std::size_t size,
                   const Caller& caller, Completion completion, const Cores& cores) {
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  const std::string problem =
      name == nullptr ? tr("{} is NULL", "func_name") : argument_problem(args, size);
  if (!problem.empty()) {
    refuse(handle, caller, HostRefusal::Kind::kLaunch, problem);
    return BM_ERR_PARAM;
  }
  const KernelFunction kernel = find_kernel(name);
  if (kernel == nullptr) {
    const std::vector<std::string> names = kernel_names();
    const std::vector<std::string_view> views(names.begin(), names.end());
    refuse(handle, caller, HostRefusal::Kind::kLaunch,
           tr("no kernel is registered as '{}'{}", name,
              views.empty() ? tr("; none is registered at all: is {} missing, or the "
                                 "library with the kernels not linked or loaded?",
                                 front_end().registration)
                            : did_you_mean(name, views)));
    return BM_ERR_FAILURE;
  }
  submit(handle, name, kernel, args, size, caller, completion, cores);
  return BM_SUCCESS;
}

bm_status_t wait_timed(bm_handle_t handle) {
  const auto start = std::chrono::steady_clock::now();
  const bool succeeded = wait_for_launches(handle);
  handle->tpu_time +=
      static_cast<unsigned long>(std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::steady_clock::now() - start)
                                     .count());
  return succeeded ? BM_SUCCESS : BM_ERR_FAILURE;
}

bm_status_t launch_and_wait(bm_handle_t handle, const char* name, const void* args,
                            std::size_t size, const Caller& caller, const Cores& cores) {
  const bm_status_t status =
      launch(handle, name, args, size, caller, Completion::kWaitedFor, cores);
  return status == BM_SUCCESS ? wait_timed(handle) : status;
}

bm_status_t wait(bm_handle_t handle, const char* function) {
  if (!check(handle, function)) return BM_ERR_PARAM;
  return wait_for_launches(handle) ? BM_SUCCESS : BM_ERR_FAILURE;
}

}  // namespace tensorlane::bmlib

using namespace tensorlane;
using namespace tensorlane::bmlib;

extern "C" {

bm_status_t bm_handle_sync(bm_handle_t handle) {
  return wait(handle, __func__);
}
bm_status_t bm_thread_sync(bm_handle_t handle) {
  return wait(handle, __func__);
}
void bm_flush(bm_handle_t handle) {
  wait(handle, __func__);
}

bm_status_t bm_device_sync(bm_handle_t handle) {
  if (!check(handle, __func__)) return BM_ERR_PARAM;
  handle->device->wait_for_all();
  return wait(handle, __func__);
}

}  // extern "C"
