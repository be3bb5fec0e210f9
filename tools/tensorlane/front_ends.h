// The lists of device functions, by chip. Two front ends cannot meet in one source file: their
// public headers share names.
#ifndef TENSORLANE_CLI_FRONT_ENDS_H_
#define TENSORLANE_CLI_FRONT_ENDS_H_

#include <span>

#include "tensorlane/chip/chip.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

std::span<const Op* const> okkernel_ops();
std::span<const Op* const> tpukernel_ops();
inline std::span<const Op* const> front_end_ops(const Chip& chip) {
  return &chip == &bm1684x() ? tpukernel_ops() : okkernel_ops();
}

// How common a function is in published kernels, 1 to 3; 0 where nobody counted.
int published_tier(const Op& op);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_CLI_FRONT_ENDS_H_
