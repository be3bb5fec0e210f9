// Reports as SARIF 2.1.0 (OASIS), for code viewers and CI services. Every result has a location:
// where nothing better is known, the program that ran.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/check/report.h"

namespace tensorlane::check {
namespace {

// A path as URI, its bytes as percent-encoded UTF-8 (RFC 3986); paths that begin at no root stay
// relative, as code viewers want them.
std::string uri_of(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json location_of(const SourcePlace& place, std::string_view message) {
  Json location = Json::object();
  if (!place.file.empty()) {
    Json region = {{"startLine", std::max(1, place.line)}};
    if (!place.source.empty()) region["snippet"] = Json{{"text", place.source}};
    location["physicalLocation"] =
        Json{{"artifactLocation", {{"uri", uri_of(place.file)}}}, {"region", region}};
  }
  if (!place.function.empty()) {
    location["logicalLocations"] =
        Json::array({Json{{"name", place.function}, {"kind", "function"}}});
  }
  if (!message.empty()) location["message"] = Json{{"text", message}};
  return location;
}

// What stays the same when lines move and buffers lie elsewhere, so that services know a finding
// again: what it is, in which functions and on which texts. FNV-1a.
std::string fingerprint(const Finding& finding) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto take = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    hash = (hash ^ 0xff) * 0x100000001b3u;
  };
  take(finding.diagnostic->id);
  take(finding.kernel);
  for (const FindingLocation& location : finding.locations) {
    for (const std::string& text :
         {location.role, location.call, location.function, location.source})
      take(text);
    take(location.file.substr(location.file.rfind('/') + 1));
  }
  return fmt::format("{:016x}", hash);
}

// A program that crashed, or whose kernel did, is no clean run even if nothing else was found.
Json invocation_of(const Report& report, const Invocation& invocation) {
  const std::vector<Finding> findings = report.findings();
  const bool launch_failed = std::ranges::any_of(
      findings, [](const Finding& finding) { return class_name(*finding.diagnostic) == "launch"; });
  Json result = {{"executionSuccessful",
                  invocation.status == 0 && invocation.problems.empty() && !launch_failed},
                 {"arguments", invocation.command}};
  if (invocation.signal == 0) {
    result["exitCode"] = invocation.status;
  } else {
    result["exitSignalNumber"] = invocation.signal;
    result["exitSignalName"] = fmt::format("SIG{}", sigabbrev_np(invocation.signal));
  }
  for (const std::string& problem : invocation.problems) {
    result["toolExecutionNotifications"].push_back(
        Json{{"level", "error"}, {"message", {{"text", problem}}}});
  }
  return result;
}

// The calls that led to each location that has some, up to the host's launch.
Json stacks_of(const Finding& finding) {
  Json stacks = Json::array();
  const auto frame = [](const SourcePlace& place) {
    return Json{{"location", location_of(place, place.place)}};
  };
  for (const FindingLocation& location : finding.locations) {
    if (location.callers.empty()) continue;
    Json frames = Json::array({frame(location)});
    for (const SourcePlace& caller : location.callers) frames.push_back(frame(caller));
    if (!finding.launches.empty()) frames.push_back(frame(finding.launches.front().host));
    stacks.push_back(Json{{"message", {{"text", tr("calls of the {}", translated(location.role))}}},
                          {"frames", frames}});
  }
  return stacks;
}

class Results {
 public:
  explicit Results(const Invocation& invocation) : known_(diagnostics()) {
    if (!invocation.command.empty()) program_.file = invocation.command.front();
  }

  static std::string_view level(Severity severity) {
    return severity == Severity::kAdvice ? "note" : severity_name(severity);
  }
  Json rules() const {
    Json rules = Json::array();
    for (const Diagnostic& diagnostic : known_) {
      rules.push_back({{"id", diagnostic.id},
                       {"shortDescription", {{"text", spelled(translated(diagnostic.title))}}},
                       {"help", {{"text", spelled(translated(diagnostic.repair))}}},
                       {"defaultConfiguration", {{"level", level(diagnostic.severity)}}},
                       {"properties", {{"tags", {class_name(diagnostic)}}}}});
    }
    return rules;
  }
  Json result(const Finding& finding) {
    std::string message = finding.message;
    for (const std::string& note : finding.notes) message += "\n" + note;
    const auto rule =
        std::ranges::find(known_, finding.diagnostic->id, &Diagnostic::id) - known_.begin();
    Json result = {{"ruleId", finding.diagnostic->id},
                   {"ruleIndex", rule},
                   {"level", finding.cause ? "note" : level(finding.diagnostic->severity)},
                   {"message", {{"text", message}}},
                   {"occurrenceCount", finding.count}};
    add_locations(result, finding);
    if (Json stacks = stacks_of(finding); !stacks.empty()) result["stacks"] = std::move(stacks);
    const std::string print = fingerprint(finding);
    result["partialFingerprints"] =
        Json{{"tensorlaneFinding/v1", fmt::format("{}:{}", print, ++prints_[print])}};
    Json launches = Json::array();
    for (const FindingLaunches& each : finding.launches) launches.push_back(json(each));
    result["properties"] = Json{{"kernel", finding.kernel.empty() ? Json() : Json(finding.kernel)},
                                {"launches", launches},
                                {"repair", finding.repair}};
    Json& properties = result["properties"];
    if (finding.cause)
      properties["consequenceOf"] =
          Json{{"ruleId", finding.cause_id}, {"resultIndex", *finding.cause}};
    if (!finding.other_callers.empty()) properties["otherCallers"] = json(finding)["other_callers"];
    return result;
  }

 private:
  void add_locations(Json& result, const Finding& finding) const {
    // The first that has a file is where viewers show it; without any the program is.
    const auto shown = std::ranges::find_if(
        finding.locations, [](const FindingLocation& each) { return !each.file.empty(); });
    const auto message = [](const FindingLocation& location) {
      return fmt::format("{}: {}", translated(location.role), location.place);
    };
    Json location = shown == finding.locations.end() ? location_of(program_, tr("the program"))
                                                     : location_of(*shown, message(*shown));
    result["locations"] = Json::array({std::move(location)});
    Json related = Json::array();
    const auto relate = [&](Json place) {
      place["id"] = related.size() + 1;
      related.push_back(std::move(place));
    };
    for (auto each = finding.locations.begin(); each != finding.locations.end(); ++each) {
      if (each != shown) relate(location_of(*each, message(*each)));
    }
    for (const FindingLaunches& each : finding.launches) {
      relate(location_of(each.host, tr("launch {} of device {}: kernel '{}'", each.first,
                                       each.device, each.kernel)));
    }
    if (!related.empty()) result["relatedLocations"] = std::move(related);
  }

  const std::vector<Diagnostic> known_;
  SourcePlace program_;
  std::map<std::string, int> prints_;  // how often each came: equal findings are told apart
};

}  // namespace

std::string sarif_report(const Report& report, const Invocation& invocation) {
  Results results(invocation);
  Json list = Json::array();
  for (const Finding& finding : report.findings()) list.push_back(results.result(finding));
  const Json driver = {
      {"name", "TensorLane"}, {"semanticVersion", TENSORLANE_VERSION}, {"rules", results.rules()}};
  Json run = {{"tool", {{"driver", driver}}}};
  if (!invocation.command.empty())
    run["invocations"] = Json::array({invocation_of(report, invocation)});
  run["results"] = list;
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return log.dump(2) + "\n";
}

}  // namespace tensorlane::check
