#include "tensorlane/ops/fixed_results.h"

#include <utility>

#include "tensorlane/ops/command.h"

namespace tensorlane {

bool of_one_tensor(const Command& command) {
  const Operand &a = *command.find("src0_addr"), &b = *command.find("src1_addr");
  return a.space == b.space && a.layout == b.layout;
}

bool with_zero(const Command& command) {
  return command.arg("C").value() == 0;
}

OpSpec fixed_if(FixedRule rule, OpSpec spec) {
  spec.fixed_if = std::move(rule);
  return spec;
}

}  // namespace tensorlane
