// tpuv7_rt.h: streams and events.
#include "tensorlane/tpuv7/runtime.h"

using namespace tensorlane;
using namespace tensorlane::tpuv7;

namespace {

// What follows waits for it: launches of a device run one after the other, so an event of the
// same device needs no waiting, and one of another is waited for here and now.
tpuRtStatus_t wait_for(tpuRtEvent_t event, const Caller& caller) {
  if (!is_open(event, caller)) return tpuRtErrorInvalidResourceHandle;
  if (!event->recorded) return tpuRtSuccess;
  event->device->wait(event->ticket);
  return tpuRtSuccess;
}

tpuRtStatus_t stream_waits(tpuRtStream_t stream, tpuRtEvent_t event, const Caller& caller) {
  return initialised(caller.function, [&] {
    return is_open(stream, caller) ? wait_for(event, caller) : tpuRtErrorNoStream;
  });
}

}  // namespace

namespace tensorlane::tpuv7 {

tpuRtStatus_t synchronize(tpuRtStream_t stream, const Caller& caller) {
  if (!is_open(stream, caller)) return tpuRtErrorNoStream;
  return bmlib::wait_timed(stream->handle) == BM_SUCCESS ? tpuRtSuccess : tpuRtErrFailure;
}

}  // namespace tensorlane::tpuv7

extern "C" {

tpuRtStatus_t tpuRtStreamCreate(tpuRtStream_t* pStream) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (pStream == nullptr) return refuse_parameter(caller, tr("{} is NULL", "pStream"));
    const auto stream = new tpuRtStream{bmlib::open_handle(current_device())};
    Runtime& all = runtime();
    const std::lock_guard lock(all.mutex);
    all.streams.insert(stream);
    *pStream = stream;
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtStreamDestroy(tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    const tpuRtStatus_t status = synchronize(stream, caller);
    if (status == tpuRtErrorNoStream) return status;
    {
      Runtime& all = runtime();
      const std::lock_guard lock(all.mutex);
      all.streams.erase(stream);
    }
    bmlib::close_handle(stream->handle);
    delete stream;
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtStreamSynchronize(tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] { return synchronize(stream, caller); });
}

tpuRtStatus_t tpuRtStreamAddCallback(tpuRtStream_t stream, pTpuRtStreamCallback callback,
                                     void* userData) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (callback == nullptr) return refuse_parameter(caller, tr("{} is NULL", "callback"));
    if (!is_open(stream, caller)) return tpuRtErrorNoStream;
    bmlib::wait_for_launches(stream->handle);
    callback(userData);
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtStreamWaitEvent(tpuRtStream_t stream, tpuRtEvent_t event) {
  return stream_waits(stream, event, TL_CALLER);
}
tpuRtStatus_t tpuRtStreamWaitEventSync(tpuRtStream_t stream, tpuRtEvent_t event) {
  return stream_waits(stream, event, TL_CALLER);
}

tpuRtStatus_t tpuRtEventCreate(tpuRtEvent_t* pEvent) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (pEvent == nullptr) return refuse_parameter(caller, tr("{} is NULL", "pEvent"));
    const auto event = new tpuRtEvent;
    Runtime& all = runtime();
    const std::lock_guard lock(all.mutex);
    all.events.insert(event);
    *pEvent = event;
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtEventFree(tpuRtEvent_t event, tpuRtStream_t) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (!is_open(event, caller)) return tpuRtErrorInvalidResourceHandle;
    {
      Runtime& all = runtime();
      const std::lock_guard lock(all.mutex);
      all.events.erase(event);
    }
    delete event;
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtEventRecord(tpuRtEvent_t event, tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (!is_open(event, caller)) return tpuRtErrorInvalidResourceHandle;
    if (!is_open(stream, caller)) return tpuRtErrorNoStream;
    Device& device = *stream->handle->device;
    *event = {true, &device, device.last_ticket(), std::chrono::steady_clock::now()};
    return tpuRtSuccess;
  });
}

tpuRtStatus_t tpuRtEventQuery(tpuRtEvent_t event) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (!is_open(event, caller)) return tpuRtErrorInvalidResourceHandle;
    const bool came =
        !event->recorded || event->device->wait_for(event->ticket, std::chrono::milliseconds(0));
    return came ? tpuRtSuccess : tpuRtDevnotready;
  });
}

tpuRtStatus_t tpuRtEventSynchronize(tpuRtEvent_t event) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    const tpuRtStatus_t status = wait_for(event, caller);
    if (status == tpuRtSuccess) event->time = std::chrono::steady_clock::now();
    return status;
  });
}

tpuRtStatus_t tpuRtEventElapsedTime(float* ms, tpuRtEvent_t start, tpuRtEvent_t end) {
  const Caller caller = TL_CALLER;
  return initialised(__func__, [&] {
    if (ms == nullptr) return refuse_parameter(caller, tr("{} is NULL", "ms"));
    if (!is_open(start, caller) || !is_open(end, caller)) return tpuRtErrorInvalidResourceHandle;
    if (!start->recorded || !end->recorded)
      return refuse_parameter(caller, tr("an event was not recorded; call tpuRtEventRecord first"));
    *ms = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return tpuRtSuccess;
  });
}

}  // extern "C"
