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

}  // namespace tensorlane::check
