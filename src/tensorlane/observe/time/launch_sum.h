// What the launches of a device add up to, by kernel.
#ifndef TENSORLANE_OBSERVE_TIME_LAUNCH_SUM_H_
#define TENSORLANE_OBSERVE_TIME_LAUNCH_SUM_H_

#include <cstdint>
#include <map>
#include <string>

#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

class LaunchSum {
 public:
  // True for the first launch of a kernel.
  bool add(const Timeline& timeline);
  // Of all, and of each kernel, the longest first; empty for fewer than two launches.
  std::string text() const;

 private:
  struct Kernel {
    std::uint64_t launches = 0, commands = 0;
    double us = 0;
  };
  std::map<std::string, Kernel> kernels_;
  std::uint64_t launches_ = 0;
  double us_ = 0, host_us_ = 0, host_high_us_ = 0;
  const TimingParameters* parameters_ = nullptr;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_LAUNCH_SUM_H_
