#include "tensorlane/ops/repeated_calls.h"

#include <atomic>

namespace tensorlane {
namespace {

// Of all devices: an observer may hear of several, one after the other.
std::uint64_t new_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

RepeatedCalls::Place& RepeatedCalls::place(const void* call_site) {
  if (places_.empty()) places_.resize(kPlaces);
  const auto hash = reinterpret_cast<std::uint64_t>(call_site) * 0x9e3779b97f4a7c15u;
  return places_[(hash >> 32) % kPlaces];
}

Command& RepeatedCalls::decode(const Op& op, std::span<const Arg> args, const Chip& chip,
                               bool in_parallel_region, const LimitPolicy& policy,
                               const void* call_site, std::vector<Violation>& tolerated) {
  const auto comparable = [&](const Known& known) {
    return known.is_decoded && known.command.op == &op && known.command.chip == &chip &&
           known.policy == policy;
  };
  Place& calls = place(call_site);
  std::unique_ptr<Known>* oldest = calls.data();
  for (std::unique_ptr<Known>& known : calls) {
    if (known == nullptr) {  // they fill up from the front
      oldest = &known;
      break;
    }
    if (comparable(*known) && known->in_parallel_region == in_parallel_region &&
        is_same_call(args, known->command)) {
      known->used = ++time_;
      known->command.known.came_again();
      tolerated = known->tolerated;
      return known->command;
    }
    if (known->used < (*oldest)->used) oldest = &known;
  }
  if (*oldest == nullptr) *oldest = std::make_unique<Known>();
  Known& known = **oldest;
  Command& command = known.command;
  const bool region_changed = known.in_parallel_region != in_parallel_region;
  if (!comparable(known) || !known.tolerated.empty() ||
      !change_call(args, in_parallel_region, region_changed, command, policy)) {
    known.is_decoded = false;
    tolerated = tensorlane::decode(op, args, chip, in_parallel_region, command, policy);
    known.is_decoded = true;
    known.tolerated = tolerated;
    known.policy = policy;
  }
  known.in_parallel_region = in_parallel_region;
  known.used = ++time_;
  command.known.is_new(new_number());
  return command;
}

}  // namespace tensorlane
