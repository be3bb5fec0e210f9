// A law for every function of an ops list: what its entry says of a source that a result lies on is
// what its implementations compute there.
#ifndef TENSORLANE_TRAIL_IN_PLACE_TEST_SUPPORT_H_
#define TENSORLANE_TRAIL_IN_PLACE_TEST_SUPPORT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::trail {

// A source that lacks a statement, or has one though no result can lie on it; empty where there is
// none.
std::string missing_in_place_rule(const Op& op);

// The arguments of the call with its result on `source`: same address, same strides. Nothing where
// the call's elements have different widths.
std::optional<std::vector<Arg>> on_source(const Op& op, std::vector<Arg> args,
                                          const Command& command, const OperandSpec& source);

// What a call on a source gave.
struct InPlaceOutcome {
  std::string violation;  // of the entry's statement; empty where it holds
  bool other = false;     // the result is another one than elsewhere
};

// Runs `apart`, and `in_place`, the same call with its result on `source`, on the same elements:
// by the reference and by the fastest implementation. `fill` puts elements into the operands of
// `apart`.
InPlaceOutcome in_place_outcome(const Command& apart, const Command& in_place,
                                const OperandSpec& source, DeviceMemory& memory,
                                const std::function<void()>& fill);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_IN_PLACE_TEST_SUPPORT_H_
