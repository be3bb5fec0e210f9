#include "tensorlane/tpukernel/cost.h"

#include <fmt/format.h>

namespace tensorlane::tpukernel {

double elements_per_npu(const Command& command, const Operand& operand) {
  const Layout& layout = operand.layout;
  if (layout.rank() != 4)
    return static_cast<double>(ceil_div(layout.size(), command.chip->local.npus));
  const std::int64_t rows =
      channels_per_npu(command.chip->local, layout.offset(1), layout.extent(1));
  return static_cast<double>(layout.extent(0) * rows * layout.extent(2) * layout.extent(3));
}

double steps(const Command& command, const Operand& operand) {
  const Layout& layout = operand.layout;
  const std::int64_t at_a_time = command.elements_per_step();
  if (layout.rank() != 4)
    return static_cast<double>(ceil_div(layout.size(), at_a_time * command.chip->local.npus));
  const std::int64_t rows =
      channels_per_npu(command.chip->local, layout.offset(1), layout.extent(1));
  return static_cast<double>(layout.extent(0) * rows *
                             ceil_div(layout.extent(2) * layout.extent(3), at_a_time));
}

double distinct_steps(const Command& command, const Operand& operand) {
  const Layout& layout = operand.layout;
  if (layout.rank() != 4) return steps(command, operand);
  const std::int64_t rows =
      channels_per_npu(command.chip->local, layout.offset(1), layout.extent(1));
  return static_cast<double>(
      distinct(layout, 0) * rows *
      ceil_div(distinct(layout, 2) * distinct(layout, 3), command.elements_per_step()));
}

CycleCount per_step(double cycles) {
  return {fmt::format("{} cycle{} per step", cycles, cycles == 1 ? "" : "s"),
          [cycles](const Command& command, const TimingParameters&) {
            return cycles * steps(command, command.operands()[0]);
          }};
}

CycleCount per_step_and_position() {
  return {"1 cycle per step and position of the kernel",
          [](const Command& command, const TimingParameters&) {
            return steps(command, command.operands()[0]) *
                   static_cast<double>(command.value("kernel", "h") * command.value("kernel", "w"));
          }};
}

CycleCount per_element() {
  return {"1 cycle per element of an NPU", [](const Command& command, const TimingParameters&) {
            return elements_per_npu(command, command.operands()[0]);
          }};
}

}  // namespace tensorlane::tpukernel
