// The first ten lines of an answer of `tensorlane why`: what is suspicious of the commands behind a
// value, and what they computed.
#ifndef TENSORLANE_OBSERVE_WHY_SUMMARY_H_
#define TENSORLANE_OBSERVE_WHY_SUMMARY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tensorlane/json/json.h"

namespace tensorlane::why {

// `answer`: "steps" and "suspects". `used`: so many of the lines are taken.
std::vector<std::string> summary_lines(const Json& answer, std::size_t used);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_SUMMARY_H_
