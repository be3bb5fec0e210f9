#include "tensorlane/observe/check/report.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/describe.h"

namespace tensorlane::check {
namespace {

std::string describe(const FindingRegion& region) {
  std::string text = region.memory;
  if (region.npus == 1) text += fmt::format(", NPU {}", region.npu);
  if (region.npus > 1)
    text += fmt::format(", NPUs {}..{}", region.npu, region.npu + region.npus - 1);
  return text +
         (region.npus > 0 ? fmt::format(", offsets {}..{}", region.begin, region.end - 1)
                          : fmt::format(", bytes {:#x}..{:#x}", region.begin, region.end - 1)) +
         fmt::format(" ({} byte{})", region.end - region.begin,
                     region.end - region.begin == 1 ? "" : "s");
}

std::string block(const Finding& finding) {
  constexpr std::size_t kShownRegions = 4;
  const Diagnostic& diagnostic = *finding.diagnostic;
  std::string text = fmt::format("{} {}: {}\n", severity_name(diagnostic.severity), diagnostic.id,
                                 finding.message);
  for (const FindingLocation& location : finding.locations) {
    text += fmt::format("  {:<8} {}{}{}\n", location.role, location.call,
                        location.call.empty() ? "" : " at ", location.place);
    if (!location.source.empty())
      text += fmt::format("  {:>8} | {}\n", location.line, location.source);
    for (const std::string& tensor : location.tensors)
      text += fmt::format("           {}\n", tensor);
  }
  for (std::size_t k = 0; k < std::min(finding.regions.size(), kShownRegions); ++k)
    text += fmt::format("  {:<8} {}\n", k == 0 ? "bytes" : "", describe(finding.regions[k]));
  if (finding.regions.size() > kShownRegions)
    text += fmt::format("  {:<8} and {} more ranges\n", "", finding.regions.size() - kShownRegions);
  for (const std::string& note : finding.notes) text += fmt::format("  {}\n", note);
  text += fmt::format("  {:<8} {}\n", "repair", finding.repair);
  text +=
      fmt::format("  {:<8} {}{}; more: tensorlane explain {}\n", "seen",
                  finding.count == 1 ? "once in " : fmt::format("{} times in ", finding.count),
                  finding.kernel.empty() ? "the host" : fmt::format("kernel '{}'", finding.kernel),
                  diagnostic.id);
  return text;
}

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The characters of `special` as %XX.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}
// What would end a GitHub command, or a property of one.
constexpr std::string_view kGithubText = "%\n\r", kGithubProperty = "%\n\r:,";
// What may not stand in the path of a URI.
constexpr std::string_view kUriPath = "% \"#<>?[\\]^`{|}";

Json json(const Finding& finding) {
  Json locations = Json::array(), tensors = Json::array(), regions = Json::array();
  for (const FindingLocation& location : finding.locations) {
    locations.push_back({{"role", location.role},
                         {"call", location.call},
                         {"file", location.file},
                         {"line", location.line},
                         {"function", location.function},
                         {"place", location.place},
                         {"source", location.source},
                         {"tensors", location.tensors}});
    for (const std::string& tensor : location.tensors) tensors.push_back(tensor);
  }
  for (const FindingRegion& region : finding.regions) {
    regions.push_back({{"memory", region.memory},
                       {"npu", region.npu},
                       {"npus", region.npus},
                       {"begin", region.begin},
                       {"end", region.end}});
  }
  const Diagnostic& diagnostic = *finding.diagnostic;
  return {{"id", diagnostic.id},
          {"class", class_name(diagnostic)},
          {"severity", severity_name(diagnostic.severity)},
          {"message", finding.message},
          {"kernel", finding.kernel},
          {"count", finding.count},
          {"locations", locations},
          {"tensors", tensors},
          {"regions", regions},
          {"notes", finding.notes},
          {"repair", finding.repair}};
}

// A program that crashed, or whose kernel did, is no clean run even if nothing else was found.
Json sarif_invocation(const Report& report, const Invocation& invocation) {
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

Finding finding_of(const Json& from) {
  Finding finding;
  finding.diagnostic = &find_diagnostic(from["id"].get<std::string>());
  finding.message = from["message"].get<std::string>();
  finding.repair = from["repair"].get<std::string>();
  finding.kernel = from["kernel"].get<std::string>();
  finding.count = from["count"].get<decltype(finding.count)>();
  for (const Json& each : from["locations"]) {
    const auto text = [&](const char* name) { return each[name].text(); };
    finding.locations.push_back({text("role"), text("call"), text("file"), each["line"].get<int>(),
                                 text("function"), text("place"), text("source"),
                                 each["tensors"].get<std::vector<std::string>>(), nullptr});
  }
  for (const Json& each : from["regions"]) {
    const auto number = [&](const char* name) { return each[name].get<std::int64_t>(); };
    finding.regions.push_back({each["memory"].text(), static_cast<int>(number("npu")),
                               static_cast<int>(number("npus")), number("begin"), number("end")});
  }
  finding.notes = from["notes"].get<std::vector<std::string>>();
  return finding;
}

}  // namespace

Suppressions::Suppressions(std::string_view text) {
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    Rule rule;
    std::string rest;
    if (!(words >> rule.id)) continue;
    if (!(words >> rule.function) || words >> rest)
      user_error("line {} of the suppressions is '{}'; it must be an id and a function", number,
                 line);
    rules_.push_back(rule);
  }
}

bool Suppressions::matches(const Finding& finding) const {
  const auto like = [](const std::string& pattern, const std::string& name) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  };
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    if (!like(rule.id, std::string(finding.diagnostic->id))) return false;
    return like(rule.function, finding.kernel) ||
           std::any_of(finding.locations.begin(), finding.locations.end(),
                       [&](const FindingLocation& location) {
                         return like(rule.function, location.function);
                       });
  });
}

void Report::add(const Key& key, const std::function<Finding()>& make) {
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = index_.try_emplace(key, findings_.size());
  if (added) {
    findings_.push_back(make());
  } else {
    ++findings_[entry->second].count;
  }
}

void Report::complete() {
  const std::lock_guard lock(mutex_);
  for (; completed_ < findings_.size(); ++completed_) {
    for (FindingLocation& location : findings_[completed_].locations) check::complete(location);
  }
}

void Report::merge(Finding finding) {
  const std::lock_guard lock(mutex_);
  const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& other) {
    return other.diagnostic == finding.diagnostic && other.message == finding.message &&
           std::equal(other.locations.begin(), other.locations.end(), finding.locations.begin(),
                      finding.locations.end(),
                      [](const FindingLocation& a, const FindingLocation& b) {
                        return a.place == b.place;
                      });
  });
  if (same != findings_.end()) {
    same->count += finding.count;
  } else {
    findings_.push_back(std::move(finding));
  }
}

std::vector<Finding> Report::findings() const {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> shown;
  std::copy_if(findings_.begin(), findings_.end(), std::back_inserter(shown),
               [&](const Finding& finding) { return !suppressions_.matches(finding); });
  return shown;
}

std::size_t Report::count(Severity severity) const {
  const std::vector<Finding> all = findings();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(),
      [&](const Finding& finding) { return finding.diagnostic->severity == severity; }));
}

std::size_t Report::suppressed() const {
  return size() - findings().size();
}

std::size_t Report::size() const {
  const std::lock_guard lock(mutex_);
  return findings_.size();
}

Json report_entry(const Report& report, int device) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings()) findings.push_back(json(finding));
  return {{"tool", "check"}, {"process", getpid()}, {"device", device}, {"findings", findings}};
}

void add_entries(const std::vector<Json>& entries, Report& report) {
  std::map<std::pair<std::int64_t, int>, const Json*> last;
  for (const Json& entry : entries) {
    if (entry.value("tool", "") == "check")
      last[{entry["process"].get<std::int64_t>(), entry["device"].get<int>()}] = &entry;
  }
  for (const auto& [from, entry] : last) {
    for (const Json& each : (*entry)["findings"]) report.merge(finding_of(each));
  }
}

std::string text_report(const Report& report, bool advice) {
  std::string text;
  for (const Finding& finding : report.findings()) {
    if (finding.diagnostic->severity != Severity::kAdvice || advice) text += block(finding) + "\n";
  }
  const std::size_t errors = report.count(Severity::kError),
                    warnings = report.count(Severity::kWarning),
                    pieces = report.count(Severity::kAdvice), suppressed = report.suppressed();
  text += fmt::format("tensorlane check: {}, {}", plural(errors, "error", "errors"),
                      plural(warnings, "warning", "warnings"));
  if (pieces > 0) {
    text += fmt::format(", {}{}", plural(pieces, "piece of advice", "pieces of advice"),
                        advice ? "" : " (--check=all,lint shows them)");
  }
  if (suppressed > 0) text += fmt::format(", {} suppressed", suppressed);
  return text + "\n";
}

std::string json_report(const Report& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings()) findings.push_back(json(finding));
  const Json all = {{"findings", findings},
                    {"summary",
                     {{"errors", report.count(Severity::kError)},
                      {"warnings", report.count(Severity::kWarning)},
                      {"advice", report.count(Severity::kAdvice)},
                      {"suppressed", report.suppressed()}}}};
  return all.dump(2) + "\n";
}

std::string sarif_report(const Report& report, const Invocation& invocation) {
  Json rules = Json::array(), results = Json::array();
  const auto level = [](Severity severity) {
    return severity == Severity::kAdvice ? "note" : severity_name(severity);
  };
  const std::vector<Diagnostic> known = diagnostics();
  for (const Diagnostic& diagnostic : known) {
    rules.push_back({{"id", diagnostic.id},
                     {"shortDescription", {{"text", spelled(diagnostic.title)}}},
                     {"help", {{"text", spelled(diagnostic.repair)}}},
                     {"defaultConfiguration", {{"level", level(diagnostic.severity)}}},
                     {"properties", {{"tags", {class_name(diagnostic)}}}}});
  }
  for (const Finding& finding : report.findings()) {
    Json locations = Json::array();
    for (const FindingLocation& location : finding.locations) {
      Json entry = {{"message", {{"text", fmt::format("{}: {}", location.role, location.place)}}}};
      if (!location.file.empty()) {
        entry["physicalLocation"] = {
            {"artifactLocation", {{"uri", escaped(location.file, kUriPath)}}},
            {"region", {{"startLine", std::max(1, location.line)}}}};
      }
      if (!location.function.empty()) {
        entry["logicalLocations"] =
            Json::array({{{"name", location.function}, {"kind", "function"}}});
      }
      locations.push_back(entry);
    }
    std::string message = finding.message;
    for (const std::string& note : finding.notes) message += "\n" + note;
    const auto rule =
        std::ranges::find(known, finding.diagnostic->id, &Diagnostic::id) - known.begin();
    Json result = {{"ruleId", finding.diagnostic->id},
                   {"ruleIndex", rule},
                   {"level", level(finding.diagnostic->severity)},
                   {"message", {{"text", message}}},
                   {"occurrenceCount", finding.count}};
    if (!locations.empty()) {
      result["locations"] = Json::array({locations.front()});
      locations.erase(0);
    }
    for (std::size_t k = 0; k < locations.size(); ++k) locations[k]["id"] = k + 1;
    if (!locations.empty()) result["relatedLocations"] = locations;
    results.push_back(result);
  }
  const Json driver = {
      {"name", "TensorLane"}, {"semanticVersion", TENSORLANE_VERSION}, {"rules", rules}};
  Json run = {{"tool", {{"driver", driver}}}};
  if (!invocation.command.empty())
    run["invocations"] = Json::array({sarif_invocation(report, invocation)});
  run["results"] = results;
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return log.dump(2) + "\n";
}

std::string github_report(const Report& report) {
  std::string text;
  for (const Finding& finding : report.findings()) {
    const Severity severity = finding.diagnostic->severity;
    text +=
        severity == Severity::kAdvice ? "::notice " : fmt::format("::{} ", severity_name(severity));
    if (!finding.locations.empty() && !finding.locations.front().file.empty()) {
      text +=
          fmt::format("file={},line={},", escaped(finding.locations.front().file, kGithubProperty),
                      finding.locations.front().line);
    }
    text += fmt::format("title={}::{}\n", finding.diagnostic->id,
                        escaped(finding.message, kGithubText));
  }
  return text;
}

}  // namespace tensorlane::check
