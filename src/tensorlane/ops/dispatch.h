// Which implementation of an entry's list computes a call.
//
// Bytes of a result that belong to a source too, or to two elements, make the result depend on the
// order of reads and writes. That order is the reference's, which is one thread's: faster
// implementations run where there is no such byte, or where they say that they give the same bits
// all the same (OperandForms::overlap). Decided here, once per call that comes again.
#ifndef TENSORLANE_OPS_DISPATCH_H_
#define TENSORLANE_OPS_DISPATCH_H_

#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// How two operands lie, of which the first is written.
Overlap overlap_of(const Operand& written, const Operand& other);
// The worst of all that a command writes, elements of one operand among themselves included.
Overlap overlap_of(const Command& command);

// Whether any byte between the first and the last of one belongs to those between the first and the
// last of the other; a quick answer that is often yes without need.
bool bounds_overlap(const Operand& a, const Operand& b);

// Runs the first of a list that takes the call. False when none does.
bool run_first(const std::vector<Implementation>& list, const Invocation& invocation);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_DISPATCH_H_
