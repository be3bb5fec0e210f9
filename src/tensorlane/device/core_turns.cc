#include "tensorlane/device/core_turns.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tensorlane/base/error.h"

namespace tensorlane {

CoreOrder parse_core_order(std::string_view text) {
  CoreOrder order;
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (name == "order" && colon == std::string_view::npos) return order;
  if (name == "random") {
    order.kind = CoreOrder::Kind::kRandom;
    if (colon == std::string_view::npos) return order;
    const std::string_view seed = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), order.seed);
    if (error == std::errc() && end == seed.data() + seed.size()) return order;
  }
  user_error("order of cores is '{}'; there are order and random[:SEED]", text);
}

CoreTurns::CoreTurns(int cores, CoreOrder order, Told goes_on, Told stops)
    : order_(order),
      goes_on_(std::move(goes_on)),
      stops_(std::move(stops)),
      random_(order.seed),
      absent_(cores) {
  for (int k = 0; k < cores; ++k) cores_.push_back(std::make_unique<Core>());
}

int CoreTurns::pick(const std::vector<int>& those, int after) {
  if (those.empty()) return -1;
  if (order_.kind == CoreOrder::Kind::kRandom) return those[random_() % those.size()];
  const auto next = std::ranges::upper_bound(those, after);
  return next == those.end() ? those.front() : *next;
}

// Who goes on; -1: nobody is left. Where nobody can, the launch is stopped.
int CoreTurns::choose(int after) {
  std::vector<int> ready, reluctant, left;
  for (int k = 0; k < static_cast<int>(cores_.size()); ++k) {
    Core& core = of(k);
    if (core.state == State::kDone) continue;
    left.push_back(k);
    if (core.state == State::kReluctant) reluctant.push_back(k);
    if (core.state == State::kReady || (core.state == State::kBlocked && core.ready()))
      ready.push_back(k);
  }
  if (!stopped_) {
    if (const int next = pick(ready, after); next >= 0) return next;
    if (const int next = pick(reluctant, after); next >= 0) return next;
    stopped_ = true;
  }
  return left.empty() ? -1 : left.front();
}

void CoreTurns::hand_on(int core) {
  turn_ = choose(core);
  if (turn_ == core) return;
  if (core >= 0) stops_(core);
  if (turn_ >= 0) of(turn_).woken.notify_one();
}

void CoreTurns::go_on(std::unique_lock<std::mutex>& lock, int core, bool first) {
  if (turn_ == core && !first) return;
  of(core).woken.wait(lock, [&] { return turn_ == core; });
  goes_on_(core);
}

bool CoreTurns::begin(int core) {
  std::unique_lock lock(mutex_);
  of(core).state = State::kReady;
  if (--absent_ == 0) hand_on(-1);  // not before all are there: who comes first is chance
  go_on(lock, core, true);
  return !stopped_;
}

void CoreTurns::end(int core) {
  const std::lock_guard lock(mutex_);
  of(core).state = State::kDone;
  of(core).ready = nullptr;
  hand_on(core);
}

bool CoreTurns::pass(int core, State state) {
  std::unique_lock lock(mutex_);
  of(core).state = state;
  hand_on(core);
  go_on(lock, core, false);
  of(core).state = State::kReady;
  return !stopped_;
}

void CoreTurns::offer(int core) {
  if (order_.kind == CoreOrder::Kind::kRandom && cores_.size() > 1 && !stopped_)
    pass(core, State::kReady);
}

bool CoreTurns::let_others(int core) {
  return pass(core, State::kReluctant);
}

bool CoreTurns::wait(int core, std::function<bool()> ready) {
  of(core).ready = std::move(ready);
  return pass(core, State::kBlocked);
}

}  // namespace tensorlane
