// tpuv7_rt.h: the start, devices, figures of their memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tensorlane/tpuv7/runtime.h"

using namespace tensorlane;
using namespace tensorlane::tpuv7;

extern "C" {

tpuRtStatus_t tpuRtInit(void) {
  return guarded(__func__, [] {
    // Hosts of the SG2260E say so by its number of cores.
    const char* const cores = std::getenv("TPU_RT_CORE_NUM");
    bmlib::prefer_chip(cores != nullptr && std::strcmp(cores, "4") == 0 ? "sg2260e" : "bm1690");
    Runtime& all = runtime();
    const std::lock_guard lock(all.mutex);
    all.initialised = true;
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtGetDeviceCount(int* count) {
  if (count == nullptr) {
    bmlib::report(__func__, tr("{} is NULL", "count"));
    return tpuRtErrParam;
  }
  Runtime& all = runtime();
  const std::lock_guard lock(all.mutex);
  *count = all.initialised ? bmlib::kDevices : 0;
  return tpuRtSuccess;
}

tpuRtStatus_t tpuRtGetDevice(int* device) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (device == nullptr) return refuse_parameter(caller, tr("{} is NULL", "device"));
    *device = current_device();
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtSetDevice(int device) {
  return initialised(__func__, [&] {
    if (device < 0 || device >= bmlib::kDevices) {
      bmlib::report("tpuRtSetDevice",
                    tr("{} = {}; devices are 0..{}", "device", device, bmlib::kDevices - 1));
      return tpuRtErrorNoDevice;
    }
    bmlib::device(device);  // a chip that is none is told here
    Runtime& all = runtime();
    const std::lock_guard lock(all.mutex);
    all.device = device;
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtDeviceSynchronize(void) {
  return initialised(__func__, [] {
    const int device = current_device();
    std::vector<bm_handle_t> handles;
    {
      Runtime& all = runtime();
      const std::lock_guard lock(all.mutex);
      for (const tpuRtStream_t stream : all.streams) {
        if (stream->handle->devid == device) handles.push_back(stream->handle);
      }
    }
    bmlib::device(device).wait_for_all();
    bool succeeded = true;
    for (const bm_handle_t handle : handles)
      succeeded = bmlib::wait_for_launches(handle) && succeeded;
    return succeeded ? tpuRtSuccess : tpuRtErrFailure;
  });
}

tpuRtStatus_t tpuRtGetAllMemory(uint64_t* value) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (value == nullptr) return refuse_parameter(caller, tr("{} is NULL", "value"));
    *value = current().global_bytes();
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtGetFreeMemory(uint64_t* value) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (value == nullptr) return refuse_parameter(caller, tr("{} is NULL", "value"));
    *value = current().global_bytes() - current().allocated_bytes();
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtGetPeakMemory(uint64_t* value) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (value == nullptr) return refuse_parameter(caller, tr("{} is NULL", "value"));
    const std::uint64_t now = current().allocated_bytes();
    Runtime& all = runtime();
    const std::lock_guard lock(all.mutex);
    *value = std::max(all.peak[static_cast<std::size_t>(all.device)], now);
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtResetPeakMemory(void) {
  return initialised(__func__, [] {
    Runtime& all = runtime();
    const std::lock_guard lock(all.mutex);
    all.peak[static_cast<std::size_t>(all.device)] = 0;
    return tpuRtSuccess;
  });
}

}  // extern "C"
