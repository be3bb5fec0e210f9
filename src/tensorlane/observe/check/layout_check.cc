// Preferred conditions that calls miss, and layouts that waste local memory.
#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kLayoutDiagnostics[] = {
    {"TL-LINT-004", Severity::kAdvice, msg("a preferred condition is missed"),
     msg("it only costs time")},
    {"TL-LINT-005", Severity::kAdvice, msg("a layout wastes much of the local memory it reserves"),
     msg("use the compact layout, or move a larger dimension into the channels")},
};

class LayoutCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    constexpr std::int64_t kWorthIt = 16 * 1024;  // bytes per NPU
    const std::size_t missed = missed_.get(
        command.command(), [&](std::size_t& count) { count = advice_count(command.command()); });
    for (std::size_t k = 0; k < missed; ++k) report(command.command(), k);
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      const trail::Footprint& bytes = command.bytes(k);
      if (operand.layout.npu_bytes() == 0 || !operand.writes() || bytes.empty()) continue;
      const std::int64_t reserved = bytes.shape->lane_bounds.bytes();
      if (reserved >= kWorthIt && 2 * bytes.shape->lane_used < reserved) report(command, k);
    }
  }

 private:
  // Number `at` of what advice() says of the call.
  void report(const Command& command, std::size_t at) const {
    sink().add({"TL-LINT-004", command.call_site, nullptr, 0}, [&](Finding& finding) {
      const Violation missed = advice(command)[at];
      finding.message = tr("{}: {}; {}: {}", trail::name_of(command), missed.values,
                           tr("preferred"), missed.rule);
      finding.locations.push_back(make_location("call", command));
    });
  }
  void report(const trail::CheckedCommand& command, int at) const {
    sink().add({"TL-LINT-005", command.command().call_site, nullptr, at}, [&](Finding& finding) {
      const trail::Shape& shape = *command.bytes(at).shape;
      finding.message = tr("{} of {} spans {} per NPU and uses {} of them",
                           command.operand(at).name(), trail::name_of(command.command()),
                           bytes_text(shape.lane_bounds.bytes()), shape.lane_used);
      finding.locations.push_back(make_location("call", command.command(), {at}));
    });
  }

  PerCall<std::size_t> missed_;  // preferences
};

}  // namespace

CheckParts layout_check() {
  return parts_of<LayoutCheck>(kLayoutDiagnostics);
}

}  // namespace tensorlane::check
