// SPDX-License-Identifier: Apache-2.0
//
// bmlib_runtime.h - the host side of OKKernel: devices, device memory, copies, kernel launches.
//
// A program:
//   1. bm_dev_request(&handle, 0)
//   2. bm_malloc_device_byte(handle, &mem, bytes); bm_mem_get_device_addr(mem) for the arguments
//   3. bm_memcpy_s2d(handle, mem, host)
//   4. okkernel_launch_sync(handle, "kernel", &args, sizeof(args))
//   5. bm_memcpy_d2s(handle, host, mem)
//   6. bm_free_device(handle, mem); bm_dev_free(handle)
//
// Sizes are bytes unless said otherwise. The descriptors are plain values; copy them freely. Copies
// move the size of the descriptor. Functions return BM_SUCCESS or a bm_status_t that says what went
// wrong; a launch that ended with an error leaves the device usable. Every function may be called
// from any thread; copies and launches of one thread take effect in order. A handle belongs to the
// process that opened it: the child of a fork opens its own.
//
// C99, C11 and C++11 to C++20. okk.h may be included as well, in either order.

#ifndef TENSORLANE_BMLIB_RUNTIME_H_
#define TENSORLANE_BMLIB_RUNTIME_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Types

typedef enum bm_status_t {
  BM_SUCCESS = 0,
  BM_ERR_DEVNOTREADY = 1,
  BM_ERR_FAILURE = 2,
  BM_ERR_TIMEOUT = 3,
  BM_ERR_PARAM = 4,
  BM_ERR_NOMEM = 5,
  BM_ERR_DATA = 6,
  BM_ERR_BUSY = 7,
  BM_ERR_NOFEATURE = 8,
  BM_NOT_SUPPORTED = 9
} bm_status_t;

typedef enum bm_mem_type_t {
  BM_MEM_TYPE_DEVICE = 0,
  BM_MEM_TYPE_HOST = 1,
  BM_MEM_TYPE_SYSTEM = 2,
  BM_MEM_TYPE_INT8_DEVICE = 3,
  BM_MEM_TYPE_INVALID = 4
} bm_mem_type_t;

typedef enum MODULE_ID {
  MODULE_CDMA = 0,
  MODULE_GDMA = 1,
  MODULE_TPU = 2,
  MODULE_SMMU = 3,
  MODULE_SRAM = 4,
  MODULE_END = 5
} MODULE_ID;

typedef enum PERF_MONITOR_ID { PERF_MONITOR_GDMA = 0, PERF_MONITOR_TPU = 1 } PERF_MONITOR_ID;

typedef struct bm_context* bm_handle_t;  // one connection to one device

typedef union bm_mem_flags_t {
  struct {
    __extension__ bm_mem_type_t mem_type : 3;
    unsigned int gmem_heapid : 3;
    unsigned int reserved : 26;
  } u;
  unsigned int rawflags;
} bm_mem_flags_t;

// A piece of memory: device.device_addr or system.system_addr, and its size in bytes.
typedef struct bm_mem_desc {
  union {
    struct {
#ifdef __linux__
      unsigned long device_addr;
#else
      unsigned long long device_addr;
#endif
      unsigned int reserved;
      int dmabuf_fd;
    } device;
    struct {
      void* system_addr;
      unsigned int reserved0;
      int reserved1;
    } system;
  } u;
  bm_mem_flags_t flags;
  unsigned int size;
} bm_mem_desc_t;

typedef struct bm_mem_desc bm_device_mem_t;
typedef struct bm_mem_desc bm_system_mem_t;

// Times in microseconds and counts since the handle was made.
typedef struct bm_profile {
  unsigned long cdma_in_time;
  unsigned long cdma_in_counter;
  unsigned long cdma_out_time;
  unsigned long cdma_out_counter;
  unsigned long tpu_process_time;
  unsigned long sent_api_counter;
  unsigned long completed_api_counter;
} bm_profile_t;

struct bm_misc_info {
  int pcie_soc_mode;
  int ddr_ecc_enable;
  long long ddr0a_size;
  long long ddr0b_size;
  long long ddr1_size;
  long long ddr2_size;
  unsigned int chipid;
  unsigned long chipid_bit_mask;
  unsigned int driver_version;
  int domain_bdf;
  int board_version;
  int a53_enable;
};

struct bm_heap_stat {
  unsigned int mem_total;
  unsigned int mem_avail;
  unsigned int mem_used;
};

typedef struct bm_heap_stat_byte {
  unsigned int heap_id;
  unsigned long long mem_total;
  unsigned long long mem_avail;
  unsigned long long mem_used;
  unsigned long long mem_start_addr;
} bm_heap_stat_byte_t;

typedef struct bm_dev_stat {
  int mem_total;
  int mem_used;
  int tpu_util;
  int heap_num;
  struct bm_heap_stat heap_stat[4];
} bm_dev_stat_t;

#define BM_MEM_ADDR_NULL (0xfffffffff)
#define BM_MEM_NULL (bm_mem_null())

#define BM1682_CHIPID_BIT_MASK (0x1 << 0)
#define BM1684_CHIPID_BIT_MASK (0x1 << 1)
#define BM1686_CHIPID_BIT_MASK (0x1 << 2)

// ---------------------------------------------------------------------------------------------
// Devices

// *count = number of devices; their ids are 0 .. *count - 1.
bm_status_t bm_dev_getcount(int* count);

// BM_SUCCESS when device `devid` exists.
bm_status_t bm_dev_query(int devid);

// Makes *handle for device `devid`. One device may have several handles.
bm_status_t bm_dev_request(bm_handle_t* handle, int devid);

// Device id of the handle.
int bm_get_devid(bm_handle_t handle);

// Ends the handle. Waits for its launches.
void bm_dev_free(bm_handle_t handle);

// *p_chipid = chip id, 0x1684 for a BM1684.
bm_status_t bm_get_chipid(bm_handle_t handle, unsigned int* p_chipid);

// Fills *pmisc_info.
bm_status_t bm_get_misc_info(bm_handle_t handle, struct bm_misc_info* pmisc_info);

// Fills *stat with memory use in MB and load.
bm_status_t bm_get_stat(bm_handle_t handle, bm_dev_stat_t* stat);

// Fills *profile.
bm_status_t bm_get_profile(bm_handle_t handle, bm_profile_t* profile);

// Device log off (0) or on (1).
void bm_set_debug_mode(bm_handle_t handle, int mode);

// ---------------------------------------------------------------------------------------------
// Descriptors. These allocate nothing.

// Kind of memory the descriptor names.
bm_mem_type_t bm_mem_get_type(struct bm_mem_desc mem);

// Device address: what a kernel takes as system_addr_t.
unsigned long long bm_mem_get_device_addr(struct bm_mem_desc mem);

// Sets the device address.
void bm_mem_set_device_addr(struct bm_mem_desc* pmem, unsigned long long addr);

// Size in bytes.
unsigned int bm_mem_get_device_size(struct bm_mem_desc mem);

// Sets the size in bytes.
void bm_mem_set_device_size(struct bm_mem_desc* pmem, unsigned int size);

// Sets address and size of a device descriptor.
void bm_set_device_mem(bm_device_mem_t* pmem, unsigned int size, unsigned long long addr);

// Device descriptor of `len` bytes at `device_addr`.
bm_device_mem_t bm_mem_from_device(unsigned long long device_addr, unsigned int len);

// Host pointer of a system descriptor.
void* bm_mem_get_system_addr(struct bm_mem_desc mem);

// Sets the host pointer of a system descriptor.
void bm_mem_set_system_addr(struct bm_mem_desc* pmem, void* addr);

// System descriptor of a host pointer.
bm_system_mem_t bm_mem_from_system(void* system_addr);

// The invalid descriptor: address 0, size 0, BM_MEM_TYPE_INVALID.
bm_device_mem_t bm_mem_null(void);

// ---------------------------------------------------------------------------------------------
// Allocation, in pages of 4096 bytes. BM_ERR_NOMEM when it does not fit.

// n * c * h * w 32-bit elements.
bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* pmem, int n, int c, int h,
                                    int w);

// `count` 32-bit elements.
bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* pmem, int count);

// `size` bytes; 0 is allowed.
bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size);

// `size` bytes from heap `heap_id`.
bm_status_t bm_malloc_device_byte_heap(bm_handle_t handle, bm_device_mem_t* pmem, int heap_id,
                                       unsigned int size);

// `size` bytes from any heap whose bit is set.
bm_status_t bm_malloc_device_byte_heap_mask(bm_handle_t handle, bm_device_mem_t* pmem,
                                            int heap_id_mask, unsigned int size);

// Gives an allocation back.
void bm_free_device(bm_handle_t handle, bm_device_mem_t mem);

// *heapid = heap of an allocation.
bm_status_t bm_get_gmem_heap_id(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int* heapid);

// *heap_num = number of heaps.
bm_status_t bm_get_gmem_total_heap_num(bm_handle_t handle, unsigned int* heap_num);

// Fills *pheap_byte for heap `heap_id`.
bm_status_t bm_get_gmem_heap_stat_byte_by_id(bm_handle_t handle, bm_heap_stat_byte_t* pheap_byte,
                                             unsigned int heap_id);

// ---------------------------------------------------------------------------------------------
// Copies: s is the host ("system"), d the device. What is copied or filled lies inside the
// allocation that the descriptor's address is in, offsets included; else BM_ERR_PARAM and nothing
// is written.

// Copies dst.size bytes from `src`.
bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t dst, void* src);

// Copies `size` bytes from `src` to dst + `offset`; the offset does not move `src`.
bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                         unsigned int size, unsigned int offset);

// Copies `size` bytes from `src` to the start of dst.
bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                  unsigned int size);

// Copies src.size bytes to `dst`.
bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* dst, bm_device_mem_t src);

// Copies `size` bytes from src + `offset` to `dst`; the offset does not move `dst`.
bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                         unsigned int size, unsigned int offset);

// Copies `size` bytes from the start of src to `dst`.
bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                  unsigned int size);

// Copies `len` 32-bit words; the offsets are bytes.
bm_status_t bm_memcpy_d2d(bm_handle_t handle, bm_device_mem_t dst, int dst_offset,
                          bm_device_mem_t src, int src_offset, int len);

// Copies `size` bytes; the offsets are bytes.
bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t dst, size_t dst_offset,
                               bm_device_mem_t src, size_t src_offset, size_t size);

// Copies `count` items of `format_size` (1, 2, 4) bytes; strides in items. dst_stride is 1, or 4
// with src_stride 1 and format_size 1.
bm_status_t bm_memcpy_d2d_stride(bm_handle_t handle, bm_device_mem_t dst, int dst_stride,
                                 bm_device_mem_t src, int src_stride, int count, int format_size);

// Fills with the 32-bit pattern `value`.
bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem);

// Fills with the first `mode` (1 to 4) bytes of *value; the size must be a multiple.
bm_status_t bm_memset_device_ext(bm_handle_t handle, void* value, int mode, bm_device_mem_t mem);

// ---------------------------------------------------------------------------------------------
// Device memory in the host's address space (boards where host and TPU share memory)

// *vmem = host address of the memory.
bm_status_t bm_mem_mmap_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                   unsigned long long* vmem);

// Drops the host's cached lines.
bm_status_t bm_mem_invalidate_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);

// The same for `len` bytes at `offset`.
bm_status_t bm_mem_invalidate_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                                 unsigned int offset, unsigned int len);

// Writes the host's cached lines back.
bm_status_t bm_mem_flush_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);

// The same for `len` bytes at `offset`.
bm_status_t bm_mem_flush_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned int offset, unsigned int len);

// Undoes bm_mem_mmap_device_mem.
bm_status_t bm_mem_unmap_device_mem(bm_handle_t handle, void* vmem, int size);

// ---------------------------------------------------------------------------------------------
// Kernels of OKKernel programs (the libbmlib.so beside okk.h)

// Loads the firmware files. There are none to load on the emulator.
bm_status_t okkernel_load_firmware(bm_handle_t handle, const char* firmware_tcm,
                                   const char* firmware_ddr);

// Queues kernel `func_name` with a copy of `size` bytes at `args` and returns. Launches of a
// handle run in order. `args` may be NULL when size is 0.
bm_status_t okkernel_launch_async(bm_handle_t handle, const char* func_name, const void* args,
                                  unsigned int size);

// Runs kernel `func_name` and waits for its end. Fails on an unknown name and when the kernel
// broke a rule.
bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size);

// Waits for all launches of the handle and returns their first error.
bm_status_t okkernel_sync(bm_handle_t handle);

// ---------------------------------------------------------------------------------------------
// Kernels of TPUKernel programs (the libbmlib.so beside tpu_kernel.h)
//
// A module is a shared library of kernels; loading it registers them. On the emulator it is built
// for the host. Kernels linked into the program are there without a module; a file that cannot be
// loaded then only causes a remark.

typedef struct tpu_kernel_module* tpu_kernel_module_t;
typedef int tpu_kernel_function_t;  // from 1; -1 for none

// Loads a module from a file, or `length` bytes of one. NULL when that fails.
tpu_kernel_module_t tpu_kernel_load_module_file(bm_handle_t handle, const char* module_file);
tpu_kernel_module_t tpu_kernel_load_module_file_key(bm_handle_t handle, const char* module_file,
                                                    const char* key, int size);
tpu_kernel_module_t tpu_kernel_load_module(bm_handle_t handle, const char* data, size_t length);

// The kernel registered as `function`; -1 when there is none.
tpu_kernel_function_t tpu_kernel_get_function(bm_handle_t handle, tpu_kernel_module_t module,
                                              const char* function);

// Runs a kernel with a copy of `size` bytes at `args` and waits for its end; _async returns at
// once.
bm_status_t tpu_kernel_launch(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                              size_t size);
bm_status_t tpu_kernel_launch_async(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                                    size_t size);

// Older: the same by name, also without any module.
bm_status_t tpu_kernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                   unsigned int size);

// The same on the cores listed: the BM1684X has core 0 only.
bm_status_t tpu_kernel_launch_async_multi_cores(bm_handle_t handle, const char* func_name,
                                                const void* api_param, size_t size,
                                                const int* core_list, int core_num);
bm_status_t tpu_kernel_launch_sync_multi_cores(bm_handle_t handle, const char* func_name,
                                               const void* api_param, size_t size,
                                               const int* core_list, int core_num);

// Waits for all launches of the handle and returns their first error.
bm_status_t tpu_kernel_sync(bm_handle_t handle);

// Forgets a module and its kernels; waits for all launches first. Launches of its functions are
// BM_ERR_PARAM from then on.
bm_status_t tpu_kernel_free_module(bm_handle_t handle, tpu_kernel_module_t module);
bm_status_t tpu_kernel_unload_module(bm_handle_t handle, tpu_kernel_module_t module);

// ---------------------------------------------------------------------------------------------
// Waiting

// bm_thread_sync without a status.
void bm_flush(bm_handle_t handle);

// Waits for everything submitted to the device.
bm_status_t bm_device_sync(bm_handle_t handle);

// Waits for everything submitted through the handle.
bm_status_t bm_handle_sync(bm_handle_t handle);

// Waits for everything the calling thread submitted.
bm_status_t bm_thread_sync(bm_handle_t handle);

// Older entry point that sends one raw command block.
bm_status_t bmkernel_launch(bm_handle_t handle, const void* args, unsigned int size);

// Copies a user table to the lookup area (okk_lookup_table_start_addr).
bm_status_t bmkernel_load_lookup_table(bm_handle_t handle, const void* table, unsigned int size);

#define bmkernel_load_firmware okkernel_load_firmware

// ---------------------------------------------------------------------------------------------
// Log

#define BMLIB_LOG_QUIET -8
#define BMLIB_LOG_PANIC 0
#define BMLIB_LOG_FATAL 8
#define BMLIB_LOG_ERROR 16
#define BMLIB_LOG_WARNING 24
#define BMLIB_LOG_INFO 32
#define BMLIB_LOG_VERBOSE 40
#define BMLIB_LOG_DEBUG 48
#define BMLIB_LOG_TRACE 56

// Logs under `tag` when `level` is at most the log level. printf formats.
void bmlib_log(const char* tag, int level, const char* fmt, ...)
    __attribute__((format(printf, 3, 4)));

// The log level.
int bmlib_log_get_level(void);

// Sets the log level.
void bmlib_log_set_level(int level);

// Sends the log to `callback(tag, level, format, arguments)` instead of stderr.
void bmlib_log_set_callback(void (*callback)(const char*, int, const char*, va_list));

// Evaluates `call` (a bm_status_t). When it failed: logs, then leaves the enclosing function with
// the status, or ends the process if USING_CMODEL is defined.
#ifdef USING_CMODEL
#define TENSORLANE_BM_LEAVE(status) exit((int)(status))
#else
#define TENSORLANE_BM_LEAVE(status) return (status)
#endif
#define BM_CHECK_RET(call)                                                                         \
  do {                                                                                             \
    bm_status_t bm_check_status_ = (call);                                                         \
    if (bm_check_status_ != BM_SUCCESS) {                                                          \
      bmlib_log("bmlib", BMLIB_LOG_ERROR, "%s:%d: %s: %s failed: status %d\n", __FILE__, __LINE__, \
                __func__, #call, (int)bm_check_status_);                                           \
      TENSORLANE_BM_LEAVE(bm_check_status_);                                                       \
    }                                                                                              \
  } while (0)

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_BMLIB_RUNTIME_H_
