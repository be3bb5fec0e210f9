#include "tensorlane/observe/check/commands_in_flight.h"

#include <algorithm>

namespace tensorlane::check {

void CommandsInFlight::add(const Use& use) {
  if (use.bytes.empty()) return;
  if (uses_.size() == kMost) uses_.erase(uses_.begin(), uses_.begin() + kMost / 2);
  uses_.push_back(use);
}

void CommandsInFlight::hau_poll() {
  std::erase_if(uses_, [](const Use& use) { return use.hau; });
}

const CommandsInFlight::Use* CommandsInFlight::find(int memory, const trail::Footprint& bytes,
                                                    bool writes) const {
  const trail::Range wanted = bytes.bounds();
  const auto found = std::find_if(uses_.rbegin(), uses_.rend(), [&](const Use& use) {
    if (use.memory != memory || !(use.writes || writes)) return false;
    const trail::Range used = use.bytes.bounds();
    return used.begin < wanted.end && wanted.begin < used.end && overlap(use.bytes, bytes);
  });
  return found == uses_.rend() ? nullptr : &*found;
}

}  // namespace tensorlane::check
