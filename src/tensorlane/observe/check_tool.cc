#include "tensorlane/observe/check_tool.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/checker.h"
#include "tensorlane/observe/report_file.h"

namespace tensorlane::observe {

void check_launches(Device& device, const std::string& names) {
  static std::atomic<int> devices = 0;
  const check::Checks checks = check::parse_checks(names);
  const char* const path = std::getenv("TENSORLANE_REPORT");
  const auto deliver = [file = std::string(path == nullptr ? "" : path), checks,
                        number = devices++](const check::Report& report, bool last) {
    if (file.empty()) {
      if (last) std::fputs(check::text_report(report, checks.advice).c_str(), stderr);
      return;
    }
    try {
      append_report(file, check::report_entry(report, number));
    } catch (const std::exception& error) {  // the program may be ending: nobody to throw to
      std::fprintf(stderr, "tensorlane: %s\n", error.what());
    }
  };
  device.add_observer(
      std::make_unique<check::Checker>(device.chip(), checks, deliver, &device.memory()));
}

}  // namespace tensorlane::observe
