// tensorlane explain: the page of a diagnostic.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "commands.h"
#include "json_option.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::cli {

namespace {

struct ExplainOptions {
  std::string id;  // empty: all of them
  JsonOption json;
};

Json diagnostic_json(const check::Diagnostic& diagnostic) {
  return {{"id", diagnostic.id},
          {"severity", check::severity_name(diagnostic.severity)},
          {"title", check::spelled(diagnostic.title)}};
}

void explain_one(const ExplainOptions& options) {
  const check::Diagnostic& diagnostic = check::find_diagnostic(options.id);
  const std::string page(check::diagnostic_page(diagnostic));
  if (!options.json.replaces_text()) std::fputs(page.c_str(), stdout);
  Json document = diagnostic_json(diagnostic);
  document["page"] = page;
  options.json.write(document);
}

void explain_all(const ExplainOptions& options) {
  Json list = Json::array();
  for (const check::Diagnostic& diagnostic : check::diagnostics()) {
    list.push_back(diagnostic_json(diagnostic));
    if (options.json.replaces_text()) continue;
    fmt::print("{:<16} {:<8} {}\n", diagnostic.id,
               translated(check::severity_name(diagnostic.severity)),
               check::spelled(translated(diagnostic.title)));
  }
  options.json.write(list);
}

}  // namespace

void add_explain_command(App& app) {
  auto options = std::make_shared<ExplainOptions>();
  App* command = app.add_subcommand("explain",
                                    "Explain a finding of the checker: what it means, an example, "
                                    "the repair");
  command->add_option("id", options->id,
                      "Id of the diagnostic, e.g. TL-RACE-001; without it: all of them");
  options->json.add_to(*command);
  command->callback([options] {
    if (options->id.empty()) {
      explain_all(*options);
    } else {
      explain_one(*options);
    }
  });
}

}  // namespace tensorlane::cli
