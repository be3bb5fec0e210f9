#include "tensorlane/observe/check/finding_json.h"

#include "tensorlane/observe/check/report.h"

namespace tensorlane::check {
namespace {

// Programs that read reports look at it first: counted up when a member changes or goes.
constexpr int kReportVersion = 1;

Json json(const SourcePlace& place) {
  return {{"file", place.file},
          {"line", place.line},
          {"function", place.function},
          {"place", place.place},
          {"source", place.source}};
}

Json json(const FindingRegion& region) {
  return {{"memory", region.memory},
          {"npu", region.npu},
          {"npus", region.npus},
          {"begin", region.begin},
          {"end", region.end}};
}

SourcePlace place_of(const Json& from) {
  return {from["file"].text(), from["line"].get<int>(), from["function"].text(),
          from["place"].text(), from["source"].text()};
}

FindingLocation location_of(const Json& from) {
  FindingLocation location;
  static_cast<SourcePlace&>(location) = place_of(from);
  location.role = from["role"].text();
  location.call = from["call"].text();
  location.tensors = from["tensors"].get<std::vector<std::string>>();
  for (const Json& caller : from["callers"]) location.callers.push_back(place_of(caller));
  return location;
}

FindingLaunches launches_of(const Json& from) {
  return {from["device"].get<int>(),
          from["kernel"].text(),
          from["first"].get<std::uint64_t>(),
          from["last"].get<std::uint64_t>(),
          from["count"].get<std::uint64_t>(),
          place_of(from["host"]),
          nullptr,
          from.value("of_cores", 1),
          from.contains("cores") ? from["cores"].get<std::vector<int>>() : std::vector<int>{}};
}

}  // namespace

Json json(const FindingLocation& location) {
  Json callers = Json::array();
  for (const SourcePlace& caller : location.callers) callers.push_back(json(caller));
  Json result = {{"role", location.role}, {"call", location.call}};
  result.update(json(static_cast<const SourcePlace&>(location)));
  result["callers"] = callers;
  result["tensors"] = location.tensors;
  return result;
}

Json json(const FindingLaunches& launches) {
  Json result = {{"device", launches.device}, {"kernel", launches.kernel},
                 {"first", launches.first},   {"last", launches.last},
                 {"count", launches.count},   {"host", json(launches.host)}};
  if (launches.of_cores > 1) {
    result["of_cores"] = launches.of_cores;
    result["cores"] = launches.cores;
  }
  return result;
}

Json json(const Finding& finding) {
  Json launches = Json::array(), locations = Json::array(), tensors = Json::array(),
       regions = Json::array();
  for (const FindingLaunches& each : finding.launches) launches.push_back(json(each));
  for (const FindingLocation& location : finding.locations) {
    locations.push_back(json(location));
    for (const std::string& tensor : location.tensors) tensors.push_back(tensor);
  }
  for (const FindingRegion& region : finding.regions) regions.push_back(json(region));
  Json others = Json::array();
  for (const OtherCallers& each : finding.other_callers) {
    Json callers = Json::array();
    for (const SourcePlace& caller : each.callers) callers.push_back(json(caller));
    others.push_back({{"callers", callers}, {"count", each.count}});
  }
  Json cause;
  if (!finding.cause_id.empty()) {
    cause = {{"id", finding.cause_id}, {"finding", finding.cause ? Json(*finding.cause) : Json()}};
  }
  const Diagnostic& diagnostic = *finding.diagnostic;
  return {{"id", diagnostic.id},
          {"class", class_name(diagnostic)},
          {"severity", severity_name(diagnostic.severity)},
          {"message", finding.message},
          {"kernel", finding.kernel.empty() ? Json() : Json(finding.kernel)},
          {"count", finding.count},
          {"launches", launches},
          {"locations", locations},
          {"tensors", tensors},
          {"regions", regions},
          {"notes", finding.notes},
          {"repair", finding.repair},
          {"other_callers", others},
          {"consequence_of", cause}};
}

Json single_json(const Finding& finding) {
  Json result = json(finding);
  result["single"] = Json{{"cause", finding.cause ? Json(*finding.cause) : Json()},
                          {"region", finding.region},
                          {"of_callers", finding.of_callers}};
  return result;
}

Finding finding_of(const Json& from) {
  Finding finding;
  finding.diagnostic = &find_diagnostic(from["id"].get<std::string>());
  finding.message = from["message"].get<std::string>();
  finding.repair = from["repair"].get<std::string>();
  if (!from["kernel"].is_null()) finding.kernel = from["kernel"].get<std::string>();
  finding.count = from["count"].get<decltype(finding.count)>();
  for (const Json& each : from["launches"]) finding.launches.push_back(launches_of(each));
  for (const Json& each : from["locations"]) finding.locations.push_back(location_of(each));
  for (const Json& each : from["regions"]) {
    const auto number = [&](const char* name) { return each[name].get<std::int64_t>(); };
    finding.regions.push_back({each["memory"].text(), static_cast<int>(number("npu")),
                               static_cast<int>(number("npus")), number("begin"), number("end")});
  }
  finding.notes = from["notes"].get<std::vector<std::string>>();
  const Json& single = from["single"];
  if (!single["cause"].is_null()) finding.cause = single["cause"].get<std::size_t>();
  finding.region = single["region"].text();
  finding.of_callers = single["of_callers"].get<bool>();
  return finding;
}

std::string json_report(const Report& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings()) findings.push_back(json(finding));
  const Json all = {{"version", kReportVersion},
                    {"tool", {{"name", "TensorLane"}, {"version", TENSORLANE_VERSION}}},
                    {"findings", findings},
                    {"summary",
                     {{"errors", report.count(Severity::kError)},
                      {"warnings", report.count(Severity::kWarning)},
                      {"advice", report.count(Severity::kAdvice)},
                      {"consequences", report.consequences()},
                      {"suppressed", report.suppressed()}}}};
  return all.dump(2) + "\n";
}

}  // namespace tensorlane::check
