#include "tensorlane/observe/time/local_map.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tensorlane::observe {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The blocks that are alive while the commands are walked through in order. Until they are
// finished they are as small as the accesses cut them.
class Occupancy {
 public:
  // What the commands did, one after the other.
  explicit Occupancy(const Timeline& timeline) {
    for (std::size_t k = 0; k < timeline.commands.size(); ++k) {
      const TimedCommand& command = timeline.commands[k];
      sources_.emplace_back();
      select(command.core);
      for (const LocalAccess& access : command.local_accesses) {
        if (access.reads) read(access, k, command.slot.end);
      }
      for (const LocalAccess& access : command.local_accesses) {
        if (access.writes) write(access, k, command.slot);
      }
    }
  }
  std::vector<std::vector<std::size_t>> take_sources() { return std::move(sources_); }
  std::vector<LocalBlock> finish_all() {
    for (std::size_t core = 0; core < of_cores_.size(); ++core) {
      select(static_cast<int>(core));
      for (const auto& [begin, block] : alive()) finish(block, kNever);
      alive().clear();
    }
    return joined();
  }

 private:
  using Map = std::map<std::int64_t, LocalBlock>;

  void select(int core) {
    core_ = static_cast<std::size_t>(core);
    if (core_ >= of_cores_.size()) of_cores_.resize(core_ + 1);
  }
  Map& alive() { return of_cores_[core_]; }
  void read(const LocalAccess& access, std::size_t command, double end_us) {
    std::int64_t gap = access.begin;
    for (auto at = cut(access.begin); at != alive().end() && at->first < access.end; ++at) {
      if (gap < at->first) at = alive().emplace(gap, unwritten(gap, at->first)).first;
      cut(access.end);
      LocalBlock& block = at->second;
      block.end_us = std::max(block.end_us, end_us);
      block.last_reader = command;
      if (block.writer) note_source(command, *block.writer);
      gap = block.end;
    }
    if (gap < access.end) {
      LocalBlock block = unwritten(gap, access.end);
      block.end_us = end_us;
      block.last_reader = command;
      alive().emplace(gap, block);
    }
  }
  void write(const LocalAccess& access, std::size_t command, const Slot& slot) {
    if (access.begin >= access.end) return;
    auto at = cut(access.begin);
    cut(access.end);
    while (at != alive().end() && at->first < access.end) {
      finish(at->second, slot.start);
      at = alive().erase(at);
    }
    alive().emplace(access.begin, LocalBlock{.begin = access.begin,
                                             .end = access.end,
                                             .start_us = slot.start,
                                             .end_us = slot.end,
                                             .writer = command});
  }
  void note_source(std::size_t command, std::size_t writer) {
    std::vector<std::size_t>& sources = sources_[command];
    if (std::ranges::find(sources, writer) == sources.end()) sources.push_back(writer);
  }

  static LocalBlock unwritten(std::int64_t begin, std::int64_t end) {
    return {.begin = begin, .end = end};
  }
  // Splits the block that `offset` lies in; returns the first block at or after `offset`.
  Map::iterator cut(std::int64_t offset) {
    auto after = alive().lower_bound(offset);
    if (after == alive().begin()) return after;
    LocalBlock& before = std::prev(after)->second;
    if (before.end <= offset) return after;
    LocalBlock rest = before;
    rest.begin = offset;
    before.end = offset;
    return alive().emplace_hint(after, offset, rest);
  }
  void finish(LocalBlock block, double limit_us) {
    block.core = static_cast<int>(core_);
    block.end_us = std::min(block.end_us, limit_us);
    if (block.end_us > block.start_us) finished_.push_back(block);
  }
  // Puts neighbours with the same history together again.
  std::vector<LocalBlock> joined() {
    const auto history = [](const LocalBlock& block) {
      return std::tie(block.core, block.start_us, block.writer, block.end_us, block.last_reader);
    };
    std::ranges::sort(finished_, [&](const LocalBlock& a, const LocalBlock& b) {
      return history(a) != history(b) ? history(a) < history(b) : a.begin < b.begin;
    });
    std::vector<LocalBlock> result;
    for (const LocalBlock& block : finished_) {
      if (!result.empty() && result.back().end == block.begin &&
          history(result.back()) == history(block)) {
        result.back().end = block.end;
      } else {
        result.push_back(block);
      }
    }
    std::ranges::stable_sort(result, [](const LocalBlock& a, const LocalBlock& b) {
      return a.start_us != b.start_us ? a.start_us < b.start_us : a.begin < b.begin;
    });
    return result;
  }

  std::vector<Map> of_cores_;  // by first byte; no two overlap
  std::size_t core_ = 0;
  std::vector<LocalBlock> finished_;
  std::vector<std::vector<std::size_t>> sources_;  // by command
};

}  // namespace

std::vector<LocalBlock> local_map(const Timeline& timeline) {
  return Occupancy(timeline).finish_all();
}

std::vector<std::vector<std::size_t>> local_sources(const Timeline& timeline) {
  return Occupancy(timeline).take_sources();
}

std::vector<LocalUse> local_use(const std::vector<LocalBlock>& blocks) {
  std::vector<LocalUse> changes;
  for (const LocalBlock& block : blocks) {
    changes.push_back({block.start_us, block.bytes()});
    changes.push_back({block.end_us, -block.bytes()});
  }
  std::ranges::stable_sort(changes,
                           [](const LocalUse& a, const LocalUse& b) { return a.us < b.us; });
  std::vector<LocalUse> result;
  std::int64_t bytes = 0;
  for (const LocalUse& change : changes) {
    bytes += change.bytes;
    if (!result.empty() && result.back().us == change.us) {
      result.back().bytes = bytes;
    } else {
      result.push_back({change.us, bytes});
    }
  }
  return result;
}

}  // namespace tensorlane::observe
