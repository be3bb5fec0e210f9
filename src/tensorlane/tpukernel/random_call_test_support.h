// Random legal calls of any entry of TPUKernel with an engine, and data for them, for the tests of
// the whole list.
#ifndef TENSORLANE_TPUKERNEL_RANDOM_CALL_TEST_SUPPORT_H_
#define TENSORLANE_TPUKERNEL_RANDOM_CALL_TEST_SUPPORT_H_

#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane::tpukernel {

using Random = std::mt19937;

// Arguments of a call; nothing when none came out. See differential/lone_calls.h.
std::optional<std::vector<Arg>> random_call(const Op& op, Random& random);

// Gives an operand random elements of its type: small and large numbers, the ends of ranges,
// infinities and NaN. `memory` is where the operand's memory begins.
void fill_randomly(const Operand& operand, std::byte* memory, Random& random);

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_RANDOM_CALL_TEST_SUPPORT_H_
