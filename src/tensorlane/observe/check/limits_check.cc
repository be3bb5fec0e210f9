// Calls that were refused because of their arguments.
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kDiagnostics[] = {
    {"TL-ARGS-001", Severity::kError, "a call breaks a documented limit",
     "keep the argument in the range the rule names"},
    {"TL-ARGS-003", Severity::kError, "an assertion of the kernel failed",
     "call the kernel with arguments it is made for, or lift the restriction"},
};

class LimitsCheck final : public Check {
 public:
  using Check::Check;

  void refused(const Refusal& refusal) override {
    if (refusal.kind == Refusal::Kind::kMemory) return;  // bounds_check.cc
    const std::string_view id =
        refusal.kind == Refusal::Kind::kAssertion ? "TL-ARGS-003" : "TL-ARGS-001";
    sink().add({id, refusal.call_site, nullptr, 0}, [&](Finding& finding) {
      finding.message = one_line(refusal.message);
      if (!refusal.repair.empty()) finding.repair = refusal.repair;
      finding.locations.push_back(
          make_location("call", std::string(refusal.function), refusal.call_site));
    });
  }
};

}  // namespace

CheckParts limits_check() {
  return parts_of<LimitsCheck>(kDiagnostics);
}

}  // namespace tensorlane::check
