// The law of limits, for the list of any front end: every limit of an entry is enforced.
//
// From random legal calls one field of one argument is changed until the limit is broken, and the
// error must say so; alone, unless it follows from others. Calls that break nothing but limits of
// range are computed, and by all implementations alike.
#ifndef TENSORLANE_OPS_LIMITS_TEST_SUPPORT_H_
#define TENSORLANE_OPS_LIMITS_TEST_SUPPORT_H_

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// What a front end brings.
struct LimitsLaw {
  const Chip& chip;
  // Arguments of another legal call; nothing when none came out.
  std::function<std::optional<std::vector<Arg>>(const Op&)> legal_call;
  // Values of a C type that has more to it than numbers in fields: NULL and others. Arguments of
  // types without any are changed field by field; structures are in both ways.
  std::function<std::vector<Arg>(std::string_view type)> whole_values;
  // Computes a command by all implementations and compares what they write.
  std::function<void(const Command&)> compute;
};

// Decodes calls that differ from each other in one field, or not at all, one after the other as
// calls that come again from one place: each has to become what it is alone.
void expect_repeated_calls_decoded_alike(const Op& op, const LimitsLaw& law);

// Computes calls that come again and again from one place, whose lowering is then known
// (command.h): what they write stays that of all implementations.
void expect_repeated_calls_computed_alike(const Op& op, const LimitsLaw& law);

// Whether the limits that a call breaks and is computed all the same are those of the newer model
// alone: public kernels break these.
bool keeps_the_limits(const std::vector<Violation>& tolerated);

// Fails the test for each limit that is never broken.
void expect_every_limit_enforced(const Op& op, const LimitsLaw& law);

// The entries of a list that have limits on commands of an engine.
std::vector<const Op*> functions_with_an_engine(std::span<const Op* const> list);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_LIMITS_TEST_SUPPORT_H_
