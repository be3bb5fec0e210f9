// The interfaces that kernels are written in, as far as messages speak of them. What an interface
// is beyond its names stands in its front end, see device/front_end.h.
#ifndef TENSORLANE_CHIP_KERNEL_INTERFACE_H_
#define TENSORLANE_CHIP_KERNEL_INTERFACE_H_

#include <string_view>

namespace tensorlane {

struct KernelInterface {
  std::string_view name;    // "okkernel", also the folder of its SDK
  std::string_view title;   // "OKKernel"
  std::string_view prefix;  // of device functions: "okk_"
  std::string_view launch;  // how a host runs kernels
};

inline constexpr KernelInterface kOkkernel{"okkernel", "OKKernel", "okk_",
                                           "okkernel_launch_sync or _async"};
inline constexpr KernelInterface kTpukernel{"tpukernel", "TPUKernel", "tpu_",
                                            "tpu_kernel_launch or tpu_kernel_launch_async"};

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_KERNEL_INTERFACE_H_
