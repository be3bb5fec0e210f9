#include "tensorlane/observe/check_tool.h"

#include <atomic>
#include <memory>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/checker.h"
#include "tensorlane/observe/report_file.h"

namespace tensorlane::observe {

void check_launches(Device& device, const std::string& names, const Say& say) {
  static std::atomic<int> devices = 0;
  const check::Checks checks = check::parse_checks(names);
  const auto deliver = [reported = !report_path().empty(), checks, number = devices++, say](
                           const check::Report& report, bool last) mutable {
    if (reported) {
      try {
        return append_report(check::report_entry(report, number));
      } catch (const std::exception& error) {  // findings are shown all the same
        report_problem(error.what(), say);
        reported = false;
      }
    }
    if (last) say(check::text_report(report, checks.advice));
  };
  const bool values = device.implementation() != ImplementationChoice::kNone;
  device.trace_calls();
  device.add_observer(std::make_unique<check::Checker>(device.chip(), checks, deliver,
                                                       values ? &device.memory() : nullptr));
}

}  // namespace tensorlane::observe
