// Whether what should stand somewhere stands elsewhere.
#ifndef TENSORLANE_OBSERVE_WHY_ELSEWHERE_H_
#define TENSORLANE_OBSERVE_WHY_ELSEWHERE_H_

#include <cstddef>

#include "tensorlane/observe/why/replay.h"
#include "tensorlane/observe/why/step_facts.h"
#include "tensorlane/observe/why/suspects.h"

namespace tensorlane::why {

// "index" of a step or a source.
Layout::Index index_of_json(const Json& numbers);

// Of an element that was loaded: whether the value that should have been is another of the same
// allocation. Elements are compared as they are, so only values that nothing was computed from
// more than once or twice are found.
void stands_elsewhere(const ChainFacts& chain, std::size_t number, const Json& source,
                      double should, Replay& replay, const trail::Allocations& allocations,
                      Suspects& found);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_ELSEWHERE_H_
