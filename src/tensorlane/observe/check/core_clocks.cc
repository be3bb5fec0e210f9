#include "tensorlane/observe/check/core_clocks.h"

#include <algorithm>
#include <limits>

namespace tensorlane::check {

CoreClocks::CoreClocks(int cores) {
  const Clock zero(static_cast<std::size_t>(cores * kEngines));
  engines_.resize(zero.size(), {zero, zero, -1, zero, zero});
  threads_.resize(static_cast<std::size_t>(cores), zero);
  sends_.fill(zero);
  latest_ = least_ = zero;
}

void CoreClocks::join(Clock& clock, const Clock& other) {
  for (std::size_t k = 0; k < clock.size(); ++k) clock[k] = std::max(clock[k], other[k]);
}

CoreClocks::Moment CoreClocks::step(int core, int number, std::int64_t region, bool is_command,
                                    const Clock* also) {
  EngineClock& own = engine(core, number);
  Clock clock = own.now;
  for (int other = 0; other < kEngines; ++other) {
    if (other == number) continue;
    const EngineClock& each = engine(core, other);
    const bool beside = region >= 0 && each.region == region;
    join(clock, beside       ? is_command ? each.before_region : each.of_commands_before_region
                : is_command ? each.now
                             : each.of_commands);
  }
  join(clock, threads_[static_cast<std::size_t>(core)]);
  if (also != nullptr) join(clock, *also);
  const int component = core * kEngines + number;
  const Time time = ++clock[static_cast<std::size_t>(component)];
  if (region >= 0 && region != own.region) {
    own.before_region = own.now;
    own.of_commands_before_region = own.of_commands;
  }
  own.region = region;
  latest_ = clock;
  if (is_command) own.of_commands = clock;
  own.now = std::move(clock);
  return {component, time};
}

CoreClocks::Moment CoreClocks::command(int core, Engine engine, std::int64_t region) {
  return step(core, index(engine), region, true, nullptr);
}

CoreClocks::Moment CoreClocks::message(int core, const MessageEvent& event) {
  if (event.kind == MessageEvent::Kind::kJoin) {
    join_engines(core);
    return {};
  }
  Clock& sends = sends_[static_cast<std::size_t>(event.slot)];
  const bool waits = event.kind == MessageEvent::Kind::kWait;
  const Moment moment =
      step(core, index(event.engine), event.region, false, waits ? &sends : nullptr);
  if (!waits) {
    slots_.send(event.slot, event.count);
    join(sends, latest_);
    return moment;
  }
  slots_.take(event.slot);
  if (slots_.slot(event.slot).sent == 0) std::ranges::fill(sends, Time{0});
  note_least();
  return moment;
}

void CoreClocks::join_engines(int core) {
  Clock all = threads_[static_cast<std::size_t>(core)];
  for (int number = 0; number < kEngines; ++number) join(all, engine(core, number).now);
  for (int number = 0; number < kEngines; ++number)
    engine(core, number) = {all, all, engine(core, number).region, all, all};
  latest_ = all;
  note_least();
}

void CoreClocks::poll(int core) {
  for (int number = 0; number < kEngines; ++number)
    join(threads_[static_cast<std::size_t>(core)], engine(core, number).now);
}

void CoreClocks::poll(int core, Engine of) {
  join(threads_[static_cast<std::size_t>(core)], engine(core, index(of)).now);
}

// A core's next command comes after what all its engines did, but for what they do in a region.
void CoreClocks::note_least() {
  std::ranges::fill(least_, std::numeric_limits<Time>::max());
  for (int core = 0; core < cores(); ++core) {
    Clock next = threads_[static_cast<std::size_t>(core)];
    for (int number = 0; number < kEngines; ++number) {
      const EngineClock& each = engine(core, number);
      join(next, each.region >= 0 ? each.before_region : each.now);
    }
    for (std::size_t k = 0; k < next.size(); ++k) least_[k] = std::min(least_[k], next[k]);
  }
}

}  // namespace tensorlane::check
