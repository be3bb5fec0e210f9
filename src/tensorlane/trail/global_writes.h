// Which commands wrote where in global memory, roughly: enough to say which write lies next to
// bytes that nobody wrote.
#ifndef TENSORLANE_TRAIL_GLOBAL_WRITES_H_
#define TENSORLANE_TRAIL_GLOBAL_WRITES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "tensorlane/trail/call.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

class GlobalWrites {
 public:
  // A line of a kernel, with the calls that lead there, writes to an allocation; `path` stands for
  // them. `make_call` is asked when it is new.
  template <class F>
  void add(const void* path, std::uint64_t allocation, Range bytes, F make_call) {
    const auto [entry, added] = writes_.try_emplace({allocation, path});
    Write& write = entry->second;
    if (added) write = {make_call(), bytes, 0};
    write.bytes = {std::min(write.bytes.begin, bytes.begin), std::max(write.bytes.end, bytes.end)};
    write.time = ++time_;
  }
  // The line whose writes to the allocation come nearest to `bytes`, from the first to the last of
  // them; the latest of those that are equally near. Null when none wrote there.
  const Call* nearest(std::uint64_t allocation, Range bytes) const;
  void forget(std::uint64_t allocation);

 private:
  struct Write {
    Call call;
    Range bytes{0, 0};
    std::uint64_t time = 0;  // of the latest
  };
  using Key = std::pair<std::uint64_t, const void*>;

  std::map<Key, Write> writes_;
  std::uint64_t time_ = 0;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_GLOBAL_WRITES_H_
