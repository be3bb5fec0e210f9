#include "tensorlane/observe/check/coverage.h"

namespace tensorlane::check {

Coverage coverage(const trail::MarkMap& map, trail::Range read, trail::Range buffer,
                  trail::Mark host) {
  bool by_kernel = false;
  map.visit(buffer, [&](std::int64_t, std::int64_t, trail::Mark mark) {
    by_kernel = mark != trail::kUnwritten && mark != host;
    return !by_kernel;
  });
  Coverage result;
  map.visit(read, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
    if (mark == trail::kUnwritten) {
      result.unwritten.push_back({begin, end});
    } else if (!trail::is_defined(mark)) {
      result.undefined.push_back({0, 1, {begin, end}, mark});
    } else if (mark == host && by_kernel) {
      result.stale.push_back({begin, end});
    }
    return true;
  });
  return result;
}

std::vector<trail::Range> unread_input(const trail::MarkMap& map, const trail::MarkMap& reads,
                                       trail::Range buffer, trail::Mark host) {
  std::vector<trail::Range> unread;
  bool any_read = false;
  map.visit(buffer, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
    reads.visit({begin, end}, [&](std::int64_t from, std::int64_t to, trail::Mark read) {
      any_read = any_read || read != trail::kUnwritten;
      if (mark == host && read == trail::kUnwritten) unread.push_back({from, to});
      return true;
    });
    return true;
  });
  if (!any_read) unread.clear();
  return unread;
}

}  // namespace tensorlane::check
