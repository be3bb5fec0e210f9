#include "tensorlane/observe/check/writes_in_flight.h"

#include <algorithm>

namespace tensorlane::check {

void WritesInFlight::add(const Write& write) {
  const auto known = std::find_if(writes_.begin(), writes_.end(), [&](const Write& other) {
    return other.site == write.site && other.memory == write.memory && other.op == write.op;
  });
  if (known == writes_.end()) {
    writes_.push_back(write);
    return;
  }
  known->npus |= write.npus;
  known->bytes = {std::min(known->bytes.begin, write.bytes.begin),
                  std::max(known->bytes.end, write.bytes.end)};
}

void WritesInFlight::hau_poll() {
  std::erase_if(writes_, [](const Write& write) { return write.hau; });
}

const WritesInFlight::Write* WritesInFlight::find(int memory, std::uint64_t npus,
                                                  Range bytes) const {
  const auto found = std::find_if(writes_.rbegin(), writes_.rend(), [&](const Write& write) {
    return write.memory == memory && (write.npus & npus) != 0 && write.bytes.begin < bytes.end &&
           bytes.begin < write.bytes.end;
  });
  return found == writes_.rend() ? nullptr : &*found;
}

}  // namespace tensorlane::check
