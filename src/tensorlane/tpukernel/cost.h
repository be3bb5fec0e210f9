// Cycles of BDC functions. One step handles 64 bytes of neighbouring outputs of a channel in one
// NPU; every NPU works on its own channel row at the same time. [from public facts only: never
// compared with a board]
#ifndef TENSORLANE_TPUKERNEL_COST_H_
#define TENSORLANE_TPUKERNEL_COST_H_

#include "tensorlane/layout/local.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::tpukernel {

// Steps that a tensor takes, whatever its shape: its elements per NPU by what a step handles.
inline double steps(const Command& command, const Operand& operand) {
  const Layout& layout = operand.layout;
  const std::int64_t lane_elements = command.chip->outputs_per_step(layout.dtype());
  if (layout.rank() != 4)
    return static_cast<double>(ceil_div(layout.size(), lane_elements * command.chip->local.npus));
  const std::int64_t rows =
      channels_per_npu(command.chip->local, layout.offset(1), layout.extent(1));
  return static_cast<double>(layout.extent(0) * rows *
                             ceil_div(layout.extent(2) * layout.extent(3), lane_elements));
}

// `cycles` per step of the first operand, the destination.
inline CycleCount per_step(double cycles) {
  return [cycles](const Command& command, const TimingParameters&) {
    return cycles * steps(command, command.operands()[0]);
  };
}

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_COST_H_
