// A call of the host interface: which function, and where in the host.
#ifndef TENSORLANE_DEVICE_HOST_CALLER_H_
#define TENSORLANE_DEVICE_HOST_CALLER_H_

#include <string_view>

namespace tensorlane {

struct HostCaller {
  std::string_view function = {};   // lives as long as the process
  const void* call_site = nullptr;  // return address in the host
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_HOST_CALLER_H_
