// What of a buffer the device wrote, judged when the host reads it back.
#ifndef TENSORLANE_OBSERVE_CHECK_COVERAGE_H_
#define TENSORLANE_OBSERVE_CHECK_COVERAGE_H_

#include <vector>

#include "tensorlane/trail/init_shadow.h"

namespace tensorlane::check {

// The host reads `read`, a part of the buffer `buffer`; bytes of `map` marked `host` were written
// by the host, other defined ones by a kernel.
struct Coverage {
  std::vector<trail::Range> unwritten;  // neither the host nor a kernel wrote them
  std::vector<trail::MarkedBytes>
      undefined;  // a kernel wrote a value that depends on unwritten bytes
  std::vector<trail::Range>
      stale;  // the host reads back its own bytes, while a kernel wrote others
};
Coverage coverage(const trail::MarkMap& map, trail::Range read, trail::Range buffer,
                  trail::Mark host);

// What the host wrote to `buffer` and no kernel read, though kernels read some of it. `reads` marks
// the bytes that kernels read.
std::vector<trail::Range> unread_input(const trail::MarkMap& map, const trail::MarkMap& reads,
                                       trail::Range buffer, trail::Mark host);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_COVERAGE_H_
