// Numbers that somebody may have written down in a kernel.
#ifndef TENSORLANE_OBSERVE_WHY_PLAIN_NUMBER_H_
#define TENSORLANE_OBSERVE_WHY_PLAIN_NUMBER_H_

#include <optional>

namespace tensorlane::why {

// The number that `value` is to a relative precision: a whole one, one over such, a few decimals,
// or the root of a whole number or of one over such. Nothing for others.
std::optional<double> plain_number(double value, double precision);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_PLAIN_NUMBER_H_
