// tpuv7_rt.h: memory of the device and of the host.
#include <algorithm>
#include <cstdlib>

#include "tensorlane/tpuv7/runtime.h"

using namespace tensorlane;
using namespace tensorlane::tpuv7;

namespace {

tpuRtStatus_t allocate(void** pointer, std::uint64_t bytes, int parallel_num,
                       const Caller& caller) {
  return initialised(caller.function, [&] {
    if (pointer == nullptr) return refuse_parameter(caller, tr("{} is NULL", "devPtr"));
    if (parallel_num != 0 && parallel_num != 1) {
      return refuse_parameter(
          caller,
          tr("parallel_num = {}; it is 0 or 1: no public program passes another", parallel_num));
    }
    const int number = current_device();
    Device& device = bmlib::device(number);
    const std::optional<std::uint64_t> address = device.allocate(bytes, caller);
    if (!address) {  // programs may try how much there is
      bmlib::report(caller.function,
                    tr("no room for {} bytes: {} of {} bytes of global memory are in use", bytes,
                       device.allocated_bytes(), device.global_bytes()));
      return tpuRtErrNomem;
    }
    Runtime& all = runtime();
    const std::lock_guard lock(all.mutex);
    std::uint64_t& peak = all.peak[static_cast<std::size_t>(number)];
    peak = std::max(peak, device.allocated_bytes());
    *pointer = reinterpret_cast<void*>(*address);
    return tpuRtSuccess;
  });
}

tpuRtStatus_t free_one(Device& device, std::uint64_t address, const Caller& caller) {
  if (device.free(address, caller)) return tpuRtSuccess;
  const std::optional<Allocator::Block> block = device.find_allocation(address);
  refuse(device, caller, HostRefusal::Kind::kFree, bmlib::not_allocated_text(address, block),
         block);
  return tpuRtErrParam;
}

tpuRtStatus_t free_all(void** pointers, int count, const Caller& caller) {
  return initialised(caller.function, [&] {
    if (pointers == nullptr) return refuse_parameter(caller, tr("{} is NULL", "devPtr"));
    if (count < 0) return refuse_parameter(caller, tr("{} = {} is negative", "free_num", count));
    tpuRtStatus_t status = tpuRtSuccess;
    for (int k = 0; k < std::max(count, 1); ++k) {
      const tpuRtStatus_t one =
          free_one(current(), reinterpret_cast<std::uint64_t>(pointers[k]), caller);
      if (one != tpuRtSuccess) status = one;
    }
    return status;
  });
}

}  // namespace

extern "C" {

tpuRtStatus_t tpuRtMalloc(void** devPtr, unsigned long long size, int parallel_num) {
  return allocate(devPtr, size, parallel_num, TL_CALLER);
}
tpuRtStatus_t tpuRtMallocInstr(void** devPtr, unsigned long long size, int parallel_num) {
  return allocate(devPtr, size, parallel_num, TL_CALLER);
}
tpuRtStatus_t tpuRtMallocMedia(void** devPtr, unsigned long long size) {
  return allocate(devPtr, size, 1, TL_CALLER);
}

tpuRtStatus_t tpuRtFree(void** devPtr, int free_num) {
  return free_all(devPtr, free_num, TL_CALLER);
}
tpuRtStatus_t tpuRtFreeInstr(void** devPtr, int free_num) {
  return free_all(devPtr, free_num, TL_CALLER);
}

tpuRtStatus_t tpuRtMallocHost(void** ptr, unsigned long long size) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (ptr == nullptr) return refuse_parameter(caller, tr("{} is NULL", "ptr"));
    *ptr = std::malloc(static_cast<std::size_t>(std::max(size, 1ULL)));
    return *ptr == nullptr ? tpuRtErrNomem : tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtFreeHost(void* ptr) {
  return initialised(__func__, [&] {
    std::free(ptr);
    return tpuRtSuccess;
  });
}

}  // extern "C"
