// The interfaces that kernels are written in, as far as messages speak of them. What an interface
// is beyond its names stands in its front end, see device/front_end.h.
#ifndef TENSORLANE_CHIP_KERNEL_INTERFACE_H_
#define TENSORLANE_CHIP_KERNEL_INTERFACE_H_

#include <array>
#include <string_view>

namespace tensorlane {

struct KernelInterface {
  std::string_view name;    // "okkernel", also the folder of its SDK
  std::string_view title;   // "OKKernel"
  std::string_view prefix;  // of device functions: "okk_"
  std::string_view launch;  // how a host runs kernels
  std::string_view memory;  // whose addresses its functions take for buffers of the host: "system"
  // The header that programs include, then what else declares types of the interface: files, and
  // folders of files, which end in a slash.
  std::array<std::string_view, 3> headers;

  constexpr std::string_view header() const { return headers.front(); }
};

inline constexpr KernelInterface kOkkernel{.name = "okkernel",
                                           .title = "OKKernel",
                                           .prefix = "okk_",
                                           .launch = "okkernel_launch_sync or _async",
                                           .memory = "system",
                                           .headers = {"okk.h"}};
inline constexpr KernelInterface kTpukernel{
    .name = "tpukernel",
    .title = "TPUKernel",
    .prefix = "tpu_",
    .launch = "tpu_kernel_launch or tpu_kernel_launch_async",
    .memory = "global",
    .headers = {"tpu_kernel.h", "tpu_defs.h", "tpu_kernel/"}};

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_KERNEL_INTERFACE_H_
