// Random legal calls of any entry of TPUKernel with an engine, for the tests of the whole list.
//
// Every operand gets a slot of its own, at a common start NPU or elsewhere; shapes lie around the
// edges of lanes, vectors and rows of channels; strides are NULL, padded, in any order, or have
// zeros. What is legal the entry's own limits decide: a call is drawn again, tamer every time,
// until they hold.
#ifndef TENSORLANE_TPUKERNEL_RANDOM_CALL_TEST_SUPPORT_H_
#define TENSORLANE_TPUKERNEL_RANDOM_CALL_TEST_SUPPORT_H_

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane::tpukernel {

// Bytes of an operand's slot, in every NPU or in global memory.
inline constexpr std::int64_t kSlotBytes = 16384;

using Random = std::mt19937;

// Arguments of a legal call whose operands stay in their slots; nothing when none came out.
std::optional<std::vector<Arg>> random_call(const Op& op, Random& random);

// Gives an operand random elements of its type: small and large numbers, the ends of ranges,
// infinities and NaN. `memory` is where the operand's memory begins.
void fill_randomly(const Operand& operand, std::byte* memory, Random& random);

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_RANDOM_CALL_TEST_SUPPORT_H_
