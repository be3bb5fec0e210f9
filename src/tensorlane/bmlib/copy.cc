// bmlib_runtime.h: copies between host and device, fills, mappings.
//
// The length of a whole copy is the size of the descriptor; offsets move the device side only and
// count bytes, also in bm_memcpy_d2d, whose length counts 32-bit words. [observed]
#include <chrono>
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/devices.h"

using namespace tensorlane;
using namespace tensorlane::bmlib;

namespace {

// False, with a message, where the host may not reach `bytes` bytes at `offset` of `mem`.
bool reachable(bm_handle_t handle, bm_device_mem_t mem, std::uint64_t offset, std::uint64_t bytes,
               const Caller& caller, const char* which) {
  if (!own_memory(handle, mem, caller, which)) return false;
  try {
    handle->device->check_host_access(mem.u.device.device_addr, bytes, offset);
    return true;
  } catch (const IllegalHostAccess& error) {
    const bool freed = error.allocation() && error.allocation()->freed;
    refuse(handle, caller, freed ? HostRefusal::Kind::kFreed : HostRefusal::Kind::kOutside,
           fmt::format("{}: {}", which, error.what()), error.allocation());
    return false;
  }
}

// Host pointer to that range; null, with a message, where the host may not reach it.
std::byte* device_range(bm_handle_t handle, HostAccess access, bm_device_mem_t mem,
                        std::uint64_t offset, std::uint64_t bytes, const Caller& caller,
                        const char* which) {
  return reachable(handle, mem, offset, bytes, caller, which)
             ? handle->device->host_access(access, mem.u.device.device_addr, bytes, offset, caller)
             : nullptr;
}

class Stopwatch {
 public:
  Stopwatch(std::atomic<unsigned long>& time, std::atomic<unsigned long>& count) : time_(time) {
    ++count;
  }
  ~Stopwatch() {
    const auto spent = std::chrono::steady_clock::now() - start_;
    time_ += static_cast<unsigned long>(
        std::chrono::duration_cast<std::chrono::microseconds>(spent).count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::atomic<unsigned long>& time_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool host_pointer(bm_handle_t handle, const void* pointer, std::uint64_t bytes,
                  const Caller& caller, const char* parameter) {
  if (pointer != nullptr || bytes == 0) return true;
  refuse(handle, caller, HostRefusal::Kind::kArgument, tr("{} is NULL", parameter));
  return false;
}

bm_status_t to_device(bm_handle_t handle, bm_device_mem_t dst, const void* src, std::uint64_t bytes,
                      std::uint64_t offset, const Caller& caller) {
  if (!check(handle, caller.function) || !host_pointer(handle, src, bytes, caller, "src"))
    return BM_ERR_PARAM;
  const Stopwatch stopwatch(handle->cdma_in_time, handle->cdma_in_count);
  std::byte* const at = device_range(handle, HostAccess::kWrite, dst, offset, bytes, caller, "dst");
  if (at == nullptr) return BM_ERR_PARAM;
  if (bytes > 0) std::memcpy(at, src, bytes);
  return BM_SUCCESS;
}

bm_status_t to_host(bm_handle_t handle, void* dst, bm_device_mem_t src, std::uint64_t bytes,
                    std::uint64_t offset, const Caller& caller) {
  if (!check(handle, caller.function) || !host_pointer(handle, dst, bytes, caller, "dst"))
    return BM_ERR_PARAM;
  const Stopwatch stopwatch(handle->cdma_out_time, handle->cdma_out_count);
  const std::byte* const at =
      device_range(handle, HostAccess::kRead, src, offset, bytes, caller, "src");
  if (at == nullptr) return BM_ERR_PARAM;
  if (bytes > 0) std::memcpy(dst, at, bytes);
  return BM_SUCCESS;
}

bm_status_t inside_device(bm_handle_t handle, bm_device_mem_t dst, std::uint64_t dst_offset,
                          bm_device_mem_t src, std::uint64_t src_offset, std::uint64_t bytes,
                          const Caller& caller) {
  if (!check(handle, caller.function) ||
      !reachable(handle, dst, dst_offset, bytes, caller, "dst") ||
      !reachable(handle, src, src_offset, bytes, caller, "src")) {
    return BM_ERR_PARAM;
  }
  handle->device->host_copy({.from = src.u.device.device_addr + src_offset,
                             .to = dst.u.device.device_addr + dst_offset,
                             .item_bytes = bytes},
                            caller);
  return BM_SUCCESS;
}

bool not_negative(bm_handle_t handle, long long value, const Caller& caller,
                  const char* parameter) {
  if (value >= 0) return true;
  refuse(handle, caller, HostRefusal::Kind::kArgument, tr("{} = {} is negative", parameter, value));
  return false;
}

bm_status_t fill(bm_handle_t handle, bm_device_mem_t mem, const void* pattern,
                 std::size_t pattern_bytes, const Caller& caller) {
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  handle->device->wait_for_all();  // the chip's runtime queues fills behind the launches and waits
  std::byte* const at = device_range(handle, HostAccess::kWrite, mem, 0, mem.size, caller, "mem");
  if (at == nullptr) return BM_ERR_PARAM;
  // Double what is filled until all is.
  std::size_t done = std::min<std::size_t>(pattern_bytes, mem.size);
  std::memcpy(at, pattern, done);
  while (done < mem.size) {
    const std::size_t step = std::min<std::size_t>(done, mem.size - done);
    std::memcpy(at + done, at, step);
    done += step;
  }
  return BM_SUCCESS;
}

}  // namespace

extern "C" {

bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t dst, void* src) {
  return to_device(handle, dst, src, dst.size, 0, TL_CALLER);
}
bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                         unsigned int size, unsigned int offset) {
  return to_device(handle, dst, src, size, offset, TL_CALLER);
}
bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                  unsigned int size) {
  return to_device(handle, dst, src, size, 0, TL_CALLER);
}
bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* dst, bm_device_mem_t src) {
  return to_host(handle, dst, src, src.size, 0, TL_CALLER);
}
bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                         unsigned int size, unsigned int offset) {
  return to_host(handle, dst, src, size, offset, TL_CALLER);
}
bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                  unsigned int size) {
  return to_host(handle, dst, src, size, 0, TL_CALLER);
}

bm_status_t bm_memcpy_d2d(bm_handle_t handle, bm_device_mem_t dst, int dst_offset,
                          bm_device_mem_t src, int src_offset, int len) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function) || !not_negative(handle, dst_offset, caller, "dst_offset") ||
      !not_negative(handle, src_offset, caller, "src_offset") ||
      !not_negative(handle, len, caller, "len")) {
    return BM_ERR_PARAM;
  }
  return inside_device(handle, dst, static_cast<std::uint64_t>(dst_offset), src,
                       static_cast<std::uint64_t>(src_offset), 4 * static_cast<std::uint64_t>(len),
                       caller);
}

bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t dst, size_t dst_offset,
                               bm_device_mem_t src, size_t src_offset, size_t size) {
  return inside_device(handle, dst, dst_offset, src, src_offset, size, TL_CALLER);
}

bm_status_t bm_memcpy_d2d_stride(bm_handle_t handle, bm_device_mem_t dst, int dst_stride,
                                 bm_device_mem_t src, int src_stride, int count, int format_size) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  const bool known_size = format_size == 1 || format_size == 2 || format_size == 4;
  const bool spread = dst_stride == 4 && src_stride == 1 && format_size == 1;
  if (count < 0 || src_stride < 1 || !known_size || (dst_stride != 1 && !spread)) {
    refuse(handle, caller, HostRefusal::Kind::kArgument,
           tr("dst_stride {}, src_stride {}, count {}, format_size {}: sizes "
              "are 1, 2 and 4, and dst_stride "
              "is 1 unless it is 4 with src_stride 1 and format_size 1",
              dst_stride, src_stride, count, format_size));
    return BM_ERR_PARAM;
  }
  if (count == 0) return BM_SUCCESS;
  const auto item = static_cast<std::uint64_t>(format_size);
  const DeviceCopy copy{.from = src.u.device.device_addr,
                        .to = dst.u.device.device_addr,
                        .item_bytes = item,
                        .count = static_cast<std::uint64_t>(count),
                        .from_step = static_cast<std::uint64_t>(src_stride) * item,
                        .to_step = static_cast<std::uint64_t>(dst_stride) * item};
  if (!reachable(handle, dst, 0, copy.bytes_at(copy.to_step), caller, "dst") ||
      !reachable(handle, src, 0, copy.bytes_at(copy.from_step), caller, "src")) {
    return BM_ERR_PARAM;
  }
  handle->device->host_copy(copy, caller);
  return BM_SUCCESS;
}

bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem) {
  return fill(handle, mem, &value, sizeof value, TL_CALLER);
}

bm_status_t bm_memset_device_ext(bm_handle_t handle, void* value, int mode, bm_device_mem_t mem) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function) || !host_pointer(handle, value, mem.size, caller, "value"))
    return BM_ERR_PARAM;
  if (mode < 1 || mode > 4 || mem.size % static_cast<unsigned int>(mode) != 0) {
    refuse(handle, caller, HostRefusal::Kind::kArgument,
           tr("mode = {} on {} bytes: the pattern has 1 to 4 bytes and divides the size", mode,
              mem.size));
    return BM_ERR_PARAM;
  }
  return fill(handle, mem, value, static_cast<std::size_t>(mode), caller);
}

bm_status_t bm_mem_mmap_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                   unsigned long long* vmem) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function) || !host_pointer(handle, dmem, 1, caller, "dmem") ||
      !host_pointer(handle, vmem, 1, caller, "vmem")) {
    return BM_ERR_PARAM;
  }
  std::byte* const at =
      device_range(handle, HostAccess::kWrite, *dmem, 0, dmem->size, caller, "dmem");
  if (at == nullptr) return BM_ERR_PARAM;
  *vmem = reinterpret_cast<unsigned long long>(at);
  return BM_SUCCESS;
}

// Host and device share one memory here: nothing to flush, nothing stale, nothing to unmap.
bm_status_t bm_mem_unmap_device_mem(bm_handle_t handle, void* vmem, int size) {
  static_cast<void>(vmem);
  static_cast<void>(size);
  return check(handle, __func__) ? BM_SUCCESS : BM_ERR_PARAM;
}
bm_status_t bm_mem_invalidate_device_mem(bm_handle_t handle, bm_device_mem_t* dmem) {
  static_cast<void>(dmem);
  return check(handle, __func__) ? BM_SUCCESS : BM_ERR_PARAM;
}
bm_status_t bm_mem_invalidate_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                                 unsigned int offset, unsigned int len) {
  static_cast<void>(dmem);
  static_cast<void>(offset);
  static_cast<void>(len);
  return check(handle, __func__) ? BM_SUCCESS : BM_ERR_PARAM;
}
bm_status_t bm_mem_flush_device_mem(bm_handle_t handle, bm_device_mem_t* dmem) {
  static_cast<void>(dmem);
  return check(handle, __func__) ? BM_SUCCESS : BM_ERR_PARAM;
}
bm_status_t bm_mem_flush_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned int offset, unsigned int len) {
  static_cast<void>(dmem);
  static_cast<void>(offset);
  static_cast<void>(len);
  return check(handle, __func__) ? BM_SUCCESS : BM_ERR_PARAM;
}

}  // extern "C"
