// Operands of one command that share memory where they must not; see aliasing.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/aliasing.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/ops/dispatch.h"
#include "tensorlane/trail/dependence.h"
#include "tensorlane/trail/element_boxes.h"
#include "tensorlane/trail/moved_elements.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kAliasingDiagnostics[] = {
    {"TL-ARGS-002", Severity::kError, msg("operands of one command overlap"),
     msg("give the result memory of its own, or exactly the address and strides of the source "
         "where "
         "the function works in place")},
    {"TL-ARGS-004", Severity::kError, msg("a result overlaps itself"),
     msg("give each element bytes of its own: the stride of a dimension has to step over all that "
         "the "
         "dimensions inside it take")},
    {"TL-ARGS-007", Severity::kWarning,
     msg("a result overwrites batches of its source that were read before"),
     msg("give the result memory of its own: no document promises the order of batches")},
    {"TL-ARGS-012", Severity::kWarning, msg("a result on its source is another one than elsewhere"),
     msg("give the result memory of its own")},
};

// Whether the function computes something else where a result lies on this source.
bool differs_in_place(const Command& call, const Operand& source) {
  if (source.spec->in_place != InPlace::kOther) return false;
  const auto compiled =
      std::ranges::find(call.op->operands(), source.spec, &Op::CompiledOperand::spec);
  if (compiled->other_if.empty()) return true;
  return compiled->other_if.evaluate({call.args(), call.chip, false}).value_or(0) != 0;
}

Making making_of(const Op& op) {
  if (trail::copies(op)) return Making::kCopies;
  return op.engine() == Engine::kBdc && trail::element_wise(op) ? Making::kElements
                                                                : Making::kAnything;
}

// A constant that is written twice is there all the same.
bool fills(const Op& op) {
  return trail::copies(op) &&
         std::ranges::none_of(op.spec().operands, [](const OperandSpec& operand) {
           return operand.role == Role::kIn || operand.role == Role::kInOut;
         });
}

// Where values decide which elements of a result are written, the others lie wherever they may.
bool chosen_by_values(const Command& command, const Operand& result) {
  return command.op->spec().dependence == Dependence::kMoved && result.role == Role::kInOut;
}

// Most commands have nothing near each other: the bounds say so.
bool anything_near(const trail::CheckedCommand& command) {
  for (int i = 0; i < command.size(); ++i) {
    for (int j = i + 1; j < command.size(); ++j) {
      const Operand &one = command.operand(i), &other = command.operand(j);
      if (one.space != other.space || command.bytes(i).empty() || command.bytes(j).empty())
        continue;
      if (!one.writes() && !other.writes()) continue;
      const trail::Shape &a = *command.bytes(i).shape, &b = *command.bytes(j).shape;
      const trail::Range x = command.bytes(i).bounds(), y = command.bytes(j).bounds();
      if (x.begin < y.end && y.begin < x.end &&
          (a.npu_bytes == 0 || b.npu_bytes == 0 ||
           (a.lane_bounds.begin < b.lane_bounds.end && b.lane_bounds.begin < a.lane_bounds.end))) {
        return true;
      }
    }
  }
  return false;
}

class AliasingCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    bool looked = false;
    const bool fine = fine_.get(command.command(), [&](bool& nothing_found) {
      nothing_found = look(command);
      looked = true;
    });
    if (!fine && !looked) look(command);
  }

 private:
  // True where there is nothing to report.
  [[gnu::hot]] bool look(const trail::CheckedCommand& command) const {
    bool found = false;
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      if (!operand.writes() || operand.role == Role::kWork || command.bytes(k).empty()) continue;
      const auto bytes = bytes_of_overlapping(operand.layout, command.bytes(k));
      if (!bytes || fills(*command.command().op)) continue;
      if (!chosen_by_values(command.command(), operand) || writes_twice(command, k))
        report(command, k, *bytes);
      found = true;  // or may be at the next time, with other values
    }
    if (!anything_near(command)) return !found;
    found |= look_in_place(command);
    const Op& op = *command.command().op;
    std::array<AliasOperand, kMaxOperands> views{};
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      views[static_cast<std::size_t>(k)] = {static_cast<int>(operand.space),
                                            operand.reads(),
                                            operand.writes(),
                                            operand.role == Role::kWork,
                                            trail::shape_class(op, *operand.spec),
                                            trail::channel_class(op, *operand.spec),
                                            &operand.layout,
                                            command.bytes(k)};
    }
    for (const ForbiddenOverlap& each : forbidden_overlaps(
             {views.data(), static_cast<std::size_t>(command.size())}, making_of(op))) {
      report(command, each);
      found = true;
    }
    return !found;
  }

  // Two of the elements that a command writes by its values share bytes. False where values are not
  // known.
  bool writes_twice(const trail::CheckedCommand& command, int at) const {
    const Operand& operand = command.operand(at);
    const std::vector<std::vector<trail::ElementBox>> undefined(
        static_cast<std::size_t>(command.size()));
    const auto moved = trail::move_states(command.command(), undefined, facts().memory);
    if (!moved) return false;
    std::vector<trail::Range> written;
    for (const trail::MovedElements::Result& result : moved->results) {
      if (result.operand != at) continue;
      for (const trail::ElementBox& box : result.written) {
        for (const Layout& part :
             parts_of(operand.layout, trail::elements_of(box, operand.layout.rank()))) {
          const trail::Footprint bytes = trail::footprint(part, command.npu_bytes(operand.space));
          if (bytes_of_overlapping(part, bytes)) return true;
          const std::vector<trail::Range> own = runs(bytes);
          written.insert(written.end(), own.begin(), own.end());
        }
      }
    }
    std::ranges::sort(written, {}, &trail::Range::begin);
    const auto meets = [](const trail::Range& a, const trail::Range& b) { return b.begin < a.end; };
    return std::ranges::adjacent_find(written, meets) != written.end();
  }

  bool look_in_place(const trail::CheckedCommand& command) const {
    bool found = false;
    for (int k = 0; k < command.size(); ++k) {
      if (!differs_in_place(command.command(), command.operand(k))) continue;
      for (int result = 0; result < command.size(); ++result) {
        if (!command.operand(result).writes() ||
            overlap_of(command.operand(result), command.operand(k)) != Overlap::kInPlace)
          continue;
        report_in_place(command, result, k);
        found = true;
      }
    }
    return found;
  }

  void report_in_place(const trail::CheckedCommand& command, int result, int source) const {
    const Command& call = command.command();
    sink().add({"TL-ARGS-012", call, nullptr, source}, [&](Finding& finding) {
      const Doc& what = command.operand(source).spec->other;
      finding.message =
          tr("{} of {} lies on {}, where the function gives another result",
             command.operand(result).name(), trail::name_of(call), command.operand(source).name());
      finding.notes.push_back(labelled("result", std::string(translated(what.words))));
      finding.locations.push_back(make_location("call", call, {result, source}));
    });
  }

  void report(const trail::CheckedCommand& command, int at, std::int64_t bytes) const {
    const Command& call = command.command();
    sink().add({"TL-ARGS-004", call, nullptr, at}, [&](Finding& finding) {
      const Operand& operand = command.operand(at);
      finding.message = tr("{} of {} overlaps itself: {} elements of {} lie in {}", operand.name(),
                           trail::name_of(call), operand.layout.size(),
                           dtype_name(operand.layout.dtype()), bytes_text(bytes));
      finding.locations.push_back(make_location("call", call, {at}));
      finding.regions = describe_bytes(chip(), operand.space, runs(command.bytes(at)));
    });
  }
  void report(const trail::CheckedCommand& command, const ForbiddenOverlap& found) const {
    const Command& call = command.command();
    const auto [first, second, harmless] = found;
    sink().add(
        {harmless ? "TL-ARGS-007" : "TL-ARGS-002", call, nullptr, first * kMaxOperands + second},
        [&, first = first, second = second, harmless = harmless](Finding& finding) {
          const Operand &a = command.operand(first), &b = command.operand(second);
          const std::vector<trail::Range> shared =
              common(command.bytes(first), command.bytes(second));
          finding.message = tr("{} and {} of {} overlap in {}", a.name(), b.name(),
                               trail::name_of(call), bytes_text(shared));
          if (harmless)
            finding.notes.push_back(labelled(
                "rule",
                tr("no batch is overwritten before it is read, in ascending order [ours]")));
          finding.locations.push_back(make_location("call", call, {first, second}));
          finding.regions = describe_bytes(chip(), a.space, shared);
        });
  }

  PerCall<bool> fine_;
};

}  // namespace

CheckParts aliasing_check() {
  return parts_of<AliasingCheck>(kAliasingDiagnostics);
}

}  // namespace tensorlane::check
