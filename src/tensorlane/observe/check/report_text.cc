// Reports for people: on a terminal, and at the code as GitHub Actions shows them.
#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/observe/check/report.h"

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

// "0 of device 0, at host.c:30 in main"; what the host did alone is said to come after a launch.
std::string describe(const FindingLaunches& launches, const std::string& kernel) {
  std::string text = kernel.empty() ? "launch " : "";
  text += launches.first == launches.last ? fmt::format("{}", launches.first)
                                          : fmt::format("{} to {}", launches.first, launches.last);
  text += fmt::format(" of device {}", launches.device);
  if (launches.kernel != kernel) text += fmt::format(", kernel '{}'", launches.kernel);
  if (!launches.host.place.empty()) text += ", at " + launches.host.place;
  return text;
}

std::string source_line(const SourcePlace& place) {
  return place.source.empty() ? "" : fmt::format("  {:>8} | {}\n", place.line, place.source);
}

std::string describe(const FindingLocation& location) {
  std::string text = fmt::format("  {:<8} {}{}{}\n", location.role, location.call,
                                 location.call.empty() ? "" : " at ", location.place);
  text += source_line(location);
  for (const std::string& tensor : location.tensors) text += fmt::format("           {}\n", tensor);
  constexpr std::size_t kShownCallers = 8;
  const std::size_t shown = std::min(location.callers.size(), kShownCallers);
  for (const SourcePlace& caller : std::span(location.callers).first(shown))
    text += fmt::format("  {:<8} {}\n{}", "from", caller.place, source_line(caller));
  if (shown < location.callers.size())
    text += fmt::format("  {:<8} {} more calls\n", "", location.callers.size() - shown);
  return text;
}

// How often, and where.
std::string seen(const Finding& finding) {
  const std::string often = finding.count == 1 ? "once" : fmt::format("{} times", finding.count);
  return finding.kernel.empty() ? often + " in the host"
                                : fmt::format("{} in kernel '{}'", often, finding.kernel);
}

// One line per item, `shown` at most.
template <class Items, class Describe>
std::string list(std::string_view title, const Items& items, std::size_t shown,
                 std::string_view others, Describe describe) {
  std::string text;
  for (std::size_t k = 0; k < std::min(items.size(), shown); ++k)
    text += fmt::format("  {:<8} {}\n", k == 0 ? title : "", describe(items[k]));
  if (items.size() > shown)
    text += fmt::format("  {:<8} and {} more {}\n", "", items.size() - shown, others);
  return text;
}

std::string block(const Finding& finding) {
  constexpr std::size_t kShown = 4;
  const Diagnostic& diagnostic = *finding.diagnostic;
  std::string text = fmt::format("{} {}: {}\n", severity_name(diagnostic.severity), diagnostic.id,
                                 finding.message);
  for (const FindingLocation& location : finding.locations) text += describe(location);
  text += list("bytes", finding.regions, kShown, "ranges",
               [](const FindingRegion& region) { return describe(region); });
  for (const std::string& note : finding.notes) text += fmt::format("  {}\n", note);
  text += fmt::format("  {:<8} {}\n", "repair", finding.repair);
  text += list(finding.kernel.empty() ? "after" : "launch", finding.launches, kShown,
               "groups of launches",
               [&](const FindingLaunches& each) { return describe(each, finding.kernel); });
  return text + fmt::format("  {:<8} {}; more: tensorlane explain {}\n", "seen", seen(finding),
                            diagnostic.id);
}

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The characters of `special` as %XX, which would end a GitHub command, or a property of one.
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
constexpr std::string_view kGithubText = "%\n\r", kGithubProperty = "%\n\r:,";

}  // namespace

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
                        advice        ? ""
                        : pieces == 1 ? " (--check=all,lint shows it)"
                                      : " (--check=all,lint shows them)");
  }
  if (suppressed > 0) text += fmt::format(", {} suppressed", suppressed);
  return text + "\n";
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
