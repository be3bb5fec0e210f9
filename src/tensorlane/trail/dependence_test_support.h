// A law for every function of an ops list: what the checker says of the elements of its results is
// what happens to them when undefined bytes change.
#ifndef TENSORLANE_TRAIL_DEPENDENCE_TEST_SUPPORT_H_
#define TENSORLANE_TRAIL_DEPENDENCE_TEST_SUPPORT_H_

#include <functional>
#include <string>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::trail {

// Leaves some elements of the command's sources unwritten, and its results, and runs it twice, with
// the complement of what stands there the second time. Says what is wrong: a byte of a result that
// is another then but counts as defined, or one that moved unchanged (Dependence::kMoved) and
// counts as undefined though it is the same; empty where nothing is. `pick(n)` draws from 0 to
// n - 1. The operands hold random data and do not overlap.
std::string dependence_violation(const Command& command, DeviceMemory& memory,
                                 const std::function<std::int64_t(std::int64_t)>& pick);

// What is said of single elements, at random ones: made_of() names the elements of a source that
// reach() leads from to an element of a result, and no other; an element that moved_from() names
// holds what the result holds after the command, and one that was kept holds what it held. Runs the
// command once. Returns as above.
std::string origin_violation(const Command& command, DeviceMemory& memory,
                             const std::function<std::int64_t(std::int64_t)>& pick);

// Changes arguments so that results depend on no source, as far as the entry knows such calls
// (OpSpec::fixed_if): both sources are the first, the constant is 0.
void fix_results(const Op& op, std::vector<Arg>& args);

// A window of the entry that slides along no dimension of a source, or of a result; empty where
// there is none.
std::string misnamed_window(const Op& op);

// A result one element of which is made of several of one source and whose entry does not say how
// they combine; empty where there is none.
std::string unstated_combination(const Op& op);

// What is said of maxima, minima and sorts: the element that decided holds what the result holds
// after the command; where a constant decided, no element exceeds it. Runs the command once.
std::string decision_violation(const Command& command, DeviceMemory& memory,
                               const std::function<std::int64_t(std::int64_t)>& pick);

// Whether nothing is said of what results are made of, so that undefined elements of a source are a
// finding where they are read.
bool judged_whole(const Op& op);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_DEPENDENCE_TEST_SUPPORT_H_
