// In which order the commands of a parallel region take effect.
//
// Inside a region each engine keeps the order of its own commands and nothing orders one engine
// against the other [doc]. Issue order is one of the orders the chip allows; the others here make a
// kernel that relies on it compute wrong values:
//
//   early   every GDMA command takes effect before the BDC commands of its region
//   late    every GDMA command takes effect after the BDC commands of its region
//   random  the two engines take turns by the throw of a seeded die
//
// Results of correct kernels are the same in all of them.
#ifndef TENSORLANE_DEVICE_REGION_QUEUE_H_
#define TENSORLANE_DEVICE_REGION_QUEUE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string_view>

#include "tensorlane/ops/command.h"

namespace tensorlane {

struct RegionOrder {
  enum class Kind : std::uint8_t { kIssue, kEarly, kLate, kRandom };
  Kind kind = Kind::kIssue;
  std::uint64_t seed = 1;  // of kRandom
};
// "issue", "early", "late", "random" or "random:SEED". UserError for anything else.
RegionOrder parse_region_order(std::string_view text);

class RegionQueue {
 public:
  using Run = std::function<void(const Command&)>;

  explicit RegionQueue(RegionOrder order) : order_(order), random_(order.seed) {}

  // A command of the open region: runs it, and others that waited, when its turn has come.
  void add(const Command& command, const Run& run);
  // The processor waits for an engine: runs its commands, and what has to come before them.
  void wait(Engine engine, const Run& run);
  // The region ends: runs what is left.
  void finish(const Run& run);

 private:
  std::deque<Command>& waiting(Engine engine) { return waiting_[engine == Engine::kGdma ? 0 : 1]; }
  static void run_first(std::deque<Command>& commands, const Run& run);
  bool coin() { return (random_() & 1) != 0; }

  RegionOrder order_;
  std::mt19937_64 random_;
  std::array<std::deque<Command>, 2> waiting_;  // GDMA; BDC and HAU, in issue order
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_REGION_QUEUE_H_
