// An answer of `tensorlane why` for people.
#ifndef TENSORLANE_OBSERVE_WHY_CHAIN_TEXT_H_
#define TENSORLANE_OBSERVE_WHY_CHAIN_TEXT_H_

#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::why {

// `answer`: "place", "device", "chip", "when", maybe "read", and the "steps" of a Chain, as
// observe/why_tool.h describes. A block per step, each below the one that read it.
std::string chain_text(const Json& answer);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_CHAIN_TEXT_H_
