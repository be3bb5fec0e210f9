// A call of a device function as a kernel could contain it, for its page and for `tensorlane ops`.
#ifndef TENSORLANE_TOOLS_OP_EXAMPLE_H_
#define TENSORLANE_TOOLS_OP_EXAMPLE_H_

#include <string>

#include "tensorlane/chip/chip.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

// Statements in C: a legal call of a function that has an engine, of another one a call with
// arguments of its types, and what has to be declared for them. Empty for functions that are not
// implemented.
std::string example_of_call(const Chip& chip, const Op& op);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OP_EXAMPLE_H_
