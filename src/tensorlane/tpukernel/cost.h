// Cycles of BDC functions. One step handles 64 bytes of neighbouring elements of a channel in one
// NPU, counted in the widest type that the command reads or writes; every NPU works on its own
// channel row at the same time. [published counters of the BM1684X: docs/timing.md]
#ifndef TENSORLANE_TPUKERNEL_COST_H_
#define TENSORLANE_TPUKERNEL_COST_H_

#include <string>

#include "tensorlane/layout/local.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::tpukernel {

// Elements of an operand that the busiest NPU holds.
double elements_per_npu(const Command& command, const Operand& operand);

// Steps that a tensor takes.
double steps(const Command& command, const Operand& operand);
// The same where elements that strides of 0 repeat count once.
double distinct_steps(const Command& command, const Operand& operand);

// Of exp, fitted on a softmax; the SiLU beside it leaves this for a division. [docs/timing.md]
inline constexpr double kExpCycles = 55, kDivisionCycles = 60;

// Engine commands that a call of exp is: limits, a floor, a series, a power of two. [published
// sources of the same function; attention kernels of the BM1690, docs/timing.md]
inline constexpr int kExpCommands = 12;

// `cycles` per step of the first operand, the destination.
CycleCount per_step(double cycles);
// The same for as many steps as the kernel of a window has positions.
CycleCount per_step_and_position();
// Lookups and gathers: an element of the destination per NPU and cycle.
CycleCount per_element();

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_COST_H_
