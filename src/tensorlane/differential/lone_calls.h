// Legal calls for tests that look at calls one by one: operands share no bytes, and no limit is
// broken but what the chip's newer model alone refuses.
#ifndef TENSORLANE_DIFFERENTIAL_LONE_CALLS_H_
#define TENSORLANE_DIFFERENTIAL_LONE_CALLS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorlane/device/front_end.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::differential {

// The arguments of one, which `seed` decides; nothing when none came out.
std::optional<std::vector<Arg>> lone_call(const FrontEnd& front_end, const Op& op,
                                          std::uint64_t seed);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_LONE_CALLS_H_
