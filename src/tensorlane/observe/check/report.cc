#include "tensorlane/observe/check/report.h"

#include <fnmatch.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/device/call_stack.h"
#include "tensorlane/observe/check/causes.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/finding_json.h"

namespace tensorlane::check {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

// Who launches a kernel in a loop over two devices gets as many of them as launches.
constexpr std::size_t kMostLaunches = 64;

// `more` are launches that go on where `known` end, or some of them once more.
bool belongs_to(const FindingLaunches& known, const FindingLaunches& more) {
  const bool same_place = known.call_site == nullptr && more.call_site == nullptr
                              ? known.host.place == more.host.place  // of another process
                              : known.call_site == more.call_site;
  return known.device == more.device && known.kernel == more.kernel && same_place &&
         known.of_cores == more.of_cores && known.first <= more.first &&
         more.first <= known.last + 1;
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
    add_cores(*known, more);
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
    try {
      need_diagnostics(rule.id);
    } catch (const UserError& error) {
      user_error("line {} of the suppressions is '{}'; {}", number, line, error.what());
    }
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
                 const std::function<Finding()>& make, std::vector<int> cores) {
  const std::lock_guard lock(mutex_);
  ++additions_;
  const auto [entry, added] = index_.try_emplace(key, findings_.size());
  Origin now{.key = key};
  if (launch != nullptr) {
    now.device = launch->device;
    now.launch = launch->first;
    now.cores = cores.empty() ? launch->cores : std::move(cores);
  }
  if (added) {
    findings_.push_back(make());
    origins_.push_back(std::move(now));
  } else {
    Finding& known = findings_[entry->second];
    ++known.count;
    // In whatever order cores run, it is told as the first of them had it.
    Origin& origin = origins_[entry->second];
    if (origin.device == now.device && origin.launch == now.launch && !now.cores.empty() &&
        now.cores < origin.cores) {
      Finding again = make();
      again.count = known.count;
      again.launches = std::move(known.launches);
      known = std::move(again);
      origin.cores = std::move(now.cores);
      completed_ = std::min(completed_, entry->second);
    }
  }
  latest_ = entry->second;
  if (launch != nullptr) add_launches(findings_[entry->second].launches, *launch);
}

std::optional<std::size_t> Report::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Report::note(std::span<const void* const> calls) {
  last_path_ = calls.data();
  if (known_paths_.contains(calls.data())) return;  // only this thread adds to them
  const std::lock_guard lock(mutex_);
  known_paths_.insert(calls.data());
  called_[calls.front()].push_back(calls);
}

trail::CallKey Report::key_of(const std::vector<const void*>& calls, const void* function) {
  const std::lock_guard lock(mutex_);
  if (const auto line = called_.find(calls.front()); line != called_.end()) {
    for (const auto known : line->second) {
      if (std::ranges::equal(known, calls)) return {calls.front(), known, function};
    }
  }
  return {calls.front(), *other_paths_.insert(calls).first, function};
}

// Whether others call the line of a finding, in the same way but from elsewhere, and are fine.
bool Report::is_of_callers(std::size_t number) const {
  const Key& key = origins_[number].key;
  const auto line = called_.find(key.first.site);
  if (line == called_.end()) return false;
  return std::ranges::any_of(line->second, [&](std::span<const void* const> calls) {
    return std::ranges::none_of(origins_, [&](const Origin& each) {
      return each.key.id == key.id && each.key.number == key.number &&
             each.key.first.path == calls.data();
    });
  });
}

void Report::tell_callers() {
  for (std::size_t k = 0; k < origins_.size(); ++k) {
    if (!origins_[k].known) findings_[k].of_callers = is_of_callers(k);
  }
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
  tell_callers();
}

void Report::forget_places() {
  complete();
  const std::lock_guard lock(mutex_);
  index_.clear();
  for (Origin& origin : origins_) origin.known = true;
  called_.clear();
  known_paths_.clear();
  last_path_ = nullptr;
}

std::size_t Report::merge(Finding finding) {
  const std::lock_guard lock(mutex_);
  const auto alike = [](const SourcePlace& a, const SourcePlace& b) { return a.place == b.place; };
  const auto same = std::ranges::find_if(findings_, [&](const Finding& other) {
    return other.diagnostic == finding.diagnostic && other.message == finding.message &&
           other.cause == finding.cause &&
           std::ranges::equal(other.locations, finding.locations,
                              [&](const FindingLocation& a, const FindingLocation& b) {
                                return alike(a, b) &&
                                       std::ranges::equal(a.callers, b.callers, alike);
                              });
  });
  if (same != findings_.end()) {
    same->count += finding.count;
    for (const FindingLaunches& launches : finding.launches) add_launches(same->launches, launches);
  } else {
    findings_.push_back(std::move(finding));
    origins_.push_back({.key = {}, .known = true});
    return findings_.size() - 1;
  }
  return static_cast<std::size_t>(same - findings_.begin());
}

std::vector<Finding> Report::by_cause(bool suppressed, std::vector<std::size_t>* places) const {
  std::vector<Finding> all;
  std::vector<std::optional<std::size_t>> numbers(findings_.size());
  for (std::size_t k = 0; k < findings_.size(); ++k) {
    if (suppressions_.matches(findings_[k]) != suppressed) continue;
    numbers[k] = all.size();
    all.push_back(findings_[k]);
  }
  // What follows from a suppressed finding stands for itself.
  for (Finding& finding : all) {
    if (finding.cause) finding.cause = numbers[*finding.cause];
  }
  std::vector<std::size_t> among;
  std::vector<Finding> found = check::by_cause(std::move(all), &among);
  if (places != nullptr) {
    places->assign(findings_.size(), kNowhere);
    for (std::size_t k = 0; k < findings_.size(); ++k) {
      if (numbers[k]) (*places)[k] = among[*numbers[k]];
    }
  }
  return found;
}

std::vector<Finding> Report::news(Seen& seen) const {
  const std::lock_guard lock(mutex_);
  if (seen.additions == additions_) return {};
  seen.additions = additions_;
  seen.counts.resize(findings_.size());
  std::vector<std::size_t> places;
  const std::vector<Finding> all = by_cause(false, &places);
  std::vector<bool> changed(all.size());
  for (std::size_t k = 0; k < findings_.size(); ++k) {
    if (seen.counts[k] != findings_[k].count && places[k] != kNowhere) changed[places[k]] = true;
    seen.counts[k] = findings_[k].count;
  }
  std::vector<Finding> found;
  std::vector<std::size_t> now(all.size(), kNowhere);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!changed[k]) continue;
    now[k] = found.size();
    found.push_back(all[k]);
    if (!all[k].cause) continue;
    found.back().cause.reset();
    if (now[*all[k].cause] != kNowhere) found.back().cause = now[*all[k].cause];
  }
  return found;
}

std::vector<Finding> Report::findings() const {
  const std::lock_guard lock(mutex_);
  return by_cause(false);
}

std::size_t Report::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count_if(findings(), [&](const Finding& finding) {
    return finding.diagnostic->severity == severity && !finding.cause;
  }));
}

std::size_t Report::consequences() const {
  return static_cast<std::size_t>(std::ranges::count_if(findings(), [](const Finding& finding) {
    return finding.cause && finding.diagnostic->severity != Severity::kAdvice;
  }));
}

std::size_t Report::suppressed() const {
  const std::lock_guard lock(mutex_);
  return by_cause(true).size();
}

std::vector<Finding> Report::single_findings() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

std::size_t Report::size() const {
  const std::lock_guard lock(mutex_);
  return findings_.size();
}

std::size_t Report::serious() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(findings_, [](const Finding& finding) {
    return finding.diagnostic->severity != Severity::kAdvice;
  }));
}

Json report_entry(const Report& report, int device) {
  Json findings = Json::array();
  for (const Finding& finding : report.single_findings()) findings.push_back(single_json(finding));
  return {{"tool", "check"}, {"process", getpid()}, {"device", device}, {"findings", findings}};
}

void add_entries(const std::vector<Json>& entries, Report& report) {
  std::map<std::pair<std::int64_t, int>, const Json*> last;
  for (const Json& entry : entries) {
    if (entry.value("tool", "") == "check")
      last[{entry["process"].get<std::int64_t>(), entry["device"].get<int>()}] = &entry;
  }
  for (const auto& [from, entry] : last) {
    std::vector<std::size_t> numbers;  // in the report, of the findings of the entry
    for (const Json& each : (*entry)["findings"]) {
      Finding finding = finding_of(each);
      if (finding.cause) finding.cause = numbers.at(*finding.cause);
      numbers.push_back(report.merge(std::move(finding)));
    }
  }
}

}  // namespace tensorlane::check
