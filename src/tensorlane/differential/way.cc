#include "tensorlane/differential/way.h"

#include <fmt/format.h>
#include <hwy/targets.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <memory>

#include "tensorlane/base/parallel.h"
#include "tensorlane/compute/rows/half_table_rows.h"

namespace tensorlane::differential {
namespace {

constexpr int kSmaller = 12;  // a few elements are work for threads
constexpr int kThreads[] = {1, 2, 3, 4, 8};

void choose_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Threads of their own, more than there are cores.
tbb::task_arena& arena(int threads) {
  static auto& arenas = *new std::map<int, std::unique_ptr<tbb::task_arena>>;
  std::unique_ptr<tbb::task_arena>& own = arenas[threads];
  if (own == nullptr) own = std::make_unique<tbb::task_arena>(threads);
  return *own;
}

// Puts all back, whatever a body throws.
class Scope {
 public:
  explicit Scope(const Way& way) : way_(way) {
    if (way.target != 0) choose_target(way.target);
    static int limited = 0;
    if (limited != way.threads) limit_threads(limited = way.threads);
    parallel_trial.smaller = way.threads == 1 ? 0 : kSmaller;
    parallel_trial.order = way.order;
    HalfTables::of_process().always = true;  // for however few elements
  }
  ~Scope() {
    HalfTables::of_process().always = false;
    parallel_trial.smaller = 0;
    parallel_trial.order = 0;
    if (way_.target != 0) choose_target(0);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const Way& way_;
};

}  // namespace

std::string Way::text() const {
  std::string text = implementation == kDispatched
                         ? std::string("as dispatched")
                         : fmt::format("implementation {}", implementation);
  if (target != 0) text += fmt::format(", {}", hwy::TargetName(target));
  text += fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
  if (order != 0) text += fmt::format(" in turn, order {}", order);
  if (comes_again) text += ", as a call that comes again";
  return text;
}

const std::vector<std::int64_t>& targets() {
  static const auto& all = *new std::vector<std::int64_t>(hwy::SupportedAndGeneratedTargets());
  return all;
}

Way draw_way(Random& random) {
  Way way;
  way.target = random.chance(2) ? 0 : targets()[random.index(targets().size())];
  way.threads = kThreads[random.index(std::size(kThreads))];
  // Real threads on few cores seldom meet; an order of chance always shows what depends on it.
  if (way.threads > 1 && !random.chance(16)) way.order = 1 + random.word();
  way.comes_again = random.chance(4);
  return way;
}

void run_in(const Way& way, const std::function<void()>& body) {
  const Scope scope(way);
  if (way.threads == 1) {
    body();
  } else {
    arena(way.threads).execute(body);
  }
}

}  // namespace tensorlane::differential
