// The first command that makes a NaN or infinity from finite sources; see non_finite.h. Copies make
// no values: only commands that compute are asked.
#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/trail/non_finite.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kNanDiagnostics[] = {
    {"TL-INIT-004", Severity::kWarning,
     msg("a command makes a NaN or infinity from finite sources"),
     msg("look at the sources of this command: a division by zero, a logarithm or root of a "
         "negative "
         "number, an exponential or sum that overflows")},
};

class NanCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    finite_sources_ = facts().memory != nullptr && command.command().engine() == Engine::kBdc;
    for (int k = 0; k < command.size() && finite_sources_; ++k) {
      if (command.operand(k).reads()) finite_sources_ = look(command, k).elements == 0;
    }
  }
  [[gnu::hot]] void command_end(const trail::CheckedCommand& command) override {
    if (!finite_sources_) return;
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      if (!operand.writes() || operand.role == Role::kWork) continue;
      const trail::NonFinite found = look(command, k);
      if (found.elements > 0) report(command, k, found);
    }
  }

 private:
  trail::NonFinite look(const trail::CheckedCommand& command, int k) const {
    const Operand& operand = command.operand(k);
    return trail::find_non_finite(facts().memory->base(operand.space), command.bytes(k),
                                  operand.layout.dtype());
  }
  void report(const trail::CheckedCommand& command, int at, const trail::NonFinite& found) const {
    const Command& call = command.command();
    sink().add({"TL-INIT-004", call, nullptr, at}, [&](Finding& finding) {
      finding.message = tr("{} makes {} NaN or infinite from finite sources", trail::name_of(call),
                           tr_n("{} element", "{} elements", found.elements));
      finding.locations.push_back(make_location("origin", call, {at}));
      for (const Operand& operand : call.operands()) {
        if (operand.reads())
          finding.locations.back().tensors.push_back(trail::describe_operand(operand, call));
      }
      finding.regions = describe_bytes(chip(), command.operand(at).space, found.bytes);
    });
  }

  bool finite_sources_ = false;  // of the command in hand
};

}  // namespace

CheckParts nan_check() {
  return parts_of<NanCheck>(kNanDiagnostics);
}

}  // namespace tensorlane::check
