// The rules of synchronisation, as a small state machine over one launch.
//
//   okk_initialize   before the first command; not inside a region
//   okk_parallel_start / _end   come in pairs and do not nest
//   okk_poll         after the last command, outside a region; data is in place only then [doc]
#ifndef TENSORLANE_OBSERVE_CHECK_SYNC_STATE_H_
#define TENSORLANE_OBSERVE_CHECK_SYNC_STATE_H_

#include <cstdint>
#include <optional>

namespace tensorlane::check {

enum class SyncProblem : std::uint8_t {
  kStartInside,       // a region starts inside a region
  kEndOutside,        // a region ends that never started
  kPollInside,        // waits inside a region
  kOpenAtReturn,      // the kernel returns inside a region
  kUnpolledAtReturn,  // the kernel returns before its commands are known to be done
  kInitializeInside,  // bookkeeping is reset inside a region: the region never ends
  kNotInitialized,    // the first command comes before okk_initialize
};

// `Place` names a position in the kernel; the state machine only hands it back.
class SyncState {
 public:
  using Place = const void*;
  struct Finding {
    SyncProblem problem;
    Place where;  // the offending call; null for the return of the kernel
    Place other;  // the call it clashes with: the open start, the last command
  };

  void launch() { *this = SyncState{}; }
  std::optional<Finding> initialize(Place where);
  std::optional<Finding> start(Place where);
  std::optional<Finding> end(Place where);
  std::optional<Finding> poll(Place where);
  std::optional<Finding> command(Place where);
  // The kernel returned by itself.
  std::optional<Finding> finish();

  bool inside_region() const { return open_; }
  // Commands were issued since the last poll.
  bool in_flight() const { return pending_; }

 private:
  bool initialized_ = false;
  bool open_ = false;
  bool pending_ = false;
  Place start_ = nullptr;
  Place last_command_ = nullptr;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_SYNC_STATE_H_
