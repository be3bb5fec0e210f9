#include "lsp/last_run.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "lsp/uri.h"
#include "tensorlane/base/error.h"

namespace tensorlane::lsp {
namespace {

std::string in_folder(const std::string& path, const std::string& folder) {
  if (path.empty()) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

FoundPlace place_of(const Json& from, std::string what, const std::string& folder) {
  return {std::move(what), in_folder(from.value("file", ""), folder),
          from.value<std::int64_t>("line", 0), from.value("source", ""), from.value("call", "")};
}

FoundFault fault_of(const Json& from, const std::string& folder) {
  FoundFault fault{.id = from.at("id").text(),
                   .severity = from.at("severity").text(),
                   .message = from.at("message").text(),
                   .repair = from.value("repair", ""),
                   .notes = from.at("notes").get<std::vector<std::string>>(),
                   .places = {},
                   .consequence = !from.at("consequence_of").is_null()};
  for (const Json& location : from.at("locations")) {
    fault.places.push_back(place_of(location, location.at("role").text(), folder));
    for (const Json& caller : location.at("callers"))
      fault.places.push_back(place_of(caller, "caller", folder));
  }
  for (const Json& launch : from.at("launches"))
    fault.places.push_back(place_of(launch.at("host"), "launch", folder));
  return fault;
}

// ---- SARIF ----

const Json* member(const Json* from, std::string_view name) {
  return from != nullptr && from->is_object() ? from->find(name) : nullptr;
}
std::string text_in(const Json* from) {
  return from != nullptr && from->is_string() ? from->text() : std::string();
}

FoundPlace sarif_place(const Json& from, const std::string& folder) {
  const Json* const physical = member(&from, "physicalLocation");
  const Json* const region = member(physical, "region");
  const Json* const line = member(region, "startLine");
  return {
      text_in(member(member(&from, "message"), "text")),
      in_folder(path_of_uri(text_in(member(member(physical, "artifactLocation"), "uri"))), folder),
      line != nullptr && line->is_number() ? line->get<std::int64_t>() : 0,
      text_in(member(member(region, "snippet"), "text")),
      {}};
}

FoundFault sarif_fault(const Json& result, const std::string& folder) {
  FoundFault fault;
  fault.id = text_in(member(&result, "ruleId"));
  const std::string level = text_in(member(&result, "level"));
  const Json* const properties = member(&result, "properties");
  fault.consequence = member(properties, "consequenceOf") != nullptr;
  fault.severity = level == "note" ? "advice" : level.empty() ? "warning" : level;
  fault.repair = text_in(member(properties, "repair"));
  fault.message = text_in(member(member(&result, "message"), "text"));
  for (const char* const name : {"locations", "relatedLocations"}) {
    const Json* const places = member(&result, name);
    if (places == nullptr || !places->is_array()) continue;
    for (const Json& place : *places) fault.places.push_back(sarif_place(place, folder));
  }
  return fault;
}

}  // namespace

std::vector<FoundFault> read_faults(std::string_view text, const std::string& folder) {
  const Json report = Json::parse(text);
  std::vector<FoundFault> faults;
  if (const Json* const findings = member(&report, "findings");
      findings != nullptr && findings->is_array()) {
    for (const Json& each : *findings) faults.push_back(fault_of(each, folder));
    return faults;
  }
  const Json* const runs = member(&report, "runs");
  if (runs == nullptr || !runs->is_array())
    user_error("it holds neither findings of 'tensorlane run --json' nor SARIF");
  for (const Json& run : *runs) {
    const Json* const results = member(&run, "results");
    if (results == nullptr || !results->is_array()) continue;
    for (const Json& result : *results) faults.push_back(sarif_fault(result, folder));
  }
  return faults;
}

std::map<std::pair<std::string, std::int64_t>, std::vector<RecordedCall>> read_calls(
    std::string_view text, const std::string& folder) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<RecordedCall>> calls;
  std::string chip;
  text = text.substr(0, kMostLog);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::optional<Json> line = Json::try_parse(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line || !line->is_object()) continue;
    const std::string event = text_in(line->find("event"));
    if (event == "launch") chip = text_in(line->find("chip"));
    if (event != "command") continue;
    const Json* const number = line->find("line");
    const Json* const time = line->find("time_us");
    RecordedCall call{text_in(line->find("function")), text_in(line->find("call")),
                      text_in(line->find("source")), chip,
                      time != nullptr && time->is_number() ? time->get<double>() : 0};
    const std::string file = in_folder(text_in(line->find("file")), folder);
    if (file.empty() || number == nullptr || !number->is_number()) continue;
    std::vector<RecordedCall>& known = calls[{file, number->get<std::int64_t>()}];
    if (std::ranges::none_of(
            known, [&](const RecordedCall& other) { return other.function == call.function; }))
      known.push_back(std::move(call));
  }
  return calls;
}

}  // namespace tensorlane::lsp
