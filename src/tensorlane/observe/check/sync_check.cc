// Regions and polls; see sync_state.h for the rules.
#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/sync_state.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kSyncDiagnostics[] = {
    {"TL-SYNC-001", kError, msg("a parallel region starts inside a parallel region"),
     msg("end the first region before the second starts; regions do not nest")},
    {"TL-SYNC-002", kError, msg("a parallel region ends that never started"),
     msg("add the $parallel_start, or remove the $parallel_end")},
    {"TL-SYNC-003", kError, msg("$poll inside a parallel region"),
     msg("call $parallel_end before $poll")},
    {"TL-SYNC-004", kError, msg("the kernel returns inside a parallel region"),
     msg("call $parallel_end, then $poll, on every way out")},
    {"TL-SYNC-005", kError, msg("the kernel returns while commands are in flight"),
     msg("call $poll before every return"), Mend::kPollAfter},
    {"TL-SYNC-007", kError, msg("$initialize inside a parallel region"),
     msg("call it once, before the first command")},
    {"TL-SYNC-008", kAdvice, msg("a command comes before $initialize"),
     msg("call $initialize first; the documentation asks for it")},
};

struct Text {
  SyncProblem problem;
  std::string_view id, call, message, other;
};
constexpr Text kTexts[] = {
    {SyncProblem::kStartInside, "TL-SYNC-001", "$parallel_start",
     msg("$parallel_start inside a parallel region"), msg("open")},
    {SyncProblem::kEndOutside, "TL-SYNC-002", "$parallel_end",
     msg("$parallel_end without $parallel_start"), ""},
    {SyncProblem::kPollInside, "TL-SYNC-003", "$poll", msg("$poll inside a parallel region"),
     msg("open")},
    {SyncProblem::kOpenAtReturn, "TL-SYNC-004", "",
     msg("the kernel returns inside a parallel region"), msg("open")},
    {SyncProblem::kUnpolledAtReturn, "TL-SYNC-005", "",
     msg("the kernel returns without $poll after its last command"), ""},
    {SyncProblem::kInitializeInside, "TL-SYNC-007", "$initialize",
     msg("$initialize inside a parallel region"), msg("open")},
    {SyncProblem::kNotInitialized, "TL-SYNC-008", "",
     msg("the first command comes before $initialize"), ""},
};

class SyncCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override { state_.launch(); }
  [[gnu::hot]] void launch_done() override { report(state_.finish()); }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    const Command& call = command.command();
    const bool hau = call.engine() == Engine::kHau;
    (hau ? last_of_hau_ : last_of_others_) = {call.op, call.call_site, {}, call.calls};
    report(state_.command(call.call_site, hau));
  }
  [[gnu::hot]] void sync(SyncEvent event, const void* call_site) override {
    switch (event) {
      case SyncEvent::kInitialize:
        return report(state_.initialize(call_site));
      case SyncEvent::kPoll:
        return report(state_.poll(call_site));
      case SyncEvent::kHauPoll:
        return state_.hau_poll();
      case SyncEvent::kParallelStart:
        return report(state_.start(call_site));
      case SyncEvent::kParallelEnd:
        return report(state_.end(call_site));
    }
  }

 private:
  void report(const std::optional<SyncState::Finding>& found);
  FindingLocation last_command(const void* site) const {
    return make_location("last", last_of_hau_.site == site ? last_of_hau_ : last_of_others_);
  }

  SyncState state_;
  trail::Call last_of_hau_, last_of_others_;
};

void SyncCheck::report(const std::optional<SyncState::Finding>& found) {
  if (!found) return;
  const auto here = [&](std::string_view text) { return spelled(text, chip().api.prefix); };
  for (const Text& text : kTexts) {
    if (text.problem != found->problem) continue;
    sink().add({text.id, sink().key_of(found->where), found->other}, [&](Finding& finding) {
      finding.message = here(translated(text.message));
      if (found->where != nullptr)
        finding.locations.push_back(make_location("call", here(text.call), found->where));
      if (!text.other.empty() && found->other != nullptr) finding.region = place_text(found->other);
      if (found->other != nullptr) {
        finding.locations.push_back(
            text.problem == SyncProblem::kUnpolledAtReturn
                ? last_command(found->other)
                : make_location(std::string(text.other), here("$parallel_start"), found->other));
      }
      if (found->problem == SyncProblem::kUnpolledAtReturn && state_.only_hau_polled())
        finding.notes.push_back(labelled("missing", here(tr("$hau_poll waits for the HAU only"))));
    });
  }
}

}  // namespace

CheckParts sync_check() {
  return parts_of<SyncCheck>(kSyncDiagnostics);
}

}  // namespace tensorlane::check
