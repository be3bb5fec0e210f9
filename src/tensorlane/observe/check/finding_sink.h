// Where checks put what they find: a finding is composed (source lines, operands, bytes) only when
// it is new for its place in the kernel, else it is counted.
#ifndef TENSORLANE_OBSERVE_CHECK_FINDING_SINK_H_
#define TENSORLANE_OBSERVE_CHECK_FINDING_SINK_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/failure.h"
#include "tensorlane/device/host_caller.h"
#include "tensorlane/observe/check/finding.h"
#include "tensorlane/observe/check/report.h"

namespace tensorlane::check {

// What is going on when something is found.
struct Scene {
  std::optional<FindingLaunches> launch;      // in progress, or the last one
  HostCaller host;                            // the host's call in hand; none while a kernel runs
  std::span<const std::byte> arguments = {};  // that the launch in progress was given
};

// The sink of one check.
class FindingSink {
 public:
  // `diagnostics` are those of the check; findings point to them. `scene` is where things happen
  // while the sink is used.
  FindingSink(Report& report, const Chip& chip, const Scene& scene,
              std::span<const Diagnostic> diagnostics)
      : report_(&report), chip_(&chip), scene_(&scene), diagnostics_(diagnostics) {}

  // `compose` adds message, places and bytes to a finding that has all the rest; the place of the
  // host's call in hand comes last where it does not add that, too. InternalError for an id that is
  // not one of the check's.
  // `cores`: whose finding it is, where that is not the core in hand alone, as it is told of them.
  void add(const Report::Key& key, const std::function<void(Finding& finding)>& compose,
           const std::vector<int>& cores = {}) const;

  // A call in hand for a key, where no command tells which calls led there; it walks the stack.
  trail::CallKey key_of(const void* call_site, std::string_view function = {}) const;
  trail::CallKey key_of(const Failure& failure) const;

 private:
  Report* report_;
  const Chip* chip_;
  const Scene* scene_;
  std::span<const Diagnostic> diagnostics_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_FINDING_SINK_H_
