// SPDX-License-Identifier: Apache-2.0
//
// tpuv7_rt.h - the host's interface of the BM1690 and its kin, as TensorLane emulates it.
//
//   tpuRtInit();
//   tpuRtSetDevice(0);
//   tpuRtStreamCreate(&stream);
//   module = tpuRtKernelLoadModuleFile("libkernel.so", stream);
//   tpuRtMalloc(&input, bytes, 0);
//   tpuRtMemcpyS2D(input, data, bytes);
//   tpuRtKernelLaunch(module, "kernel", args, sizeof args, 1, cores, stream);
//   tpuRtStreamSynchronize(stream);
//
// "S" is the host's memory (system), "D" the device's. What tpuRtMalloc gives is an address of
// global memory: kernels take it as global_addr_t, the host must not read through it.
//
// The chip is that of TENSORLANE_CHIP or `tensorlane run --chip`, else the BM1690, or the SG2260E
// where TPU_RT_CORE_NUM is 4. There are two devices.
//
// Names, parameters and values are those that public programs call; the words and the code behind
// them are TensorLane's. What nothing public says is said here to be a choice.
//
// C99, C11 and C++11 to C++20. Link with -ltpuv7_rt. A kernel module is a shared library of kernels
// for this host; linked with -ltpuv7_emulator or with -ltpuv7_rt, which are one library here.

#ifndef TENSORLANE_TPUV7_RT_H_
#define TENSORLANE_TPUV7_RT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  tpuRtSuccess = 0,
  tpuRtDevnotready = 1,  // an event that has not come yet
  tpuRtErrFailure = 2,   // a kernel failed, a module could not be loaded
  tpuRtErrTimeout = 3,
  tpuRtErrParam = 4,
  tpuRtErrNomem = 5,
  tpuRtErrData = 6,
  tpuRtErrBusy = 7,
  tpuRtErrNoFeature = 8,
  tpuRtErrNotSupported = 9,       // not emulated
  tpuRtErrorInitializationError,  // tpuRtInit was not called
  tpuRtErrorNoDevice,
  tpuRtErrorNoStream,  // the stream is NULL, destroyed or never came from tpuRtStreamCreate
  tpuRtErrorInvalidValue,
  tpuRtErrorInvalidResourceHandle,  // the same of a module or an event
  tpuRtErrorMemoryAllocation
} tpuRtStatus_t;

typedef struct tpuRtModule* tpuRtKernelModule_t;
typedef struct tpuRtStream* tpuRtStream_t;
typedef struct tpuRtEvent* tpuRtEvent_t;
typedef int (*pTpuRtStreamCallback)(void*);

// ---------------------------------------------------------------------------------------------
// Devices

// Before anything else; again has no effect.
tpuRtStatus_t tpuRtInit(void);
// 2; 0 before tpuRtInit.
tpuRtStatus_t tpuRtGetDeviceCount(int* count);
tpuRtStatus_t tpuRtGetDevice(int* device);
// The device of what follows, on all threads (a choice). 0 at first.
tpuRtStatus_t tpuRtSetDevice(int device);
// Waits for everything on the device. Failure where a launch failed that nobody was told of.
tpuRtStatus_t tpuRtDeviceSynchronize(void);

// ---------------------------------------------------------------------------------------------
// Memory

// Global memory. parallel_num is 0 or 1, as in all public programs.
tpuRtStatus_t tpuRtMalloc(void** devPtr, unsigned long long size, int parallel_num);
tpuRtStatus_t tpuRtMallocInstr(void** devPtr, unsigned long long size, int parallel_num);
tpuRtStatus_t tpuRtMallocMedia(void** devPtr, unsigned long long size);
// Frees free_num allocations, of which devPtr is an array; 0 is as 1.
tpuRtStatus_t tpuRtFree(void** devPtr, int free_num);
tpuRtStatus_t tpuRtFreeInstr(void** devPtr, int free_num);
// Memory of the host.
tpuRtStatus_t tpuRtMallocHost(void** ptr, unsigned long long size);
tpuRtStatus_t tpuRtFreeHost(void* ptr);

// Of the device's global memory, in bytes; the peak since the start or the last reset.
tpuRtStatus_t tpuRtGetAllMemory(uint64_t* value);
tpuRtStatus_t tpuRtGetFreeMemory(uint64_t* value);
tpuRtStatus_t tpuRtGetPeakMemory(uint64_t* value);
tpuRtStatus_t tpuRtResetPeakMemory(void);

// Copies and fills wait for the launches before them. An asynchronous one is carried out before the
// call returns, which is one of the orders that a stream allows.
tpuRtStatus_t tpuRtMemset(void* devPtr, int value, unsigned long long size);
tpuRtStatus_t tpuRtMemcpyS2D(void* devPtr, const void* hostPtr, unsigned long long size);
tpuRtStatus_t tpuRtMemcpyD2S(void* hostPtr, const void* devPtr, unsigned long long size);
tpuRtStatus_t tpuRtMemcpyD2D(void* dstDevPtr, const void* srcDevPtr, unsigned long long size);
tpuRtStatus_t tpuRtMemcpyP2P(void* dstDevPtr, int dstDevice, const void* srcDevPtr, int srcDevice,
                             unsigned long long size);
tpuRtStatus_t tpuRtMemsetAsync(void* devPtr, int value, unsigned long long size,
                               tpuRtStream_t stream);
tpuRtStatus_t tpuRtMemcpyS2DAsync(void* devPtr, const void* hostPtr, unsigned long long size,
                                  tpuRtStream_t stream);
tpuRtStatus_t tpuRtMemcpyD2SAsync(void* hostPtr, const void* devPtr, unsigned long long size,
                                  tpuRtStream_t stream);
tpuRtStatus_t tpuRtMemcpyD2DAsync(void* dstDevPtr, const void* srcDevPtr, unsigned long long size,
                                  tpuRtStream_t stream);
tpuRtStatus_t tpuRtMemcpyP2PAsync(void* dstDevPtr, int dstDevice, const void* srcDevPtr,
                                  int srcDevice, unsigned long long size, tpuRtStream_t stream);

// ---------------------------------------------------------------------------------------------
// Streams and events

// A stream belongs to the device that is set when it is made. Launches of all streams of a device
// run one after the other.
tpuRtStatus_t tpuRtStreamCreate(tpuRtStream_t* pStream);
tpuRtStatus_t tpuRtStreamDestroy(tpuRtStream_t stream);
// Failure where one of the stream's launches failed.
tpuRtStatus_t tpuRtStreamSynchronize(tpuRtStream_t stream);
// Calls callback(userData) when what is in the stream so far is done; here before this returns.
tpuRtStatus_t tpuRtStreamAddCallback(tpuRtStream_t stream, pTpuRtStreamCallback callback,
                                     void* userData);
// What follows in the stream waits for the event.
tpuRtStatus_t tpuRtStreamWaitEvent(tpuRtStream_t stream, tpuRtEvent_t event);
tpuRtStatus_t tpuRtStreamWaitEventSync(tpuRtStream_t stream, tpuRtEvent_t event);

tpuRtStatus_t tpuRtEventCreate(tpuRtEvent_t* pEvent);
tpuRtStatus_t tpuRtEventFree(tpuRtEvent_t event, tpuRtStream_t stream);
// The event comes when what is in the stream so far is done.
tpuRtStatus_t tpuRtEventRecord(tpuRtEvent_t event, tpuRtStream_t stream);
// tpuRtDevnotready until then.
tpuRtStatus_t tpuRtEventQuery(tpuRtEvent_t event);
tpuRtStatus_t tpuRtEventSynchronize(tpuRtEvent_t event);
// Milliseconds of the emulation between two events, from when each was recorded or, where somebody
// waited for it, found to have come. The chip's time is what `tensorlane run --time` says.
tpuRtStatus_t tpuRtEventElapsedTime(float* ms, tpuRtEvent_t start, tpuRtEvent_t end);

// ---------------------------------------------------------------------------------------------
// Kernels

// A module of kernels for this host; NULL, with a message, where it cannot be loaded.
tpuRtKernelModule_t tpuRtKernelLoadModuleFile(const char* module_file, tpuRtStream_t stream);
tpuRtKernelModule_t tpuRtKernelLoadModule(const char* data, size_t length, tpuRtStream_t stream);
tpuRtStatus_t tpuRtKernelUnloadModule(tpuRtKernelModule_t module, tpuRtStream_t stream);
// Runs a kernel on block_num cores. `args` is an array of block_num structs, `size` the bytes of
// all of them: core k gets the one at k * size / block_num. group_num is 1, as in all public
// programs. The first waits, the second does not and keeps a copy of the arguments.
tpuRtStatus_t tpuRtKernelLaunch(tpuRtKernelModule_t module, const char* func_name, void* args,
                                uint32_t size, uint64_t group_num, uint64_t block_num,
                                tpuRtStream_t stream);
tpuRtStatus_t tpuRtKernelLaunchAsync(tpuRtKernelModule_t module, const char* func_name, void* args,
                                     uint32_t size, uint64_t group_num, uint64_t block_num,
                                     tpuRtStream_t stream);
// Launches over several chips: tpuRtErrNotSupported.
tpuRtStatus_t tpuRtKernelLaunchCDMA(tpuRtKernelModule_t module, const char* func_name, void* args,
                                    uint32_t size, uint64_t block_num, tpuRtStream_t stream,
                                    int cdma_only, char* uuid, int rank_id, int rank_num);
tpuRtStatus_t tpuRtKernelLaunchCDMAAsync(tpuRtKernelModule_t module, const char* func_name,
                                         void* args, uint32_t size, uint64_t block_num,
                                         tpuRtStream_t stream, int cdma_only, char* uuid,
                                         int rank_id, int rank_num);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPUV7_RT_H_
