// Pointers into memory that commands in flight may still write.
#include <fmt/format.h>

#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/writes_in_flight.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kDiagnostics[] = {
    {"TL-SYNC-006", Severity::kWarning,
     "the processor looks at memory that commands in flight write",
     "call $poll before the pointer is taken"},
};

class PointerCheck final : public Check {
 public:
  using Check::Check;

  void launch_begin() override { in_flight_ = {}; }
  void command(const CheckedCommand& command) override {
    const Command& call = command.command();
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      if (!operand.writes()) continue;
      const Footprint& bytes = command.bytes(k);
      in_flight_.add({static_cast<int>(operand.space), bytes.shape->npus,
                      operand.space == Space::kLocal ? bytes.shape->lane_bounds : bytes.bounds(),
                      call.op, call.call_site, call.engine() == Engine::kHau});
    }
  }
  void sync(SyncEvent event, const void*) override {
    if (event == SyncEvent::kPoll && !facts().region_open) in_flight_.poll();
    if (event == SyncEvent::kHauPoll) in_flight_.hau_poll();
  }
  void pointer_taken(const TakenPointer& pointer) override;

 private:
  WritesInFlight in_flight_;
};

void PointerCheck::pointer_taken(const TakenPointer& pointer) {
  const std::int64_t start = pointer.npu * chip().local.npu_bytes;
  const WritesInFlight::Write* write =
      in_flight_.find(static_cast<int>(pointer.space), std::uint64_t{1} << pointer.npu % 64,
                      {pointer.bytes.begin - start, pointer.bytes.end - start});
  if (write == nullptr) return;
  sink().add({"TL-SYNC-006", pointer.call_site, write->site, 0}, [&](Finding& finding) {
    finding.message = fmt::format("a pointer into {} is taken while {} may still write there",
                                  space_name(pointer.space), write->op->name());
    finding.locations.push_back(make_location("call", "", pointer.call_site));
    finding.locations.push_back(make_location("writer", Call{write->op, write->site, {}}));
    finding.notes.push_back(spelled(
        write->hau
            ? "missing  no $poll or $hau_poll between the two; data is in place only after it"
            : "missing  no $poll between the two; data is in place only after it",
        chip().api.prefix));
  });
}

}  // namespace

CheckParts pointer_check() {
  return parts_of<PointerCheck>(kDiagnostics);
}

}  // namespace tensorlane::check
