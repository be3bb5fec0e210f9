#include "tensorlane/tpuv7/runtime.h"

namespace tensorlane::tpuv7 {

Runtime& runtime() {
  static Runtime* const instance = new Runtime;
  return *instance;
}

bool is_initialised(const char* function) {
  Runtime& all = runtime();
  {
    const std::lock_guard lock(all.mutex);
    if (all.initialised) return true;
  }
  bmlib::report(function, tr("the runtime is not initialised; call tpuRtInit first"));
  return false;
}

int current_device() {
  Runtime& all = runtime();
  const std::lock_guard lock(all.mutex);
  return all.device;
}

Device& current() {
  return bmlib::device(current_device());
}

void refuse(Device& device, const Caller& caller, HostRefusal::Kind kind,
            const std::string& message, const std::optional<Allocator::Block>& allocation) {
  bmlib::report(caller.function, allocation ? message + allocation_places(*allocation) : message);
  device.refuse({caller.function, message, caller.call_site, allocation, kind});
}

tpuRtStatus_t refuse_parameter(const Caller& caller, const std::string& message) {
  refuse(current(), caller, HostRefusal::Kind::kArgument, message);
  return tpuRtErrParam;
}

bool is_open(tpuRtStream_t stream, const Caller& caller) {
  Runtime& all = runtime();
  {
    const std::lock_guard lock(all.mutex);
    if (all.streams.count(stream) != 0) return true;
  }
  refuse(current(), caller, HostRefusal::Kind::kArgument,
         stream == nullptr ? tr("{} is NULL", "stream")
                           : tr("stream is not open; it was destroyed or never came from "
                                "tpuRtStreamCreate"));
  return false;
}

bool is_open(tpuRtEvent_t event, const Caller& caller) {
  Runtime& all = runtime();
  {
    const std::lock_guard lock(all.mutex);
    if (all.events.count(event) != 0) return true;
  }
  refuse(current(), caller, HostRefusal::Kind::kArgument,
         event == nullptr ? tr("{} is NULL", "event")
                          : tr("event does not exist; it was freed or never came from "
                               "tpuRtEventCreate"));
  return false;
}

}  // namespace tensorlane::tpuv7
