// tpuv7_rt.h: copies between host and device, fills. A copy waits for the launches before it, and
// one that is asynchronous is done when its call returns.
#include <cstring>
#include <vector>

#include "tensorlane/tpuv7/runtime.h"

using namespace tensorlane;
using namespace tensorlane::tpuv7;

namespace {

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// False, with a message, where the host may not reach `bytes` bytes at `address`.
bool reachable(Device& device, std::uint64_t address, std::uint64_t bytes, const Caller& caller,
               const char* which) {
  try {
    device.check_host_access(address, bytes);
    return true;
  } catch (const IllegalHostAccess& error) {
    const bool freed = error.allocation() && error.allocation()->freed;
    refuse(device, caller, freed ? HostRefusal::Kind::kFreed : HostRefusal::Kind::kOutside,
           fmt::format("{}: {}", which, error.what()), error.allocation());
    return false;
  }
}

bool host_pointer(Device& device, const void* pointer, std::uint64_t bytes, const Caller& caller) {
  if (pointer != nullptr || bytes == 0) return true;
  refuse(device, caller, HostRefusal::Kind::kArgument, tr("{} is NULL", "hostPtr"));
  return false;
}

tpuRtStatus_t fill(void* pointer, int value, std::uint64_t bytes, const Caller& caller) {
  return initialised(caller.function, [&] {
    Device& device = current();
    const std::uint64_t address = address_of(pointer);
    if (!reachable(device, address, bytes, caller, "devPtr")) return tpuRtErrParam;
    if (bytes > 0) {
      std::memset(device.host_access(HostAccess::kWrite, address, bytes, 0, caller), value,
                  static_cast<std::size_t>(bytes));
    }
    return tpuRtSuccess;
  });
}

tpuRtStatus_t to_device(void* to, const void* from, std::uint64_t bytes, const Caller& caller) {
  return initialised(caller.function, [&] {
    return copy_to_device(current(), address_of(to), from, bytes, caller);
  });
}

tpuRtStatus_t to_host(void* to, const void* from, std::uint64_t bytes, const Caller& caller) {
  return initialised(caller.function,
                     [&] { return copy_to_host(current(), to, address_of(from), bytes, caller); });
}

tpuRtStatus_t inside(void* to, const void* from, std::uint64_t bytes, const Caller& caller) {
  return initialised(caller.function, [&] {
    Device& device = current();
    if (!reachable(device, address_of(to), bytes, caller, "dstDevPtr") ||
        !reachable(device, address_of(from), bytes, caller, "srcDevPtr")) {
      return tpuRtErrParam;
    }
    device.host_copy({.from = address_of(from), .to = address_of(to), .item_bytes = bytes}, caller);
    return tpuRtSuccess;
  });
}

bool is_device(int device, const Caller& caller, const char* parameter) {
  if (device >= 0 && device < bmlib::kDevices) return true;
  bmlib::report(caller.function,
                tr("{} = {}; devices are 0..{}", parameter, device, bmlib::kDevices - 1));
  return false;
}

tpuRtStatus_t between(void* to, int to_device, const void* from, int from_device,
                      std::uint64_t bytes, const Caller& caller) {
  return initialised(caller.function, [&] {
    if (!is_device(to_device, caller, "dstDevice") || !is_device(from_device, caller, "srcDevice"))
      return tpuRtErrorNoDevice;
    std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
    const tpuRtStatus_t status =
        copy_to_host(bmlib::device(from_device), buffer.data(), address_of(from), bytes, caller);
    return status != tpuRtSuccess ? status
                                  : copy_to_device(bmlib::device(to_device), address_of(to),
                                                   buffer.data(), bytes, caller);
  });
}

template <class Copy>
tpuRtStatus_t in_stream(tpuRtStream_t stream, const Caller& caller, Copy copy) {
  if (!is_initialised(caller.function)) return tpuRtErrorInitializationError;
  return is_open(stream, caller) ? copy() : tpuRtErrorNoStream;
}

}  // namespace

namespace tensorlane::tpuv7 {

tpuRtStatus_t copy_to_device(Device& device, std::uint64_t to, const void* from,
                             std::uint64_t bytes, const Caller& caller) {
  if (!host_pointer(device, from, bytes, caller) || !reachable(device, to, bytes, caller, "devPtr"))
    return tpuRtErrParam;
  if (bytes > 0) {
    std::memcpy(device.host_access(HostAccess::kWrite, to, bytes, 0, caller), from,
                static_cast<std::size_t>(bytes));
  }
  return tpuRtSuccess;
}

tpuRtStatus_t copy_to_host(Device& device, void* to, std::uint64_t from, std::uint64_t bytes,
                           const Caller& caller) {
  if (!host_pointer(device, to, bytes, caller) || !reachable(device, from, bytes, caller, "devPtr"))
    return tpuRtErrParam;
  if (bytes > 0) {
    std::memcpy(to, device.host_access(HostAccess::kRead, from, bytes, 0, caller),
                static_cast<std::size_t>(bytes));
  }
  return tpuRtSuccess;
}

}  // namespace tensorlane::tpuv7

extern "C" {

tpuRtStatus_t tpuRtMemset(void* devPtr, int value, unsigned long long size) {
  return fill(devPtr, value, size, TL_CALLER);
}
tpuRtStatus_t tpuRtMemcpyS2D(void* devPtr, const void* hostPtr, unsigned long long size) {
  return to_device(devPtr, hostPtr, size, TL_CALLER);
}
tpuRtStatus_t tpuRtMemcpyD2S(void* hostPtr, const void* devPtr, unsigned long long size) {
  return to_host(hostPtr, devPtr, size, TL_CALLER);
}
tpuRtStatus_t tpuRtMemcpyD2D(void* dstDevPtr, const void* srcDevPtr, unsigned long long size) {
  return inside(dstDevPtr, srcDevPtr, size, TL_CALLER);
}
tpuRtStatus_t tpuRtMemcpyP2P(void* dstDevPtr, int dstDevice, const void* srcDevPtr, int srcDevice,
                             unsigned long long size) {
  return between(dstDevPtr, dstDevice, srcDevPtr, srcDevice, size, TL_CALLER);
}

tpuRtStatus_t tpuRtMemsetAsync(void* devPtr, int value, unsigned long long size,
                               tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return in_stream(stream, caller, [&] { return fill(devPtr, value, size, caller); });
}
tpuRtStatus_t tpuRtMemcpyS2DAsync(void* devPtr, const void* hostPtr, unsigned long long size,
                                  tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return in_stream(stream, caller, [&] { return to_device(devPtr, hostPtr, size, caller); });
}
tpuRtStatus_t tpuRtMemcpyD2SAsync(void* hostPtr, const void* devPtr, unsigned long long size,
                                  tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return in_stream(stream, caller, [&] { return to_host(hostPtr, devPtr, size, caller); });
}
tpuRtStatus_t tpuRtMemcpyD2DAsync(void* dstDevPtr, const void* srcDevPtr, unsigned long long size,
                                  tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return in_stream(stream, caller, [&] { return inside(dstDevPtr, srcDevPtr, size, caller); });
}
tpuRtStatus_t tpuRtMemcpyP2PAsync(void* dstDevPtr, int dstDevice, const void* srcDevPtr,
                                  int srcDevice, unsigned long long size, tpuRtStream_t stream) {
  const Caller caller = TL_CALLER;
  return in_stream(stream, caller, [&] {
    return between(dstDevPtr, dstDevice, srcDevPtr, srcDevice, size, caller);
  });
}

}  // extern "C"
