#include "tensorlane/observe/live_bytes.h"

#include <algorithm>
#include <map>

namespace tensorlane::observe {
namespace {

// Disjoint ranges, begin -> end.
class RangeSet {
 public:
  void add(std::int64_t begin, std::int64_t end) {
    remove(begin, end);
    ranges_.emplace(begin, end);
    bytes_ += end - begin;
  }
  void remove(std::int64_t begin, std::int64_t end) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    while (at != ranges_.end() && at->first < end) {
      const auto [first, last] = *at;
      if (last <= begin) {
        ++at;
        continue;
      }
      at = ranges_.erase(at);
      bytes_ -= last - first;
      if (first < begin) insert(first, begin);
      if (end < last) insert(end, last);
    }
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  void insert(std::int64_t begin, std::int64_t end) {
    ranges_.emplace(begin, end);
    bytes_ += end - begin;
  }
  std::map<std::int64_t, std::int64_t> ranges_;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::vector<std::int64_t> live_bytes(std::span<const std::vector<LocalAccess>> commands) {
  std::vector<std::int64_t> result(commands.size());
  RangeSet live;  // after the command at hand
  for (std::size_t k = commands.size(); k-- > 0;) {
    for (const LocalAccess& access : commands[k]) live.add(access.begin, access.end);
    result[k] = live.bytes();
    for (const LocalAccess& access : commands[k]) {
      if (access.writes && !access.reads) live.remove(access.begin, access.end);
    }
    for (const LocalAccess& access : commands[k]) {
      if (access.reads) live.add(access.begin, access.end);
    }
  }
  return result;
}

}  // namespace tensorlane::observe
