#include "lsp/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "lsp/uri.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::lsp {
namespace {

// Of the protocol.
constexpr int kError = 1, kWarning = 2, kInformation = 3, kHint = 4;

int severity_of(const FoundFault& fault) {
  if (fault.consequence) return kHint;
  return fault.severity == "error" ? kError : fault.severity == "warning" ? kWarning : kInformation;
}

Range line_range(std::int64_t line) {
  const Position begin{std::max<std::int64_t>(line, 0), 0};
  return {begin, begin};
}

// Where the text of a place stands now; nothing where it is gone.
std::optional<Range> range_now(const Workspace& workspace, const FoundPlace& place) {
  const std::string file = workspace.file_of(place.file);
  const Document* const document = workspace.document(workspace.uri_of_file(file));
  if (document == nullptr) return line_range(place.line - 1);
  const std::optional<std::int64_t> line = line_now(*document, place.line, place.source);
  return line ? std::optional(document->text_of_line(*line)) : std::nullopt;
}

Json related_of(const Workspace& workspace, const FoundFault& fault) {
  Json related = Json::array();
  for (std::size_t k = 1; k < fault.places.size(); ++k) {
    const FoundPlace& place = fault.places[k];
    if (place.file.empty() || place.line < 1) continue;
    const std::optional<Range> range = range_now(workspace, place);
    if (!range) continue;
    std::string message(translated(place.what));
    if (!place.source.empty()) message += ": " + place.source;
    related.push_back(
        {{"location",
          {{"uri", workspace.uri_of_file(workspace.file_of(place.file))}, {"range", json(*range)}}},
         {"message", message}});
  }
  return related;
}

Shown shown(const Workspace& workspace, const FoundFault& fault, const Range& range) {
  std::string message = fault.message;
  for (const std::string& note : fault.notes) message += "\n" + note;
  if (!fault.repair.empty()) message += "\n" + tr("repair: {}", fault.repair);
  Json diagnostic{{"range", json(range)},
                  {"severity", severity_of(fault)},
                  {"code", fault.id},
                  {"source", "tensorlane"},
                  {"message", message}};
  if (workspace.related) {
    if (Json related = related_of(workspace, fault); !related.empty())
      diagnostic["relatedInformation"] = std::move(related);
  }
  return {std::move(diagnostic), fault.id, fault.repair, &fault};
}

// The device function where the line calls it; else the whole line.
Range range_in_line(const Document& document, std::int64_t line, const FoundPlace& place) {
  const Range whole = document.text_of_line(line);
  if (place.call.empty()) return whole;
  const std::size_t begin = document.offset_of({line, 0});
  const std::size_t at = document.line(line).find(place.call);
  if (at == std::string_view::npos) return whole;
  return {document.position_of(begin + at), whole.end};
}

}  // namespace

std::vector<Shown> diagnostics_of(const Workspace& workspace, const std::string& uri,
                                  const Document& document) {
  const std::string file = workspace.file_of(path_of_uri(uri));
  std::vector<Shown> all;
  for (const FoundFault& fault : workspace.run.faults) {
    if (fault.places.empty() || workspace.file_of(fault.places.front().file) != file) continue;
    const FoundPlace& place = fault.places.front();
    if (const auto line = line_now(document, place.line, place.source))
      all.push_back(shown(workspace, fault, range_in_line(document, *line, place)));
  }
  // What a run found as well is said once, with all that the run knows.
  const std::size_t found = all.size();
  for (Shown& each : static_diagnostics(document, workspace.settings.chip)) {
    const Json& start = each.diagnostic["range"]["start"]["line"];
    const bool known = std::any_of(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found), [&](const Shown& other) {
          return other.id == each.id && other.diagnostic["range"]["start"]["line"] == start;
        });
    if (!known) all.push_back(std::move(each));
  }
  return all;
}

std::vector<Shown> diagnostics_of_file(const Workspace& workspace, const std::string& file) {
  std::vector<Shown> all;
  for (const FoundFault& fault : workspace.run.faults) {
    if (!fault.places.empty() && workspace.file_of(fault.places.front().file) == file)
      all.push_back(shown(workspace, fault, line_range(fault.places.front().line - 1)));
  }
  return all;
}

}  // namespace tensorlane::lsp
