// The sources of a step of a chain (chain.h) for people.
#ifndef TENSORLANE_OBSERVE_WHY_SOURCE_TEXT_H_
#define TENSORLANE_OBSERVE_WHY_SOURCE_TEXT_H_

#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::why {

// Lines that begin with `indent`, for "sources", "terms" and "chosen" of a step; the last without
// it.
std::string source_text(const Json& source, const std::string& indent);
std::string terms_text(const Json& terms, const std::string& indent);
std::string chosen_text(const Json& chosen);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_SOURCE_TEXT_H_
