// Constants whose bits were written as another type than the call takes them for.
//
// A scalar_t is a union: a call takes the member that its data type asks for, whatever the kernel
// wrote. Bits of another type are some number still, but an unlikely one: as a 16-bit type the
// lower half of a float such as 1.0 is 0, and a small integer is a denormal float.
#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/trail/constant_bits.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kConstantDiagnostics[] = {
    {"TL-ARGS-008", Severity::kWarning, msg("a constant holds the bits of another type"),
     msg("write the member of scalar_t that belongs to the data type of the call")},
};

// Functions that take a number for its bits.
bool is_bitwise(std::string_view function) {
  constexpr std::string_view kNames[] = {"_and_", "_or_", "_xor_", "shift", "set_C"};
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return function.find(name) != std::string_view::npos; });
}

class ConstantCheck final : public Check {
 public:
  using Check::Check;

  void command(const trail::CheckedCommand& checked) override {
    const Command& command = checked.command();
    const Arg* dtype = nullptr;
    for (std::size_t k = 0; k < command.args().size(); ++k) {
      const std::string_view type = command.op->params()[k].type;
      if (type != "data_type_t") continue;
      if (dtype != nullptr) return;  // which of them the constant has is not known here
      dtype = &command.args()[k];
    }
    if (dtype == nullptr || is_bitwise(command.op->name())) return;
    for (std::size_t k = 0; k < command.args().size(); ++k) {
      if (command.op->params()[k].type != "scalar_t") continue;
      const auto bits = static_cast<std::uint32_t>(command.args()[k].value());
      if (const std::string other = trail::other_meaning(bits, dtype->dtype()); !other.empty())
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
