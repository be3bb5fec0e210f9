#include "tensorlane/observe/check/coverage.h"

namespace tensorlane::check {

Coverage coverage(const MarkMap& map, Range read, Range buffer, Mark host) {
  bool by_kernel = false;
  map.visit(buffer, [&](std::int64_t, std::int64_t, Mark mark) {
    by_kernel = mark != kUnwritten && mark != host;
    return !by_kernel;
  });
  Coverage result;
  map.visit(read, [&](std::int64_t begin, std::int64_t end, Mark mark) {
    if (mark == kUnwritten) {
      result.unwritten.push_back({begin, end});
    } else if (!is_defined(mark)) {
      result.undefined.push_back({0, 1, {begin, end}, mark});
    } else if (mark == host && by_kernel) {
      result.stale.push_back({begin, end});
    }
    return true;
  });
  return result;
}

std::vector<Range> unread_input(const MarkMap& map, const MarkMap& reads, Range buffer, Mark host) {
  std::vector<Range> unread;
  bool any_read = false;
  map.visit(buffer, [&](std::int64_t begin, std::int64_t end, Mark mark) {
    reads.visit({begin, end}, [&](std::int64_t from, std::int64_t to, Mark read) {
      any_read = any_read || read != kUnwritten;
      if (mark == host && read == kUnwritten) unread.push_back({from, to});
      return true;
    });
    return true;
  });
  if (!any_read) unread.clear();
  return unread;
}

}  // namespace tensorlane::check
