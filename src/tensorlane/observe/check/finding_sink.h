// Where checks put what they find: a finding is composed (source lines, operands, bytes) only when
// it is new for its place in the kernel, else it is counted.
#ifndef TENSORLANE_OBSERVE_CHECK_FINDING_SINK_H_
#define TENSORLANE_OBSERVE_CHECK_FINDING_SINK_H_

#include <functional>
#include <span>
#include <string>

#include "tensorlane/chip/chip.h"
#include "tensorlane/observe/check/finding.h"
#include "tensorlane/observe/check/report.h"

namespace tensorlane::check {

// The sink of one check.
class FindingSink {
 public:
  // `diagnostics` are those of the check; findings point to them. `kernel` is the name of the
  // kernel that runs.
  FindingSink(Report& report, const Chip& chip, const std::string& kernel,
              std::span<const Diagnostic> diagnostics)
      : report_(&report), chip_(&chip), kernel_(&kernel), diagnostics_(diagnostics) {}

  // `compose` adds message, places and bytes to a finding that has all the rest. InternalError for
  // an id that is not one of the check's.
  void add(const Report::Key& key, const std::function<void(Finding& finding)>& compose) const;

 private:
  Report* report_;
  const Chip* chip_;
  const std::string* kernel_;
  std::span<const Diagnostic> diagnostics_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_FINDING_SINK_H_
