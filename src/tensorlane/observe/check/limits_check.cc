// Calls that break limits: those that were refused, and those that are computed all the same.
#include <algorithm>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/limit_diagnostic.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kLimitsDiagnostics[] = {
    {"TL-ARGS-001", kError, msg("a call breaks a documented limit"),
     msg("keep the argument in the range the rule names")},
    {"TL-ARGS-003", kError, msg("an assertion of the kernel failed"),
     msg("call the kernel with arguments it is made for, or lift the restriction")},
    {"TL-ARGS-005", kWarning, msg("the chip's model of 2024 refuses a call"),
     msg("use a function that this chip has: another type, or several commands")},
    {"TL-ARGS-006", kWarning, msg("a call breaks a limit that the chip's model does not enforce"),
     msg("keep the argument in the range the rule names; the chip may be less patient than its "
         "model")},
};

class LimitsCheck final : public Check {
 public:
  using Check::Check;

  void refused(const Refusal& refusal) override {
    if (refusal.kind == Refusal::Kind::kMemory) return;  // bounds_check.cc
    const std::string_view id =
        refusal.kind == Refusal::Kind::kAssertion ? "TL-ARGS-003" : "TL-ARGS-001";
    add(id, refusal.function, refusal.call_site, refusal.message, refusal.repair);
  }
  void tolerated(const Tolerated& call) override {
    for (const Diagnostic& diagnostic : kLimitsDiagnostics) {
      std::vector<Violation> violations(call.violations.begin(), call.violations.end());
      std::erase_if(violations,
                    [&](const Violation& v) { return limit_diagnostic(v) != diagnostic.id; });
      if (violations.empty()) continue;
      add(diagnostic.id, call.function, call.call_site,
          tr("{}; computed all the same", violations_text(call.function, violations)));
    }
  }

 private:
  void add(std::string_view id, std::string_view function, const void* call_site,
           std::string_view message, std::string_view repair = {}) const {
    sink().add({id, sink().key_of(call_site, function)}, [&](Finding& finding) {
      finding.message = one_line(message);
      if (!repair.empty()) finding.repair = repair;
      finding.locations.push_back(make_location("call", std::string(function), call_site));
    });
  }
};

}  // namespace

CheckParts limits_check() {
  return parts_of<LimitsCheck>(kLimitsDiagnostics);
}

}  // namespace tensorlane::check
