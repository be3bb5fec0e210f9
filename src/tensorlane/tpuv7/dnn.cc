// tpuDNN.h over tpuv7_rt.h.
#include "tpuDNN.h"

#include "tensorlane/tpuv7/runtime.h"

using namespace tensorlane;
using namespace tensorlane::tpuv7;

class TPUDNNInterface {
 public:
  tpuRtStream_t stream;
  tpuRtKernelModule_t module;
};

namespace {

struct Handles {
  std::mutex mutex;
  std::set<tpudnnHandle_t> open;
};

// Never destroyed: programs may close handles from destructors of their own.
Handles& handles() {
  static Handles* const instance = new Handles;
  return *instance;
}

template <class F>
tpudnnStatus_t with(tpudnnHandle_t handle, const Caller& caller, F body) {
  Handles& all = handles();
  {
    const std::lock_guard lock(all.mutex);
    if (all.open.count(handle) == 0) {
      bmlib::report(caller.function, tr("handle is not open; it was destroyed or never came from "
                                        "tpudnnHandleFromStream"));
      return TPUDNN_STATUS_FAILED;
    }
  }
  const tpuRtStatus_t status = initialised(caller.function, body);
  return status == tpuRtSuccess ? TPUDNN_STATUS_SUCCESS : TPUDNN_STATUS_FAILED;
}

}  // namespace

extern "C" {

tpudnnHandle_t tpudnnHandleFromStream(int deviceID, void* stream, void* module) {
  const Caller caller = TL_CALLER;
  tpudnnHandle_t handle = nullptr;
  const auto own = static_cast<tpuRtStream_t>(stream);
  initialised(__func__, [&] {
    if (!is_open(own, caller)) return tpuRtErrorNoStream;
    if (own->handle->devid != deviceID) {
      return refuse_parameter(caller, tr("deviceID = {}; the stream is one of device {}", deviceID,
                                         own->handle->devid));
    }
    handle = new TPUDNNInterface{own, static_cast<tpuRtKernelModule_t>(module)};
    Handles& all = handles();
    const std::lock_guard lock(all.mutex);
    all.open.insert(handle);
    return tpuRtSuccess;
  });
  return handle;
}

void tpudnnDestroy(tpudnnHandle_t handle) {
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  if (all.open.erase(handle) != 0) delete handle;
}

tpudnnStatus_t tpudnnLaunchKernel(tpudnnHandle_t handle, const char* kernelName, void* arg,
                                  size_t argBytes, int groupNum, int groupSize) {
  const Caller caller = TL_CALLER;
  return with(handle, caller, [&] {
    return launch(handle->module, kernelName, arg, argBytes, static_cast<std::uint64_t>(groupNum),
                  static_cast<std::uint64_t>(groupSize), true, handle->stream, caller,
                  Completion::kAsynchronous);
  });
}

tpudnnStatus_t tpudnnSync(tpudnnHandle_t handle) {
  const Caller caller = TL_CALLER;
  return with(handle, caller, [&] { return synchronize(handle->stream, caller); });
}

tpudnnStatus_t tpudnnMemcpyHostToDevice(tpudnnHandle_t handle, uint64_t dst, void* src,
                                        size_t size) {
  const Caller caller = TL_CALLER;
  return with(handle, caller, [&] {
    return copy_to_device(*handle->stream->handle->device, dst, src, size, caller);
  });
}

tpudnnStatus_t tpudnnMemcpyDeviceToHost(tpudnnHandle_t handle, void* dst, uint64_t src,
                                        size_t size) {
  const Caller caller = TL_CALLER;
  return with(handle, caller, [&] {
    return copy_to_host(*handle->stream->handle->device, dst, src, size, caller);
  });
}

tpudnnStatus_t tpudnnEnableProfile(tpudnnHandle_t handle, int, int) {
  return with(handle, TL_CALLER, [] { return tpuRtSuccess; });
}
tpudnnStatus_t tpudnnDisableProfile(tpudnnHandle_t handle) {
  return with(handle, TL_CALLER, [] { return tpuRtSuccess; });
}

}  // extern "C"
