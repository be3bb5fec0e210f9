#include "tensorlane/observe/profile.h"

namespace tensorlane::observe {

void Profile::add(const Timeline& timeline) {
  if (count_ < kMostLaunches) {
    ++count_;
    launches_.push_back(profile_json(timeline));
    return;
  }
  Kernel& kernel = kernels_[timeline.launch.kernel];
  if (kernel.launches++ == 0) {
    kernel.sum.launch = timeline.launch;
    kernel.sum.launch.args = {};
    kernel.sum.parameters = timeline.parameters;
  }
  kernel.sum.kernel_us += timeline.kernel_us;
  kernel.sum.kernel_high_us += timeline.kernel_high_us;
  const TimeSummary summary = summarise(timeline);
  kernel.host_us += summary.host_us;
  kernel.host_high_us += summary.host_high_us;
  kernel.sum.failed = kernel.sum.failed || timeline.failed;
  kernel.sum.totals.merge(timeline.totals);
}

Json Profile::json() const {
  Json kernels = Json::array();
  for (const auto& [name, kernel] : kernels_) {
    Json entry = profile_json(kernel.sum, kernel.launches);
    entry["modelled_host_us"] = kernel.host_us;
    entry["modelled_host_at_most_us"] = kernel.host_high_us;
    kernels.push_back(entry);
  }
  return {{"schema_version", kSchemaVersion}, {"launches", launches_}, {"kernels", kernels}};
}

}  // namespace tensorlane::observe
