// Collects findings and writes them: text for people (report_text.cc), JSON (finding_json.cc),
// SARIF 2.1.0 (report_sarif.cc), GitHub annotations.
#ifndef TENSORLANE_OBSERVE_CHECK_REPORT_H_
#define TENSORLANE_OBSERVE_CHECK_REPORT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::check {

// Findings a project has decided to live with, one per line:
//
//   # id or pattern   function or pattern
//   TL-LINT-001       my_kernel
//   TL-LINT-*         *
//
// A finding is suppressed when one of its functions (or the kernel's name) matches.
class Suppressions {
 public:
  Suppressions() = default;
  // UserError naming the line for a text of another form, and for an id that there is not.
  explicit Suppressions(std::string_view text);
  bool matches(const Finding& finding) const;

 private:
  struct Rule {
    std::string id, function;
  };
  std::vector<Rule> rules_;
};

// Thread safe: the devices of a process share one report.
class Report {
 public:
  // Two calls and an operand: what makes a finding the same one. What follows from another finding
  // is told apart from what does not.
  struct Key {
    std::string_view id;
    trail::CallKey first = {}, second = {};
    int number = 0;
    std::optional<std::size_t> cause = {};  // see Finding::cause; by its number here
    friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr)
  };

  void suppress(Suppressions suppressions) { suppressions_ = std::move(suppressions); }
  // Counts the finding; composes it with `make` the first time only. `launch`: during or after
  // which it was made, null before the first. In a launch over several cores it is composed anew
  // for cores that come before those it is told of, so that their order changes nothing; `cores`:
  // of several, in the order in which they are told.
  void add(const Key& key, const FindingLaunches* launch, const std::function<Finding()>& make,
           std::vector<int> cores = {});
  // The number of the finding that was added or counted last; none before the first.
  std::optional<std::size_t> latest() const;
  // The calls that led to a command, whatever was found about it: callers that are fine say whose a
  // fault is. Kept as long as the report, or until places are forgotten.
  void called(std::span<const void* const> calls) {
    if (calls.size() > 1 && calls.data() != last_path_) note(calls);
  }
  // What stands for these calls in keys.
  trail::CallKey key_of(const std::vector<const void*>& calls, const void* function);

  // Looks up the source lines of new findings; only of those in libraries, which may be unloaded
  // soon, or of all.
  enum class Lines : std::uint8_t { kOfLibraries, kAll };
  void complete(Lines lines = Lines::kAll);
  // The same, and what is found from here on is new: other code is where some of it was.
  void forget_places();

  // Adds a finding of another report; equal ones (diagnostic, message, places) add up.
  // Its number here.
  std::size_t merge(Finding finding);

  // Findings that were added or counted again since the last call with the same `seen`, which
  // begins empty.
  struct Seen {
    std::uint64_t additions = 0;
    std::vector<std::uint64_t> counts;
  };
  std::vector<Finding> news(Seen& seen) const;

  // The findings by cause (causes.h), suppressed ones left out. Lines have to be known.
  std::vector<Finding> findings() const;
  // How many causes there are, and how many errors and warnings that follow from them.
  std::size_t count(Severity severity) const;
  std::size_t consequences() const;
  std::size_t suppressed() const;
  // All that was found, each line with its callers on its own, suppressed ones too.
  std::vector<Finding> single_findings() const;
  std::size_t size() const;
  // Errors and warnings among them.
  std::size_t serious() const;

 private:
  // What a finding is told apart by in this process; `known`: whose fault it is, for good.
  struct Origin {
    Key key;
    bool known = false;
    // What it is composed of.
    int device = 0;
    std::uint64_t launch = 0;
    std::vector<int> cores = {};
  };
  // Those that are suppressed, or all others; `places` gets where each of findings_ went.
  std::vector<Finding> by_cause(bool suppressed, std::vector<std::size_t>* places = nullptr) const;
  [[gnu::hot]] void note(std::span<const void* const> calls);
  void tell_callers();
  bool is_of_callers(std::size_t number) const;

  mutable std::mutex mutex_;
  std::map<Key, std::size_t> index_;
  std::vector<Finding> findings_;
  std::vector<Origin> origins_;  // of the findings
  std::optional<std::size_t> latest_;
  // Calls that kernels made, by their lines; and which paths are among them.
  std::map<const void*, std::vector<std::span<const void* const>>> called_;
  std::unordered_set<const void*> known_paths_;
  const void* last_path_ = nullptr;
  std::set<std::vector<const void*>> other_paths_;
  std::uint64_t additions_ = 0;  // findings that were added or counted
  std::size_t completed_ = 0;    // findings whose lines are known
  Suppressions suppressions_;
};

// Findings on their way from the checked program to `tensorlane run`:
// {"tool": "check", "process": 123, "device": 0, "findings": [...]}
Json report_entry(const Report& report, int device);
// Adds the findings of such entries. An entry holds all findings of its device up to then, so the
// last one of a device counts.
void add_entries(const std::vector<Json>& entries, Report& report);

// What a report for people shows beside errors and warnings.
struct Shown {
  bool advice = false;
  bool consequences = false;
};
// One block per finding and a last line with the numbers.
std::string text_report(const Report& report, Shown shown = {});
// As docs/checker-report.schema.json describes it.
std::string json_report(const Report& report);
// What the findings come from: a run of a program.
struct Invocation {
  std::vector<std::string> command;  // empty: not known
  int status = 0, signal = 0;        // as in a shell; the signal that ended it, 0 when none did
  std::vector<std::string> problems = {};  // why the findings may not be all
};
std::string sarif_report(const Report& report, const Invocation& invocation = {});
// One "::error file=...,line=...::" line per finding, as GitHub Actions shows them at the code.
std::string github_report(const Report& report);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_REPORT_H_
