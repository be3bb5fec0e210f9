#include "tensorlane/observe/time/launch_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tensorlane/base/language.h"

namespace tensorlane::observe {

bool LaunchSum::add(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  parameters_ = timeline.parameters;
  ++launches_;
  us_ += summary.kernel_us;
  host_us_ += summary.host_us;
  host_high_us_ += summary.host_high_us;
  Kernel& kernel = kernels_[timeline.launch.kernel];
  kernel.us += summary.kernel_us;
  kernel.commands += timeline.totals.commands;
  return ++kernel.launches == 1;
}

std::string LaunchSum::text() const {
  if (launches_ < 2) return {};
  const std::string host = host_high_us_ > host_us_
                               ? tr("{:.1f} to {:.1f} us", host_us_, host_high_us_)
                               : tr("{:.1f} us", host_us_);
  std::string text = tr("all {} launches: {:.1f} us modelled, {}; {} as a host measures them",
                        launches_, us_, error_text(*parameters_), host) +
                     "\n";
  std::vector<std::pair<std::string, Kernel>> longest(kernels_.begin(), kernels_.end());
  std::ranges::stable_sort(longest, std::greater(),
                           [](const auto& each) { return each.second.us; });
  for (const auto& [name, kernel] : longest) {
    text += fmt::format("    {}\n", tr_n("'{1}', {0} launch: {2:.1f} us, {3:.0f} %, {4} commands",
                                         "'{1}', {0} launches: {2:.1f} us, {3:.0f} %, {4} commands",
                                         kernel.launches, name, kernel.us,
                                         us_ > 0 ? 100 * kernel.us / us_ : 0, kernel.commands));
  }
  return text;
}

}  // namespace tensorlane::observe
