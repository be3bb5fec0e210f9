// What of a buffer the device wrote, judged when the host reads it back.
#ifndef TENSORLANE_OBSERVE_CHECK_COVERAGE_H_
#define TENSORLANE_OBSERVE_CHECK_COVERAGE_H_

#include <vector>

#include "tensorlane/observe/check/init_shadow.h"

namespace tensorlane::check {

// The host reads `read`, a part of the buffer `buffer`; bytes of `map` marked `host` were written
// by the host, other defined ones by a kernel.
struct Coverage {
  std::vector<Range> unwritten;        // neither the host nor a kernel wrote them
  std::vector<MarkedBytes> undefined;  // a kernel wrote a value that depends on unwritten bytes
  std::vector<Range> stale;  // the host reads back its own bytes, while a kernel wrote others
};
Coverage coverage(const MarkMap& map, Range read, Range buffer, Mark host);

// What the host wrote to `buffer` and no kernel read, though kernels read some of it. `reads` marks
// the bytes that kernels read.
std::vector<Range> unread_input(const MarkMap& map, const MarkMap& reads, Range buffer, Mark host);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_COVERAGE_H_
