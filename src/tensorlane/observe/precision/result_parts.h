// What the results of all meanings are made with.
#ifndef TENSORLANE_OBSERVE_PRECISION_RESULT_PARTS_H_
#define TENSORLANE_OBSERVE_PRECISION_RESULT_PARTS_H_

#include <optional>
#include <span>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/precision/meaning.h"
#include "tensorlane/observe/precision/operand_values.h"
#include "tensorlane/observe/precision/results.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/ops/param_roles.h"

namespace tensorlane::precision {

// The first operand that is written; null where there is none.
const Operand* first_result(const Command& command);
// The integer in the parameter with a role; 0 where there is none.
double integer_of(const Command& command, ParamRole role);
// A parameter that is no tensor in this call, as a number.
std::optional<double> constant_of(const Command& command, std::size_t at);
// The error of a source as a share of its magnitude.
double relative_error(const OperandValues& source);
// What an error of `source` becomes in the result: `part[i]` of the result's error.
void hand_on(const OperandValues& source, std::span<const double> part, Blames& blame);

// real_result() of functions with a formula, and of sums of products and means.
std::optional<RealResult> by_formula(const Command& command, const DeviceMemory& memory,
                                     const trail::ShadowMemory& shadows);
std::optional<RealResult> by_sum(const Command& command, const Meaning& meaning,
                                 const DeviceMemory& memory, const trail::ShadowMemory& shadows);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_RESULT_PARTS_H_
