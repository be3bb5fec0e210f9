#include "tensorlane/trail/history.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "tensorlane/base/error.h"
#include "tensorlane/trail/dependence.h"

namespace tensorlane::trail {
namespace {

bool all_zero(std::span<const std::byte> bytes) {
  return bytes.empty() || (bytes.front() == std::byte{} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

template <class F>
void each_run(const Footprint& bytes, F f) {
  for (const ByteBox& box : bytes.shape->boxes) for_each_run(box, bytes.origin, f);
}

}  // namespace

History::History(const Chip& chip, DeviceMemory& memory, std::size_t budget)
    : chip_(chip), memory_(memory), budget_(budget), older_(chip) {}

void History::command(const Command& command) {
  Event event{.kind = Event::Kind::kCommand,
              .launch = launch_,
              .call_site = command.call_site,
              .op = command.op,
              .args = {command.args().begin(), command.args().end()},
              .sequence = command.sequence,
              .core = core_,
              .region = command.region,
              .calls = command.calls};
  note(std::hash<std::string_view>{}(command.op->name()));
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    note(operand.address);
    if (!operand.writes()) continue;
    const Layout layout = operand.role == Role::kWork ? operand.layout : whole_words(operand);
    event.writes.push_back(
        {operand.space, k,
         footprints_.get(layout, operand.space == Space::kLocal ? chip_.local.npu_bytes : 0)});
  }
  add(std::move(event), true);
}

Footprint History::footprint_of(Space space, Range bytes) const {
  if (space != Space::kLocal) return linear_footprint(bytes.begin, bytes.bytes());
  const std::int64_t npu_bytes = chip_.local.npu_bytes, npu = bytes.begin / npu_bytes;
  const std::int64_t begin = bytes.begin - npu * npu_bytes;
  return lane_footprint(npu_bytes, static_cast<int>(npu), 1, begin,
                        std::min(bytes.bytes(), npu_bytes - begin));
}

void History::host_writes(Range global, const HostCaller& caller) {
  note(static_cast<std::uint64_t>(global.begin));
  note(static_cast<std::uint64_t>(global.end));
  add({.kind = Event::Kind::kHost,
       .call_site = caller.call_site,
       .writes = {{Space::kGlobal, 0, footprint_of(Space::kGlobal, global)}},
       .caller = caller},
      true);
}

void History::host_copies(const DeviceCopy& copy, const HostCaller& caller) {
  note(copy.from);
  note(copy.to);
  const auto begin = static_cast<std::int64_t>(copy.to);
  Footprint bytes = linear_footprint(begin, static_cast<std::int64_t>(copy.bytes_at(copy.to_step)));
  if (copy.to_step > copy.item_bytes) {  // what lies between the items stays
    const auto item = static_cast<std::int64_t>(copy.item_bytes);
    Layout items(Dtype::kX8);
    items.set_base(begin)
        .add_dim(static_cast<std::int64_t>(copy.count),
                 {{1, static_cast<std::int64_t>(copy.to_step)}})
        .add_dim(item, {{1, 1}});
    bytes = footprint(items, 0);
  }
  add({.kind = Event::Kind::kHost,
       .call_site = caller.call_site,
       .writes = {{Space::kGlobal, 0, std::move(bytes)}},
       .caller = caller,
       .copy = copy},
      true);
}

void History::processor_writes(Space space, Range bytes, const void* call_site) {
  add({.kind = Event::Kind::kProcessor,
       .launch = launch_,
       .call_site = call_site,
       .writes = {{space, 0, footprint_of(space, bytes)}},
       .core = core_},
      true);
}

void History::unseen_writes(Space space, Range bytes, const void* call_site) {
  add({.kind = Event::Kind::kUnseen,
       .launch = launch_,
       .call_site = call_site,
       .writes = {{space, 0, footprint_of(space, bytes)}},
       .core = core_},
      false);
}

void History::note(std::uint64_t word) {
  fingerprint_ = (fingerprint_ ^ word) * 0x9e3779b97f4a7c15;
  fingerprint_ ^= fingerprint_ >> 29;
}

void History::add(Event event, bool keep) {
  TL_INTERNAL_CHECK(rewound_to_ == 0);
  const Call call{event.function(), event.call_site};
  const auto [number, added] = call_numbers_.try_emplace({call.function, call.call_site},
                                                         static_cast<std::uint32_t>(calls_.size()));
  if (added) calls_.push_back(call);
  call_of_event_.push_back(number->second);
  if (keep) {
    for (Event::Write& write : event.writes) save(write);
  }
  kept_ += event.kept_bytes();
  events_.push_back(std::move(event));
  while (kept_ > budget_ && events_.size() > 1) forget_first();
}

void History::save(Event::Write& write) {
  scratch_.clear();
  const std::byte* const memory = memory_.base(write.space);
  if (write.bytes.empty()) return;
  each_run(write.bytes, [&](std::int64_t begin, std::int64_t end) {
    scratch_.insert(scratch_.end(), memory + begin, memory + end);
  });
  if (!all_zero(scratch_)) write.other = scratch_;
}

void History::forget_first() {
  Event& event = events_.front();
  kept_ -= event.kept_bytes();
  for (const Event::Write& write : event.writes)
    older_.assign(write.space, write.bytes, first_, event.core);
  if (event.kind == Event::Kind::kHost) {
    for (Event::Write& write : event.writes) write.other = {};
    host_events_.emplace_hint(host_events_.end(), first_, std::move(event));
    if (host_events_.size() > kHostEvents) host_events_.erase(host_events_.begin());
  }
  events_.pop_front();
  ++first_;
}

const Event* History::find(Writer event) const {
  if (event >= first_ && event < next()) return &events_[event - first_];
  const auto host = host_events_.find(event);
  return host == host_events_.end() ? nullptr : &host->second;
}

const std::vector<Range>& History::runs_of(const Footprint& bytes) {
  const auto [entry, added] = runs_.try_emplace(bytes.shape);
  if (added) collect_runs(bytes.shape->boxes, 0, entry->second);
  return entry->second;
}

std::vector<Writer> History::last_writers(Space space, std::span<const std::int64_t> addresses,
                                          Writer before) {
  TL_INTERNAL_CHECK(before >= first_ && before <= next());
  const int core = core_of(before);
  std::vector<Writer> writers(addresses.size(), kNobody);
  std::vector<std::size_t> open(addresses.size());  // those whose writer is not known yet
  for (std::size_t k = 0; k < open.size(); ++k) open[k] = k;
  Range bounds{0, 0};
  const auto find_bounds = [&] {
    if (open.empty()) return;
    const auto [low, high] =
        std::ranges::minmax(open, {}, [&](std::size_t k) { return addresses[k]; });
    bounds = {addresses[low], addresses[high] + 1};
  };
  find_bounds();
  for (Writer event = before - 1; event >= first_ && !open.empty(); --event) {
    const Event& one = events_[event - first_];
    if (space == Space::kLocal && one.core != core) continue;
    for (const Event::Write& write : one.writes) {
      if (write.space != space || write.bytes.empty() || open.empty()) continue;
      const Range all = write.bytes.bounds();
      if (all.end <= bounds.begin || bounds.end <= all.begin) continue;
      const std::vector<Range>& runs = runs_of(write.bytes);
      const auto written = [&](std::size_t k) {
        const std::int64_t at = addresses[k] - write.bytes.origin;
        const auto run = std::ranges::upper_bound(runs, at, {}, &Range::end);
        if (run == runs.end() || at < run->begin) return false;
        writers[k] = event;
        return true;
      };
      if (std::erase_if(open, written) > 0) find_bounds();
    }
  }
  for (const std::size_t k : open) writers[k] = older_.at(space, addresses[k], core);
  return writers;
}

// Swaps what is kept and what memory holds.
void History::exchange(Event::Write& write, int core) {
  if (write.bytes.empty()) return;
  memory_.select_core(core);
  std::byte* const memory = memory_.base(write.space);
  scratch_.clear();
  each_run(write.bytes, [&](std::int64_t begin, std::int64_t end) {
    scratch_.insert(scratch_.end(), memory + begin, memory + end);
  });
  const std::byte* from = write.other.data();
  each_run(write.bytes, [&](std::int64_t begin, std::int64_t end) {
    const auto bytes = static_cast<std::size_t>(end - begin);
    if (write.other.empty()) {
      std::memset(memory + begin, 0, bytes);
    } else {
      std::memcpy(memory + begin, from, bytes);
      from += bytes;
    }
  });
  write.other.clear();
  if (!all_zero(scratch_)) write.other = scratch_;
}

void History::rewind(Writer event) {
  TL_INTERNAL_CHECK(event >= first_ && event <= next());
  Writer at = rewound_to_ == 0 ? next() : rewound_to_;
  for (; at > event; --at) {
    Event& last = events_[at - 1 - first_];
    if (last.kind == Event::Kind::kUnseen) continue;
    // Operands of one command may overlap; each kept what was there before all of them.
    for (auto write = last.writes.rbegin(); write != last.writes.rend(); ++write)
      exchange(*write, last.core);
  }
  for (; at < event; ++at) {
    Event& first = events_[at - first_];
    if (first.kind == Event::Kind::kUnseen) continue;
    for (Event::Write& write : first.writes) exchange(write, first.core);
  }
  rewound_to_ = at;
  memory_.select_core(core_of(event));
}

void History::rewind_behind(Writer event) {
  rewind(event + 1);
  memory_.select_core(core_of(event));
}

void History::restore() {
  if (rewound_to_ == 0) return;
  rewind(next());
  memory_.select_core(0);
  rewound_to_ = 0;
}

void command_of(const Event& event, const Chip& chip, Command& command) {
  command.sequence = event.sequence;
  command.region = event.region;
  command.core = event.core;
  command.call_site = event.call_site;
  command.calls = event.calls;
  // It was carried out, so whatever it breaks was tolerated.
  decode(*event.op, event.args, chip, event.region >= 0, command, {.keep_going = true});
}

}  // namespace tensorlane::trail
