// A command against its real meaning: the test of the documentation that formulas are read from.
#ifndef TENSORLANE_OBSERVE_PRECISION_MEANING_TEST_SUPPORT_H_
#define TENSORLANE_OBSERVE_PRECISION_MEANING_TEST_SUPPORT_H_

#include <string>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::precision {

// Fills the sources with numbers near 1, runs the command and compares its results with their real
// meaning; empty where they are as near as rounding leaves them, or there is none.
std::string meaning_violation(const Command& command, DeviceMemory& memory, unsigned seed);

// Of the entries that compute numbers, from others: those whose meaning can be told in real
// numbers, and the names of those that have none, with spaces between.
std::vector<const Op*> with_meaning(const OpList& ops);
std::string without_meaning(const OpList& ops);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_MEANING_TEST_SUPPORT_H_
