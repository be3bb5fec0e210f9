// Where operands lie: start NPUs, offsets, and on one another.
#ifndef TENSORLANE_DIFFERENTIAL_OPERAND_PLACES_H_
#define TENSORLANE_DIFFERENTIAL_OPERAND_PLACES_H_

#include <vector>

#include "tensorlane/differential/random.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::differential {

// Whether the address argument of an operand is one.
bool is_place(const Op& op, const Op::CompiledOperand& operand);

// Puts operand number `at` into a slot of its own, far from all others. All start at one NPU, as a
// rule; `tame`: at that of the first, or NPU 0.
void put_apart(const Op& op, int at, const Chip& chip, bool tame, Random& random,
               std::vector<Arg>& args);

struct PlaceOptions {
  bool odd = false;   // offsets of any number of elements
  bool meet = false;  // two operands share bytes
};
// Puts the operands of a command one behind the other, with gaps, where they start in their NPUs.
void place_operands(const Command& command, const PlaceOptions& options, Random& random,
                    std::vector<Arg>& args);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_OPERAND_PLACES_H_
