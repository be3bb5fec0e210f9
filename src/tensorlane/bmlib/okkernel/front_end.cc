// bmlib_runtime.h for OKKernel programs: launches by name on the BM1684.
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/bmlib/linked_front_ends.h"
#include "tensorlane/okk/front_end.h"

using namespace tensorlane;
using namespace tensorlane::bmlib;

namespace {

const LinkedFrontEnd linked(okk::front_end());

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
  const Caller caller = TL_CALLER;
  return guarded(__func__, [&] {
    return launch(handle, func_name, args, size, caller, Completion::kAsynchronous);
  });
}

bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size) {
  const Caller caller = TL_CALLER;
  return guarded(__func__, [&] { return launch_and_wait(handle, func_name, args, size, caller); });
}

bm_status_t okkernel_sync(bm_handle_t handle) {
  return wait(handle, __func__);
}

bm_status_t bmkernel_launch(bm_handle_t handle, const void* args, unsigned int size) {
  static_cast<void>(args);
  static_cast<void>(size);
  if (!check(handle, __func__)) return BM_ERR_PARAM;
  report(__func__,
         tr("launches without a kernel name are not supported; use okkernel_launch_sync"));
  return BM_NOT_SUPPORTED;
}

bm_status_t bmkernel_load_lookup_table(bm_handle_t handle, const void* table, unsigned int size) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  const Chip& chip = handle->device->chip();
  if (table == nullptr || size > chip.lookup_bytes) {
    refuse(handle, caller, HostRefusal::Kind::kArgument,
           table == nullptr
               ? tr("{} is NULL", "table")
               : tr("table of {} bytes; the lookup area holds {}", size, chip.lookup_bytes));
    return BM_ERR_PARAM;
  }
  const std::uint64_t address = chip.region(Space::kL2).begin + chip.lookup_offset;
  std::memcpy(handle->device->host_access(HostAccess::kWrite, address, size), table, size);
  return BM_SUCCESS;
}

}  // extern "C"
