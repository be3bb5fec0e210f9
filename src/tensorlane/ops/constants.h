// Constants of calls: bits in a union, whose type other arguments say.
#ifndef TENSORLANE_OPS_CONSTANTS_H_
#define TENSORLANE_OPS_CONSTANTS_H_

#include <cstddef>
#include <optional>
#include <span>

#include "tensorlane/ops/op.h"

namespace tensorlane {

// As what a call takes the constant in parameter `param`.
ConstantUse constant_use(const Op& op, std::size_t param);

// The type that it has: what its entry says, else that of the operand it stands for, or of the
// first source. Nothing where the other arguments name no type.
std::optional<Dtype> constant_type(const Op& op, std::span<const Arg> args, std::size_t param);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_CONSTANTS_H_
