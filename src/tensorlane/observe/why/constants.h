// The constants of a call as numbers.
#ifndef TENSORLANE_OBSERVE_WHY_CONSTANTS_H_
#define TENSORLANE_OBSERVE_WHY_CONSTANTS_H_

#include <cstddef>
#include <optional>

#include "tensorlane/ops/command.h"

namespace tensorlane::why {

// What argument `param` of a call is as a number of its type; nothing where it is none.
std::optional<double> constant_of(const Command& command, std::size_t param);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_CONSTANTS_H_
