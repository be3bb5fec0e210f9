#include "tensorlane/observe/tolerated_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane::observe {

void ToleratedCalls::tolerated(const Tolerated& call) {
  std::vector<Violation> errors;
  std::ranges::copy_if(call.violations, std::back_inserter(errors), [](const Violation& each) {
    return each.breach == Breach::kComputed || each.breach == Breach::kOnRequest;
  });
  if (errors.empty() || !said_.insert(call.call_site).second) return;
  say_(fmt::format("tensorlane: {}\n  {}\n",
                   tr("kernel '{}' breaks a limit at {}; computed all the same", kernel_,
                      find_source_location(call.call_site).text()),
                   violations_text(call.function, errors)));
}

}  // namespace tensorlane::observe
