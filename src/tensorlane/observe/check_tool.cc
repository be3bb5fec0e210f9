#include "tensorlane/observe/check_tool.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/checker.h"
#include "tensorlane/observe/report_file.h"

namespace tensorlane::observe {

namespace {

// What the references of TENSORLANE_EXPECT say, read once for all devices; null without them.
std::shared_ptr<check::Expectations> expectations_of_process(const Say& say) {
  static const std::shared_ptr<check::Expectations> all =
      [&]() -> std::shared_ptr<check::Expectations> {
    const char* const text = std::getenv("TENSORLANE_EXPECT");
    if (text == nullptr || *text == '\0') return nullptr;
    auto expectations = std::make_shared<check::Expectations>();
    check::add_expectations(text, *expectations);
    expectations->met = [say](const check::MetExpectation& met, int device) {
      if (report_path().empty()) {
        if (met.holds) say("tensorlane expect: " + met.text + "\n");
        return;
      }
      Json line{{"tool", "expect"}, {"device", device}, {"text", met.text}, {"holds", met.holds}};
      line["read"] = met.read;
      if (met.address) line["address"] = fmt::format("{:#x}", *met.address);
      if (met.expected) line["expected"] = *met.expected;
      if (!met.samples.empty()) {
        Json samples = Json::array();
        for (const check::MetExpectation::Sample& each : met.samples) {
          samples.push_back(
              Json{{"address", each.address}, {"expected", each.expected}, {"wrong", each.wrong}});
        }
        line["samples"] = std::move(samples);
        line["dtype"] = dtype_name(met.dtype);
      }
      append_report(line);
    };
    return expectations;
  }();
  return all;
}

}  // namespace

void check_launches(Device& device, const std::string& names, const Say& say) {
  static std::atomic<int> devices = 0;
  check::Checks checks = check::parse_checks(names);
  checks.expectations = expectations_of_process(say);
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
    if (last) say(check::text_report(report, {.advice = checks.advice}));
  };
  const bool values = device.implementation() != ImplementationChoice::kNone;
  device.trace_calls();
  device.add_observer(std::make_unique<check::Checker>(device.chip(), checks, deliver,
                                                       values ? &device.memory() : nullptr));
}

}  // namespace tensorlane::observe
