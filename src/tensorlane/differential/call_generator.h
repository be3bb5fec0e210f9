// Legal calls of any function of an ops list, in every form that the list allows.
//
// Nothing here knows a function. Arguments are drawn by type and name, operands get strides of
// every kind (NULL, nests in any order with gaps, zeros along any axes, negative ones), places at
// any start NPU and offset, and now and then each other's: the same one, with the same strides or
// others, or one that is shifted by elements, rows or NPUs. Where a limit of the entry does not
// hold, one of the arguments it names is drawn again, tamer every time, until all hold. So a new
// entry has its calls without a line.
#ifndef TENSORLANE_DIFFERENTIAL_CALL_GENERATOR_H_
#define TENSORLANE_DIFFERENTIAL_CALL_GENERATOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorlane/differential/argument_values.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::differential {

struct Call {
  const FrontEnd* front_end = nullptr;
  const Op* op = nullptr;
  std::vector<Arg> args = {};
};

// What a call may cost.
struct CallBudget {
  std::int64_t elements = 600;       // of all operands
  double operations = 200000;        // multiplications, where the entry counts them
  std::int64_t local_bytes = 65536;  // of all operands in an NPU
  bool apart = false;                // no two operands share bytes
};

// The command of a call; false where it is not legal. Limits that the chip's models do not hold
// to may be broken: then there is a meaning all the same.
bool decode_legal(const Call& call, Command& command);
// Multiplications of a command, or its elements where the entry does not count any.
double operations_of(const Command& command);

class CallGenerator {
 public:
  CallGenerator(const FrontEnd& front_end, const Op& op);

  // Another call; nothing when none came out.
  std::optional<Call> next(const CallBudget& budget, Random& random);
  // A legal call that differs from `call` in one argument; nothing when none came out.
  std::optional<Call> changed(const Call& call, const CallBudget& budget, Random& random);

 private:
  using Operands = std::span<const Op::CompiledOperand>;
  struct Attempt;

  const FrontEnd& front_end_;
  const Op& op_;
  ArgumentValues values_;
  std::vector<int> operand_of_address_, operand_of_stride_;  // by argument; -1: of none
};

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_CALL_GENERATOR_H_
