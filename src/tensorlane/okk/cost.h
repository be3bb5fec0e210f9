// Cycles of BDC functions. One group is the neighbouring outputs of a channel that an NPU makes per
// step (16); every NPU works on its own channel row at the same time.
// [timing model fitted on published board times]
#ifndef TENSORLANE_OKK_COST_H_
#define TENSORLANE_OKK_COST_H_

#include <fmt/format.h>

#include "tensorlane/layout/local.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::okk {

// Channel rows per NPU of an operand of shape (n, c, h, w).
inline std::int64_t channel_rows(const Command& command, const Operand& operand) {
  return channels_per_npu(command.chip->local, operand.layout.offset(1), operand.layout.extent(1));
}

// Groups of a tensor of shape (n, c, h, w).
inline double groups(const Command& command, const Operand& operand) {
  const Layout& layout = operand.layout;
  return static_cast<double>(layout.extent(0) * channel_rows(command, operand) *
                             ceil_div(layout.extent(2) * layout.extent(3),
                                      command.chip->outputs_per_step(layout.dtype())));
}

// The same where elements that strides of 0 repeat count once.
inline double distinct_groups(const Command& command, const Operand& operand) {
  const Layout& layout = operand.layout;
  return static_cast<double>(distinct(layout, 0) * channel_rows(command, operand) *
                             ceil_div(distinct(layout, 2) * distinct(layout, 3),
                                      command.chip->outputs_per_step(layout.dtype())));
}

// `cycles` per group of the first operand, the destination.
inline CycleCount per_group(double cycles) {
  return {fmt::format("{} cycle{} per group", cycles, cycles == 1 ? "" : "s"),
          [cycles](const Command& command, const TimingParameters&) {
            return cycles * groups(command, command.operands()[0]);
          }};
}

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_COST_H_
