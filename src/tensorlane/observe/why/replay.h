// Commands of the past carried out once more, otherwise: what their results would have been.
#ifndef TENSORLANE_OBSERVE_WHY_REPLAY_H_
#define TENSORLANE_OBSERVE_WHY_REPLAY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/history.h"

namespace tensorlane::why {

class Replay {
 public:
  Replay(trail::History& history, DeviceMemory& memory) : history_(history), memory_(memory) {}
  ~Replay() { history_.restore(); }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Memory as it was before an event that is kept; false for others.
  bool before(trail::Writer event);
  const DeviceMemory& memory() const { return memory_; }
  // What element `at` of operand number `result` would be. Memory is as before afterwards. Nothing
  // where the command cannot be carried out, is too large, or enough was tried.
  std::optional<double> result(const Command& command, int result, const Layout::Index& at);
  // The same where two dimensions of operand `source`, of the same extent, changed places.
  std::optional<double> transposed(const Command& command, int result, const Layout::Index& at,
                                   int source, int a, int b);

 private:
  trail::History& history_;
  DeviceMemory& memory_;
  trail::Writer at_ = trail::kNobody;          // kNobody: as it is
  std::int64_t left_ = std::int64_t{1} << 26;  // elements that may be computed still
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_REPLAY_H_
