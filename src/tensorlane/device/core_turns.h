// Whose turn it is among the cores of a launch.
//
// Each core of a launch has a thread of its own, and exactly one of them runs: a core goes on until
// it gives its turn away, at calls that synchronise. What happens is therefore the same in every
// run, whatever the system does with the threads, and nothing that the cores share needs a lock.
// Which core comes next is free on the chip; the order is chosen here:
//
//   order    a core keeps its turn as long as it can go on; then the next one by number
//   random   at every device function the die of a seed says who goes on
//
// Results of correct kernels are the same in all of them.
#ifndef TENSORLANE_DEVICE_CORE_TURNS_H_
#define TENSORLANE_DEVICE_CORE_TURNS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string_view>
#include <vector>

namespace tensorlane {

struct CoreOrder {
  enum class Kind : std::uint8_t { kOrder, kRandom };
  Kind kind = Kind::kOrder;
  std::uint64_t seed = 1;  // of kRandom
};
// "order", "random" or "random:SEED". UserError for anything else.
CoreOrder parse_core_order(std::string_view text);

class CoreTurns {
 public:
  // Called by its thread when another core goes on, and by that of the one that stops going on.
  using Told = std::function<void(int core)>;

  CoreTurns(int cores, CoreOrder order, Told goes_on, Told stops);

  // The thread of a core arrives; returns when it is its turn for the first time, false where the
  // launch ended before.
  bool begin(int core);
  // The core is done.
  void end(int core);
  // Whoever likes may go on. Where the order is by number, that is the core itself.
  void offer(int core);
  // The others go on as long as one of them can; false when the launch ended meanwhile.
  bool let_others(int core);
  // The core stands still until `ready` holds, which is asked while no core runs. False when that
  // can no longer happen: every core stands still, or the launch ended.
  bool wait(int core, std::function<bool()> ready);
  // The launch ends: every core that stands still goes on with false, one after the other.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

 private:
  enum class State : std::uint8_t { kAbsent, kReady, kReluctant, kBlocked, kDone };
  struct Core {
    State state = State::kAbsent;
    std::function<bool()> ready;
    std::condition_variable woken;
  };
  Core& of(int core) { return *cores_[static_cast<std::size_t>(core)]; }
  int choose(int after);
  int pick(const std::vector<int>& those, int after);
  bool pass(int core, State state);
  void hand_on(int core);
  void go_on(std::unique_lock<std::mutex>& lock, int core, bool first);

  const CoreOrder order_;
  const Told goes_on_, stops_;
  std::mt19937_64 random_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Core>> cores_;
  int absent_;
  int turn_ = -1;
  bool stopped_ = false;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_CORE_TURNS_H_
