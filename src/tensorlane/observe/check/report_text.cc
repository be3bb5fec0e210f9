// Reports for people: on a terminal, and at the code as GitHub Actions shows them.
#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/report.h"

namespace tensorlane::check {
namespace {

std::string describe(const FindingRegion& region) {
  const std::string_view memory = translated(region.memory);
  const std::string size = tr_n("{} byte", "{} bytes", region.end - region.begin);
  if (region.npus == 0)
    return tr("{}, bytes {:#x}..{:#x} ({})", memory, region.begin, region.end - 1, size);
  if (region.npus == 1)
    return tr("{}, NPU {}, offsets {}..{} ({})", memory, region.npu, region.begin, region.end - 1,
              size);
  return tr("{}, NPUs {}..{}, offsets {}..{} ({})", memory, region.npu,
            region.npu + region.npus - 1, region.begin, region.end - 1, size);
}

// "0 to 5, 7"
std::string numbers_text(std::span<const int> ascending) {
  std::string text;
  for (std::size_t k = 0; k < ascending.size();) {
    std::size_t end = k + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    const int first = ascending[k], last = ascending[end - 1];
    text += k == 0 ? "" : ", ";
    text += first == last ? fmt::format("{}", first) : tr("{} to {}", first, last);
    k = end;
  }
  return text;
}

// "0 of device 0, at host.c:30 in main"; what the host did alone is said to come after a launch.
std::string describe(const FindingLaunches& launches, const std::string& kernel) {
  const std::string numbers = launches.first == launches.last
                                  ? fmt::format("{}", launches.first)
                                  : tr("{} to {}", launches.first, launches.last);
  std::string text = kernel.empty() ? tr("launch {} of device {}", numbers, launches.device)
                                    : tr("{} of device {}", numbers, launches.device);
  if (!launches.cores.empty())
    text += launches.cores.size() == 1
                ? tr(", on core {} of {}", launches.cores.front(), launches.of_cores)
                : tr(", on cores {} of {}", numbers_text(launches.cores), launches.of_cores);
  if (launches.kernel != kernel) text += tr(", kernel '{}'", launches.kernel);
  if (!launches.host.place.empty()) text += tr(", at {}", launches.host.place);
  return text;
}

std::string source_line(const SourcePlace& place) {
  return place.source.empty() ? "" : fmt::format("  {:>8} | {}\n", place.line, place.source);
}

// A line of a finding.
std::string line(std::string_view label, std::string_view text) {
  return fmt::format("  {}\n", labelled(label, text));
}

std::string describe(const FindingLocation& location) {
  std::string text =
      line(location.role,
           location.call.empty() ? location.place : tr("{} at {}", location.call, location.place));
  text += source_line(location);
  for (const std::string& tensor : location.tensors) text += line("", tensor);
  constexpr std::size_t kShownCallers = 8;
  const std::size_t shown = std::min(location.callers.size(), kShownCallers);
  for (const SourcePlace& caller : std::span(location.callers).first(shown))
    text += line(msg("from"), caller.place) + source_line(caller);
  if (shown < location.callers.size())
    text += line("", tr_n("{} more call", "{} more calls", location.callers.size() - shown));
  return text;
}

std::string times(std::uint64_t count) {
  return count == 1 ? tr("once") : tr("{} times", count);
}

// How often, and where.
std::string seen(const Finding& finding) {
  const std::string often = times(finding.count);
  return finding.kernel.empty() ? tr("{} in the host", often)
                                : tr("{} in kernel '{}'", often, finding.kernel);
}

// One line per item, `shown` at most.
template <class Items, class Describe>
std::string list(std::string_view title, const Items& items, std::size_t shown,
                 std::string_view others, Describe describe) {
  std::string text;
  for (std::size_t k = 0; k < std::min(items.size(), shown); ++k)
    text += line(k == 0 ? title : "", describe(items[k]));
  if (items.size() > shown)
    text += line("", tr("and {} more {}", items.size() - shown, translated(others)));
  return text;
}

// "k.c:31 in layer3, k.c:40 in net: 2 times"
std::string describe(const OtherCallers& others) {
  std::vector<std::string_view> places;
  for (const SourcePlace& caller : others.callers) places.push_back(caller.place);
  return tr("{}: {}", fmt::join(places, ", "), times(others.count));
}

// The ids of what follows, each once: "TL-INIT-001, TL-LINT-001".
std::string ids_of(std::span<const Finding* const> findings) {
  std::vector<std::string_view> ids;
  for (const Finding* const each : findings) {
    if (std::ranges::find(ids, each->diagnostic->id) == ids.end())
      ids.push_back(each->diagnostic->id);
  }
  return fmt::format("{}", fmt::join(ids, ", "));
}

std::string block(const Finding& finding, std::span<const Finding* const> following) {
  constexpr std::size_t kShown = 4;
  const Diagnostic& diagnostic = *finding.diagnostic;
  std::string text = fmt::format("{} {}: {}\n", translated(severity_name(diagnostic.severity)),
                                 diagnostic.id, finding.message);
  for (const FindingLocation& location : finding.locations) text += describe(location);
  text += list(msg("also from"), finding.other_callers, kShown, msg("callers"),
               [](const OtherCallers& each) { return describe(each); });
  text += list(msg("bytes"), finding.regions, kShown, msg("ranges"),
               [](const FindingRegion& region) { return describe(region); });
  for (const std::string& note : finding.notes) text += fmt::format("  {}\n", note);
  text += line(msg("repair"), finding.repair);
  text += list(finding.kernel.empty() ? msg("after") : msg("launch"), finding.launches, kShown,
               msg("groups of launches"),
               [&](const FindingLaunches& each) { return describe(each, finding.kernel); });
  if (finding.cause) text += line(msg("follows"), tr("from {} above", finding.cause_id));
  if (!following.empty())
    text += line(msg("causes"), tr_n("{} more finding: {}", "{} more findings: {}",
                                     following.size(), ids_of(following)));
  return text +
         line(msg("seen"), tr("{}; more: tensorlane explain {}", seen(finding), diagnostic.id));
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

std::string text_report(const Report& report, Shown shown) {
  const bool advice = shown.advice;
  const std::vector<Finding> findings = report.findings();
  std::vector<std::vector<const Finding*>> following(findings.size());
  for (const Finding& finding : findings) {
    if (finding.cause && (advice || finding.diagnostic->severity != Severity::kAdvice))
      following[*finding.cause].push_back(&finding);
  }
  std::string text;
  for (std::size_t k = 0; k < findings.size(); ++k) {
    if (findings[k].cause && !shown.consequences) continue;
    if (findings[k].diagnostic->severity != Severity::kAdvice || advice)
      text += block(findings[k], following[k]) + "\n";
  }
  const std::size_t errors = report.count(Severity::kError),
                    warnings = report.count(Severity::kWarning),
                    pieces = report.count(Severity::kAdvice), suppressed = report.suppressed();
  text += tr("tensorlane check: {}, {}", tr_n("{} error", "{} errors", errors),
             tr_n("{} warning", "{} warnings", warnings));
  if (pieces > 0) {
    text += tr(", {}", tr_n("{} piece of advice", "{} pieces of advice", pieces));
    if (!advice) {
      text += tr_n(" (--check=all,lint shows it)", " (--check=all,lint shows them)", pieces);
    }
  }
  if (const std::size_t more = report.consequences(); more > 0) {
    text += tr_n(", {} more finding that follows", ", {} more findings that follow", more);
    if (!shown.consequences) text += tr_n(" (--all shows it)", " (--all shows them)", more);
  }
  if (suppressed > 0) text += tr(", {} suppressed", suppressed);
  return text + "\n";
}

std::string github_report(const Report& report) {
  std::string text;
  for (const Finding& finding : report.findings()) {
    if (finding.cause) continue;  // the cause is what has to be repaired
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
