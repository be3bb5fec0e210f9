// Which implementation of an entry's list computes a call.
//
// Where bytes of a result belong to a source too, the sources are set aside first
// (sources_aside.h): such a call computes what it computes with its operands apart, by every
// implementation. Those that state that they take the overlap see to that themselves; where the
// last of a list, the reference, does, the order of reads and writes is its own (a function of
// several steps), and no other runs that does not state it. Where two elements of results share
// bytes, the reference runs, on one thread. Decided here, once per call that comes again.
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
// Runs the last of a list.
bool run_reference(const std::vector<Implementation>& list, const Invocation& invocation);
// Runs number `index` of a list, where its operands let it run at all; false where it declines.
bool run_one(const std::vector<Implementation>& list, std::size_t index,
             const Invocation& invocation);
bool may_run(const std::vector<Implementation>& list, std::size_t index,
             const Invocation& invocation);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_DISPATCH_H_
