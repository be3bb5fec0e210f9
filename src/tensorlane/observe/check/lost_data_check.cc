// Tensors in each other's way, and results that nobody reads; see live_tensors.h.
#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/trail/live_tensors.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kLostDataDiagnostics[] = {
    {"TL-LINT-001", kWarning, msg("a tensor is partly overwritten before its last read"),
     msg("check the sizes in the plan of local memory: the two tensors overlap")},
    {"TL-LINT-002", kAdvice, msg("a result is never read"),
     msg("leave the command out, or read the buffer it writes")},
    {"TL-LINT-006", kWarning, msg("a tensor is read beside where it was written"),
     msg("use the same address and strides for the write and the read")},
    {"TL-LINT-008", kAdvice, msg("a part of a tensor is written anew before its last read"),
     msg("nothing, if the tensor is put together of parts; else check the address of the second "
         "write")},
};

trail::LiveTensors::Kind kind_of(const trail::CheckedCommand& command, int result) {
  auto kind = trail::LiveTensors::Kind::kFill;
  for (int k = 0; k < command.size(); ++k) {
    if (!command.operand(k).reads()) continue;
    if (command.operand(k).space == command.operand(result).space &&
        overlap(command.bytes(k), command.bytes(result))) {
      return trail::LiveTensors::Kind::kUpdate;
    }
    kind = trail::LiveTensors::Kind::kPlain;
  }
  return kind;
}

class LostDataCheck final : public Check {
 public:
  explicit LostDataCheck(const CheckSetup& setup)
      : Check(setup), history_(setup.facts.provenance()), live_(history_.writers()) {}

  [[gnu::hot]] void launch_begin() override {
    live_.clear();
    shared_unread_.clear();
    pointers_taken_ = false;
  }
  [[gnu::hot]] void launch_done() override {
    for (trail::Mark writer = 1; writer <= history_.writers().all().size(); ++writer) {
      if (live_.unread(writer)) unread(writer);
    }
    if (pointers_taken_) return;
    for (const trail::Mark writer : shared_unread_) report_unread(writer);
  }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override;
  // The processor may read everything unseen.
  void pointer_taken(const TakenPointer&) override {
    live_.excuse_all(facts().core);
    pointers_taken_ = true;
  }

 private:
  // In what cores share, the processor of any of them may have read it, before or after.
  void unread(trail::Mark writer) {
    const bool shared = facts().clocks != nullptr && !history_.of_one_core(writer);
    shared ? shared_unread_.push_back(writer) : report_unread(writer);
  }
  void report(const trail::CheckedCommand& command, int at,
              const trail::LiveTensors::Problem& problem) const;
  void report_unread(trail::Mark writer) const;

  const trail::Provenance& history_;
  trail::LiveTensors live_;
  std::vector<trail::Mark> shared_unread_;
  bool pointers_taken_ = false;  // by any core, in this launch
};

void LostDataCheck::command(const trail::CheckedCommand& command) {
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    if (!operand.reads() || operand.space == Space::kGlobal) continue;
    if (const auto problem = live_.read(command.bytes(k), history_.source(k).writers))
      report(command, k, *problem);
  }
  for (int k = 0; k < command.size(); ++k) {
    const trail::Mark writer = history_.writer(k);
    if (writer == 0) continue;
    if (live_.write(writer, kind_of(command, k))) unread(writer);
    // Where undefined bytes lie in a result, their marks hide who wrote it.
    if (history_.passes_on_undefined()) live_.excuse(writer);
  }
}

void LostDataCheck::report(const trail::CheckedCommand& command, int at,
                           const trail::LiveTensors::Problem& problem) const {
  const trail::Writers::Writer &victim = history_.writers().get(problem.victim),
                               &culprit = history_.writers().get(problem.culprit);
  const std::string_view id = problem.beside   ? "TL-LINT-006"
                              : problem.inside ? "TL-LINT-008"
                                               : "TL-LINT-001";
  sink().add({id, victim.call, culprit.call, at}, [&](Finding& finding) {
    const std::string reads = trail::name_of(command.command());
    const std::vector<trail::Range> concerned =
        common(victim.bytes, problem.beside ? command.bytes(at) : culprit.bytes);
    const FindingLocation reader = make_location("reader", command.command(), {at});
    if (problem.beside) {
      finding.message = tr("{} reads beside what {} wrote; the rest is from {} before", reads,
                           culprit.call.op->name(), victim.call.op->name());
      finding.locations = {reader, make_location("writer", culprit.call),
                           make_location("before", victim.call)};
    } else {
      finding.message =
          tr("{} overwrites {} of what {} wrote, before {} reads it", culprit.call.op->name(),
             bytes_text(concerned), victim.call.op->name(), reads);
      finding.locations = {make_location("writer", culprit.call),
                           make_location("victim", victim.call), reader};
    }
    finding.regions = describe_bytes(chip(), command.operand(at).space, concerned);
  });
}

void LostDataCheck::report_unread(trail::Mark writer) const {
  const trail::Writers::Writer& one = history_.writers().get(writer);
  const trail::Call& call = one.call;
  sink().add({"TL-LINT-002", call},
             [&](Finding& finding) {
               finding.message = tr("nothing reads what {} writes", call.op->name());
               finding.locations.push_back(make_location("writer", call));
             },
             {one.place.core});
}

}  // namespace

CheckParts lost_data_check() {
  return parts_of<LostDataCheck>(kLostDataDiagnostics);
}

}  // namespace tensorlane::check
