// A launch in another order: its computations keep theirs, and each has a parallel region of its
// own with what data allows beside it.
#include <algorithm>
#include <utility>

#include "tensorlane/observe/time/rerun.h"

namespace tensorlane::observe {
namespace {

class Pipeline {
 public:
  // `room`: buffers stay where they are, so that room is as good a reason to wait as data. A region
  // has the computations of as many loads as `loads` says.
  Pipeline(const Rerun& launch, bool room, int loads)
      : launch_(launch), room_(room), loads_(loads) {}

  // Commands of both engines between two waits of the processor, in order.
  void add(std::span<const trail::CommandNumber> part, std::vector<Rerun::Event>& out) {
    first_ = part.front();
    places_.assign(static_cast<std::size_t>(part.back() - first_) + 1, Place());
    computing_ = -1;
    for (const trail::CommandNumber number : part) {
      if (command(number).engine == Engine::kBdc) add_computation(number);
    }
    place_computations();
    for (const trail::CommandNumber number : part) {
      Place& place = at(number);
      if (place.region >= 0) continue;
      place.region = std::max(0, earliest(number));
      place.out = true;
    }
    hand_over(part, out);
  }
  // Bytes of an NPU that doubled buffers take more.
  std::int64_t more_bytes() const { return most_loaded_ + most_stored_; }

 private:
  struct Place {
    int region = -1;
    bool out = false;  // no computation waits for it
    bool wanted = false;
  };

  const RerunCommand& command(trail::CommandNumber number) const {
    return launch_.commands()[static_cast<std::size_t>(number)];
  }
  Place& at(trail::CommandNumber number) {
    return places_[static_cast<std::size_t>(number - first_)];
  }
  bool here(trail::CommandNumber number) const { return number >= first_; }

  // The first region in which a move finds done what it comes after.
  int earliest(trail::CommandNumber number) {
    const RerunCommand& move = command(number);
    int region = -1;
    for (const trail::CommandNumber bdc : {move.data_bdc, room_ ? move.room_bdc : -1}) {
      if (here(bdc) && bdc >= 0) region = std::max(region, at(bdc).region + 1);
    }
    for (const trail::CommandNumber other : launch_.moves(move, room_)) {
      if (here(other)) region = std::max(region, at(other).region);
    }
    return region;
  }

  // Moves without a region that `number` comes after, and those that they come after.
  void collect(trail::CommandNumber number) {
    waiting_.assign(1, number);
    wanted_.clear();
    while (!waiting_.empty()) {
      const trail::CommandNumber next = waiting_.back();
      waiting_.pop_back();
      for (const trail::CommandNumber move : launch_.moves(command(next), room_)) {
        if (!here(move) || at(move).region >= 0 || at(move).wanted) continue;
        at(move).wanted = true;
        wanted_.push_back(move);
        waiting_.push_back(move);
      }
    }
    std::ranges::sort(wanted_);
  }

  // Waits with others until they have a region of their own.
  void add_computation(trail::CommandNumber number) {
    collect(number);
    if (!wanted_.empty()) {
      const auto needs_these = [&](trail::CommandNumber move) {
        const RerunCommand& of = command(move);
        return !together_.empty() &&
               std::max(of.data_bdc, room_ ? of.room_bdc : -1) >= together_.front();
      };
      const std::vector<trail::CommandNumber> wanted = wanted_;
      if (loaded_for_ == loads_ || std::ranges::any_of(wanted, needs_these)) place_computations();
      ++loaded_for_;
      moved_in_.insert(moved_in_.end(), wanted.begin(), wanted.end());
    }
    together_.push_back(number);
  }

  // What computations still need is moved in beside those before them.
  void place_computations() {
    int region = std::max(0, computing_);
    std::ranges::sort(moved_in_);
    for (const trail::CommandNumber move : moved_in_) {
      at(move).region = std::max(std::max(0, computing_), earliest(move));
      region = std::max(region, at(move).region + 1);
    }
    for (const trail::CommandNumber number : together_) {
      for (const trail::CommandNumber move : launch_.moves(command(number), room_)) {
        if (here(move)) region = std::max(region, at(move).region + 1);
      }
    }
    for (const trail::CommandNumber number : together_) at(number).region = region;
    if (!together_.empty()) computing_ = region;
    together_.clear();
    moved_in_.clear();
    loaded_for_ = 0;
  }

  void hand_over(std::span<const trail::CommandNumber> part, std::vector<Rerun::Event>& out) {
    std::vector<trail::CommandNumber> order(part.begin(), part.end());
    // In a region what comes in, what is computed, what goes out.
    const auto rank = [&](trail::CommandNumber number) {
      const int kind = command(number).engine == Engine::kBdc ? 1 : at(number).out ? 2 : 0;
      return std::pair(at(number).region, kind);
    };
    std::ranges::stable_sort(order, {}, rank);
    int region = -1;
    std::int64_t loaded = 0, stored = 0;
    for (const trail::CommandNumber number : order) {
      if (at(number).region != region) {
        if (region >= 0) out.push_back({-1, SyncEvent::kParallelEnd, nullptr});
        out.push_back({-1, SyncEvent::kParallelStart, nullptr});
        region = at(number).region;
        loaded = stored = 0;
      }
      const RerunCommand& next = command(number);
      out.push_back({number, {}, next.call_site});
      if (next.engine != Engine::kGdma) continue;
      loaded += next.loaded;
      stored += next.read;
      most_loaded_ = std::max(most_loaded_, loaded);
      most_stored_ = std::max(most_stored_, stored);
    }
    if (region >= 0) out.push_back({-1, SyncEvent::kParallelEnd, nullptr});
  }

  const Rerun& launch_;
  bool room_;
  int loads_;
  int loaded_for_ = 0;  // computations of these had something to load
  std::vector<trail::CommandNumber> together_, moved_in_;  // they, and what is moved in for them
  trail::CommandNumber first_ = 0;
  int computing_ = -1;  // the region of the last computation
  std::vector<Place> places_;
  std::vector<trail::CommandNumber> waiting_, wanted_;
  std::int64_t most_loaded_ = 0, most_stored_ = 0;
};

std::vector<Rerun::Event> pipeline(const Rerun& launch, bool keep_polls, bool room, int loads,
                                   bool& fits) {
  std::vector<Rerun::Event> out;
  std::vector<trail::CommandNumber> part;
  Pipeline order(launch, room, loads);
  const auto end_part = [&] {
    if (!part.empty()) order.add(part, out);
    part.clear();
  };
  for (const Rerun::Event& event : launch.events()) {
    const bool poll =
        event.command < 0 && (event.sync == SyncEvent::kPoll || event.sync == SyncEvent::kHauPoll);
    if (event.command < 0 && (!poll || !keep_polls)) continue;
    const Engine engine =
        poll ? Engine::kNone : launch.commands()[static_cast<std::size_t>(event.command)].engine;
    if (poll || engine == Engine::kHau || engine == Engine::kSdma) {
      end_part();
      out.push_back(event);
    } else {
      part.push_back(event.command);
    }
  }
  end_part();
  fits = room || order.more_bytes() <= launch.free_local_bytes();
  return out;
}

}  // namespace

std::vector<Rerun::Event> pipeline(const Rerun& launch, bool keep_polls, int loads) {
  bool fits = false;
  std::vector<Rerun::Event> doubled = pipeline(launch, keep_polls, false, loads, fits);
  return fits ? doubled : pipeline(launch, keep_polls, true, loads, fits);
}

}  // namespace tensorlane::observe
