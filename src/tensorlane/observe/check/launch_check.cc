// Launches that ended before their kernel returned, and what they were doing.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kLaunchDiagnostics[] = {
    {"TL-LAUNCH-001", kError, msg("a call could not be carried out"),
     msg("correct the values that the call finds, or what it is given; where the function itself "
         "is missing, link what defines it or do without")},
    {"TL-LAUNCH-002", kError, msg("a kernel crashed"),
     msg("look at what this line does: its pointers, indices and divisors, what it asserts and "
         "throws; device memory is reached through $global_mem_addr, $local_mem_addr and their "
         "like, and exceptions are caught inside of the kernel")},
    {"TL-LAUNCH-003", kError, msg("a kernel ended the program"),
     msg("return from the kernel; what went wrong belongs into its results")},
    {"TL-LAUNCH-004", kError, msg("a kernel was stopped before it returned"),
     msg("look at the loop this line is in, or give launches more time")},
    {"TL-LAUNCH-005", kError, msg("cores wait for messages that nobody sends any more"),
     msg("let every core come to the same barriers and every wait have its sends; a wait counts "
         "those of all cores")},
};

std::string_view id_of(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::kCall:
      break;
    case Failure::Kind::kCrash:
      return "TL-LAUNCH-002";
    case Failure::Kind::kExit:
      return "TL-LAUNCH-003";
    case Failure::Kind::kTimeout:
    case Failure::Kind::kInterrupt:
    case Failure::Kind::kStopped:
      return "TL-LAUNCH-004";
    case Failure::Kind::kDeadlock:
      return "TL-LAUNCH-005";
  }
  return "TL-LAUNCH-001";
}

class LaunchCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override {
    started_ = 0;
    in_flight_.clear();
    said_at_ = nullptr;
  }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    const Command& call = command.command();
    ++started_;
    latest_ = {call.op, call.call_site, {}, call.calls};
    const auto same = std::ranges::find(in_flight_, call.call_site, &InFlight::site);
    if (same != in_flight_.end()) return;
    if (in_flight_.size() == kShown) in_flight_.pop_front();
    in_flight_.push_back({call.op, call.call_site});
  }
  [[gnu::hot]] void sync(SyncEvent event, const void* call_site) override {
    // A violation of the order, should this be one, is for sync_check.cc.
    if (is_selected("sync")) said_at_ = call_site;
    if (event == SyncEvent::kPoll || event == SyncEvent::kInitialize) in_flight_.clear();
    if (event == SyncEvent::kHauPoll)
      std::erase_if(in_flight_,
                    [](const InFlight& each) { return each.op->engine() == Engine::kHau; });
  }
  void refused(const Refusal& refusal) override {
    const bool memory = refusal.kind == Refusal::Kind::kMemory;
    if (is_selected(memory ? "memory" : "args")) said_at_ = refusal.call_site;
  }
  void launch_failed(const Failure& failure) override;

 private:
  static constexpr std::size_t kShown = 8;
  struct InFlight {
    const Op* op;
    const void* site;
  };

  bool is_selected(std::string_view name) const {
    return std::ranges::find(facts().selected, name) != facts().selected.end();
  }
  void add_state(Finding& finding) const;
  static void add_waits(Finding& finding, const Failure& failure);

  std::uint64_t started_ = 0;  // commands of the launch
  trail::Call latest_;
  std::deque<InFlight> in_flight_;  // lines with commands since the latest poll
  const void* said_at_ = nullptr;   // a call that another check has reported
};

// The engines that wait, each line once, and what of every core.
void LaunchCheck::add_waits(Finding& finding, const Failure& failure) {
  finding.message = tr("no core can go on: each waits for a message that nobody sends any more");
  std::vector<const void*> lines;
  for (const Failure::Wait& wait : failure.waits) {
    finding.notes.push_back(labelled("waits", wait.text));
    if (std::ranges::find(lines, wait.call_site) != lines.end()) continue;
    lines.push_back(wait.call_site);
    finding.locations.push_back(
        make_location(msg("wait"), std::string(wait.function), wait.call_site));
  }
}

void LaunchCheck::launch_failed(const Failure& failure) {
  if (failure.kind == Failure::Kind::kCall && failure.call_site == said_at_) return;
  const std::string_view id = id_of(failure.kind);
  sink().add({id, sink().key_of(failure)}, [&](Finding& finding) {
    if (failure.kind == Failure::Kind::kDeadlock) return add_waits(finding, failure);
    finding.message = failure.kind == Failure::Kind::kCall
                          ? one_line(failure.message)
                          : tr("the kernel ended: {}", one_line(failure.message));
    if (failure.call_site != nullptr) {
      finding.locations.push_back(make_location("at", "", failure.call_site));
      std::vector<const void*>& calls = finding.locations.back().calls;
      calls = failure.calls;
      if (calls.empty() || calls.front() != failure.call_site)
        calls.insert(calls.begin(), failure.call_site);
    }
    add_state(finding);
  });
}

void LaunchCheck::add_state(Finding& finding) const {
  if (started_ == 0) {
    finding.notes.push_back(labelled("last", tr("no command came before")));
    return;
  }
  finding.locations.push_back(make_location("last", latest_));
  finding.notes.push_back(labelled(
      "last", facts().region_open
                  ? tr("is command {} of the launch, in the parallel region that starts at {}",
                       started_, place_text(facts().region_start))
                  : tr("is command {} of the launch", started_)));
  std::string lines;
  for (const InFlight& each : in_flight_)
    lines += (lines.empty() ? "" : "; ") + tr("{} at {}", each.op->name(), place_text(each.site));
  finding.notes.push_back(
      labelled("flight",
               in_flight_.empty() ? spelled(tr("nothing since $poll"), chip().api.prefix) : lines));
}

}  // namespace

CheckParts launch_check() {
  return parts_of<LaunchCheck>(kLaunchDiagnostics);
}

}  // namespace tensorlane::check
