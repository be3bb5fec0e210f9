// The one value of a series that departs from what the others make a rule: a constant, steps of one
// size, or such steps over rounds of several (two buffers in turn, a loop in a loop).
#ifndef TENSORLANE_OBSERVE_WHY_DEPARTURE_H_
#define TENSORLANE_OBSERVE_WHY_DEPARTURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tensorlane::why {

struct Departure {
  std::size_t at;
  std::int64_t expected;
  std::size_t round;  // after how many the rule comes again: 1 for steps of one size
  bool constant;      // all others are alike
};

// Nothing where all follow a rule, where there is none, or too few to tell.
std::optional<Departure> departure(std::span<const std::int64_t> series);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_DEPARTURE_H_
