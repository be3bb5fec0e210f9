// Constants whose bits were written as another type than the call takes them for.
//
// A scalar_t is a union: a call takes the member that its data type asks for, whatever the kernel
// wrote. Bits of another type are some number still, but an unlikely one: as a 16-bit type the
// lower half of a float such as 1.0 is 0, and a small integer is a denormal float.
#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/ops/constants.h"
#include "tensorlane/trail/constant_bits.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kConstantDiagnostics[] = {
    {"TL-ARGS-008", Severity::kWarning, msg("a constant holds the bits of another type"),
     msg("write the member of scalar_t that belongs to the data type of the call")},
};

class ConstantCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void command(const trail::CheckedCommand& checked) override {
    const Command& command = checked.command();
    for (std::size_t k = 0; k < command.args().size(); ++k) {
      if (command.op->types()[k]->kind != ArgKind::kUnion) continue;
      // What results become may well be a pattern of bits.
      const ConstantUse use = constant_use(*command.op, k);
      if (use == ConstantUse::kBits || use == ConstantUse::kChosen) continue;
      const auto type = constant_type(*command.op, command.args(), k);
      if (!type) continue;
      const auto bits = static_cast<std::uint32_t>(command.args()[k].value());
      if (const std::string other = trail::other_meaning(bits, *type); !other.empty())
        report(command, k, other);
    }
  }

 private:
  void report(const Command& command, std::size_t param, const std::string& other) const {
    sink().add({"TL-ARGS-008", command, nullptr, static_cast<int>(param)}, [&](Finding& finding) {
      finding.message =
          tr("{} of {} is {}", command.op->params()[param].name, trail::name_of(command), other);
      finding.locations.push_back(make_location("call", command));
    });
  }
};

}  // namespace

CheckParts constant_check() {
  return parts_of<ConstantCheck>(kConstantDiagnostics);
}

}  // namespace tensorlane::check
