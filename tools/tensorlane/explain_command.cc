// tensorlane explain: the page of a diagnostic.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "commands.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::cli {

void add_explain_command(App& app) {
  auto id = std::make_shared<std::string>();
  App* command = app.add_subcommand("explain",
                                    "Explain a finding of the checker: what it means, an example, "
                                    "the repair");
  command->add_option("id", *id, "Id of the diagnostic, e.g. TL-RACE-001; without it: all of them");
  command->callback([id] {
    if (!id->empty()) {
      const std::string page(check::diagnostic_page(check::find_diagnostic(*id)));
      std::fputs(page.c_str(), stdout);
      return;
    }
    for (const check::Diagnostic& diagnostic : check::diagnostics()) {
      fmt::print("{:<16} {:<8} {}\n", diagnostic.id,
                 translated(check::severity_name(diagnostic.severity)),
                 check::spelled(translated(diagnostic.title)));
    }
  });
}

}  // namespace tensorlane::cli
