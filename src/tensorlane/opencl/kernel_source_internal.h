// The OpenCL C files of this folder as text.
#ifndef TENSORLANE_OPENCL_KERNEL_SOURCE_INTERNAL_H_
#define TENSORLANE_OPENCL_KERNEL_SOURCE_INTERNAL_H_

namespace tensorlane::opencl {

extern const char* const kTransferSource;  // transfer.cl
extern const char* const kWinogradSource;  // winograd.cl

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_KERNEL_SOURCE_INTERNAL_H_
