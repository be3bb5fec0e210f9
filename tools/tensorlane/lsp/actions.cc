// Repairs: changes of the text where the diagnostic has one (check::Mend), and its page.
#include <fmt/format.h>

#include <algorithm>

#include "lsp/diagnostics.h"
#include "lsp/uri.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::lsp {
namespace {

constexpr const char* kQuickFix = "quickfix";

struct Change {
  std::string title;
  std::size_t at;  // a line begins there
  std::string text;
};

// The call of a device function that a line of the last run made, where it stands now.
const WrittenCall* call_of(const KernelText& kernel, const Document& document,
                           const FoundPlace& place) {
  const auto line = line_now(document, place.line, place.source);
  if (!line) return nullptr;
  for (const WrittenCall& call : kernel.c().calls()) {
    if (document.position_of(call.name.begin).line == *line &&
        kernel.c().word(call.name) == place.call)
      return &call;
  }
  return nullptr;
}

// Whether a statement of its own begins at a place: not the body of an `if` without braces.
bool begins_statement(const CText& c, std::size_t at) {
  std::string_view before = "{";
  for (const Token& token : c.code()) {
    if (token.span.begin >= at) break;
    before = c.word(token);
  }
  return before == ";" || before == "{" || before == "}";
}

// The blanks before the first word of a line.
std::string indent_of(std::string_view line) {
  return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
}

// Between two commands of one function: in front of the later one.
std::optional<Change> end_region(const KernelText& kernel, const Document& document,
                                 const FoundFault& fault) {
  const WrittenCall* const a = call_of(kernel, document, fault.places[0]);
  const WrittenCall* const b =
      fault.places.size() > 1 ? call_of(kernel, document, fault.places[1]) : nullptr;
  if (a == nullptr || b == nullptr || a == b) return std::nullopt;
  const auto around = kernel.c().function_around(a->name.begin);
  const WrittenCall* const later = a->name.begin < b->name.begin ? b : a;
  const std::size_t line = document.offset_of({document.position_of(later->name.begin).line, 0});
  const std::string indent = indent_of(kernel.c().word({line, later->name.begin}));
  if (!around || a->name.begin < around->begin || b->name.begin < around->begin ||
      b->name.begin >= around->end || line + indent.size() != later->name.begin ||
      !begins_statement(kernel.c(), later->name.begin))
    return std::nullopt;
  const std::string_view prefix = kernel.find(kernel.c().word(later->name)).front_end->api.prefix;
  return Change{
      tr("End the parallel region between the two commands"), line,
      check::spelled(fmt::format("{0}$parallel_end();\n{0}$parallel_start();\n", indent), prefix)};
}

// Behind the command, in a line of its own.
std::optional<Change> poll_after(const KernelText& kernel, const Document& document,
                                 const FoundFault& fault) {
  const auto last = std::ranges::find_if(
      fault.places, [](const FoundPlace& place) { return !place.call.empty(); });
  if (last == fault.places.end()) return std::nullopt;
  const WrittenCall* const call = call_of(kernel, document, *last);
  if (call == nullptr) return std::nullopt;
  // The statement ends with the call, and no "else" follows that belongs to it.
  const auto& code = kernel.c().code();
  auto next =
      std::ranges::find_if(code, [&](const Token& token) { return token.span.begin >= call->end; });
  if (next == code.end() || kernel.c().word(*next) != ";") return std::nullopt;
  const std::int64_t line = document.position_of(next->span.begin).line;
  ++next;
  if (next == code.end() || kernel.c().word(*next) == "else" ||
      document.position_of(next->span.begin).line == line)
    return std::nullopt;
  const std::string indent = indent_of(document.line(document.position_of(call->name.begin).line));
  const std::string_view prefix = kernel.find(kernel.c().word(call->name)).front_end->api.prefix;
  const std::string poll = check::spelled("$poll();", prefix);
  return Change{tr("Call {} behind the last command", poll), document.offset_of({line + 1, 0}),
                indent + poll + "\n"};
}

std::optional<Change> change_for(const KernelText& kernel, const Document& document,
                                 const FoundFault& fault) {
  switch (check::find_diagnostic(fault.id).mend) {
    case check::Mend::kNone:
      return std::nullopt;
    case check::Mend::kEndRegionBetween:
      return end_region(kernel, document, fault);
    case check::Mend::kPollAfter:
      return poll_after(kernel, document, fault);
  }
  return std::nullopt;
}

// Whether the client asks for repairs among other things.
bool wants_repairs(const Json& params) {
  const Json* const context = params.find("context");
  const Json* const only =
      context != nullptr && context->is_object() ? context->find("only") : nullptr;
  if (only == nullptr || !only->is_array()) return true;
  return std::any_of(only->begin(), only->end(), [](const Json& kind) {
    return kind.is_string() && (kind.text().empty() || kind.text() == kQuickFix);
  });
}

bool is_known(const std::string& id) {
  const auto all = check::diagnostics();
  return std::ranges::find(all, id, &check::Diagnostic::id) != all.end();
}

}  // namespace

Json code_actions(const Workspace& workspace, const Json& params) {
  const std::string uri = uri_in(params);
  const std::optional<Range> range = range_in(params);
  const Document* const document = workspace.document(uri);
  Json actions = Json::array();
  if (document == nullptr || !range || !wants_repairs(params)) return actions;
  const KernelText kernel(document->text(), workspace.settings.chip);
  for (const Shown& shown : diagnostics_of(workspace, uri, *document)) {
    const Range at = *range_in(shown.diagnostic);
    if (range->end < at.start || at.end < range->start || !is_known(shown.id)) continue;
    if (shown.fault != nullptr) {
      if (const auto change = change_for(kernel, *document, *shown.fault)) {
        const Json edit{{"range", json(document->range_of({change->at, change->at}))},
                        {"newText", change->text}};
        Json changes = Json::object();
        changes[uri] = Json::array({edit});
        actions.push_back({{"title", change->title},
                           {"kind", kQuickFix},
                           {"diagnostics", Json::array({shown.diagnostic})},
                           {"isPreferred", true},
                           {"edit", {{"changes", changes}}}});
      }
    }
    const std::string title = fmt::format("{}: {}", shown.id, shown.repair);
    actions.push_back({{"title", title},
                       {"kind", kQuickFix},
                       {"diagnostics", Json::array({shown.diagnostic})},
                       {"command",
                        {{"title", title},
                         {"command", "tensorlane.explain"},
                         {"arguments", Json::array({shown.id})}}}});
  }
  return actions;
}

}  // namespace tensorlane::lsp
