#include "tensorlane/observe/advice.h"

#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane::observe {

void Advice::command_end(const Command& command) {
  for (const Violation& missed : tensorlane::advice(command)) {
    if (!said_.emplace(command.call_site, missed.rule).second) continue;
    say_(fmt::format("{}: {}: {}; {}: {}", find_source_location(command.call_site).text(),
                     command.op->name(), missed.values, tr("preferred"), missed.rule));
  }
}

}  // namespace tensorlane::observe
