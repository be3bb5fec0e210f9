// The rules of synchronisation, as a small state machine over one launch.
//
//   initialize              before the first command; not inside a region
//   parallel_start / _end   come in pairs and do not nest
//   poll                    after the last command, outside a region; data is in place only then
//                           [doc]
//   hau_poll                waits for the commands of the HAU before it and for no others [doc of
//                           the kernel language above TPUKernel]; anywhere, as the runtime of the
//                           chip asserts nothing
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
  kNotInitialized,    // the first command comes before initialize
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
  void hau_poll();
  // A command of the HAU or of one of the other engines.
  std::optional<Finding> command(Place where, bool hau = false);
  // The kernel returned by itself.
  std::optional<Finding> finish();

  bool inside_region() const { return open_; }
  // Commands were issued since the last poll.
  bool in_flight() const { return hau_.pending || others_.pending; }
  // The HAU was waited for after the last command of another engine; that engine was not.
  bool only_hau_polled() const { return others_.pending && others_.hau_polled; }

 private:
  bool initialized_ = false;
  bool open_ = false;
  // What engines have to do since the last poll.
  struct Work {
    bool pending = false;
    Place last = nullptr;
    bool hau_polled = false;  // after the last command
  };
  Work hau_, others_;
  Place start_ = nullptr;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_SYNC_STATE_H_
