// bmlib_runtime.h: launches and waiting for them.
#include <chrono>
#include <cstring>

#include "tensorlane/base/names.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/okk/registry.h"

using namespace tensorlane;
using namespace tensorlane::bmlib;

namespace {

// A copy of the argument block, aligned for any member.
struct ArgumentBlock {
  std::vector<std::max_align_t> storage;
  bool given = false;
  std::size_t size = 0;

  ArgumentBlock(const void* args, unsigned int size)
      : storage((size + sizeof(std::max_align_t)) / sizeof(std::max_align_t)),
        given(args != nullptr),
        size(size) {
    if (size > 0) std::memcpy(storage.data(), args, size);
  }
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(storage.data()), size};
  }
  const void* pointer() const { return given ? storage.data() : nullptr; }
};

bm_status_t launch(bm_handle_t handle, const char* name, const void* args, unsigned int size,
                   const char* function) {
  if (!check(handle, function)) return BM_ERR_PARAM;
  if (name == nullptr || (args == nullptr && size > 0)) {
    report(function, name == nullptr ? "func_name is NULL"
                                     : fmt::format("args is NULL and size is {}", size));
    return BM_ERR_PARAM;
  }
  const KernelFunction kernel = okk::find_kernel(name);
  if (kernel == nullptr) {
    const std::vector<std::string> names = okk::kernel_names();
    const std::vector<std::string_view> views(names.begin(), names.end());
    report(function,
           fmt::format("no kernel is registered as '{}'{}", name,
                       views.empty()
                           ? "; none is registered at all: is OKKERNEL_FUNC_REGISTER missing, or "
                             "the library with the kernels not linked or loaded?"
                           : did_you_mean(name, views)));
    return BM_ERR_FAILURE;
  }
  auto block = std::make_shared<ArgumentBlock>(args, size);
  const std::lock_guard lock(handle->mutex);
  handle->pending.push_back(handle->device->submit(
      name,
      [block, kernel](Session& session) { return run_kernel(session, kernel, block->pointer()); },
      block->bytes()));
  ++handle->launched;
  return BM_SUCCESS;
}

bm_status_t wait(bm_handle_t handle, const char* function) {
  if (!check(handle, function)) return BM_ERR_PARAM;
  return wait_for_launches(handle) ? BM_SUCCESS : BM_ERR_FAILURE;
}

}  // namespace

extern "C" {

bm_status_t okkernel_load_firmware(bm_handle_t handle, const char* firmware_tcm,
                                   const char* firmware_ddr) {
  static_cast<void>(firmware_tcm);  // the kernels are part of the program
  static_cast<void>(firmware_ddr);
  return check(handle, __func__) ? BM_SUCCESS : BM_ERR_PARAM;
}

bm_status_t okkernel_launch_async(bm_handle_t handle, const char* func_name, const void* args,
                                  unsigned int size) {
  return guarded(__func__,
                 [&] { return launch(handle, func_name, args, size, "okkernel_launch_async"); });
}

bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size) {
  return guarded(__func__, [&] {
    const auto start = std::chrono::steady_clock::now();
    const bm_status_t status = launch(handle, func_name, args, size, "okkernel_launch_sync");
    if (status != BM_SUCCESS) return status;
    const bool succeeded = wait_for_launches(handle);
    handle->tpu_time +=
        static_cast<unsigned long>(std::chrono::duration_cast<std::chrono::microseconds>(
                                       std::chrono::steady_clock::now() - start)
                                       .count());
    return succeeded ? BM_SUCCESS : BM_ERR_FAILURE;
  });
}

bm_status_t okkernel_sync(bm_handle_t handle) {
  return wait(handle, __func__);
}
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
  handle->device->drain();
  return wait(handle, __func__);
}

bm_status_t bmkernel_launch(bm_handle_t handle, const void* args, unsigned int size) {
  static_cast<void>(args);
  static_cast<void>(size);
  if (!check(handle, __func__)) return BM_ERR_PARAM;
  report(__func__, "launches without a kernel name are not supported; use okkernel_launch_sync");
  return BM_NOT_SUPPORTED;
}

bm_status_t bmkernel_load_lookup_table(bm_handle_t handle, const void* table, unsigned int size) {
  if (!check(handle, __func__)) return BM_ERR_PARAM;
  const Chip& chip = handle->device->chip();
  if (table == nullptr || size > chip.lookup_bytes) {
    report(__func__,
           fmt::format("table of {} bytes; the lookup area holds {}", size, chip.lookup_bytes));
    return BM_ERR_PARAM;
  }
  const std::uint64_t address = chip.region(Space::kL2).begin + chip.lookup_offset;
  std::memcpy(handle->device->host_access(HostAccess::kWrite, address, size), table, size);
  return BM_SUCCESS;
}

}  // extern "C"
