// bmlib_runtime.h: descriptors and allocation of device memory.
#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/devices.h"

using namespace tensorlane;
using namespace tensorlane::bmlib;

namespace {

// Heaps 0, 1 and 2 are named by programs; here they are one memory.
constexpr int kNamedHeaps = 3;

bm_status_t allocate(bm_handle_t handle, bm_device_mem_t* pmem, unsigned long long bytes,
                     const Caller& caller) {
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  if (pmem == nullptr) {
    refuse(handle, caller, HostRefusal::Kind::kArgument, tr("{} is NULL", "pmem"));
    return BM_ERR_PARAM;
  }
  if (bytes > 0xffffffffull) {
    refuse(handle, caller, HostRefusal::Kind::kArgument,
           tr("{} bytes asked for; a descriptor holds at most 4294967295", bytes));
    return BM_ERR_PARAM;
  }
  const auto address = handle->device->allocate(bytes, caller);
  if (!address) {
    const std::uint64_t total = handle->device->global_bytes();
    // Programs may try how much there is.
    report(caller.function, tr("no room for {} bytes: {} of {} bytes of global memory are in use",
                               bytes, handle->device->allocated_bytes(), total));
    return BM_ERR_NOMEM;
  }
  *pmem = bm_mem_from_device(*address, static_cast<unsigned int>(bytes));
  pmem->u.device.reserved = device_mark(handle->devid);
  return BM_SUCCESS;
}

bool named_heap(bm_handle_t handle, int heap_id, const Caller& caller) {
  if (!check(handle, caller.function)) return false;
  if (heap_id >= 0 && heap_id < kNamedHeaps) return true;
  refuse(handle, caller, HostRefusal::Kind::kArgument,
         tr("heap_id = {}; heaps are 0..{}", heap_id, kNamedHeaps - 1));
  return false;
}

}  // namespace

bool tensorlane::bmlib::own_memory(bm_handle_t handle, bm_device_mem_t mem, const Caller& caller,
                                   const char* which) {
  for (int id = 0; id < kDevices; ++id) {
    if (id == handle->devid || mem.u.device.reserved != device_mark(id)) continue;
    refuse(handle, caller, HostRefusal::Kind::kForeign,
           tr("{}: {:#x} is memory of device {}; the handle is one of device {}", which,
              mem.u.device.device_addr, id, handle->devid),
           device(id).find_allocation(mem.u.device.device_addr));
    return false;
  }
  return true;
}

extern "C" {

bm_mem_type_t bm_mem_get_type(struct bm_mem_desc mem) {
  return mem.flags.u.mem_type;
}
unsigned long long bm_mem_get_device_addr(struct bm_mem_desc mem) {
  return mem.u.device.device_addr;
}
void bm_mem_set_device_addr(struct bm_mem_desc* pmem, unsigned long long addr) {
  pmem->u.device.device_addr = addr;
}
unsigned int bm_mem_get_device_size(struct bm_mem_desc mem) {
  return mem.size;
}
void bm_mem_set_device_size(struct bm_mem_desc* pmem, unsigned int size) {
  pmem->size = size;
}
void* bm_mem_get_system_addr(struct bm_mem_desc mem) {
  return mem.u.system.system_addr;
}
void bm_mem_set_system_addr(struct bm_mem_desc* pmem, void* addr) {
  pmem->u.system.system_addr = addr;
}

void bm_set_device_mem(bm_device_mem_t* pmem, unsigned int size, unsigned long long addr) {
  *pmem = bm_mem_from_device(addr, size);
}

bm_device_mem_t bm_mem_from_device(unsigned long long device_addr, unsigned int len) {
  bm_device_mem_t mem{};
  mem.u.device.device_addr = device_addr;
  mem.flags.u.mem_type = BM_MEM_TYPE_DEVICE;
  mem.size = len;
  return mem;
}

bm_system_mem_t bm_mem_from_system(void* system_addr) {
  bm_system_mem_t mem{};
  mem.u.system.system_addr = system_addr;
  mem.flags.u.mem_type = BM_MEM_TYPE_SYSTEM;
  return mem;
}

bm_device_mem_t bm_mem_null(void) {
  bm_device_mem_t mem{};
  mem.flags.u.mem_type = BM_MEM_TYPE_INVALID;
  return mem;
}

bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* pmem, int n, int c, int h,
                                    int w) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  unsigned long long bytes = 4;
  for (const int extent : {n, c, h, w}) {
    if (extent < 0) {
      refuse(handle, caller, HostRefusal::Kind::kArgument,
             tr("shape {},{},{},{} has a negative extent", n, c, h, w));
      return BM_ERR_PARAM;
    }
    if (__builtin_mul_overflow(bytes, static_cast<unsigned long long>(extent), &bytes))
      bytes = ~0ull;
  }
  return allocate(handle, pmem, bytes, caller);
}

bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* pmem, int count) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  if (count < 0) {
    refuse(handle, caller, HostRefusal::Kind::kArgument, tr("count = {} is negative", count));
    return BM_ERR_PARAM;
  }
  return allocate(handle, pmem, 4ull * static_cast<unsigned int>(count), caller);
}

bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size) {
  return allocate(handle, pmem, size, TL_CALLER);
}

bm_status_t bm_malloc_device_byte_heap(bm_handle_t handle, bm_device_mem_t* pmem, int heap_id,
                                       unsigned int size) {
  const Caller caller = TL_CALLER;
  return named_heap(handle, heap_id, caller) ? allocate(handle, pmem, size, caller) : BM_ERR_PARAM;
}

bm_status_t bm_malloc_device_byte_heap_mask(bm_handle_t handle, bm_device_mem_t* pmem,
                                            int heap_id_mask, unsigned int size) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return BM_ERR_PARAM;
  if ((heap_id_mask & ((1 << kNamedHeaps) - 1)) == 0) {
    refuse(handle, caller, HostRefusal::Kind::kArgument,
           tr("heap_id_mask = {:#x} names none of the heaps 0..{}", heap_id_mask, kNamedHeaps - 1));
    return BM_ERR_PARAM;
  }
  return allocate(handle, pmem, size, caller);
}

void bm_free_device(bm_handle_t handle, bm_device_mem_t mem) {
  const Caller caller = TL_CALLER;
  if (!check(handle, caller.function)) return;
  if (!own_memory(handle, mem, caller, "mem")) return;
  const std::uint64_t address = mem.u.device.device_addr;
  if (handle->device->free(address, caller)) return;
  const auto block = handle->device->find_allocation(address);
  refuse(handle, caller, HostRefusal::Kind::kFree, bmlib::not_allocated_text(address, block),
         block);
}

bm_status_t bm_get_gmem_heap_id(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int* heapid) {
  if (!check(handle, __func__)) return BM_ERR_PARAM;
  if (pmem == nullptr || heapid == nullptr) {
    refuse(handle, TL_CALLER, HostRefusal::Kind::kArgument, tr("pmem or heapid is NULL"));
    return BM_ERR_PARAM;
  }
  *heapid = 0;
  return BM_SUCCESS;
}

bm_status_t bm_get_gmem_total_heap_num(bm_handle_t handle, unsigned int* heap_num) {
  if (!check(handle, __func__)) return BM_ERR_PARAM;
  if (heap_num == nullptr) {
    refuse(handle, TL_CALLER, HostRefusal::Kind::kArgument, tr("{} is NULL", "heap_num"));
    return BM_ERR_PARAM;
  }
  *heap_num = 1;
  return BM_SUCCESS;
}

bm_status_t bm_get_gmem_heap_stat_byte_by_id(bm_handle_t handle, bm_heap_stat_byte_t* pheap_byte,
                                             unsigned int heap_id) {
  if (!named_heap(handle, static_cast<int>(heap_id), TL_CALLER)) return BM_ERR_PARAM;
  if (pheap_byte == nullptr) {
    refuse(handle, TL_CALLER, HostRefusal::Kind::kArgument, tr("{} is NULL", "pheap_byte"));
    return BM_ERR_PARAM;
  }
  const Chip& chip = handle->device->chip();
  const std::uint64_t total = handle->device->global_bytes(),
                      used = handle->device->allocated_bytes();
  *pheap_byte = {heap_id, total, total - used, used, chip.region(Space::kGlobal).begin};
  return BM_SUCCESS;
}

}  // extern "C"
