#include "tensorlane/trail/global_writes.h"

namespace tensorlane::trail {

const Call* GlobalWrites::nearest(std::uint64_t allocation, Range bytes) const {
  const Write* best = nullptr;
  const auto distance = [&](const Write& write) {
    return std::max(
        {std::int64_t{0}, write.bytes.begin - bytes.end, bytes.begin - write.bytes.end});
  };
  for (auto each = writes_.lower_bound({allocation, nullptr});
       each != writes_.end() && each->first.first == allocation; ++each) {
    const Write& write = each->second;
    if (best == nullptr || distance(write) < distance(*best) ||
        (distance(write) == distance(*best) && write.time > best->time)) {
      best = &write;
    }
  }
  return best == nullptr ? nullptr : &best->call;
}

void GlobalWrites::forget(std::uint64_t allocation) {
  writes_.erase(writes_.lower_bound({allocation, nullptr}),
                writes_.lower_bound({allocation + 1, nullptr}));
}

}  // namespace tensorlane::trail
