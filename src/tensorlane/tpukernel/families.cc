#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

OpSpec of_shape(std::string_view group, Doc doc, std::vector<OperandSpec> operands,
                const Texts& types, std::vector<Implementation> implementations, double cycles) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = group,
              .doc = doc,
              .operands = std::move(operands),
              .limits = join({kShapeLimits, types}),
              .numerics = Numerics::kExactToModel,
              .implementations = std::move(implementations),
              .cycles = per_step(cycles)};
  for (const OperandSpec& operand : spec.operands) {
    add_limits(spec, operand.stride.empty()
                         ? Texts{keep(std::string(operand.param) + " % tpu_eu_num(DT_INT8) == 0")}
                         : aligned_or_strided(operand.param, operand.stride, bytes_of(operand)));
  }
  if (spec.operands.size() > 1) add_limits(spec, {same_start(spec.operands)});
  return spec;
}

}  // namespace tensorlane::tpukernel
