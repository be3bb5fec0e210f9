#include "tensorlane/differential/lone_calls.h"

#include <algorithm>
#include <utility>

#include "tensorlane/differential/call_generator.h"

namespace tensorlane::differential {
namespace {

bool is_lone(const Call& call) {
  Command command;
  std::vector<Violation> tolerated;
  try {
    tolerated = decode(*call.op, call.args, call.front_end->chip, false, command);
  } catch (const IllegalCall&) {
    return false;
  }
  return command.overlap() == Overlap::kNone &&
         std::ranges::all_of(tolerated, [](const Violation& violation) {
           return violation.breach == Breach::kNewerModel;
         });
}

}  // namespace

std::optional<std::vector<Arg>> lone_call(const FrontEnd& front_end, const Op& op,
                                          std::uint64_t seed) {
  constexpr int kAttempts = 100;
  CallGenerator generator(front_end, op);
  Random random(seed);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<Call> call = generator.next({.elements = 900, .apart = true}, random);
    if (call && is_lone(*call)) return std::move(call->args);
  }
  return std::nullopt;
}

}  // namespace tensorlane::differential
