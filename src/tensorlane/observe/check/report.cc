#include "tensorlane/observe/check/report.h"

#include <fnmatch.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/device/call_stack.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/finding_json.h"

namespace tensorlane::check {
namespace {

// Who launches a kernel in a loop over two devices gets as many of them as launches.
constexpr std::size_t kMostLaunches = 64;

// `more` are launches that go on where `known` end, or some of them once more.
bool belongs_to(const FindingLaunches& known, const FindingLaunches& more) {
  const bool same_place = known.call_site == nullptr && more.call_site == nullptr
                              ? known.host.place == more.host.place  // of another process
                              : known.call_site == more.call_site;
  return known.device == more.device && known.kernel == more.kernel && same_place &&
         known.first <= more.first && more.first <= known.last + 1;
}

bool is_in_program(const void* address) {
  static const Module program = module_of(
      reinterpret_cast<const void*>(getauxval(AT_PHDR)));  // NOLINT(performance-no-int-to-ptr)
  return program.contains(address);
}

void add_launches(std::vector<FindingLaunches>& all, const FindingLaunches& more) {
  const auto known = std::find_if(all.rbegin(), all.rend(), [&](const FindingLaunches& each) {
    return belongs_to(each, more);
  });
  if (known != all.rend()) {
    known->last = std::max(known->last, more.last);
    known->count += more.count;
  } else if (all.size() < kMostLaunches) {
    all.push_back(more);
  }
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
           std::ranges::any_of(finding.locations, [&](const FindingLocation& location) {
             return like(rule.function, location.function) ||
                    std::ranges::any_of(location.callers, [&](const SourcePlace& caller) {
                      return like(rule.function, caller.function);
                    });
           });
  });
}

void Report::add(const Key& key, const FindingLaunches* launch,
                 const std::function<Finding()>& make) {
  const std::lock_guard lock(mutex_);
  ++additions_;
  const auto [entry, added] = index_.try_emplace(key, findings_.size());
  if (added) {
    findings_.push_back(make());
  } else {
    ++findings_[entry->second].count;
  }
  if (launch != nullptr) add_launches(findings_[entry->second].launches, *launch);
}

void Report::complete(Lines lines) {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = completed_; k < findings_.size(); ++k) {
    for (FindingLocation& location : findings_[k].locations) {
      if (lines == Lines::kAll ||
          (!location.calls.empty() && !is_in_program(location.calls.back())))
        check::complete(location);
    }
  }
  if (lines != Lines::kAll) return;
  completed_ = findings_.size();
  for (Finding& finding : findings_) {
    for (FindingLaunches& launches : finding.launches) check::complete(launches);
  }
}

void Report::forget_places() {
  complete();
  const std::lock_guard lock(mutex_);
  index_.clear();
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
    for (const FindingLaunches& launches : finding.launches) add_launches(same->launches, launches);
  } else {
    findings_.push_back(std::move(finding));
  }
}

std::vector<Finding> Report::news(Seen& seen) const {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> found;
  if (seen.additions == additions_) return found;
  seen.additions = additions_;
  seen.counts.resize(findings_.size());
  for (std::size_t k = 0; k < findings_.size(); ++k) {
    if (seen.counts[k] == findings_[k].count) continue;
    seen.counts[k] = findings_[k].count;
    if (!suppressions_.matches(findings_[k])) found.push_back(findings_[k]);
  }
  return found;
}

std::vector<Finding> Report::findings() const {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> shown;
  std::ranges::copy_if(findings_, std::back_inserter(shown),
                       [&](const Finding& finding) { return !suppressions_.matches(finding); });
  return shown;
}

std::size_t Report::count(Severity severity) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(findings_, [&](const Finding& finding) {
    return finding.diagnostic->severity == severity && !suppressions_.matches(finding);
  }));
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

}  // namespace tensorlane::check
