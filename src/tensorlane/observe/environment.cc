#include "tensorlane/observe/environment.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/observe/run_options.h"
#include "tensorlane/observe/self_profile.h"
#include "tensorlane/observe/tolerated_calls.h"

namespace tensorlane::observe {
namespace {

std::string value_of(std::string_view variable) {
  const char* const value = std::getenv(std::string(variable).c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

RedZones red_zones_of_environment() {
  constexpr std::string_view kNames[] = {"on", "off"};
  const std::string value = value_of("TENSORLANE_RED_ZONES"), checks = value_of("TENSORLANE_CHECK");
  if (value == "on" || value == "1") return RedZones::kOn;
  if (value == "off" || value == "0") return RedZones::kOff;
  if (!value.empty())
    user_error("TENSORLANE_RED_ZONES is '{}'{}", value, did_you_mean(value, kNames));
  const bool checked = !checks.empty() && checks != "none";
  return checked || !value_of("TENSORLANE_WHY").empty() ? RedZones::kOn : RedZones::kOff;
}

void attach_from_environment(Device& device, const Say& say) {
  const bool profiled = asks(run_option("--self-profile"), value_of("TENSORLANE_SELF_PROFILE"));
  Phase phase = Phase::kTools;
  for (const RunOption& row : run_options()) {
    if (profiled && row.phase != phase) mark_tools(device, phase, row.phase);
    phase = row.phase;
    const std::string value = value_of(row.variable);
    if (row.attach != nullptr && asks(row, value)) row.attach(device, value, say);
  }
  // Crashes and the like are found where checks are.
  for (const RunOption& row : run_options()) {
    const std::string value = value_of(row.variable);
    if (row.attach_last != nullptr && asks(row, value)) row.attach_last(device, value, say);
  }
  if (profiled) mark_tools(device, phase, Phase::kSetUp);
  if (value_of("TENSORLANE_CHECK").empty())
    device.add_observer(std::make_unique<ToleratedCalls>(say));
}

}  // namespace tensorlane::observe
