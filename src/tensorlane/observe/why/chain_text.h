// An answer of `tensorlane why` for people.
#ifndef TENSORLANE_OBSERVE_WHY_CHAIN_TEXT_H_
#define TENSORLANE_OBSERVE_WHY_CHAIN_TEXT_H_

#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::why {

// `answer`: "place", "device", "chip", "when", maybe "read" and "suspects", and the "steps" of a
// Chain, as observe/why_tool.h describes. First, in ten lines, what is suspicious of the commands
// behind the value; then a block per step, each below the one that read it: those nearest to the
// value and those of suspects, unless `all`.
std::string chain_text(const Json& answer, bool all);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_CHAIN_TEXT_H_
