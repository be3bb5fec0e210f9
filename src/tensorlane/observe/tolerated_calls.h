// Calls that break a limit and are computed all the same, for programs that run without checks:
// what would be an error of the checker is said once per source line.
#ifndef TENSORLANE_OBSERVE_TOLERATED_CALLS_H_
#define TENSORLANE_OBSERVE_TOLERATED_CALLS_H_

#include <set>

#include "tensorlane/device/observer.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

class ToleratedCalls : public Observer {
 public:
  explicit ToleratedCalls(Say say) : say_(std::move(say)) {}

  void launch_begin(const Launch& launch) override { kernel_ = launch.kernel; }
  void tolerated(const Tolerated& call) override;

 private:
  Say say_;
  std::string kernel_;
  std::set<const void*> said_;  // call sites
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TOLERATED_CALLS_H_
