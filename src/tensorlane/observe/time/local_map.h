// Who occupies which bytes of an NPU's local memory, and when: a timeline seen from the memory.
//
// A block is a range of byte offsets that one command wrote, from the start of that command to the
// end of the last one that reads it (its own end if nothing does). Offsets are taken over all NPUs
// together, as allocations are; a tensor with gaps occupies them too. Bytes that are read without
// having been written in this launch are blocks without a writer from the launch's start on.
//
// Each core of a launch has a local memory of its own.
//
// Two blocks of a core never share a byte at the same time: a block that is overwritten while it is
// still being read (a race) ends where its successor starts.
#ifndef TENSORLANE_OBSERVE_TIME_LOCAL_MAP_H_
#define TENSORLANE_OBSERVE_TIME_LOCAL_MAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

struct LocalBlock {
  std::int64_t begin = 0, end = 0;  // bytes
  double start_us = 0, end_us = 0;
  std::optional<std::size_t> writer = {}, last_reader = {};  // indices of the timeline's commands
  int core = 0;

  std::int64_t bytes() const { return end - begin; }
};

// The blocks of a launch, by start and then by address.
std::vector<LocalBlock> local_map(const Timeline& timeline);

// Per command those that wrote what it reads in local memory, each once, in the order in which it
// comes upon them. Bytes that were not written in this launch have none.
std::vector<std::vector<std::size_t>> local_sources(const Timeline& timeline);

// Bytes in use by blocks of one core: a step for every moment at which they change, the last one to
// 0.
struct LocalUse {
  double us = 0;  // from here on
  std::int64_t bytes = 0;
};
std::vector<LocalUse> local_use(const std::vector<LocalBlock>& blocks);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_LOCAL_MAP_H_
