// The host's allocations, freed ones too: which of them a byte belonged to at some moment.
#ifndef TENSORLANE_TRAIL_ALLOCATIONS_H_
#define TENSORLANE_TRAIL_ALLOCATIONS_H_

#include <cstdint>
#include <deque>

#include "tensorlane/device/host_caller.h"
#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/writer_map.h"

namespace tensorlane::trail {

struct Allocation {
  Range bytes;  // offsets in global memory
  HostCaller caller;
  Writer next_event;  // the first event after it
};

class Allocations {
 public:
  void add(const Allocation& allocation) {
    if (all_.size() == kMost) all_.pop_front();
    all_.push_back(allocation);
  }
  const std::deque<Allocation>& all() const { return all_; }
  // The latest one with this byte that was made before event `before`; null where there is none.
  const Allocation* find(std::int64_t offset, Writer before) const {
    for (auto each = all_.rbegin(); each != all_.rend(); ++each) {
      if (each->next_event <= before && each->bytes.begin <= offset && offset < each->bytes.end)
        return &*each;
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kMost = 1 << 16;  // the latest ones

  std::deque<Allocation> all_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_ALLOCATIONS_H_
