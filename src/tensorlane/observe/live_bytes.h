// How many bytes of an NPU's local memory are live: written, and still to be read.
#ifndef TENSORLANE_OBSERVE_LIVE_BYTES_H_
#define TENSORLANE_OBSERVE_LIVE_BYTES_H_

#include <cstdint>
#include <span>
#include <vector>

namespace tensorlane::observe {

// What a command does to a range of byte offsets inside the NPUs.
struct LocalAccess {
  std::int64_t begin = 0, end = 0;
  bool reads = false, writes = false;
};

// For each command, the bytes that are live while it runs: what it touches and what a later command
// still reads. Offsets are taken over all NPUs together, as allocations are.
std::vector<std::int64_t> live_bytes(std::span<const std::vector<LocalAccess>> commands);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_LIVE_BYTES_H_
