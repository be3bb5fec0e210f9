// Which diagnostic a broken limit is.
#ifndef TENSORLANE_OBSERVE_CHECK_LIMIT_DIAGNOSTIC_H_
#define TENSORLANE_OBSERVE_CHECK_LIMIT_DIAGNOSTIC_H_

#include <string_view>

#include "tensorlane/ops/expression.h"

namespace tensorlane::check {

constexpr std::string_view limit_diagnostic(Breach breach) {
  switch (breach) {
    case Breach::kNewerModel:
      return "TL-ARGS-005";
    case Breach::kUnenforced:
      return "TL-ARGS-006";
    default:
      return "TL-ARGS-001";
  }
}
inline std::string_view limit_diagnostic(const Violation& violation) {
  return limit_diagnostic(violation.breach);
}

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_LIMIT_DIAGNOSTIC_H_
