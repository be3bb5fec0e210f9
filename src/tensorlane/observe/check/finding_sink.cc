#include "tensorlane/observe/check/finding_sink.h"

#include <algorithm>

#include "tensorlane/base/error.h"

namespace tensorlane::check {

void FindingSink::add(const Report::Key& key,
                      const std::function<void(Finding& finding)>& compose) const {
  report_->add(key, [&] {
    const std::string_view id = std::get<0>(key);
    const auto diagnostic = std::ranges::find(diagnostics_, id, &Diagnostic::id);
    TL_INTERNAL_CHECK(diagnostic != diagnostics_.end());
    Finding finding;
    finding.diagnostic = &*diagnostic;
    finding.repair = spelled(finding.diagnostic->repair, chip_->api.prefix);
    finding.kernel = *kernel_;
    compose(finding);
    return finding;
  });
}

}  // namespace tensorlane::check
