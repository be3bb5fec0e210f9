#include "tensorlane/tpukernel/nn_families.h"

#include <fmt/format.h>

#include "tensorlane/tpukernel/cost.h"

namespace tensorlane::tpukernel {

void add_product_cost(OpSpec& spec, Work work, std::function<ProductSize(const Command&)> size_of) {
  spec.work = work;
  spec.cycles = {
      "1 cycle per 4 outputs of an NPU and 64 factors of 8 bits or 32 of 16, per 16 outputs and "
      "factor of fp32",
      [size_of, work](const Command& command, const TimingParameters& parameters) {
        const ProductSize size = size_of(command);
        const Operand& output = command.operands()[0];
        const double elements = elements_per_npu(command, output);
        const double rows =
            work == Work::kMatrix
                ? elements / static_cast<double>(output.layout.extent(output.layout.rank() - 1))
                : 0;
        return parameters.product_slowdown * std::ceil(elements / outputs_per_cycle(size.bytes)) *
                   static_cast<double>(ceil_div(size.length, factors_per_cycle(size.bytes)) *
                                       size.positions) +
               parameters.product_row * rows;
      }};
  spec.operations = [size_of](const Command& command, const TimingParameters&) {
    const ProductSize size = size_of(command);
    return 2 *
           static_cast<double>(command.operands()[0].layout.size() * size.length * size.positions);
  };
  spec.peak = [size_of](const Command& command, const TimingParameters&) {
    const int bytes = size_of(command).bytes;
    return 2.0 * command.chip->local.npus * outputs_per_cycle(bytes) * factors_per_cycle(bytes);
  };
  spec.outputs_at_a_time = [size_of](const Command& command, const TimingParameters&) {
    return static_cast<double>(outputs_per_cycle(size_of(command).bytes));
  };
}

}  // namespace tensorlane::tpukernel
