// What parameters do to a sum or a maximum, where no operand, formula or limit of the entry says
// it. An entry states them among its definitions, by names that texts of limits cannot spell:
//
//   .definitions = with_roles(definitions, {{ParamRole::kFactor, "scale"}})
//
//   result = ((old << kOldShift) + sum * kFactor + what is added) >> kShiftRight, where kRectified
//            0 at least
//
// `why`, `--precision` and `tensorlane ops` read them here and nowhere compare a parameter's name.
#ifndef TENSORLANE_OPS_PARAM_ROLES_H_
#define TENSORLANE_OPS_PARAM_ROLES_H_

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "tensorlane/ops/op.h"

namespace tensorlane {

enum class ParamRole : std::uint8_t {
  kFactor,       // what a sum is multiplied with; a mean without one divides by its elements
  kOtherFactor,  // the number that the elements of the only tensor are multiplied with
  kShiftRight,   // of the sum with all that is added
  kWordShift,    // to the left, of sums of 32-bit factors; those of shorter ones are not shifted
  kOldShift,     // to the left, of what the result held before
  kRectified,    // a flag: negative results become 0
  kPadding,      // what padding counts as
  kInserted,     // what lies between the elements of the input
  kDroppedBits,  // how a shift rounds away what it drops
};

// The name of a role among definitions.
constexpr std::string_view role_name(ParamRole role) {
  constexpr std::array<std::string_view, 9> kNames = {
      "(factor)",    "(other factor)", "(right shift)", "(shift of words)", "(old shift)",
      "(rectified)", "(padding)",      "(inserted)",    "(dropped bits)"};
  return kNames[static_cast<std::size_t>(role)];
}

inline Definitions with_roles(
    Definitions definitions,
    std::initializer_list<std::pair<ParamRole, std::string_view>> parameters) {
  for (const auto& [role, parameter] : parameters)
    definitions.emplace_back(role_name(role), parameter);
  return definitions;
}

// The parameter with a role.
inline std::optional<std::size_t> param_with_role(const Op& op, ParamRole role) {
  for (const auto& [name, parameter] : op.spec().definitions) {
    if (name == role_name(role)) return static_cast<std::size_t>(op.param(parameter));
  }
  return std::nullopt;
}

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_PARAM_ROLES_H_
