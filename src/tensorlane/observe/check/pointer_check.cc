// The processor in memory that commands in flight work on: each access, or, where accesses are not
// seen, each pointer that is taken.
#include <fmt/format.h>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/commands_in_flight.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kPointerDiagnostics[] = {
    {"TL-SYNC-006", Severity::kError,
     msg("the processor reads or writes what a command still works on"),
     msg("call $poll between the command and the access")},
    {"TL-SYNC-009", Severity::kWarning,
     msg("a pointer is taken to memory that commands in flight write"),
     msg("call $poll before the pointer is taken")},
};

class PointerCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override { in_flight_.poll(); }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    const Command& call = command.command();
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      in_flight_.add({static_cast<int>(operand.space), command.bytes(k), operand.writes(), call.op,
                      call.call_site, call.engine() == Engine::kHau});
    }
  }
  [[gnu::hot]] void sync(SyncEvent event, const void*) override {
    if (event == SyncEvent::kPoll && !facts().region_open) in_flight_.poll();
    if (event == SyncEvent::kHauPoll) in_flight_.hau_poll();
  }
  void pointer_taken(const TakenPointer& pointer) override;
  bool watches(Space space, trail::Range bytes) const override {
    return find(space, bytes, true) != nullptr;
  }
  void processor_access(const ProcessorAccess& access) override;

 private:
  const CommandsInFlight::Use* find(Space space, trail::Range bytes, bool writes) const {
    return in_flight_.find(static_cast<int>(space), footprint_of(chip(), space, bytes), writes);
  }
  std::string missing(const CommandsInFlight::Use& use) const {
    const std::string text =
        use.hau ? tr("no $poll or $hau_poll between the two; data is in place only after it")
                : tr("no $poll between the two; data is in place only after it");
    return labelled("missing", spelled(text, chip().api.prefix));
  }

  CommandsInFlight in_flight_;
};

void PointerCheck::pointer_taken(const TakenPointer& pointer) {
  if (facts().accesses_seen) return;
  const CommandsInFlight::Use* const use = find(pointer.space, pointer.bytes, false);
  if (use == nullptr) return;
  sink().add({"TL-SYNC-009", sink().key_of(pointer.call_site), use->site}, [&](Finding& finding) {
    finding.message = tr("a pointer into {} is taken while {} may still write there",
                         translated(space_name(pointer.space)), use->op->name());
    finding.locations.push_back(make_location("call", "", pointer.call_site));
    finding.locations.push_back(make_location("writer", trail::Call{use->op, use->site, {}}));
    finding.notes.push_back(missing(*use));
  });
}

void PointerCheck::processor_access(const ProcessorAccess& access) {
  if (access.kind == ProcessorAccess::Kind::kUnseen) return;
  const bool writes = access.kind == ProcessorAccess::Kind::kWrite;
  const trail::Range bytes = range_of(access);
  const CommandsInFlight::Use* const use = find(access.space, bytes, writes);
  if (use == nullptr) return;
  sink().add({"TL-SYNC-006", sink().key_of(access.call_site), use->site}, [&](Finding& finding) {
    finding.message =
        tr("{} {} of {} that {}", writes ? tr("the processor writes") : tr("the processor reads"),
           bytes_text(bytes.bytes()), translated(space_name(access.space)),
           use->writes ? tr("{} may still write", use->op->name())
                       : tr("{} may still read", use->op->name()));
    finding.locations.push_back(make_location("access", "", access.call_site));
    finding.locations.push_back(make_location("command", trail::Call{use->op, use->site, {}}));
    finding.notes.push_back(missing(*use));
    finding.regions = describe_bytes(chip(), access.space, {&bytes, 1});
  });
}

}  // namespace

CheckParts pointer_check() {
  return parts_of<PointerCheck>(kPointerDiagnostics);
}

}  // namespace tensorlane::check
