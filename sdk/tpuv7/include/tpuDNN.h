// SPDX-License-Identifier: Apache-2.0
//
// tpuDNN.h - the few names of tpuDNN with which hosts that PPL makes launch their kernels, over
// tpuv7_rt.h.
//
//   handle = tpudnnHandleFromStream(0, stream, module);
//   tpudnnLaunchKernel(handle, "kernel", &args, sizeof args, 1, cores);
//   tpudnnSync(handle);
//   tpudnnDestroy(handle);
//
// The operators of the vendor's library are not here.

#ifndef TENSORLANE_TPUDNN_H_
#define TENSORLANE_TPUDNN_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
typedef class TPUDNNInterface* tpudnnHandle_t;
#else
typedef void* tpudnnHandle_t;
#endif

typedef enum { TPUDNN_STATUS_SUCCESS = 0, TPUDNN_STATUS_FAILED = 1 } tpudnnStatus_t;

// A handle for a stream and a module of tpuv7_rt.h, which stay the caller's; NULL where they are
// not open or are another device's.
tpudnnHandle_t tpudnnHandleFromStream(int deviceID, void* stream, void* module);
void tpudnnDestroy(tpudnnHandle_t handle);

// Queues a kernel on groupSize cores, each of which gets the same arguments; groupNum is 1.
tpudnnStatus_t tpudnnLaunchKernel(tpudnnHandle_t handle, const char* kernelName, void* arg,
                                  size_t argBytes, int groupNum, int groupSize);
// Waits; failed where a launch failed.
tpudnnStatus_t tpudnnSync(tpudnnHandle_t handle);

// Copies between the host's and the device's memory, after the launches before them.
tpudnnStatus_t tpudnnMemcpyHostToDevice(tpudnnHandle_t handle, uint64_t dst, void* src,
                                        size_t size);
tpudnnStatus_t tpudnnMemcpyDeviceToHost(tpudnnHandle_t handle, void* dst, uint64_t src,
                                        size_t size);

// Accepted, and without effect: times are what `tensorlane run --time` and `--trace` say.
tpudnnStatus_t tpudnnEnableProfile(tpudnnHandle_t handle, int max_record_num, int mode);
tpudnnStatus_t tpudnnDisableProfile(tpudnnHandle_t handle);

#ifdef __cplusplus
}  // extern "C"
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif  // TENSORLANE_TPUDNN_H_
