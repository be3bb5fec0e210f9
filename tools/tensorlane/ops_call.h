// A call of a device function as a user describes it: what its operands take, whether its limits
// hold, how long it would take. Nothing is computed.
#ifndef TENSORLANE_TOOLS_OPS_CALL_H_
#define TENSORLANE_TOOLS_OPS_CALL_H_

#include <span>
#include <string>

#include "tensorlane/chip/chip.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

// What `with` says of the call, as in {"shape=1,64,28,28", "C=2"}: parameters by name, lists for
// structures, "null", element types by name. Addresses that it leaves out are places of their own,
// strides the default, steps 1, flags and padding 0. Throws UserError for what is wrong or missing.
std::string call_report(const Chip& chip, const Op& op, std::span<const std::string> with);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OPS_CALL_H_
